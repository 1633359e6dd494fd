#include "tests/support/join_modules.h"

namespace cohort {
namespace {

struct Offsets {
  std::uint32_t dims, constants, states, locations;
  const Module& from;
  const std::string& prefix;
};

// Attributes that name state variables.
void rename(Strings& names, const Offsets& by) {
  for (std::string& name : names)
    for (const State& state : by.from.states)
      if (state.name == name) {
        name.insert(0, by.prefix);
        break;
      }
}

void shift(Shape& shape, const Offsets& by) {
  for (Dim& dim : shape)
    if (dim.symbol != kNoDim) dim.symbol += by.dims;
}

std::shared_ptr<const Function> shifted(const Function& from, const Offsets& by) {
  auto function = std::make_shared<Function>(from);
  for (Value& value : function->values) {
    shift(value.type.shape, by);
    if (value.kind == ValueKind::kState) {
      value.index += by.states;
      value.name.insert(0, by.prefix);
    }
    if (value.kind == ValueKind::kConstant) value.index += by.constants;
  }
  for (Node& node : function->nodes) {
    for (NamedAttr& attr : node.attrs) {
      if (Shape* shape = std::get_if<Shape>(&attr.value)) shift(*shape, by);
      if (Strings* names = std::get_if<Strings>(&attr.value)) rename(*names, by);
    }
    if (node.loc != 0) node.loc += by.locations;
    for (auto& region : node.regions) region = shifted(*region, by);
  }
  for (Update& update : function->updates) update.state += by.states;
  return function;
}

std::uint32_t count(std::size_t size) { return static_cast<std::uint32_t>(size); }

}  // namespace

void join_module(Module& into, const Module& from, const std::string& prefix) {
  // Location 0 is "nowhere" in both.
  const Offsets by{count(into.dims.size()),
                   count(into.constants.size()),
                   count(into.states.size()),
                   count(into.locations.size()) - 1,
                   from,
                   prefix};
  for (NamedDim dim : from.dims) {
    dim.name.insert(0, prefix);
    into.dims.push_back(std::move(dim));
  }
  for (Constant constant : from.constants) {
    if (!constant.name.empty()) constant.name.insert(0, prefix);
    into.constants.push_back(std::move(constant));
  }
  for (State state : from.states) {
    state.name.insert(0, prefix);
    if (state.loc != 0) state.loc += by.locations;
    into.states.push_back(std::move(state));
  }
  into.locations.insert(into.locations.end(), from.locations.begin() + 1, from.locations.end());
  for (const auto& each : from.functions) {
    auto function = std::make_shared<Function>(*shifted(*each, by));
    function->name.insert(0, prefix);
    into.functions.push_back(std::move(function));
  }
}

}  // namespace cohort
