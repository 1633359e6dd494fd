// A claim in a driver: says which one failed and ends the program.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(claim)                                                        \
  do {                                                                      \
    if (!(claim)) {                                                         \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #claim); \
      std::exit(1);                                                         \
    }                                                                       \
  } while (false)
