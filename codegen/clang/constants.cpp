#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <algorithm>
#include <array>

#include "codegen/clang/translate.h"

namespace cohort {

std::optional<DType> scalar_dtype(clang::QualType type) {
  // Arithmetic is in what it is promoted to, which need not be what it is kept in.
  if (const auto* numbered = type->getAs<clang::EnumType>())
    type = numbered->getDecl()->isFixed() ? numbered->getDecl()->getIntegerType()
                                          : numbered->getDecl()->getPromotionType();
  if (type.isNull()) return {};
  const auto* builtin = type.getCanonicalType()->getAs<clang::BuiltinType>();
  if (builtin == nullptr) return {};
  switch (builtin->getKind()) {
    case clang::BuiltinType::Bool:
      return DType::kBool;
    case clang::BuiltinType::SChar:
      return DType::kI8;
    case clang::BuiltinType::Short:
      return DType::kI16;
    case clang::BuiltinType::Int:
      return DType::kI32;
    case clang::BuiltinType::Long:
    case clang::BuiltinType::LongLong:
      return DType::kI64;
    case clang::BuiltinType::UChar:
      return DType::kU8;
    case clang::BuiltinType::UShort:
      return DType::kU16;
    case clang::BuiltinType::UInt:
      return DType::kU32;
    case clang::BuiltinType::ULong:
    case clang::BuiltinType::ULongLong:
      return DType::kU64;
    case clang::BuiltinType::Float:
      return DType::kF32;
    case clang::BuiltinType::Double:
      return DType::kF64;
    default:
      return {};
  }
}

std::string_view cpp_type(DType dtype) {
  constexpr std::array<std::string_view, kDTypeCount> kNames{
      "bool",     "int8_t",   "int16_t",  "int32_t", "int64_t", "uint8_t", "uint16_t",
      "uint32_t", "uint64_t", "_Float16", "__bf16",  "float",   "double"};
  return kNames[static_cast<std::size_t>(dtype)];
}

const char* math_name(const clang::SourceManager& sources, const clang::FunctionDecl& function) {
  if (!is_private(sources, function.getLocation()) || function.hasBody() || function.getNumParams() == 0)
    return nullptr;
  const std::string name = function.getNameAsString();
  const bool is_float = scalar_dtype(function.getParamDecl(0)->getType()) == DType::kF32;
#define CUSTOM_MATH(known, arity) \
  if (name == #known || (is_float && name == #known "f")) return #known;
#include "ir/custom_math.def"
  return nullptr;
}

bool is_known_when_read(const clang::SourceManager& sources, const clang::CallExpr& call,
                        const clang::FunctionDecl& callee) {
  if (callee.getBuiltinID() != 0 && !callee.hasBody()) return true;
  return is_private(sources, callee.getLocation()) && call.getNumArgs() == 0;
}

std::string local_name(const clang::VarDecl& variable) {
  const std::string name = variable.getNameAsString();
  const llvm::StringRef text(name);
  const bool is_loud = name.size() > 1 && std::none_of(name.begin(), name.end(), [](char c) {
                         return static_cast<signed char>(c) < 0 || (c >= 'a' && c <= 'z');
                       });
  bool is_taken = is_loud || name == "I" || text.ends_with("_t");
  for (const char* start : {"_", "rt_", "RT_", "custom_", "own_"}) is_taken |= text.starts_with(start);
  for (const char* macro : {"assert", "errno", "linux", "unix", "stdin", "stdout", "stderr", "alloca"})
    is_taken |= text == macro;
  return is_taken ? "own_" + name : name;
}

std::optional<Scalar> constant_value(const clang::ASTContext& context, const clang::Expr& expr) {
  const std::optional<DType> dtype = scalar_dtype(expr.getType());
  clang::Expr::EvalResult result;
  if (!dtype || !expr.EvaluateAsRValue(result, context) || result.HasSideEffects ||
      result.HasUndefinedBehavior)
    return {};
  if (result.Val.isFloat()) return Scalar{*dtype, result.Val.getFloat().bitcastToAPInt().getZExtValue()};
  if (!result.Val.isInt()) return {};
  return Scalar{
      *dtype, result.Val.getInt().zextOrTrunc(static_cast<unsigned>(dtype_bytes(*dtype)) * 8).getZExtValue()};
}

}  // namespace cohort
