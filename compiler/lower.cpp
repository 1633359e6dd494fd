#include "compiler/lower.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/facts.h"
#include "compiler/inline_plan.h"
#include "compiler/kernel_passes/walk.h"
#include "compiler/lower_region.h"
#include "ir/diagnostics.h"
#include "ir/lowering.h"
#include "ir/number_text.h"
#include "ir/op_def.h"

namespace cohort {
namespace {

using namespace kernel;

constexpr BufferId kNoBuffer = UINT32_MAX;

bool reads_any(const ExprRef& expr, const std::set<VarId>& vars) {
  if (expr->kind == ExprKind::kVar) return vars.contains(expr->id);
  return std::any_of(expr->args.begin(), expr->args.end(),
                     [&](const ExprRef& a) { return reads_any(a, vars); });
}

// An element of an inlined value that was computed in a statement list which may still be open.
struct Computed {
  std::vector<ExprRef> index;
  ExprRef element;
  std::uint32_t region = 0;
};

class FunctionLowering {
 public:
  FunctionLowering(const Module& module, const Function& function, const CpuProfile& cpu)
      : module_(module),
        function_(function),
        plan_(plan_inlining(module, function)),
        buffer_of_value_(function.values.size(), kNoBuffer),
        uniform_(module.constants.size()) {
    program_.name = function.name;
    scope_.element = [this](ValueId value, std::vector<ExprRef> index) {
      return element(value, std::move(index));
    };
    scope_.store = [this](ValueId value, std::vector<ExprRef> index, ExprRef stored) {
      store(buffer_of(value), std::move(index), std::move(stored));
    };
    scope_.buffer = [this](ValueId value) { return whole(value); };
    scope_.elements = [this](ValueId value) {
      while (function_.value(value).kind == ValueKind::kNode && !plan_.buffered[value] &&
             function_.node(function_.value(value).index).op == reshape_)
        value = function_.node(function_.value(value).index).inputs[0];
      return whole(value);
    };
    scope_.in_range = [this](const ExprRef& index, const Dim& size) { return in_range(index, size); };
    scope_.temporary = [this](const Type& type, std::string name) {
      return add_buffer(std::move(name), BufferKind::kTemporary, type, 0);
    };
    scope_.region = [this, &cpu](const Function& body, const RegionPlaces& places) {
      lower_region(module_, body, places, program_, scope_, cpu);
    };
  }

  Program run() {
    value_of_state_.assign(module_.states.size(), kNoId);
    for (ValueId v = 0; v < function_.values.size(); ++v) {
      if (function_.value(v).kind == ValueKind::kState) value_of_state_[function_.value(v).index] = v;
    }
    output_of_value_.assign(function_.values.size(), kNoId);
    for (std::uint32_t i = static_cast<std::uint32_t>(function_.outputs.size()); i-- > 0;) {
      const ValueId value = function_.outputs[i].value;
      if (function_.value(value).kind == ValueKind::kNode) output_of_value_[value] = i;
    }
    copy_outputs(false);
    for (NodeId n = 0; n < function_.nodes.size(); ++n) lower_node(n);
    copy_outputs(true);
    commit_updates();
    program_.next_var = scope_.next_var;
    return std::move(program_);
  }

