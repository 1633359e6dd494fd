// Operator tests on the GPU, emulated: all files of tests/ops are one module, built once for each side.
#include <doctest/doctest.h>

#include "tests/slow/cuda/emulated.h"
#include "tests/support/op_text.h"

namespace cohort::test {

namespace {

void check_texts(Side side) {
  const JoinedOpTexts texts(op_text_files());
  const Engine engine = emulated_engine(texts.module(), {}, side);
  const auto run = [&](const Module&, const Function& function, std::span<const Tensor> inputs,
                       std::vector<Tensor>& state) { return engine(function, inputs, state); };
  for (const std::string& message : texts.run({"emulated GPU", run, 0, false})) FAIL_CHECK(message);
}

}  // namespace

TEST_CASE("every operator test holds on an emulated GPU") { check_texts(Side::kCpp); }

TEST_CASE("every operator test holds on what nvcc makes of the device code") {
  if (nvcc().empty()) {
    MESSAGE("skipped: no nvcc");
    return;
  }
  check_texts(Side::kPtx);
}

}  // namespace cohort::test
