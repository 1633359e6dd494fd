#include "compiler/placement/transfers.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "compiler/kernel_passes/walk.h"

namespace cohort::placement {

using namespace kernel;

namespace {

class TransferCheck {
 public:
  explicit TransferCheck(const Program& program) : program_(program) {
    for (BufferId b = 0; b < program.buffers.size(); ++b) {
      contents_.push_back({next_++, false});
      for_each_state(b, [&](std::uint32_t state) { holders_[state].push_back(b); });
    }
  }

  std::vector<std::string> run() {
    for (const Kernel& kernel : program_.kernels) {
      if (is_transfer(kernel)) {
        transfer(kernel.body[0].buffer, kernel.body[0].buffers[0]);
        continue;
      }
      for_each_use(kernel.body, [&](const BufferUse& use) {
        if (use.written) store(use.buffer);
      });
    }
    return std::move(faults_);
  }

 private:
  struct Content {
    std::size_t value = 0;  // which one is in the buffer
    bool crossed = false;   // it came from the other device
  };

  void transfer(BufferId to, BufferId from) {
    const std::string& name = program_.buffers[from].name;
    const Content content = contents_[from];
    if (content.crossed) faults_.push_back(fmt::format("`{}` goes back where it came from", name));
    if (!crossed_.insert(content.value).second) faults_.push_back(fmt::format("`{}` crosses twice", name));
    renew_others(to);
    contents_[to] = {content.value, true};
  }
  void store(BufferId b) {
    contents_[b] = {next_++, false};
    renew_others(b);
  }
  // Other buffers may hold the same variables.
  void renew_others(BufferId but) {
    for_each_state(but, [&](std::uint32_t state) {
      for (const BufferId b : holders_[state])
        if (b != but) contents_[b] = {next_++, false};
    });
  }
  template <typename F>
  void for_each_state(BufferId b, const F& f) const {
    const Buffer& buffer = program_.buffers[b];
    if (buffer.kind != BufferKind::kState) return;
    if (buffer.members.empty()) f(buffer.index);
    for (const std::uint32_t state : buffer.members) f(state);
  }

  const Program& program_;
  std::size_t next_ = 0;
  std::vector<Content> contents_;                                     // by BufferId
  std::unordered_map<std::uint32_t, std::vector<BufferId>> holders_;  // of a state variable
  std::set<std::size_t> crossed_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of_transfers(const Program& program) { return TransferCheck(program).run(); }

}  // namespace cohort::placement
