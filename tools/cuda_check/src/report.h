// Reports: each distinct one (check and place) is printed once, with the source line and the thread it was
// found in. A program with a report exits with status 86, whatever it returned.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_check {

enum class Check {
#define CHECK(enumerator, name, meaning) enumerator,
#include "checks.def"
#undef CHECK
};

// Where in the source something happened: an address in the program's code, or a line that is known.
struct Site {
  void* pc = nullptr;
  int line = 0;
};

void report(Check check, Site site, const char* format, ...) __attribute__((format(printf, 3, 4)));
// After an access that cannot be carried out: prints the number of reports and ends the program.
[[noreturn]] void stop();
// A limit of this tool and no finding about the program: prints the reason and exits with status 88.
[[noreturn]] void unsupported(const char* format, ...) __attribute__((format(printf, 1, 2)));
int number_of_reports();

std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));
// "function at file:line" for addresses in the program's code.
std::vector<std::string> symbols(const std::vector<void*>& pcs);
std::string symbol(void* pc);
std::string demangled(const char* name);

}  // namespace cuda_check
