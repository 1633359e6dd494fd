// Functions of the user's as the interpreters run them: trees written by hand, as codegen/clang makes them of
// C++.
#include "ir/custom_function.h"

#include <doctest/doctest.h>

#include <cmath>

namespace cohort {
namespace {

CustomNode make(CustomKind kind, DType dtype, std::vector<CustomNode> args = {}, std::uint32_t index = 0) {
  CustomNode node;
  node.kind = kind;
  node.dtype = dtype;
  node.args = std::move(args);
  node.index = index;
  node.line = 7;
  node.column = 3;
  return node;
}
CustomNode number(DType dtype, double value) {
  CustomNode node = make(CustomKind::kConst, dtype);
  node.bits = make_scalar(dtype, value).bits;
  return node;
}
CustomNode local(DType dtype, std::uint32_t index) { return make(CustomKind::kLocal, dtype, {}, index); }
CustomNode binary(CustomOp op, DType dtype, CustomNode a, CustomNode b) {
  CustomNode node = make(CustomKind::kBinary, dtype, {std::move(a), std::move(b)});
  node.op = op;
  return node;
}
CustomNode returned(CustomNode value) {
  const DType dtype = value.dtype;
  return make(CustomKind::kReturn, dtype, {std::move(value)});
}

// `parameters` of one dtype; the body is a block of these statements.
CustomFunction function(DType result, DType parameter, std::uint32_t parameters, std::vector<CustomNode> body,
                        std::uint32_t locals) {
  CustomFunction made;
  CustomDefinition& definition = made.definitions.emplace_back();
  definition.name = "f";
  definition.location = {"ops.h", 1, 5};
  for (std::uint32_t i = 0; i < parameters; ++i) definition.parameters.push_back({"x", parameter});
  definition.dtype = result;
  definition.locals = locals;
  definition.meaning = make(CustomKind::kBlock, result, std::move(body));
  return made;
}
double run(const CustomFunction& f, std::vector<Scalar> arguments) {
  return scalar_as_double(evaluate_custom(f, arguments, f.definition().dtype));
}
std::string fault(const CustomFunction& f, std::vector<Scalar> arguments) {
  try {
    run(f, std::move(arguments));
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a loop, a branch and variables") {
  // int f(int n) { int sum = 0; while (n > 0) { if (n == 3) break; sum = sum + n; n = n - 1; } return sum; }
  const DType i32 = DType::kI32;
  const auto is_three = binary(CustomOp::kEqual, DType::kBool, local(i32, 0), number(i32, 3));
  const auto add =
      make(CustomKind::kAssign, i32, {binary(CustomOp::kAdd, i32, local(i32, 1), local(i32, 0))}, 1);
  const auto less =
      make(CustomKind::kAssign, i32, {binary(CustomOp::kSubtract, i32, local(i32, 0), number(i32, 1))}, 0);
  const auto body = make(CustomKind::kBlock, i32,
                         {make(CustomKind::kIf, i32, {is_three, make(CustomKind::kBreak, i32)}), add, less});
  const auto loop = make(CustomKind::kLoop, i32,
                         {binary(CustomOp::kGreater, DType::kBool, local(i32, 0), number(i32, 0)), body,
                          make(CustomKind::kBlock, i32)});
  const CustomFunction f = function(
      i32, i32, 1, {make(CustomKind::kAssign, i32, {number(i32, 0)}, 1), loop, returned(local(i32, 1))}, 2);
  CHECK(run(f, {make_scalar_int(i32, 2)}) == 3);
  CHECK(run(f, {make_scalar_int(i32, 6)}) == 15);
  CHECK(run(f, {make_scalar_int(i32, -1)}) == 0);
}

TEST_CASE("what C++ leaves undefined is told at its place") {
  const DType i32 = DType::kI32, f32 = DType::kF32;
  for (const CustomOp op : {CustomOp::kAdd, CustomOp::kMultiply}) {
    const CustomFunction f =
        function(i32, i32, 2, {returned(binary(op, i32, local(i32, 0), local(i32, 1)))}, 2);
    CHECK(fault(f, {make_scalar_int(i32, INT32_MAX), make_scalar_int(i32, 2)}) ==
          "ops.h:7:3: error[custom_undefined]: `f` overflows a signed integer");
    CHECK(fault(f, {make_scalar_int(i32, 3), make_scalar_int(i32, 2)}).empty());
  }
  const CustomFunction whole =
      function(DType::kU8, f32, 1, {returned(make(CustomKind::kConvert, DType::kU8, {local(f32, 0)}))}, 1);
  CHECK(run(whole, {make_scalar(f32, 255.5)}) == 255);
  CHECK(run(whole, {make_scalar(f32, -0.5)}) == 0);
  for (const double x : {256.0, -1.0, 1e30, static_cast<double>(NAN)})
    CHECK(fault(whole, {make_scalar(f32, x)}).find("which cannot hold it") != std::string::npos);
  const CustomFunction endless =
      function(f32, f32, 1,
               {make(CustomKind::kLoop, f32,
                     {number(DType::kBool, 1), make(CustomKind::kBlock, f32), make(CustomKind::kBlock, f32)}),
                returned(local(f32, 0))},
               1);
  CHECK(fault(endless, {make_scalar(f32, 1)}).find("steps") != std::string::npos);
}

TEST_CASE("unsigned arithmetic wraps, halves are cast to float and back") {
  const DType u32 = DType::kU32, f32 = DType::kF32;
  const CustomFunction product =
      function(u32, u32, 2, {returned(binary(CustomOp::kMultiply, u32, local(u32, 0), local(u32, 1)))}, 2);
  CHECK(run(product, {make_scalar_int(u32, 0x80000001), make_scalar_int(u32, 2)}) == 2);
  const CustomFunction third =
      function(f32, f32, 1, {returned(binary(CustomOp::kDivide, f32, local(f32, 0), number(f32, 3)))}, 1);
  const Scalar one = make_scalar(DType::kF16, 1);
  const Scalar result = evaluate_custom(third, {&one, 1}, DType::kF16);
  CHECK(result.dtype == DType::kF16);
  CHECK(scalar_as_double(result) == 0.333251953125);
}

TEST_CASE("what tells functions apart is their text") {
  CustomFunction a = function(DType::kF32, DType::kF32, 1, {}, 1), b = a;
  CHECK(custom_key(a) == custom_key(b));
  b.definitions[0].location.file = "other/ops.h";
  CHECK(custom_key(a) == custom_key(b));
  b.definitions[0].body.push_back({"{ return x; }"});
  CHECK(custom_key(a) != custom_key(b));
}

}  // namespace cohort
