// What NAME.hpp, the C++20 wrapper of an emitted module, includes: the exception, and an owner of a
// workspace.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "cohort/abi.h"

namespace cohort {

// A status other than COHORT_OK; what() is the record in words.
class error : public std::runtime_error {
 public:
  error(std::int32_t status, const std::string& text) : std::runtime_error(text), status_(status) {}
  std::int32_t status() const { return status_; }

 private:
  std::int32_t status_;
};

// Memory of a workspace; movable.
class workspace_memory {
 public:
  workspace_memory(std::size_t bytes, std::size_t alignment)
      : data_(::operator new (bytes, std::align_val_t{alignment})), alignment_(alignment) {}
  workspace_memory(workspace_memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), alignment_(other.alignment_) {}
  workspace_memory& operator=(workspace_memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(alignment_, other.alignment_);
    return *this;
  }
  ~workspace_memory() { ::operator delete (data_, std::align_val_t{alignment_}); }
  void* data() const { return data_; }

 private:
  void* data_;
  std::size_t alignment_;
};

}  // namespace cohort
