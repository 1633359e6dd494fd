// Shared by the random operators, which are written as others when built: philox_bits over the index of each
// element, and the inverse of a distribution function. ir/README.md, "Random numbers", says what they mean.
#pragma once

#include "ir/builder.h"
#include "ir/op_def.h"

namespace cohort::ops {

// Writes the nodes of one random operator; its first two inputs are the stream's key and counter.
class RandomBuilder {
 public:
  RandomBuilder(FunctionBuilder& builder, std::string_view op, std::span<const ValueId> inputs,
                const Attrs& attrs);

  FunctionBuilder& builder() { return builder_; }
  const Shape& shape_of(ValueId value) const { return builder_.type(value).shape; }
  ValueId input(std::size_t i) const { return inputs_[i]; }
  ValueId input_f64(std::size_t i) { return builder_.cast(inputs_[i], DType::kF64); }
  // The attribute `dtype`, which must be a float's.
  DType float_attr() const;
  // The dtype of input i if it is a float, else f64.
  DType float_of(std::size_t i) const;
  // The attribute `shape`, else what the stream and these shapes broadcast to.
  Shape result_shape(std::span<const Shape> parameters) const;

  ValueId make(std::string_view op, std::initializer_list<ValueId> inputs, Attrs attrs = {}) {
    return builder_.make(op, inputs, std::move(attrs));
  }
  ValueId f64(double value) { return builder_.literal(DType::kF64, value); }
  // 64 random bits for each element; its number is that of row-major order at the dims' greatest extents.
  // With `inner`, the last axis is one that key and counter do not have.
  ValueId bits(const Shape& shape, bool inner = false);
  // The f64 (k + 1/2) 2^-52 from the highest 52 bits: symmetrical, and neither 0 nor 1.
  ValueId midpoints(const Shape& shape, bool inner = false);
  // [0, 1) in steps of the dtype's precision below 1.
  ValueId uniform(const Shape& shape, DType dtype);
  // `value` if it has `shape`, under the operator's name.
  ValueId finish(ValueId value, const Shape& shape, std::string name, LocId loc);

 private:
  ValueId element_numbers(const Shape& shape);

  FunctionBuilder& builder_;
  std::string_view op_;
  std::span<const ValueId> inputs_;
  const Attrs& attrs_;
  std::size_t first_node_;
};

}  // namespace cohort::ops
