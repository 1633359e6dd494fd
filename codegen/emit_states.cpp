// The table of state variables by name: rows in the source or, for a module of many, records at the end of
// its weights, so that the source grows with what is computed and not with how many take part. The runtime's
// rt_state_at reads both.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "codegen/emit_entry.h"
#include "codegen/emit_files.h"
#include "codegen/text.h"

namespace cohort {

namespace {

constexpr std::size_t kRecordBytes = 48;         // rt_state_record
constexpr std::uint64_t kSettable = UINT64_MAX;  // rt_settable

// The variables in order of name, as bytes, and their shapes, each shape once.
struct StateRows {
  std::vector<StateId> order;
  std::vector<std::vector<std::int64_t>> shapes;  // extents, then strides in elements
  std::vector<std::size_t> places;                // by row: where its shape begins among the numbers of all
  std::size_t numbers = 0;                        // of all shapes
  std::vector<std::uint64_t> leads;               // by row: rt_state's
};

StateRows state_rows(const EmitContext& context) {
  const std::vector<State>& states = context.module().states;
  StateRows rows;
  rows.order.resize(states.size());
  std::iota(rows.order.begin(), rows.order.end(), StateId{0});
  std::sort(rows.order.begin(), rows.order.end(),
            [&](StateId a, StateId b) { return states[a].name < states[b].name; });
  std::map<StateId, std::uint64_t> first;  // row of those in one place
  for (std::uint64_t k = 0; k < rows.order.size(); ++k) {
    const StateId s = rows.order[k];
    rows.leads.push_back(
        states[s].is_settable ? kSettable : first.emplace(lead_of(context.compiled, s), k).first->second);
  }
  std::map<std::vector<std::int64_t>, std::size_t> known;
  for (const StateId s : rows.order) {
    const StateLayout& layout = context.compiled.states[s];
    std::vector<std::int64_t> shape;
    for (const Dim& dim : states[s].type.shape) shape.push_back(dim.offset);
    shape.insert(shape.end(), layout.strides.begin(), layout.strides.end());
    const auto [place, fresh] = known.emplace(shape, rows.numbers);
    rows.places.push_back(place->second);
    if (!fresh || shape.empty()) continue;
    rows.numbers += shape.size();
    rows.shapes.push_back(std::move(shape));
  }
  return rows;
}

void put(std::string& bytes, std::uint64_t value, int count = 8) {
  for (int k = 0; k < count; ++k) bytes.push_back(static_cast<char>(value >> (8 * k) & 0xff));
}

}  // namespace

void append_state_directory(EmitContext& context) {
  const StateRows rows = state_rows(context);
  const std::size_t shapes_at = rows.order.size() * kRecordBytes, names_at = shapes_at + 8 * rows.numbers;
  std::string records, names;
  for (std::size_t k = 0; k < rows.order.size(); ++k) {
    const State& state = context.module().states[rows.order[k]];
    const StateLayout& layout = context.compiled.states[rows.order[k]];
    put(records, names_at + names.size());
    put(records, layout.offset);
    put(records, layout.init_offset);  // kZeros is rt_zeros
    put(records, shapes_at + 8 * rows.places[k]);
    put(records, rows.leads[k]);
    put(records, static_cast<std::uint64_t>(state.type.dtype), 4);
    put(records, static_cast<std::uint64_t>(state.type.rank()), 4);
    names.append(state.name).push_back('\0');
  }
  for (const std::vector<std::int64_t>& shape : rows.shapes)
    for (const std::int64_t number : shape) put(records, static_cast<std::uint64_t>(number));
  std::string& weights = context.weights;
  weights.resize((weights.size() + kAlignment - 1) / kAlignment * kAlignment);
  context.state_directory = weights.size();
  weights += records + names;
}

std::string emit_state_table(const EmitContext& context) {
  const Module& module = context.module();
  if (module.states.empty() || !context.lists_states()) return {};
  const StateRows rows = state_rows(context);
  std::string text, table;
  for (const std::vector<std::int64_t>& shape : rows.shapes)
    text += fmt::format("    {},\n", fmt::join(shape, ", "));
  if (!text.empty())
    text = "// extents, then strides in elements\nstatic const int64_t state_shapes[] = {\n" + text + "};\n";
  for (std::size_t k = 0; k < rows.order.size(); ++k) {
    const State& state = module.states[rows.order[k]];
    const StateLayout& layout = context.compiled.states[rows.order[k]];
    const std::string shape =
        state.type.rank() == 0 ? "nullptr" : fmt::format("state_shapes + {}", rows.places[k]);
    const std::string init = layout.init_offset == kZeros ? "rt_zeros" : std::to_string(layout.init_offset);
    const std::string lead = state.is_settable ? "" : fmt::format(", {}", rows.leads[k]);
    table += fmt::format("    {{{}, {}, {}, COHORT_{}, {}, {}{}}},\n", c_string(state.name), layout.offset,
                         init, upper(dtype_name(state.type.dtype)), state.type.rank(), shape, lead);
  }
  return text + fmt::format(
                    "// by name: offset in the workspace, offset of the initial value in the weights, type\n"
                    "static const rt_state states[] = {{\n{}}};\n",
                    table);
}

}  // namespace cohort
