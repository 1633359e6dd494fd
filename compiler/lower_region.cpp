#include "compiler/lower_region.h"

#include <algorithm>

#include "compiler/kernel_passes/kernel_pass.h"
#include "compiler/lower.h"
#include "ir/diagnostics.h"
#include "ir/kernel_calls.h"

namespace cohort {
namespace {

using namespace kernel;

// The body as a function whose carried values are states 0, 1, ... of `module`, in the order of
// places.carried; its other inputs keep their order, as its other outputs do.
struct StatefulBody {
  Module module;
  Function function;
  std::vector<std::size_t> inputs, outputs;  // which of the body's each remaining one is
};

StatefulBody stateful(const Module& module, const Function& body, const RegionPlaces& places) {
  StatefulBody made;
  made.module.dims = module.dims;
  made.module.constants = module.constants;
  made.module.locations = module.locations;
  made.function = body;
  std::vector<bool> carried_in(body.inputs.size()), carried_out(body.outputs.size());
  for (std::size_t c = 0; c < places.carried.size(); ++c) {
    const auto& [input, output, buffer] = places.carried[c];
    carried_in[input] = carried_out[output] = true;
    Value& value = made.function.values[body.inputs[input]];
    value.kind = ValueKind::kState;
    value.index = static_cast<std::uint32_t>(c);
    made.module.states.push_back({value.name, value.type, Tensor(), 0});
    made.function.updates.push_back({static_cast<StateId>(c), body.outputs[output].value});
  }
  made.function.inputs.clear();
  made.function.outputs.clear();
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    if (carried_in[i]) continue;
    made.function.values[body.inputs[i]].index = static_cast<std::uint32_t>(made.inputs.size());
    made.function.inputs.push_back(body.inputs[i]);
    made.inputs.push_back(i);
  }
  for (std::size_t o = 0; o < body.outputs.size(); ++o) {
    if (carried_out[o]) continue;
    made.function.outputs.push_back(body.outputs[o]);
    made.outputs.push_back(o);
  }
  return made;
}

class RegionSplicer {
 public:
  RegionSplicer(const Program& body, std::vector<RegionPlace> places, LoweringScope& scope)
      : body_(body), places_(std::move(places)), scope_(scope) {}

  void run() {
    first_var_ = scope_.next_var;
    scope_.next_var += body_.next_var;
    for (const Kernel& kernel : body_.kernels)
      for (const Stmt& stmt : kernel.body) statement(stmt, *scope_.statements);
  }

 private:
  void statement(const Stmt& from, std::vector<Stmt>& list) {
    Stmt stmt = from;
    stmt.sources.clear();
    stmt.var += first_var_;
    if (stmt.kind == StmtKind::kFor)
      stmt.mode = LoopMode::kSerial;  // `vectorise` chooses for the whole kernel
    if (stmt.value) stmt.value = moved(stmt.value);
    for (ExprRef& e : stmt.index) e = moved(e);
    stmt.body.clear();
    stmt.else_body.clear();
    for (const Stmt& inner : from.body) statement(inner, stmt.body);
    for (const Stmt& inner : from.else_body) statement(inner, stmt.else_body);
    if (stmt.kind == StmtKind::kStore) {
      const RegionPlace& place = places_[from.buffer];
      stmt.buffer = place.buffer;
      if (place.step) stmt.index.insert(stmt.index.begin(), place.step);
    }
    if (stmt.kind == StmtKind::kCall) return call(from, std::move(stmt), list);
    if (stmt.kind == StmtKind::kPrint) stmt.buffer = whole(from.buffer, true, list);
    list.push_back(std::move(stmt));
  }

  // Calls take whole buffers: one that is an element of a sequence begins where that element does, if the
  // function can be told so, and else is copied.
  void call(const Stmt& from, Stmt stmt, std::vector<Stmt>& list) {
    std::vector<Stmt> after;
    for (std::size_t b = 0; b < from.buffers.size(); ++b) {
      const RegionPlace& place = places_[from.buffers[b]];
      if (call_has_starts(from.text) || !place.step) {
        stmt.buffers[b] = place.buffer;
        if (place.step) stmt.index[b] = stmt.index[b] + place.step * size_of(from.buffers[b]);
      } else {
        const bool is_output = b < from.outputs;
        stmt.buffers[b] = whole(from.buffers[b], !is_output, list);
        if (is_output) copy(stmt.buffers[b], nullptr, place.buffer, place.step, from.buffers[b], after);
      }
    }
    list.push_back(std::move(stmt));
    for (Stmt& each : after) list.push_back(std::move(each));
  }

  ExprRef size_of(BufferId b) const {
    ExprRef size = constant_index(1);
    for (const Dim& dim : body_.buffers[b].shape) size = size * extent(dim);
    return size;
  }

