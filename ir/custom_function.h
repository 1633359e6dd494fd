// A scalar function of the user's, read from a C++ header (codegen/clang): the text that emitters copy into
// kernels, and what it computes, which the interpreters run. Both come from one reading of the header.
//
// What it computes is a tree with every conversion written out. Arithmetic is C++'s: float and double as they
// are, integers in i32, u32, i64 and u64 after promotion. What C++ leaves undefined (overflow of signed
// integers, a float beyond the range of an integer) is an error here, at the user's own line.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/diagnostics.h"
#include "ir/graph.h"
#include "ir/scalar_op.h"

namespace cohort {

enum class CustomKind : std::uint8_t {
  // Expressions.
  kConst,     // `bits`
  kLocal,     // the value of local variable `index`; parameters come first
  kConvert,   // args[0] in `dtype`
  kUnary,     // `op` of args[0]
  kBinary,    // `op` of args[0] and args[1]; comparisons are of equal dtypes and give bool
  kAnd,       // args[1] only if args[0]
  kOr,        // args[1] unless args[0]
  kSelect,    // args[1] if args[0], else args[2]
  kAssign,    // local `index` = args[0]; its new value
  kExchange,  // the same; its old value
  kComma,     // args[0], then the value of args[1]
  kMath,      // function `op` of <cmath>, all args and the computation in the dtype of args[0]
  kCall,      // definition `index` of the function
  // Statements.
  kBlock,
  kIf,    // args[0]: condition, then args[1], else args[2] if there is one
  kLoop,  // while args[0]: args[1], args[2]; with index 1 the condition is asked after the first round
  kReturn,
  kBreak,
  kContinue
};

enum class CustomOp : std::uint8_t {
  kNone,
  kNegate,
  kNot,
  kBitNot,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kShiftLeft,
  kShiftRight,
  kBitAnd,
  kBitOr,
  kBitXor,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
#define CUSTOM_MATH(name, arity) k_##name,
#include "ir/custom_math.def"
};

struct CustomNode {
  CustomKind kind = CustomKind::kBlock;
  CustomOp op = CustomOp::kNone;
  DType dtype = DType::kF64;  // of the value
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  int line = 0, column = 0;  // in the definition's file
  std::vector<CustomNode> args{};
};

struct CustomParameter {
  std::string name;
  DType dtype = DType::kF64;
};
// A piece of the user's text: as it is, or the name of a function that is called.
struct CustomText {
  static constexpr std::uint32_t kPlain = UINT32_MAX;
  std::string text{};
  std::uint32_t callee = kPlain;  // definition of the function
};
struct CustomDefinition {
  std::string name;       // without namespaces
  std::string result;     // types as C++ spells them
  std::string arguments;  // "float x, int n"
  Location location;      // where the name stands
  std::vector<CustomParameter> parameters;
  DType dtype = DType::kF64;     // of the result
  std::vector<CustomText> body;  // from brace to brace
  std::uint32_t locals = 0;      // parameters included
  CustomNode meaning;
};

struct CustomFunction {
  std::vector<CustomDefinition> definitions;  // what is called comes first; the function itself is the last
  // By parameter: the function of the same parameters that gives the derivative; null: there is none.
  std::vector<std::shared_ptr<const CustomFunction>> derivatives{};

  const CustomDefinition& definition() const { return definitions.back(); }
};

// What tells functions apart, the same in every run and folder: their text.
std::string custom_key(const CustomFunction& function);
// The result in `dtype` for arguments that are cast to the parameters' dtypes. Undefined behaviour is a
// UserError at its place.
Scalar evaluate_custom(const CustomFunction& function, std::span<const Scalar> arguments, DType dtype);

// What a node asks for: `function` in the header `path`, and by parameter the function that gives its
// derivative (parse_derivative; "": none; "0": it is zero; an empty list: none at all).
struct CustomRequest {
  std::string path, function;
  std::vector<std::string> derivative;
  std::string folder{};  // where all that the header includes must lie; "": anywhere
};
// An entry of `derivative`: NAME, or NAME(ENTRY, ...) with the derivatives of that function by parameter, or
// 0.
struct CustomDerivative {
  std::string function;
  std::vector<std::string> derivative;

  bool is_zero() const { return function == "0"; }  // everywhere: the result does not move with the parameter
};
// Throws UserError.
CustomDerivative parse_derivative(std::string_view entry);
// Reads functions for the readers of graphs; equal requests give equal pointers. Throws UserError; what has
// no position in the header is the node's.
using CustomReader = std::function<CustomRef(const CustomRequest&)>;
// For the readers of graphs: without a reader `custom` nodes are refused. Paths are relative to the graph's
// folder.
struct CustomSource {
  CustomReader read = nullptr;
  std::string folder = ".";
  bool allow_path = false;
};
// Of a node with functions of the user's: puts what its attributes name among them, and the library of an
// `extern` where it lies.
void resolve_custom(const CustomSource& source, const OpDef& op, Attrs& attrs);

}  // namespace cohort
