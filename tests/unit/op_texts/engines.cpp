#include <array>

#include "op_text.h"

namespace cohort {
namespace {

CallResult run_interpreter(const Module& module, const Function& function, std::span<const Tensor> inputs,
                           std::vector<Tensor>& state) {
  return interpret(module, function, inputs, state, bind_dims(module, function, inputs));
}

constexpr std::array<Engine, 1> kEngines{{{"graph interpreter", run_interpreter, 0}}};

}  // namespace

std::span<const Engine> engines() { return kEngines; }

}  // namespace cohort
