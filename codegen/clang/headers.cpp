#include "codegen/clang/headers.h"

namespace cohort {

namespace {

constexpr const char* kCstddef = R"(#pragma once
typedef decltype(sizeof(0)) size_t;
typedef long ptrdiff_t;
namespace std { using ::size_t; using ::ptrdiff_t; }
)";

constexpr const char* kCstdint = R"(#pragma once
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t;
typedef unsigned int uint32_t; typedef unsigned long uint64_t;
typedef long intptr_t; typedef unsigned long uintptr_t;
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
}
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32767 - 1)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807l - 1)
#define INT64_MAX 9223372036854775807l
#define UINT64_MAX 18446744073709551615ul
)";

constexpr const char* kClimits = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
)";

constexpr const char* kCfloat = R"(#pragma once
#define FLT_MIN 1.17549435e-38f
#define FLT_MAX 3.40282347e+38f
#define FLT_EPSILON 1.1920929e-7f
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_DIG 15
#define DBL_MANT_DIG 53
)";

// The functions that have a body, and macros.
constexpr const char* kCmathEnd = R"(
constexpr int abs(int x) { return x < 0 ? -x : x; }
constexpr long abs(long x) { return x < 0 ? -x : x; }
constexpr long long abs(long long x) { return x < 0 ? -x : x; }
COHORT_BOTH inline float abs(float x) { return fabs(x); }
COHORT_BOTH inline double abs(double x) { return fabs(x); }
constexpr bool isnan(float x) { return x != x; }
constexpr bool isnan(double x) { return x != x; }
constexpr bool isfinite(float x) { return x - x == 0; }
constexpr bool isfinite(double x) { return x - x == 0; }
constexpr bool isinf(float x) { return x == x && x - x != 0; }
constexpr bool isinf(double x) { return x == x && x - x != 0; }
COHORT_BOTH inline bool signbit(float x) { return copysign(1.0f, x) < 0; }
COHORT_BOTH inline bool signbit(double x) { return copysign(1.0, x) < 0; }
}
using std::abs; using std::isnan; using std::isinf; using std::isfinite; using std::signbit;
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_inf()
#define HUGE_VALF __builtin_inff()
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
)";

constexpr const char* kAlgorithm = R"(#pragma once
namespace std {
template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
template <class T> constexpr T clamp(T x, T low, T high) { return x < low ? low : high < x ? high : x; }
}
)";

