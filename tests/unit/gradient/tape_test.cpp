// What a loop keeps for its gradient.
#include <doctest/doctest.h>

#include <algorithm>

#include "compiler/pipeline.h"
#include "ir/text_parser.h"

using namespace cohort;

namespace {

// How many results the loop that runs forwards has in the gradient of `f`.
std::uint32_t results_with_tape(const std::string& body) {
  const std::string text =
      "module tape\n"
      "func f(%x: f64[9], %h: f64[]) {\n"
      "  %last = scan(%x, %h) {sequences = 1, carries = 1} body(%x: f64[], %h: f64[]) {\n" +
      body +
      "    output h = %next\n"
      "  }\n"
      "  output last = %last\n"
      "}\n"
      "func d(%x: f64[9], %h: f64[]) {\n"
      "  %g = grad(%x, %h) {wrt = [\"h\"]} function = f\n"
      "  output g = %g\n"
      "}\n";
  const Module module = without_applied_functions(parse_text(text, "tape.txt"));
  const Function& function = *module.functions.back();
  const auto scan = std::find_if(function.nodes.begin(), function.nodes.end(),
                                 [](const Node& n) { return n.op->name == "scan"; });
  REQUIRE(scan != function.nodes.end());
  return scan->result_count;
}

}  // namespace

TEST_CASE("what is cheaply computed from the rest of the tape is not on it") {
  // h and n are read, and h - n with them.
  CHECK(results_with_tape("    %n = sin(%x)\n"
                          "    %d = sub(%h, %n)\n"
                          "    %s = mul(%d, %d)\n"
                          "    %p = mul(%h, %n)\n"
                          "    %q = mul(%p, %p)\n"
                          "    %next = add(%s, %q)\n") == 3);
  // Of h nothing is read but the difference: that is less than both.
  CHECK(results_with_tape("    %n = sin(%x)\n"
                          "    %d = sub(%h, %n)\n"
                          "    %next = mul(%d, %d)\n") == 2);
  // A function is not cheap.
  CHECK(results_with_tape("    %n = sin(%h)\n"
                          "    %e = exp(%n)\n"
                          "    %s = mul(%e, %n)\n"
                          "    %next = mul(%s, %h)\n") == 4);
}
