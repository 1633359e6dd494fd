#include "compiler/merge/roll.h"

#include <algorithm>
#include <map>

#include "compiler/kernel_passes/walk.h"
#include "compiler/merge/tables.h"
#include "ir/custom_function.h"

namespace cohort::merge {
namespace {

using namespace kernel;

constexpr std::size_t kMinTerms = 3;

// What terms must have in common, and what may differ: as Skeleton (skeleton.h), of one expr.
struct Term {
  std::string shape;
  std::vector<BufferId> buffers;
  std::vector<std::uint64_t> constants;
};

class Roller {
 public:
  Roller(Module& module, Program& program, std::vector<bool>& fixed)
      : program_(program), fixed_(fixed), tables_(module, program) {}

  Lists run() {
    for (Kernel& kernel : program_.kernels) roll(kernel.body);
    return std::move(lists_);
  }

 private:
  void roll(std::vector<Stmt>& list) {
    std::vector<Stmt> result;
    for (std::size_t i = 0; i < list.size();) {
      const std::size_t end = run_end(list, i);
      if (end - i >= kMinTerms) {
        add_loop(list, i, end, result);
        i = end;
        continue;
      }
      roll(list[i].body);
      roll(list[i].else_body);
      result.push_back(std::move(list[i++]));
    }
    list = std::move(result);
  }

  // Statements [begin, end) add alike terms to one variable; a declaration may come first.
  std::size_t run_end(const std::vector<Stmt>& list, std::size_t begin) const {
    const Stmt& first = list[begin];
    if (first.kind != StmtKind::kVar && !addend(first, first.var)) return begin;
    const ExprRef start = first.kind == StmtKind::kVar ? first.value : addend(first, first.var);
    const std::string shape = term(start).shape;
    std::size_t end = begin + 1;
    while (end < list.size()) {
      const ExprRef next = addend(list[end], first.var);
      if (!next || term(next).shape != shape) break;
      ++end;
    }
    return end;
  }
  // The term that a statement adds to the variable from the right; null if it does something else.
  static ExprRef addend(const Stmt& s, VarId var) {
    if (s.kind != StmtKind::kAssign || s.var != var) return nullptr;
    const Expr& sum = *s.value;
    const bool adds = sum.kind == ExprKind::kOp && sum.op == ScalarOp::k_add &&
                      sum.args[0]->kind == ExprKind::kVar && sum.args[0]->id == var;
    return adds && !mentions(sum.args[1], var) ? sum.args[1] : nullptr;
  }

