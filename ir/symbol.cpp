#include "ir/symbol.h"

#include "ir/diagnostics.h"

namespace cohort::symbols {

Symbol scalar_node(std::string_view op, std::span<const Symbol> operands) {
  require(operands.size() <= 3, "an operator of the table has at most three operands");
  std::array<ValueId, 3> values{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    require(operands[i].kind == Symbol::Kind::kValue && operands[i].mask == kNoId,
            "a masked gradient stands alone");
    values[i] = operands[i].value;
  }
  FunctionBuilder* to = operands[0].to;
  return {to, to->node(*find_op(op), std::span(values.data(), operands.size()))};
}

Symbol number_like(const Symbol& like, double number) {
  return {like.to, like.to->literal(like.type().dtype, number)};
}

Symbol when(const Symbol& c, const Symbol& x) {
  Symbol masked = x;
  masked.mask = x.mask == kNoId ? c.value : (c && Symbol{c.to, x.mask}).value;
  return masked;
}

Symbol cast_like(const Symbol& x, const Symbol& like) {
  if (!is_float(like.type().dtype)) return zero;
  return {x.to, x.to->cast(x.value, like.type().dtype)};
}

Symbol gamma_density(const Symbol& a, const Symbol& x) {
  return exp(xlogy(a - 1.0, x) - x - gammaln(a));
}
Symbol beta_density(const Symbol& a, const Symbol& b, const Symbol& x) {
  const Symbol log_beta = gammaln(a) + gammaln(b) - gammaln(a + b);
  return exp(xlogy(a - 1.0, x) + xlogy(b - 1.0, 1.0 - x) - log_beta);
}

}  // namespace cohort::symbols
