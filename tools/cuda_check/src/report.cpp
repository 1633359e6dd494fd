#include "report.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <tuple>

#include "block.h"
#include "operation.h"
#include "settings.h"

namespace cuda_check {
namespace {

constexpr int kReportStatus = 86, kUnsupportedStatus = 88;

const char* const kNames[] = {
#define CHECK(enumerator, name, meaning) name,
#include "checks.def"
#undef CHECK
};

struct Reports {
  int total = 0;
  std::set<std::tuple<Check, void*, int>> distinct;
  ~Reports() {
    if (!total) return;
    std::fflush(stdout);
    std::fprintf(stderr, "cuda_check: %d report(s), %zu distinct\n", total, distinct.size());
    _exit(kReportStatus);
  }
};
// Made when the program starts, so that it is destroyed after what the program itself makes.
Reports reports;

std::string formatted(const char* format, va_list arguments) {
  char line[1024];
  std::vsnprintf(line, sizeof line, format, arguments);
  return line;
}

std::string where() {
  const Thread* thread = current_thread();
  if (!thread)
    return current_operation() ? "\n        in operation '" + operation(current_operation()).name + "'" : "";
  return text("\n        in kernel %s, block (%u,%u,%u) thread (%u,%u,%u)", kernel_name(), blockIdx.x,
              blockIdx.y, blockIdx.z, thread->index.x, thread->index.y, thread->index.z);
}

// The innermost source place of each address, as binutils know it.
std::vector<std::string> lines_of(const char* file, const std::vector<uintptr_t>& offsets) {
  std::string command = text("addr2line -e '%s' -fCs", file);
  for (uintptr_t offset : offsets) command += text(" 0x%lx", static_cast<unsigned long>(offset));
  std::vector<std::string> lines;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (!pipe) return lines;
  char line[2048];
  while (std::fgets(line, sizeof line, pipe)) {
    lines.emplace_back(line);
    while (!lines.back().empty() && lines.back().back() == '\n') lines.back().pop_back();
  }
  pclose(pipe);
  return lines;
}

}  // namespace

std::string text(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string s = formatted(format, arguments);
  va_end(arguments);
  return s;
}

std::vector<std::string> symbols(const std::vector<void*>& pcs) {
  std::vector<std::string> found(pcs.size());
  Dl_info info{};
  if (pcs.empty() || !dladdr(pcs[0], &info) || !info.dli_fname) return found;
  std::vector<uintptr_t> offsets;
  // A call returns to the instruction after it: one byte back is inside the call.
  for (void* pc : pcs)
    offsets.push_back(reinterpret_cast<uintptr_t>(pc) - reinterpret_cast<uintptr_t>(info.dli_fbase) - 1);
  std::vector<std::string> lines = lines_of(info.dli_fname, offsets);
  for (size_t i = 0; i < pcs.size() && 2 * i + 1 < lines.size(); i++) {
    std::string place = lines[2 * i + 1].substr(0, lines[2 * i + 1].find(" (discriminator"));
    found[i] = lines[2 * i] + " at " + place;
  }
  return found;
}

std::string demangled(const char* name) {
  int status = 0;
  char* whole = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = whole ? whole : name;
  std::free(whole);
  return result;
}

std::string symbol(void* pc) { return pc ? symbols({pc})[0] : ""; }

void report(Check check, Site site, const char* format, ...) {
  reports.total++;
  if (!reports.distinct.insert({check, site.pc, site.line}).second ||
      static_cast<int>(reports.distinct.size()) > settings().most_reports) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  std::string what = formatted(format, arguments);
  va_end(arguments);
  std::string place = site.line ? text("line %d", site.line & 0xfffff) : symbol(site.pc);
  std::fprintf(stderr, "cuda_check: %s: %s\n        at %s%s\n", kNames[static_cast<int>(check)], what.c_str(),
               place.empty() ? "?" : place.c_str(), where().c_str());
}

void stop() {
  std::fflush(stdout);
  std::fprintf(stderr, "cuda_check: cannot go on after an invalid access; %d report(s)\n", reports.total);
  _exit(kReportStatus);
}

void unsupported(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string what = formatted(format, arguments);
  va_end(arguments);
  std::fflush(stdout);
  std::fprintf(stderr, "cuda_check: not supported: %s\n", what.c_str());
  _exit(kUnsupportedStatus);
}

int number_of_reports() { return reports.total; }

}  // namespace cuda_check