  Term term(const ExprRef& e) const {
    Term result;
    describe(e, result);
    return result;
  }
  void describe(const ExprRef& e, Term& t) const {
    const auto put = [&](std::uint64_t value) {
      t.shape.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    put(static_cast<std::uint64_t>(e->kind) | static_cast<std::uint64_t>(e->dtype) << 8 |
        static_cast<std::uint64_t>(e->op) << 16 | e->args.size() << 32);
    if (e->kind == ExprKind::kConst) t.constants.push_back(e->bits);
    if (e->kind == ExprKind::kVar || e->kind == ExprKind::kFinish) put(e->id);
    if (e->kind == ExprKind::kDim) put_dim(e->dim, t);
    if (e->kind == ExprKind::kLoad) {
      const Buffer& b = program_.buffers[e->id];
      const bool open = !fixed_[e->id] && b.kind != BufferKind::kConstant;
      put(open ? (b.kind == BufferKind::kState ? 1 : 2) : 3 + std::uint64_t{e->id});
      for (const Dim& d : b.shape) put_dim(d, t);
      if (open) {
        const auto known = std::find(t.buffers.begin(), t.buffers.end(), e->id);
        put(static_cast<std::uint64_t>(known - t.buffers.begin()));
        if (known == t.buffers.end()) t.buffers.push_back(e->id);
      }
    }
    if (e->kind == ExprKind::kCustom) t.shape += custom_key(*e->custom) + '\0';
    for (const ExprRef& a : e->args) describe(a, t);
  }
  static void put_dim(const Dim& d, Term& t) {
    for (const std::uint64_t value :
         {static_cast<std::uint64_t>(d.offset), static_cast<std::uint64_t>(d.scale), std::uint64_t{d.symbol}})
      t.shape.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  void add_loop(std::vector<Stmt>& list, std::size_t begin, std::size_t end, std::vector<Stmt>& result) {
    const bool declares = list[begin].kind == StmtKind::kVar;
    const VarId var = list[begin].var;
    const ExprRef pattern = declares ? list[begin].value : addend(list[begin], var);
    std::vector<Term> terms;
    for (std::size_t i = begin; i < end; ++i)
      terms.push_back(term(i == begin ? pattern : addend(list[i], var)));
    Stmt loop;
    loop.kind = StmtKind::kFor;
    loop.var = program_.next_var++;
    loop.value = constant_index(static_cast<std::int64_t>(end - begin - (declares ? 1 : 0)));
    lists_.loops.insert(loop.var);
    const ExprRef member = variable(loop.var, DType::kI64) + constant_index(declares ? 1 : 0);
    const std::vector<BufferId> named = list_buffers(terms);
    Stmt add = std::move(list[declares ? begin + 1 : begin]);
    add.value = op(ScalarOp::k_add, {variable(var, add.dtype), at(pattern, terms, named, member)}, add.dtype);
    if (declares) {
      list[begin].value = at(pattern, terms, named, constant_index(0));
      result.push_back(std::move(list[begin]));
    }
    loop.body.push_back(std::move(add));
    result.push_back(std::move(loop));
  }

  // For each buffer of a term the list of all terms' buffers there.
  std::vector<BufferId> list_buffers(const std::vector<Term>& terms) {
    std::vector<BufferId> result;
    for (std::size_t p = 0; p < terms.front().buffers.size(); ++p) {
      std::vector<BufferId> list;
      for (const Term& t : terms) list.push_back(t.buffers[p]);
      const auto [found, fresh] = named_.try_emplace(list, 0);
      if (fresh) {
        Buffer buffer = program_.buffers[list.front()];
        buffer.shape.insert(buffer.shape.begin(), Dim(static_cast<std::int64_t>(list.size())));
        if (buffer.kind == BufferKind::kOutput) buffer.kind = BufferKind::kTemporary;
        program_.buffers.push_back(std::move(buffer));
        fixed_.resize(program_.buffers.size(), false);
        found->second = static_cast<BufferId>(program_.buffers.size() - 1);
        lists_.arrays.emplace(found->second, list);
      }
      result.push_back(found->second);
    }
    return result;
  }

  // The term of one member.
  ExprRef at(const ExprRef& pattern, const std::vector<Term>& terms, const std::vector<BufferId>& named,
             const ExprRef& member) {
    std::size_t next_constant = 0;
    std::unordered_map<BufferId, BufferId> list_of;
    for (std::size_t p = 0; p < named.size(); ++p) list_of.emplace(terms.front().buffers[p], named[p]);
    return kernel::rewrite(pattern, [&](const ExprRef& e) -> ExprRef {
      if (e->kind == ExprKind::kConst) {
        std::vector<std::uint64_t> bits;
        for (const Term& t : terms) bits.push_back(t.constants[next_constant]);
        ++next_constant;
        if (member->kind == ExprKind::kConst)
          return constant({e->dtype, bits[static_cast<std::size_t>(member->bits)]});
        const ExprRef value = tables_.by_member(e->dtype, bits, member);
        fixed_.resize(program_.buffers.size(), false);
        return value;
      }
      const auto found = e->kind == ExprKind::kLoad ? list_of.find(e->id) : list_of.end();
      if (found == list_of.end()) return e;
      std::vector<ExprRef> index{member};
      index.insert(index.end(), e->args.begin(), e->args.end());
      return load(found->second, e->dtype, std::move(index));
    });
  }

  Program& program_;
  std::vector<bool>& fixed_;
  Tables tables_;
  Lists lists_;
  std::map<std::vector<BufferId>, BufferId> named_;  // lists that are known
};

}  // namespace

Lists roll_sums(Module& module, Program& program, std::vector<bool>& fixed) {
  return Roller(module, program, fixed).run();
}

}  // namespace cohort::merge
