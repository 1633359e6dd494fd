// Operator tests on the GPU, emulated: all files of tests/ops are one module, built once.
#include <doctest/doctest.h>

#include "tests/slow/cuda/emulated.h"
#include "tests/support/op_text.h"

namespace cohort::test {

TEST_CASE("every operator test holds on an emulated GPU") {
  const JoinedOpTexts texts(op_text_files());
  const Engine engine = emulated_engine(texts.module());
  const auto run = [&](const Module&, const Function& function, std::span<const Tensor> inputs,
                       std::vector<Tensor>& state) { return engine(function, inputs, state); };
  for (const std::string& message : texts.run({"emulated GPU", run, 0, false})) FAIL_CHECK(message);
}

}  // namespace cohort::test
