#include "codegen/emit_stmt.h"

#include <fmt/format.h>

#include <limits>

#include "codegen/fetch_ahead.h"
#include "codegen/text.h"
#include "codegen/vectorise.h"
#include "ir/diagnostics.h"

namespace cohort {

using kernel::ExprKind;
using kernel::ExprRef;
using kernel::LoopMode;
using kernel::Stmt;
using kernel::StmtKind;

namespace {

struct Accumulation {
  ScalarOp op;
  std::string_view operation;  // rt_op_<operation>, rt_reduce_<operation>
  std::string_view infix;      // on floats
};
constexpr Accumulation kAccumulations[] = {{ScalarOp::k_add, "sum", "+="}, {ScalarOp::k_mul, "prod", "*="},
                                           {ScalarOp::k_min, "min", ""},   {ScalarOp::k_max, "max", ""},
                                           {ScalarOp::k_or, "any", ""},    {ScalarOp::k_and, "all", ""}};

const Accumulation& accumulation(ScalarOp op, DType dtype) {
  if (dtype == DType::kBool) {  // sums and products of truth values
    if (op == ScalarOp::k_add || op == ScalarOp::k_max) op = ScalarOp::k_or;
    if (op == ScalarOp::k_mul || op == ScalarOp::k_min) op = ScalarOp::k_and;
  }
  for (const Accumulation& row : kAccumulations)
    if (row.op == op) return row;
  internal_error("an accumulator with an operator that has no identity");
}

// The identity of an accumulator as an expression of the dtype's value type.
std::string identity(const Dialect& dialect, ScalarOp op, DType dtype) {
  const std::string_view type = dialect.value_type(dtype);
  switch (accumulation(op, dtype).op) {
    case ScalarOp::k_add:
      return literal(dialect, make_scalar_int(dtype, 0));
    case ScalarOp::k_mul:
      return literal(dialect, make_scalar_int(dtype, 1));
    case ScalarOp::k_min:
      return fmt::format("rt_most<{}>()", type);
    case ScalarOp::k_max:
      return fmt::format("rt_least<{}>()", type);
    case ScalarOp::k_or:
      return "false";
    default:
      return "true";
  }
}

// lets, then one accumulation into `accumulator` whose lane is the loop's variable.
bool is_plain_reduction(const Stmt& accumulator, const Stmt& loop) {
  if (accumulator.kind != StmtKind::kAccumulator || !accumulator.lanes || loop.kind != StmtKind::kFor ||
      loop.body.empty())
    return false;
  for (std::size_t k = 0; k + 1 < loop.body.size(); ++k)
    if (loop.body[k].kind != StmtKind::kLet) return false;
  const Stmt& last = loop.body.back();
  return last.kind == StmtKind::kAccumulate && last.var == accumulator.var && last.index.size() == 1 &&
         last.index[0]->kind == ExprKind::kVar && last.index[0]->id == loop.var;
}

}  // namespace

void StatementPrinter::line(std::string_view text) {
  text_.append(static_cast<std::size_t>(2 * depth_), ' ');
  text_ += text;
  text_ += '\n';
}

std::string StatementPrinter::counter_name() {
  static constexpr std::string_view kCounters[] = {"i", "j", "k", "l", "m", "n"};
  const std::size_t at = static_cast<std::size_t>(loops_);
  return names_.unique(at < std::size(kCounters) ? kCounters[at] : "i");
}

std::string StatementPrinter::local_type(DType dtype) const {
  const std::string_view scalar = dialect_.value_type(dtype);
  if (!exprs_.lane()) return std::string(scalar);
  return fmt::format("rt_at<{}, decltype({})>", scalar, exprs_.variable(*exprs_.lane()).name);
}

void StatementPrinter::list(const std::vector<Stmt>& body, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    if (k + 1 < body.size() && reduction(body[k], body[k + 1])) {
      ++k;
    } else if (!inline_let(body, k)) {
      stmt(body[k]);
    }
  }
}

