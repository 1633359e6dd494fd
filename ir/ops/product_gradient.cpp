// The gradient of matmul, and of dot where it means the same. Matrices are products again, with the flags
// instead of transposes; a vector's part in a product is an outer product written with broadcasting, so that
// it fuses.
#include "ir/ops/gradients.h"
#include "ir/ops/product.h"

namespace cohort {

namespace {

using symbols::operator*;

struct Terms {
  Symbol a, b, g;
  bool a_swapped, b_swapped;
};

Symbol matmul(GradientContext& context, const Symbol& a, bool a_swapped, const Symbol& b, bool b_swapped) {
  return context.emit("matmul", {a, b}, {{"transpose_a", a_swapped}, {"transpose_b", b_swapped}});
}

// x [..., m, k] as [... * m, k], if the product is a dim; x itself if it has rank 2.
std::optional<Symbol> flattened(GradientContext& context, const Symbol& x) {
  Shape shape = x.type().shape;
  const Dim last = shape.back();
  shape.pop_back();
  const std::optional<Dim> rows = element_count(shape);
  if (!rows) return std::nullopt;
  return context.reshaped(x, {*rows, last});
}

void two_vectors(GradientContext& context, const Terms& of) {
  if (context.wants(0)) context.add(0, of.g * of.b);
  if (context.wants(1)) context.add(1, of.g * of.a);
}

// a [k], b [..., k, n], g [..., n].
void vector_matrix(GradientContext& context, const Terms& of) {
  const int rank = of.g.type().rank();
  const Symbol row = ops::with_new_axis(context, of.g, rank - 1);  // [..., 1, n]
  if (context.wants(0)) context.add(0, matmul(context, rank == 1 ? of.g : row, false, of.b, !of.b_swapped));
  if (!context.wants(1)) return;
  if (of.b_swapped)
    context.add(1, ops::with_new_axis(context, of.g, rank) * of.a);
  else
    context.add(1, ops::with_new_axis(context, of.a, 1) * row);
}

// a [..., m, k], b [k], g [..., m].
void matrix_vector(GradientContext& context, const Terms& of) {
  const int rank = of.g.type().rank();
  const Symbol column = ops::with_new_axis(context, of.g, rank);  // [..., m, 1]
  if (context.wants(0)) {
    if (of.a_swapped)
      context.add(0, ops::with_new_axis(context, of.b, 1) * ops::with_new_axis(context, of.g, rank - 1));
    else
      context.add(0, column * of.b);
  }
  if (!context.wants(1)) return;
  const std::optional<Symbol> rows = of.a_swapped ? std::nullopt : flattened(context, of.a);
  if (rank == 1) {
    context.add(1, matmul(context, of.g, false, of.a, of.a_swapped));
  } else if (rows) {
    const Symbol all = context.reshaped(of.g, {rows->type().shape[0]});
    context.add(1, matmul(context, all, false, *rows, false));
  } else {
    const Symbol each = matmul(context, of.a, !of.a_swapped, column, false);  // [..., k, 1]
    Shape shape = each.type().shape;
    shape.pop_back();
    context.add(1, context.reshaped(each, shape));
  }
}

// a [..., m, k], b [..., k, n], g [..., m, n]: g b^T and a^T g, or what these are transposed.
void two_matrices(GradientContext& context, const Terms& of) {
  if (context.wants(0)) {
    context.add(0, of.a_swapped ? matmul(context, of.b, of.b_swapped, of.g, true)
                                : matmul(context, of.g, false, of.b, !of.b_swapped));
  }
  if (!context.wants(1)) return;
  Symbol a = of.a, g = of.g;
  // One matrix for all of a's: one product over all rows sums what many products would give.
  const bool is_shared = of.b.type().rank() == 2 && a.type().rank() > 2 && !of.a_swapped;
  if (const std::optional<Symbol> rows = is_shared ? flattened(context, a) : std::nullopt) {
    a = *rows;
    g = *flattened(context, g);
  }
  context.add(1, of.b_swapped ? matmul(context, g, true, a, of.a_swapped)
                              : matmul(context, a, !of.a_swapped, g, false));
}

}  // namespace

void product_gradient(GradientContext& context) {
  const Terms of{context.input(0), context.input(1), context.cotangent(),
                 attr_or(context.attrs(), "transpose_a", false),
                 attr_or(context.attrs(), "transpose_b", false)};
  const bool a_vector = of.a.type().rank() == 1, b_vector = of.b.type().rank() == 1;
  if (a_vector && b_vector) return two_vectors(context, of);
  if (a_vector) return vector_matrix(context, of);
  if (b_vector) return matrix_vector(context, of);
  two_matrices(context, of);
}

}  // namespace cohort
