// Numbers as text: what the file formats write and read. Reading is exact or refused, writing is the shortest
// text that reads back to the same bits; neither knows of locales.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/diagnostics.h"
#include "ir/scalar_op.h"
#include "ir/tensor.h"

namespace cohort {

enum class NumberFault : unsigned char {
  kNone,
  kMalformed,    // no number at all
  kNotIntegral,  // a fraction, infinity or NaN for an integer dtype
  kTooLarge,     // beyond the dtype's range
  kInexact       // an integer that the float dtype cannot hold
};

// "12", "-1.5e3", "nan", "inf", "-inf" and hexadecimal floats ("0x1.8p+1") as an element of `dtype`; for
// kBool "true" and "false". Decimal fractions round to nearest even; integers must be held exactly.
NumberFault parse_number(std::string_view text, DType dtype, Scalar& result);

// Does the text stand for an integer (digits and sign only)?
bool is_integer_text(std::string_view text);
std::optional<std::int64_t> parse_int64(std::string_view text);

// "true", "-3", "0.1", "1e+300", "2.0", "nan", "-inf"; floats always look like floats. A NaN other than the
// usual one is written with its bits: "nan(0x7ff8000000000001)".
std::string number_text(Scalar value);

Scalar tensor_element(const Tensor& tensor, std::int64_t index);
void set_tensor_element(Tensor& tensor, std::int64_t index, Scalar value);

// A fault in words, as one diagnostic: "`1.5` is no integer, as `i32` needs".
Diagnostic number_diagnostic(NumberFault fault, const Location& location, std::string_view text, DType dtype);

}  // namespace cohort
