// What the tests of operators share. A tensor is written as text: its type, then its elements, such as
// "f64[2,2] 1 2 -inf nan". Numbers may be hexadecimal floats.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/tensor.h"

namespace cohort::test {

Tensor parse_tensor(std::string_view text);
std::string show(const Tensor& tensor);

inline Attr ints(std::initializer_list<std::optional<std::int64_t>> entries) { return IntList(entries); }
inline Attr shape(std::initializer_list<std::int64_t> extents) {
  return Shape(extents.begin(), extents.end());
}
inline Attr number(std::int64_t value) { return value; }
inline Attr text(std::string value) { return value; }
inline constexpr std::nullopt_t kNull = std::nullopt;

// Makes a graph of one node and runs it: the types that infer gives, the values of the interpreter, and those
// of the lowered loop program in both loop orders must be `expected`, bit for bit; a NaN equals every NaN.
void check_op(std::string_view op, const std::vector<std::string>& inputs, const Attrs& attrs,
              const std::vector<std::string>& expected);

// The message that making and running the node gives; empty if it gives none. `dims` are known by name in
// types.
std::string error_of(std::string_view op, const std::vector<std::string>& inputs, const Attrs& attrs);

// Types only, with the named dims `n` in 1..8 and `m` in 0..4: the results' types as text, joined by spaces,
// or the message.
std::string infer(std::string_view op, const std::vector<std::string>& types, const Attrs& attrs);
// For attributes: a shape with these names, "[n,2*m]".
Attr named_shape(std::string_view text);

// Runs a node on inputs whose types name dims (n = the first value, m = the second): interpreter against
// loops.
void check_named(std::string_view op, const std::vector<std::string>& types, const Attrs& attrs,
                 const std::vector<DimValues>& values);

// Makes and runs the node on small integers, and compares the loops with the interpreter. False if the node
// is refused.
bool try_op(const OpDef& op, const std::vector<Type>& types, const Attrs& attrs);

}  // namespace cohort::test
