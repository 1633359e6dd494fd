#include "ir/ops/extern_call.h"

#include <dlfcn.h>

#include <array>
#include <utility>

#include "ir/diagnostics.h"

namespace cohort::ops {

namespace {

constexpr std::string_view kMark = "extern ";

// Pointers and 64-bit integers are passed alike on the machines that cohort runs on.
using Word = std::uintptr_t;
template <std::size_t>
using WordAt = Word;
template <std::size_t... I>
std::int32_t call_words(void* function, const std::vector<Word>& words, std::index_sequence<I...>) {
  using Entry = std::int32_t (*)(WordAt<I>...);
  return reinterpret_cast<Entry>(function)(words[I]...);
}
template <std::size_t N>
std::int32_t call_with(void* function, const std::vector<Word>& words) {
  if (words.size() == N) return call_words(function, words, std::make_index_sequence<N>());
  if constexpr (N < kMostExternWords) return call_with<N + 1>(function, words);
  internal_error("a call of more words than an extern function takes");
}

}  // namespace

std::string extern_call_text(const std::string& function, const std::string& library) {
  return std::string(kMark) + function + " " + library;
}

std::optional<ExternCall> extern_call(const std::string& text) {
  if (!text.starts_with(kMark)) return {};
  const std::size_t space = text.find(' ', kMark.size());
  return ExternCall{text.substr(kMark.size(), space - kMark.size()), text.substr(space + 1)};
}

std::int32_t run_extern(const ExternCall& call, std::span<Tensor> results, std::span<const Tensor> operands,
                        std::span<const std::int64_t> extents) {
  if (call.library.empty())
    fail(DiagId::kExternLibrary, call.function, "must be named as `library` to run it outside compiled code");
  void* const library = ::dlopen(call.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail(DiagId::kExternLibrary, call.function, fmt::format("cannot be loaded: {}", ::dlerror()));
  void* const function = ::dlsym(library, call.function.c_str());
  if (function == nullptr)
    fail(DiagId::kExternLibrary, call.function, fmt::format("does not have it: `{}`", call.library));
  std::vector<Word> words;
  for (Tensor& result : results) words.push_back(reinterpret_cast<Word>(result.mutable_data()));
  for (const Tensor& operand : operands) words.push_back(reinterpret_cast<Word>(operand.data()));
  for (const std::int64_t extent : extents) words.push_back(static_cast<Word>(extent));
  return call_with<1>(function, words);
}

}  // namespace cohort::ops