constexpr const char* kLimits = R"(#pragma once
namespace std {
template <class T> struct numeric_limits;
template <> struct numeric_limits<float> {
  static constexpr bool is_signed = true, is_integer = false, has_infinity = true, has_quiet_NaN = true;
  static constexpr int digits = 24, digits10 = 6, max_digits10 = 9;
  static constexpr float min() { return 1.17549435e-38f; }
  static constexpr float max() { return 3.40282347e+38f; }
  static constexpr float lowest() { return -3.40282347e+38f; }
  static constexpr float epsilon() { return 1.1920929e-7f; }
  static constexpr float infinity() { return __builtin_inff(); }
  static constexpr float quiet_NaN() { return __builtin_nanf(""); }
  static constexpr float denorm_min() { return 1.4e-45f; }
};
template <> struct numeric_limits<double> {
  static constexpr bool is_signed = true, is_integer = false, has_infinity = true, has_quiet_NaN = true;
  static constexpr int digits = 53, digits10 = 15, max_digits10 = 17;
  static constexpr double min() { return 2.2250738585072014e-308; }
  static constexpr double max() { return 1.7976931348623157e+308; }
  static constexpr double lowest() { return -1.7976931348623157e+308; }
  static constexpr double epsilon() { return 2.2204460492503131e-16; }
  static constexpr double infinity() { return __builtin_inf(); }
  static constexpr double quiet_NaN() { return __builtin_nan(""); }
  static constexpr double denorm_min() { return 4.9406564584124654e-324; }
};
template <class T, T low, T high> struct cohort_integer_limits {
  static constexpr bool is_signed = low < 0, is_integer = true, has_infinity = false, has_quiet_NaN = false;
  static constexpr int digits = sizeof(T) * 8 - (low < 0);
  static constexpr T min() { return low; }
  static constexpr T max() { return high; }
  static constexpr T lowest() { return low; }
};
template <> struct numeric_limits<signed char> : cohort_integer_limits<signed char, -128, 127> {};
template <> struct numeric_limits<unsigned char> : cohort_integer_limits<unsigned char, 0, 255> {};
template <> struct numeric_limits<short> : cohort_integer_limits<short, -32768, 32767> {};
template <> struct numeric_limits<unsigned short> : cohort_integer_limits<unsigned short, 0, 65535> {};
template <> struct numeric_limits<int> : cohort_integer_limits<int, -2147483647 - 1, 2147483647> {};
template <> struct numeric_limits<unsigned> : cohort_integer_limits<unsigned, 0, 4294967295u> {};
template <> struct numeric_limits<long>
    : cohort_integer_limits<long, -9223372036854775807l - 1, 9223372036854775807l> {};
template <> struct numeric_limits<unsigned long>
    : cohort_integer_limits<unsigned long, 0, 18446744073709551615ul> {};
template <> struct numeric_limits<long long>
    : cohort_integer_limits<long long, -9223372036854775807ll - 1, 9223372036854775807ll> {};
template <> struct numeric_limits<unsigned long long>
    : cohort_integer_limits<unsigned long long, 0, 18446744073709551615ull> {};
}
)";

// "float exp(float); double exp(double);" of each function, its C name for floats, and for operands of other
// or of unequal types a message: what std::pow(float, int) is differs between compilers' own headers.
std::string cmath() {
  std::string text =
      "#pragma once\n#ifdef __CUDACC__\n#define COHORT_BOTH __attribute__((host)) __attribute__((device))\n"
      "#else\n#define COHORT_BOTH\n#endif\nnamespace std {\n"
      "template <class T> concept cohort_other = !__is_same(T, float) && !__is_same(T, double);\n"
      "template <class A, class B> concept cohort_mixed = !(__is_same(A, B) && (__is_same(A, float) || "
      "__is_same(A, double)));\n";
  std::string c_names, usings;
  const auto add = [&](const std::string& name, int arity) {
    const auto list = [&](const std::string& type) {
      std::string parameters;
      for (int i = 0; i < arity; ++i) parameters += (i > 0 ? ", " : "") + type;
      return "(" + parameters + ") noexcept;\n";
    };
    for (const std::string type : {"float", "double"})
      text += "COHORT_BOTH " + type + " " + name + list(type);
    const std::string refused =
        "__attribute__((unavailable(\"its operands are no floats of one type\"))) double " + name;
    if (arity == 1) text += "template <cohort_other T> " + refused + "(T);\n";
    if (arity == 2)
      text += "template <class A, class B> requires cohort_mixed<A, B> " + refused + "(A, B);\n";
    c_names += "COHORT_BOTH float " + name + "f" + list("float");
    usings += "using std::" + name + ";\n";
  };
#define CUSTOM_MATH(name, arity) add(#name, arity);
#include "ir/custom_math.def"
  const std::string end = kCmathEnd;
  const std::size_t close = end.find("\n}\n") + 3;
  return text + end.substr(0, close) + c_names + usings + end.substr(close);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> private_headers() {
  std::vector<std::pair<std::string, std::string>> headers = {
      {"algorithm", kAlgorithm}, {"cfloat", kCfloat},   {"climits", kClimits}, {"cmath", cmath()},
      {"cstddef", kCstddef},     {"cstdint", kCstdint}, {"limits", kLimits}};
  for (const std::string name : {"float", "limits", "math", "stddef", "stdint"})
    headers.emplace_back(name + ".h", "#pragma once\n#include <c" + name + ">\n");
  return headers;
}

}  // namespace cohort