bool StatementPrinter::inline_let(const std::vector<Stmt>& body, std::size_t at) {
  const Stmt& s = body[at];
  if (s.kind != StmtKind::kLet || s.value->kind == ExprKind::kFinish || !lets_.fits(body, at)) return false;
  hoist_shared(s);
  const ExprText value = exprs_.value_text(s.value);
  const bool varying = exprs_.varies(s.value);
  exprs_.clear_shared();
  constexpr std::size_t kLongest = 60;  // beyond this a name reads better
  if (value.text.size() > kLongest) {
    const std::string name = names_.unique("t");
    line(fmt::format("const {} {} = {};", varying ? "auto" : dialect_.value_type(s.dtype), name, value.text));
    exprs_.name_variable(s.var, {.name = name, .varying = varying});
  } else {
    exprs_.name_variable(s.var, {.name = value.text, .binding = value.binding, .varying = varying});
  }
  return true;
}

void StatementPrinter::stmt(const Stmt& s) {
  hoist_shared(s);
  switch (s.kind) {
    case StmtKind::kFor:
      if (is_of_threads(s.mode))
        thread_loop(s);
      else if (s.grain)
        shared_loop(s);
      else
        loop(s, "0", exprs_.index(s.value));
      break;
    case StmtKind::kIf:
      branch(s);
      break;
    case StmtKind::kStore:
      line((is_first_teams() ? "if (rt_block_team() == 0) " : "") +
           exprs_.store(s.buffer, s.index.empty() ? kernel::constant_index(0) : s.index[0], s.value, s.op));
      break;
    case StmtKind::kLet:
      let(s);
      break;
    case StmtKind::kVar:
      mutable_local(s);
      break;
    case StmtKind::kAssign:
      assign(s);
      break;
    case StmtKind::kAccumulator:
      accumulator(s);
      break;
    case StmtKind::kAccumulate:
      accumulate(s);
      break;
    case StmtKind::kCheck:
    case StmtKind::kAssert:
      check(s);
      break;
    case StmtKind::kPrint:
      print(s);
      break;
    case StmtKind::kCall:
      call(s);
      break;
    case StmtKind::kBarrier:
      barrier();
      break;
    case StmtKind::kTransfer:
      internal_error("a transfer is no kernel");
  }
  exprs_.clear_shared();
}

void StatementPrinter::loop(const Stmt& s, const std::string& first, const std::string& end) {
  if (s.mode == LoopMode::kSimd && dialect_.simd && !exprs_.lane() && is_vectorisable(s))
    return vector_loop(s, first, end);
  const std::string counter = counter_name();
  exprs_.name_variable(s.var, {.name = counter, .natural = true});
  if (s.mode == LoopMode::kUnroll) line(dialect_.unroll);
  line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", counter, first, end));
  exprs_.clear_shared();
  ++depth_, ++loops_;
  list(s.body);
  --depth_, --loops_;
  line("}");
  names_.release(counter);
}

void StatementPrinter::vector_loop(const Stmt& s, const std::string& first, const std::string& end) {
  const std::string counter = counter_name();
  const std::string range = first == "0" ? end : first + ", " + end;
  exprs_.name_variable(s.var, {.name = counter, .varying = true, .natural = true});
  line(fmt::format("rt_simd_for<rt_width<{}>>({}, [&](auto {}) {{",
                   dialect_.value_type(widest_dtype(s, program_)), range, counter));
  exprs_.clear_shared();
  exprs_.enter_lanes(s.var);
  ++depth_, ++loops_;
  fetch_ahead(s);
  list(s.body);
  --depth_, --loops_;
  exprs_.leave_lanes();
  line("});");
  names_.release(counter);
}

void StatementPrinter::fetch_ahead(const Stmt& loop) {
  const std::vector<std::string> arrays = walked_arrays(loop, program_, exprs_);
  if (!arrays.empty())
    line(fmt::format("rt_fetch_ahead({}, {});", exprs_.variable(loop.var).name, fmt::join(arrays, ", ")));
}

