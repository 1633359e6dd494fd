// The C++ wrapper of the module `model`.
#include <array>
#include <string>
#include <vector>

#include "check.h"
#include "model.hpp"

int main(int, char** argv) {
  model::module first;
  first.step();
  CHECK(first.x()[1] == 4 && first.y()[0] == 4);
  model::module second = std::move(first);
  std::vector<double> x(2);
  second.get("x", x);
  CHECK(x[1] == 4);
  x[0] = 0.5;
  second.set("x", x);
  CHECK(second.x()[0] == 0.5);
  const std::array<std::int64_t, 2> rows{1, 7};
  std::array<float, 8> out{};
  bool thrown = false;
  try {
    second.look({.batch = 2, .i = rows, .row = out});
  } catch (const cohort::error& error) {
    thrown = error.status() == COHORT_INDEX_OUT_OF_RANGE &&
             std::string(error.what()) == "`look`: `take`: index 7 is out of range for size 3";
  }
  CHECK(thrown);
  second.save(std::string(argv[1]) + "/wrapper.safetensors");
  return 0;
}
