// The same through the C++ wrapper.
#include <cstdio>

#include "scale.hpp"

int main() {
  scale::module scale;
  float total = 0;
  scale.total({.total = {&total, 1}});
  std::printf("%g\n", static_cast<double>(total));
  return 0;
}