 private:
  // Buffers.
  BufferId add_buffer(std::string name, BufferKind kind, const Type& type, std::uint32_t index) {
    program_.buffers.push_back({std::move(name), kind, type.dtype, type.shape, index});
    if (kind == BufferKind::kState) program_.buffers.back().wanted = module_.states[index].device;
    return static_cast<BufferId>(program_.buffers.size() - 1);
  }
  BufferId buffer_of(ValueId id) {
    BufferId& buffer = buffer_of_value_[id];
    if (buffer != kNoBuffer) return buffer;
    const Value& value = function_.value(id);
    switch (value.kind) {
      case ValueKind::kInput:
        return buffer = add_buffer(value.name, BufferKind::kInput, value.type, value.index);
      case ValueKind::kState:
        return buffer =
                   add_buffer(module_.states[value.index].name, BufferKind::kState, value.type, value.index);
      case ValueKind::kConstant: {
        const std::string& name = module_.constants[value.index].name;
        const std::string& shown = name.empty() ? value.name : name;
        return buffer = add_buffer(shown.empty() ? "constant" : shown, BufferKind::kConstant, value.type,
                                   value.index);
      }
      case ValueKind::kNode:
        break;
    }
    const std::uint32_t output = output_of_value_[id];
    if (output != kNoId) {
      return buffer = add_buffer(function_.outputs[output].name, BufferKind::kOutput, value.type, output);
    }
    std::string name = value.name.empty() ? std::string(function_.node(value.index).op->name) : value.name;
    return buffer = add_buffer(std::move(name), BufferKind::kTemporary, value.type, 0);
  }
  BufferId state_buffer(StateId state) {
    if (value_of_state_[state] != kNoId) return buffer_of(value_of_state_[state]);
    const State& s = module_.states[state];  // written without being read
    return add_buffer(s.name, BufferKind::kState, s.type, state);
  }
  // All of a value in memory: computes an inlined one in a kernel before the one being written.
  BufferId whole(ValueId id) {
    const Value& value = function_.value(id);
    if (value.kind == ValueKind::kNode && !plan_.buffered[id]) {
      plan_.buffered[id] = true;
      std::vector<Stmt>* const outer = scope_.statements;
      std::unordered_map<ValueId, std::vector<Computed>> computed = std::move(computed_);
      std::vector<NodeId> sources = std::move(sources_);
      lower_result(value.index, id);
      scope_.statements = outer;
      computed_ = std::move(computed);
      sources_ = std::move(sources);
    }
    return buffer_of(id);
  }

  // Elements.
  ExprRef element(ValueId id, std::vector<ExprRef> index) {
    const Value& value = function_.value(id);
    if (value.kind == ValueKind::kConstant) {
      if (const std::optional<Scalar>& scalar = uniform(value.index)) return constant(*scalar);
    }
    if (value.kind == ValueKind::kNode && !plan_.buffered[id]) return inlined(id, std::move(index));
    const bool may_change = std::any_of(index.begin(), index.end(),
                                        [&](const ExprRef& i) { return reads_any(i, scope_.mutable_vars); });
    ExprRef loaded = load(buffer_of(id), value.type.dtype, std::move(index));
    return may_change ? let(std::move(loaded)) : loaded;
  }
  const std::optional<Scalar>& uniform(ConstantId id) {
    std::optional<std::optional<Scalar>>& known = uniform_[id];
    if (!known) known = uniform_element(module_.constants[id].data);
    return *known;
  }
  // Elements of a constant are compared with the size once.
  bool in_range(const ExprRef& index, const Dim& size) {
    const bool is_cast = index->kind == ExprKind::kOp && index->op == ScalarOp::k_cast;
    if (is_cast && is_integer(index->args[0]->dtype)) return in_range(index->args[0], size);
    if (index->kind == ExprKind::kConst) {
      const std::int64_t value = scalar_as_int({index->dtype, index->bits});
      return value >= 0 && value < min_extent(size, module_.dims);
    }
    if (index->kind != ExprKind::kLoad || program_.buffers[index->id].kind != BufferKind::kConstant)
      return false;
    const std::uint32_t constant = program_.buffers[index->id].index;
    const auto [known, is_new] = greatest_index_.try_emplace(constant, 0);
    if (is_new) {
      const Tensor& data = module_.constants[constant].data;
      for (std::int64_t i = 0; i < data.size(); ++i) {
        const std::int64_t element = scalar_as_int(tensor_element(data, i));
        known->second = element < 0 ? INT64_MAX : std::max(known->second, element);
      }
    }
    return known->second < min_extent(size, module_.dims);
  }
  ExprRef inlined(ValueId id, std::vector<ExprRef> index) {
    for (const Computed& c : computed_[id]) {
      if (same_index(index, c.index) &&
          std::find(scope_.regions.begin(), scope_.regions.end(), c.region) != scope_.regions.end())
        return c.element;
    }
    const NodeId n = function_.value(id).index;
    const Node& node = function_.node(n);
    sources_.push_back(n);
    ElementContext context(function_, node, scope_, static_cast<int>(id - node.first_result), index);
    ExprRef result = node.op->element(context);
    if (node.op->op_class == OpClass::kElementwise) result = let(std::move(result));
    const bool may_change = std::any_of(index.begin(), index.end(),
                                        [&](const ExprRef& i) { return reads_any(i, scope_.mutable_vars); });
    if (!may_change) computed_[id].push_back({std::move(index), result, scope_.regions.back()});
    return result;
  }