bool StatementPrinter::reduction(const Stmt& accumulator, const Stmt& loop) {
  if (!is_plain_reduction(accumulator, loop)) return false;
  const bool lanes = exprs_.lane().has_value();
  if (!lanes && (!dialect_.simd || !is_vectorisable(loop))) return false;
  const Accumulation& how = accumulation(accumulator.op, accumulator.dtype);
  const std::string_view type = dialect_.value_type(accumulator.dtype);
  const std::string name = names_.unique(how.operation);
  const std::string extent = exprs_.index(loop.value);
  const std::string counter = counter_name();
  exprs_.name_variable(loop.var, {.name = counter, .varying = !lanes, .natural = true});
  std::string head;
  if (lanes) {
    head = fmt::format("const auto {} = rt_reduce_each<rt_op_{}, {}>({}, [&](int64_t {}) {{", name,
                       how.operation, local_type(accumulator.dtype), extent, counter);
  } else {
    const DType widest = widest_dtype(loop, program_);
    std::string parameters(type);
    if (accumulator.dtype == DType::kBool) {
      parameters = fmt::format("rt_width<{}>", dialect_.value_type(widest));
    } else if (dtype_bytes(widest) > dtype_bytes(accumulator.dtype)) {
      parameters += fmt::format(", rt_reduce_width<{}>", dialect_.value_type(widest));
    }
    head = fmt::format("const {} {} = rt_reduce_{}<{}>({}, [&](auto {}) {{", type, name, how.operation,
                       parameters, extent, counter);
    exprs_.enter_lanes(loop.var);
  }
  line(head);
  ++depth_, ++loops_;
  if (!lanes) fetch_ahead(loop);
  list(loop.body, loop.body.size() - 1);
  hoist_shared(loop.body.back());
  std::string value = exprs_.value(loop.body.back().value);
  if (lanes && !exprs_.varies(loop.body.back().value))
    value = fmt::format("rt_splat<{}>({}, {})", type, exprs_.variable(*exprs_.lane()).name, value);
  line(fmt::format("return {};", value));
  exprs_.clear_shared();
  --depth_, --loops_;
  if (!lanes) exprs_.leave_lanes();
  line("});");
  names_.release(counter);
  exprs_.name_variable(accumulator.var, {.name = name, .varying = lanes});
  return true;
}

void StatementPrinter::branch(const Stmt& s) {
  line(fmt::format("if ({}) {{", exprs_.value(s.value)));
  exprs_.clear_shared();
  ++depth_;
  list(s.body);
  --depth_;
  if (!s.else_body.empty()) {
    line("} else {");
    ++depth_;
    list(s.else_body);
    --depth_;
  }
  line("}");
}

void StatementPrinter::let(const Stmt& s) {
  if (s.value->kind == ExprKind::kFinish && !exprs_.variable(s.value->id).object)
    return exprs_.name_variable(s.var, exprs_.variable(s.value->id));  // it has a name already
  const std::string value = exprs_.value(s.value);
  const bool varying = exprs_.varies(s.value);
  const std::string name = names_.unique("t");
  line(fmt::format("const {} {} = {};", varying ? "auto" : dialect_.value_type(s.dtype), name, value));
  const bool natural = dialect_.threads && s.dtype == DType::kI64 && exprs_.is_natural(s.value);  // an axis
  exprs_.name_variable(s.var, {.name = name, .varying = varying, .natural = natural});
}

void StatementPrinter::mutable_local(const Stmt& s) {
  const std::string value = exprs_.value(s.value);
  const std::string name = names_.unique("v");
  if (!exprs_.lane()) {
    line(fmt::format("{} {} = {};", dialect_.value_type(s.dtype), name, value));
  } else if (exprs_.varies(s.value)) {
    line(fmt::format("auto {} = {};", name, value));
  } else {
    line(fmt::format("auto {} = rt_splat<{}>({}, {});", name, dialect_.value_type(s.dtype),
                     exprs_.variable(*exprs_.lane()).name, value));
  }
  exprs_.name_variable(s.var, {.name = name, .varying = exprs_.lane().has_value()});
}

void StatementPrinter::assign(const Stmt& s) {
  std::string value = exprs_.value(s.value);
  if (exprs_.lane() && !exprs_.varies(s.value))
    value = fmt::format("rt_splat<{}>({}, {})", dialect_.value_type(s.dtype),
                        exprs_.variable(*exprs_.lane()).name, value);
  line(fmt::format("{} = {};", exprs_.variable(s.var).name, value));
}

void StatementPrinter::accumulator(const Stmt& s) {
  const Accumulation& how = accumulation(s.op, s.dtype);
  const std::string name = names_.unique(how.operation);
  accumulators_[s.var] = s.op;
  const bool lanes = exprs_.lane().has_value();
  exprs_.name_variable(s.var, {.name = name, .varying = lanes, .object = s.lanes});
  if (s.lanes)
    return line(fmt::format("rt_{}accumulator<rt_op_{}, {}> {};", team_sums_.contains(s.var) ? "team_" : "",
                            how.operation, local_type(s.dtype), name));
  const std::string start = identity(dialect_, s.op, s.dtype);
  if (!lanes) return line(fmt::format("{} {} = {};", dialect_.value_type(s.dtype), name, start));
  line(fmt::format("auto {} = rt_splat<{}>({}, {});", name, dialect_.value_type(s.dtype),
                   exprs_.variable(*exprs_.lane()).name, start));
}