  // A whole buffer with what lies at the place, if `filled`.
  BufferId whole(BufferId b, bool filled, std::vector<Stmt>& list) {
    const RegionPlace& place = places_[b];
    if (!place.step) return place.buffer;
    const Buffer& shape = body_.buffers[b];
    const BufferId temporary = scope_.temporary({shape.dtype, shape.shape}, shape.name);
    if (filled) copy(place.buffer, place.step, temporary, nullptr, b, list);
    return temporary;
  }

  void copy(BufferId from, const ExprRef& from_step, BufferId to, const ExprRef& to_step, BufferId like,
            std::vector<Stmt>& list) {
    const Shape& shape = body_.buffers[like].shape;
    const DType dtype = body_.buffers[like].dtype;
    std::vector<ExprRef> source, target;
    if (from_step) source.push_back(from_step);
    if (to_step) target.push_back(to_step);
    std::vector<Stmt> loops;
    for (const Dim& dim : shape) {
      Stmt loop;
      loop.kind = StmtKind::kFor;
      loop.var = scope_.new_var();
      loop.value = extent(dim);
      source.push_back(variable(loop.var, DType::kI64));
      target.push_back(source.back());
      loops.push_back(std::move(loop));
    }
    Stmt inner;
    inner.kind = StmtKind::kStore;
    inner.buffer = to;
    inner.dtype = dtype;
    inner.index = std::move(target);
    inner.value = load(from, dtype, std::move(source));
    while (!loops.empty()) {
      loops.back().body.push_back(std::move(inner));
      inner = std::move(loops.back());
      loops.pop_back();
    }
    list.push_back(std::move(inner));
  }

  ExprRef moved(const ExprRef& expr) {
    if (expr->kind == ExprKind::kConst || expr->kind == ExprKind::kDim) return expr;
    auto made = std::make_shared<Expr>(*expr);
    if (expr->kind == ExprKind::kVar || expr->kind == ExprKind::kFinish) made->id += first_var_;
    for (ExprRef& arg : made->args) arg = moved(arg);
    if (expr->kind == ExprKind::kLoad) {
      const RegionPlace& place = places_[expr->id];
      made->id = place.buffer;
      if (place.step) made->args.insert(made->args.begin(), place.step);
    }
    return made;
  }

  const Program& body_;
  std::vector<RegionPlace> places_;  // by buffer of the body
  LoweringScope& scope_;
  VarId first_var_ = 0;
};

// The passes that work on the list of a body's nests. Those after them see the kernel as a whole.
Program improved(Program program, const Dims& dims, const CpuProfile& cpu) {
  program = loop_passes::separate_checks(std::move(program), dims);
  program = loop_passes::order_kernels(std::move(program), dims);
  program = loop_passes::update_in_place(std::move(program), dims);
  program = loop_passes::vectorise(std::move(program), dims, cpu);
  program = loop_passes::fuse_loops(std::move(program), dims, cpu);
  program = loop_passes::forward_stores(std::move(program), dims);
  return loop_passes::remove_dead(std::move(program), dims);
}

BufferId constant_buffer(Program& program, const Buffer& buffer) {
  const auto found = std::find_if(program.buffers.begin(), program.buffers.end(), [&](const Buffer& b) {
    return b.kind == BufferKind::kConstant && b.index == buffer.index;
  });
  if (found != program.buffers.end()) return static_cast<BufferId>(found - program.buffers.begin());
  program.buffers.push_back(buffer);
  return static_cast<BufferId>(program.buffers.size() - 1);
}

}  // namespace

void lower_region(const Module& module, const Function& body, const RegionPlaces& places, Program& program,
                  LoweringScope& scope, const CpuProfile& cpu) {
  const StatefulBody made = stateful(module, body, places);
  const Program lowered = improved(lower(made.module, made.function, cpu), module.dims, cpu);
  std::vector<RegionPlace> inputs(body.inputs.size()), outputs(body.outputs.size());
  for (const auto& [index, place] : places.inputs) inputs[index] = place;
  for (const auto& [index, place] : places.outputs) outputs[index] = place;
  std::vector<RegionPlace> of_buffer;
  for (const Buffer& buffer : lowered.buffers) {
    switch (buffer.kind) {
      case BufferKind::kInput:
        of_buffer.push_back(inputs[made.inputs[buffer.index]]);
        break;
      case BufferKind::kOutput:
        of_buffer.push_back(outputs[made.outputs[buffer.index]]);
        break;
      case BufferKind::kState:
        of_buffer.push_back({places.carried[buffer.index].buffer, nullptr});
        break;
      case BufferKind::kConstant:
        of_buffer.push_back({constant_buffer(program, buffer), nullptr});
        break;
      case BufferKind::kTemporary:
        of_buffer.push_back({scope.temporary({buffer.dtype, buffer.shape}, buffer.name), nullptr});
        break;
    }
  }
  RegionSplicer(lowered, std::move(of_buffer), scope).run();
}

}  // namespace cohort
