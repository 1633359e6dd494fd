// Makes functions: infers types, inserts casts, interns literals, and refuses wrong graphs with fail(...).
#pragma once

#include <initializer_list>
#include <map>
#include <span>

#include "ir/graph.h"
#include "ir/op_def.h"

namespace cohort {

class ModuleBuilder {
 public:
  explicit ModuleBuilder(std::string name);
  // Continue from an existing module (its functions kept).
  explicit ModuleBuilder(Module module);

  DimId add_dim(std::string name, std::int64_t min, std::int64_t max);
  ConstantId add_constant(std::string name, Tensor data);  // shape constant
  ConstantId literal(const Tensor& scalar);                // interned by dtype and bits
  StateId add_state(std::string name, Type type, Tensor init, LocId loc = 0, bool is_settable = true,
                    DeviceHint device = DeviceHint::kNone);
  LocId add_location(SourceLoc location);
  void add_function(Function function);

  Module& module() { return module_; }
  const Module& module() const { return module_; }
  Module finish() { return std::move(module_); }

 private:
  Module module_;
  std::map<std::pair<DType, std::uint64_t>, ConstantId> literals_;
};

class FunctionBuilder {
 public:
  FunctionBuilder(ModuleBuilder& module, std::string name);

  ValueId input(std::string name, Type type);
  ValueId state(StateId id);        // its old value; the same id each time
  ValueId constant(ConstantId id);  // likewise
  ValueId literal(DType dtype, double value);
  ValueId literal_int(DType dtype, std::int64_t value);
  // Appends a node exactly as given: operand dtypes must already be right. Attributes need not be sorted.
  // Returns the first result.
  ValueId node(const OpDef& op, std::span<const ValueId> inputs, Attrs attrs = {}, std::string name = {},
               LocId loc = 0, Regions regions = {});
  // Finds the operator, inserts casts for elementwise operands (promotion), expands `einsum`, then the same.
  ValueId make(std::string_view op, std::span<const ValueId> inputs, Attrs attrs = {}, std::string name = {},
               LocId loc = 0, Regions regions = {});
  ValueId make(std::string_view op, std::initializer_list<ValueId> inputs, Attrs attrs = {},
               std::string name = {});
  ValueId cast(ValueId value, DType dtype);
  ValueId zeros(const Type& type);

  void output(std::string name, ValueId value);
  void update(StateId state, ValueId value);

  const Type& type(ValueId value) const { return function_.values[value].type; }
  const Function& function() const { return function_; }
  Function& function() { return function_; }
  ModuleBuilder& module() { return module_; }
  // Sorts the updates and hands the function over (does not add it to the module).
  Function finish();

 private:
  ModuleBuilder& module_;
  Function function_;
  std::map<StateId, ValueId> states_;
  std::map<ConstantId, ValueId> constants_;
};

}  // namespace cohort
