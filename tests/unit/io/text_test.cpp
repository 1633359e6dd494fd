#include <doctest/doctest.h>

#include <algorithm>

#include "ir/builder.h"
#include "ir/diagnostics.h"
#include "ir/number_text.h"
#include "ir/text_parser.h"
#include "ir/text_printer.h"
#include "random_module.h"
#include "same_module.h"

namespace cohort {
namespace {

constexpr std::string_view kToy = R"(module toy
dim batch 1..32
const @w : f32[2,2] = [[1.0, 2.0], [3.0, 4.0]]
const @"layer1.weight" : f64[] = -0.0
state @x : f64[2] = [1.0, 2.0] {device = gpu}
func f(%u: f64[2], %"a-b": f32[batch,2]) {
  %x2 : f64[2] = mul(@x, 2.0)  # loc "model.py:3"
  %0 : f32[batch,2] = add(%"a-b", 0.1)
  %1 : f64[batch,2] = cast(%0) {dtype = f64}
  %x2~2 : f64[2] = add(%x2, %u) on cpu
  %"é" : bool[2] = lt(3:i32, 4:i32)
  output y = %1
  output "2" = 7
  output three = 7:i8
  update @x = %x2~2
}
)";

std::string errors_of(std::string_view text) {
  try {
    parse_text(text, "t.txt");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kToy);
  std::size_t at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a text parses and prints to itself") {
  std::string text = replaced("  %\"é\" : bool[2] = lt(3:i32, 4:i32)\n", "");
  Module module = parse_text(text, "t.txt");
  CHECK(print_text(module) == text);
  CHECK(module.constants[1].name == "layer1.weight");
  CHECK(module.locations[module.functions[0]->nodes[0].loc].user == "model.py:3");
}

TEST_CASE("random modules print and parse to the same module") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Module module = random_module(seed, false);
    std::string text = print_text(module);
    Module again = parse_text(text, "t.txt");
    CHECK(difference(module, again) == "");
    CHECK((print_text(again) == text));
  }
}

TEST_CASE("NaN bits, signs of zero and extremes keep their bits") {
  ModuleBuilder builder("m");
  Tensor data(DType::kF32, {7});
  const std::uint32_t bits[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0x80000000,
                                0x00000001, 0x7f7fffff, 0xff800000};
  for (int i = 0; i < 7; ++i) set_tensor_element(data, i, {DType::kF32, bits[i]});
  builder.add_constant("c", data);
  std::string text = print_text(builder.module());
  CHECK(text ==
        "module m\nconst @c : f32[7] = "
        "[nan, nan(0xffc00000), nan(0x7f800001), -0.0, 1e-45, 3.4028235e+38, -inf]\n");
  CHECK(parse_text(text, "t.txt").constants[0].data == data);
}

TEST_CASE("large tensors are left out only if asked") {
  ModuleBuilder builder("m");
  Tensor data(DType::kI32, {1000});
  for (int i = 0; i < 1000; ++i) set_element_int(data, i, i);
  builder.add_constant("c", data);
  CHECK(print_text(builder.module()).size() > 4000);
  std::string text = print_text(builder.module(), {.elide_above = 100});
  CHECK(text == "module m\nconst @c : i32[1000] = elided \"550625f47dc1b7d1\"\n");
  CHECK(errors_of(text).find("error[elided]") != std::string::npos);
}

TEST_CASE("errors carry positions, and several are reported together") {
  CHECK(errors_of(replaced("%\"é\" : bool[2]", "%\"é\" : bool[]")) == "");
  CHECK(errors_of(replaced("lt(3:i32, 4:i32)", "lt(3:i32, 4:i8)")) ==
        "t.txt:11:21: error[wrong_dtype]: `lt` does not take `i32` as input 0");
  CHECK(errors_of("module m\nfunc f() {\n  %a = tahn(1.0)\n}")
            .starts_with("t.txt:3:8: error[unknown_operator]"));
  CHECK(errors_of("module m\nconst @a : f32[2] = [1, 2, 3]") ==
        "t.txt:2:21: error[data_shape]: the data has more elements along axis 0 where f32[2] has 2");
  CHECK(errors_of("module m\nconst @a : f32[2] = [1]") ==
        "t.txt:2:21: error[data_shape]: the data has 1 elements along axis 0 where f32[2] has 2");
  CHECK(errors_of("module m\nstate @a : i8[] = 1\nfunc f() {\n  update @a = 1\n  update @a = 2\n}") ==
        "t.txt:5:10: error[updated_twice]: state variable `a` is updated twice");
  CHECK(errors_of("module m\nfunc f() {\n  output a = %b\n  output a = @c\n}") ==
        "t.txt:3:14: error[unknown_name]: `b` is defined nowhere in `f`\n"
        "t.txt:4:14: error[unknown_name]: `c` is defined nowhere in `f`");
  CHECK(errors_of("module m junk") ==
        "t.txt:1:10: error[text_syntax]: `junk` stands where `dim`, `const`, `state` or `func` is expected");
}

TEST_CASE("truncated and changed texts are refused or read, never a crash") {
  for (std::size_t size = 0; size < kToy.size(); ++size) errors_of(kToy.substr(0, size));
  std::uint32_t seed = 5;
  auto random = [&seed] { return (seed = seed * 1664525 + 1013904223) >> 8; };
  for (int i = 0; i < 20000; ++i) {
    std::string text(kToy);
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      std::size_t at = random() % text.size();
      if (random() % 3 == 0)
        text.erase(at, random() % 8);
      else
        text[at] = kToy[random() % kToy.size()];
    }
    errors_of(text);
  }
}

}  // namespace cohort