void StatementPrinter::accumulate(const Stmt& s) {
  const VariableName& target = exprs_.variable(s.var);
  const std::string value = exprs_.value(s.value);
  if (target.object) {
    const ExprRef lane = s.index.empty() ? kernel::constant_index(0) : s.index[0];
    const bool by_lane = exprs_.lane() && lane->kind == ExprKind::kVar && lane->id == *exprs_.lane();
    const std::string at = by_lane ? exprs_.variable(lane->id).name : exprs_.index(lane);
    return line(fmt::format("{}.add({}, {});", target.name, at, value));
  }
  const Accumulation& how = accumulation(accumulators_.at(s.var), s.dtype);
  if (is_float(s.dtype) && !is_half(s.dtype) && !how.infix.empty())
    return line(fmt::format("{} {} {};", target.name, how.infix, value));
  line(fmt::format("{0} = rt_op_{1}::apply({0}, {2});", target.name, how.operation, value));
}

void StatementPrinter::check(const Stmt& s) {
  if (dialect_.threads) return device_check(s);
  if (s.kind == StmtKind::kAssert)
    return line(fmt::format("if (!({})) return rt_fail_assert(header, {}, {});", exprs_.value(s.value),
                            c_string(function_), c_string(s.text)));
  line(fmt::format("RT_CHECK_INDEX({}, {}, {}, {}, {});", exprs_.value(s.value), c_string(function_),
                   c_string(s.text), exprs_.index(s.index[0]), exprs_.index(s.index[1])));
}

void StatementPrinter::print(const Stmt& s) {
  const kernel::Buffer& buffer = program_.buffers[s.buffer];
  std::string extents;
  for (const Dim& dim : buffer.shape) extents += (extents.empty() ? "" : ", ") + exprs_.extent(dim);
  const std::string dtype = "COHORT_" + upper(dtype_name(buffer.dtype));
  const std::string name = buffer.shape.empty() ? "nullptr" : names_.unique("extents");
  if (!buffer.shape.empty()) line(fmt::format("const int64_t {}[] = {{{}}};", name, extents));
  line(fmt::format("rt_print(header, {}, {}, {}, {}, {});", c_string(s.text), exprs_.buffer_name(s.buffer),
                   dtype, buffer.shape.size(), name));
}

void StatementPrinter::call(const Stmt& s) { line(exprs_.call(s)); }

namespace {

// How often each part of a statement's expressions is referred to, and how large it is as a tree.
struct Sharing {
  std::unordered_map<const kernel::Expr*, int> references;
  std::unordered_map<const kernel::Expr*, std::size_t> sizes;
  std::vector<ExprRef> order;  // operands first

  std::size_t visit(const ExprRef& e) {
    ++references[e.get()];
    if (const auto known = sizes.find(e.get()); known != sizes.end()) return known->second;
    std::size_t size = 1;
    for (const ExprRef& a : e->args) size += visit(a);
    sizes[e.get()] = size;
    order.push_back(e);
    return size;
  }
};

}  // namespace

void StatementPrinter::hoist_shared(const Stmt& s) {
  if (s.kind == StmtKind::kFor) return;
  Sharing sharing;
  if (s.value) sharing.visit(s.value);
  for (const ExprRef& e : s.index) sharing.visit(e);
  // Index arithmetic and plain loads up to these sizes are repeated: the C++ compiler sees through them.
  constexpr std::size_t kLongIndex = 12, kLongLoad = 8;
  for (const ExprRef& e : sharing.order) {
    const std::size_t size = sharing.sizes[e.get()];
    const bool load = e->kind == ExprKind::kLoad;
    if ((!is_computed(*e) && !load) || sharing.references[e.get()] < 2) continue;
    if ((load && size <= kLongLoad) || (e->dtype == DType::kI64 && size <= kLongIndex)) continue;
    const bool varying = exprs_.varies(e);
    const std::string value = exprs_.value(e);
    const std::string name = names_.unique("t");
    line(fmt::format("const {} {} = {};", varying ? "auto" : dialect_.value_type(e->dtype), name, value));
    exprs_.share(e, name);
  }
}

}  // namespace cohort