  // Statements.
  ExprRef let(ExprRef value) {
    if (value->kind == ExprKind::kConst || value->kind == ExprKind::kVar || value->kind == ExprKind::kDim)
      return value;
    Stmt stmt;
    stmt.kind = StmtKind::kLet;
    stmt.var = scope_.new_var();
    stmt.dtype = value->dtype;
    stmt.value = std::move(value);
    ExprRef result = variable(stmt.var, stmt.dtype);
    scope_.append(std::move(stmt));
    return result;
  }
  void store(BufferId buffer, std::vector<ExprRef> index, ExprRef value) {
    Stmt stmt;
    stmt.kind = StmtKind::kStore;
    stmt.buffer = buffer;
    stmt.dtype = value->dtype;
    stmt.index = std::move(index);
    stmt.value = std::move(value);
    scope_.append(std::move(stmt));
  }
  void nest(const Shape& shape, std::vector<ExprRef>& index, const std::function<void()>& body) {
    if (index.size() == shape.size()) return body();
    const Dim& dim = shape[index.size()];
    if (dim.is_constant(1)) {
      index.push_back(constant_index(0));
      nest(shape, index, body);
    } else {
      Stmt loop;
      loop.kind = StmtKind::kFor;
      loop.var = scope_.new_var();
      loop.value = extent(dim);
      index.push_back(variable(loop.var, DType::kI64));
      loop.body = scope_.collect([&] { nest(shape, index, body); });
      scope_.append(std::move(loop));
    }
    index.pop_back();
  }

  // Kernels.
  void kernel(std::string name, const std::function<void()>& body) {
    Kernel kernel;
    kernel.name = std::move(name);
    const auto wanted = [&](NodeId n) { return module_.locations[function_.node(n).loc].device; };
    scope_.statements = &kernel.body;
    computed_.clear();
    body();
    if (!kernel.body.empty()) {
      if (!sources_.empty()) kernel.wanted = wanted(sources_.front());
      std::sort(sources_.begin(), sources_.end());
      sources_.erase(std::unique(sources_.begin(), sources_.end()), sources_.end());
      kernel.body.front().sources = std::move(sources_);
      add_kernels(std::move(kernel));
    }
    sources_.clear();
  }
  // A body of nests and of stores of single elements is one kernel for each, so that each may fuse with what
  // is around it, and alike ones merge.
  void add_kernels(Kernel kernel) {
    const bool nests = std::all_of(kernel.body.begin(), kernel.body.end(), [](const Stmt& s) {
      return s.kind == StmtKind::kFor || s.kind == StmtKind::kStore;
    });
    if (!nests || kernel.body.size() == 1) {
      program_.kernels.push_back(std::move(kernel));
      return;
    }
    const std::vector<std::uint32_t> sources = kernel.body.front().sources;
    for (Stmt& nest : kernel.body) {
      nest.sources = sources;
      program_.kernels.push_back({kernel.name, {}, {}, {}, {}, Device::kCpu, kernel.wanted});
      program_.kernels.back().body.push_back(std::move(nest));
    }
  }
  void lower_node(NodeId n) {
    const Node& node = function_.node(n);
    if (!plan_.live[n]) return;
    if (node.op->loops != nullptr) {
      kernel(kernel_name(node.first_result), [&] {
        sources_.push_back(n);
        LoopContext context(function_, node, scope_);
        node.op->loops(context);
      });
      return;
    }
    for (ValueId r = node.first_result; r < node.first_result + node.result_count; ++r) {
      if (plan_.buffered[r] && buffer_of_value_[r] == kNoBuffer) lower_result(n, r);
    }
  }
  std::string kernel_name(ValueId result) const {
    const Value& value = function_.value(result);
    return value.name.empty() ? std::string(function_.node(value.index).op->name) : value.name;
  }
  void lower_result(NodeId n, ValueId result) {
    const Node& node = function_.node(n);
    kernel(kernel_name(result), [&] {
      sources_.push_back(n);
      const BufferId buffer = buffer_of(result);
      std::vector<ExprRef> index;
      nest(function_.type(result).shape, index, [&] {
        ElementContext context(function_, node, scope_, static_cast<int>(result - node.first_result), index);
        store(buffer, index, node.op->element(context));
      });
    });
  }
  void copy(std::string name, ValueId from, BufferId to) {
    kernel(std::move(name), [&] {
      std::vector<ExprRef> index;
      nest(function_.type(from).shape, index, [&] { store(to, index, element(from, index)); });
    });
  }

