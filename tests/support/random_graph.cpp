#include "tests/support/random_graph.h"

#include <algorithm>

#include "ir/diagnostics.h"
#include "ir/op_def.h"
#include "tests/support/random_recipes.h"

namespace cohort::test {

std::int64_t RandomContext::least(ValueId value, int axis) const {
  return min_extent(type(value).shape[static_cast<std::size_t>(axis)], dims);
}

ValueId RandomContext::pick_rank(int rank, bool constant_shape) {
  for (int i = 0; i < 20; ++i) {
    const ValueId value = pick();
    if (type(value).rank() >= rank && (!constant_shape || is_constant(type(value).shape))) return value;
  }
  return kNoId;
}

Extents RandomContext::random_extents(int rank) {
  Extents result;
  for (int i = 0; i < rank; ++i) result.push_back(random.chance(15) ? 1 : choose(extents));
  return result;
}

ValueId RandomContext::constant(Tensor data) {
  return builder.constant(builder.module().add_constant({}, std::move(data)));
}

ValueId RandomContext::index(std::int64_t size, const Extents& shape) {
  const DType dtype = random.chance(70) ? DType::kI64 : DType::kI32;
  if (random.chance(40)) {
    Tensor data(dtype, shape);
    for (std::int64_t i = 0; i < data.size(); ++i) set_element_int(data, i, random.between(-size, size - 1));
    return constant(std::move(data));
  }
  // A computed index: anything, wrapped into range.
  ValueId raw = builder.make("iota", {}, {{"shape", Shape(shape.begin(), shape.end())}});
  if (shape.empty()) raw = builder.literal_int(DType::kI64, random.below(100));
  const ValueId other = pick();
  if (is_integer(type(other).dtype) && type(other).rank() == 0) raw = builder.make("add", {raw, other});
  const ValueId wrapped = builder.make("mod", {builder.cast(raw, dtype), builder.literal_int(dtype, size)});
  return random.chance(30) ? builder.make("sub", {wrapped, builder.literal_int(dtype, size)}) : wrapped;
}

namespace {

bool allowed(const ScalarOpInfo& info, const RandomGraphOptions& options) {
  return options.transcendental || !(info.traits & kTranscendental);
}

// A random scalar row on random operands; broadcasting and casts as the builder does them.
std::vector<ValueId> scalar_node(RandomContext& c) {
  const auto op = static_cast<ScalarOp>(1 + c.random.below(kScalarOpCount));
  const ScalarOpInfo& info = scalar_op_info(op);
  if (!allowed(info, c.options)) return {};
  if (op == ScalarOp::k_cast) return {c.builder.cast(c.pick(), c.choose(c.dtypes))};
  std::vector<ValueId> inputs;
  const ValueId first = c.pick();
  for (int i = 0; i < info.arity; ++i) {
    const ValueId other = c.pick();
    if (i == 0 || c.random.chance(10))
      inputs.push_back(first);
    else if (c.random.chance(20))
      inputs.push_back(c.constant(c.random_tensor(c.type(first).dtype, {})));
    else
      inputs.push_back(other);
  }
  // The sign of a NaN is nobody's business, and copysign alone would show it.
  if (op == ScalarOp::k_copysign)
    inputs[1] = c.builder.make(
        "where", {c.builder.make("isnan", {inputs[1]}), c.builder.literal(DType::kF32, 1), inputs[1]});
  return {c.builder.make(info.name, inputs)};
}

std::vector<ValueId> any_node(RandomContext& c) {
  if (!c.options.structured || c.random.chance(45)) return scalar_node(c);
  const std::span<const Recipe> recipes = c.random.chance(60) ? shape_recipes() : compute_recipes();
  const Recipe& recipe =
      recipes[static_cast<std::size_t>(c.random.below(static_cast<std::int64_t>(recipes.size())))];
  const OpDef* op = find_op(recipe.op);
  require(op != nullptr, "a recipe's operator exists");
  return recipe.make(c);
}

bool welcome(const RandomContext& c, ValueId value) {
  const Type& type = c.type(value);
  if (type.rank() > 3) return false;
  const bool half = type.dtype == DType::kF16 || type.dtype == DType::kBF16;
  if (half && !c.options.halves) return false;
  return max_element_count(type.shape, c.dims) <= c.options.max_elements;
}

void add_nodes(RandomContext& c) {
  int made = 0;
  for (int attempt = 0; made < c.options.nodes && attempt < c.options.nodes * 20; ++attempt) {
    std::vector<ValueId> results;
    try {
      results = any_node(c);
    } catch (const UserError&) {
      continue;  // shapes or dtypes that do not fit together: the builder refused, try another
    }
    for (const ValueId result : results)
      if (welcome(c, result)) c.pool.push_back(result);
    made += !results.empty();
  }
}

std::vector<DType> random_dtypes(Random& random, const RandomGraphOptions& options) {
  std::vector<DType> dtypes;
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    const bool half = dtype == DType::kF16 || dtype == DType::kBF16;
    if ((!options.integers && !is_float(dtype)) || (!options.halves && half)) continue;
    if (random.chance(is_float(dtype) ? 50 : 25)) dtypes.push_back(dtype);
  }
  if (dtypes.empty()) dtypes.push_back(random.chance(50) ? DType::kF32 : DType::kF64);
  return dtypes;
}

void add_sources(ModuleBuilder& module, RandomContext& c, bool named_dims) {
  const int input_count = static_cast<int>(1 + c.random.below(3));
  for (int i = 0; i < input_count; ++i) {
    const Extents extents = c.random_extents(static_cast<int>(c.random.below(4)));
    Shape shape(extents.begin(), extents.end());
    if (named_dims && !shape.empty() && c.random.chance(60)) shape[0] = Dim::named(0);
    c.pool.push_back(c.builder.input("x" + std::to_string(i), {c.choose(c.dtypes), std::move(shape)}));
  }
  const auto random_data = [&] {
    return c.random_tensor(c.choose(c.dtypes), c.random_extents(static_cast<int>(c.random.below(4))));
  };
  for (std::int64_t i = c.random.below(3); i > 0; --i)
    c.pool.push_back(c.builder.constant(module.add_constant("w" + std::to_string(i), random_data())));
  for (std::int64_t i = c.options.states ? c.random.below(3) : 0; i > 0; --i) {
    Tensor init = random_data();
    const Type type{init.dtype(), Shape(init.extents().begin(), init.extents().end())};
    c.pool.push_back(c.builder.state(module.add_state("s" + std::to_string(i), type, std::move(init))));
  }
}

// An update of each state: a value of its type if the pool has one, else its old value moved on.
void add_updates(const ModuleBuilder& module, RandomContext& c) {
  for (StateId id = 0; id < module.module().states.size(); ++id) {
    const Type& type = module.module().states[id].type;
    std::vector<ValueId> fit;
    for (const ValueId value : c.pool)
      if (c.type(value) == type) fit.push_back(value);
    if (!fit.empty() && c.random.chance(80)) c.builder.update(id, c.choose(fit));
  }
}

}  // namespace

Module random_module(std::uint64_t seed, const RandomGraphOptions& options) {
  Random random(seed * 2 + 1);
  ModuleBuilder module("random_" + std::to_string(seed));
  const bool named_dims = options.named_dims && random.chance(30);
  if (named_dims) module.add_dim("batch", random.between(1, 3), random.between(4, 9));
  FunctionBuilder builder(module, "f");
  RandomContext c{builder, random, options, module.module().dims};
  c.dtypes = random_dtypes(random, options);
  for (int i = 0; i < 3; ++i)
    c.extents.push_back(random.chance(5) ? 0 : c.choose(std::vector<std::int64_t>{1, 2, 3, 4, 5, 7, 17}));
  add_sources(module, c, named_dims);
  add_nodes(c);
  // Late values first: they reach farthest back.
  const auto count = static_cast<std::int64_t>(c.pool.size());
  for (std::int64_t i = 0, outputs = 1 + random.below(4); i < outputs; ++i) {
    const std::int64_t back = std::min(random.below(count), random.below(count));
    builder.output("y" + std::to_string(i), c.pool[static_cast<std::size_t>(count - 1 - back)]);
  }
  add_updates(module, c);
  module.add_function(builder.finish());
  return module.finish();
}

}  // namespace cohort::test