  // Outputs that are no node's own: copies of inputs, constants and old state come first, so that state may
  // be updated in place after them.
  void copy_outputs(bool of_nodes) {
    for (std::uint32_t i = 0; i < function_.outputs.size(); ++i) {
      const auto& [name, value] = function_.outputs[i];
      if ((function_.value(value).kind == ValueKind::kNode) != of_nodes) continue;
      if (output_of_value_[value] == i) {
        buffer_of(value);  // no statement may have asked for an output without elements
        continue;
      }
      copy(name, value, add_buffer(name, BufferKind::kOutput, function_.type(value), i));
    }
  }
  void commit_updates() {
    std::vector<std::pair<StateId, BufferId>> saved;  // old values of one variable that another one takes
    for (const Update& update : function_.updates) {
      const Value& value = function_.value(update.value);
      if (value.kind != ValueKind::kState || value.index == update.state) continue;
      const State& state = module_.states[value.index];
      saved.emplace_back(update.state,
                         add_buffer(state.name + " old", BufferKind::kTemporary, value.type, 0));
      copy(state.name + " old", update.value, saved.back().second);
    }
    auto next_saved = saved.begin();
    for (const Update& update : function_.updates) {
      const Value& value = function_.value(update.value);
      if (value.kind == ValueKind::kState && value.index == update.state) continue;
      const BufferId to = state_buffer(update.state);
      const std::string name = "update " + module_.states[update.state].name;
      if (value.kind != ValueKind::kState) {
        copy(name, update.value, to);
        continue;
      }
      const BufferId from = (next_saved++)->second;
      kernel(name, [&] {
        std::vector<ExprRef> index;
        nest(value.type.shape, index, [&] { store(to, index, load(from, value.type.dtype, index)); });
      });
    }
  }

  const Module& module_;
  const Function& function_;
  const OpDef* reshape_ = find_op("reshape");
  InlinePlan plan_;
  Program program_;
  LoweringScope scope_;
  std::vector<BufferId> buffer_of_value_;
  std::vector<std::uint32_t> output_of_value_;  // the first output that gives a node's value
  std::vector<ValueId> value_of_state_;
  std::vector<std::optional<std::optional<Scalar>>> uniform_;    // by ConstantId, found on demand
  std::unordered_map<ConstantId, std::int64_t> greatest_index_;  // INT64_MAX where one is negative
  std::unordered_map<ValueId, std::vector<Computed>> computed_;  // within the kernel being written
  std::vector<NodeId> sources_;                                  // nodes whose work the kernel contains
};

}  // namespace

Program lower(const Module& module, const Function& function, const CpuProfile& cpu) {
  return FunctionLowering(module, function, cpu).run();
}

}  // namespace cohort
