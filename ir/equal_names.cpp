#include "ir/equal_names.h"

#include <fmt/format.h>

#include <unordered_set>

namespace cohort {

namespace {

// The name itself if none has it, else with the first number behind it that makes it new.
std::string free_name(std::unordered_set<std::string>& taken, const std::string& name) {
  std::string free = name;
  for (int number = 2; !taken.insert(free).second; ++number) free = fmt::format("{}_{}", name, number);
  return free;
}

}  // namespace

void number_equal_names(Function& function) {
  std::unordered_set<std::string> inputs, outputs;
  // Those that need no number keep their names, wherever they stand.
  std::vector<std::string*> repeated_inputs, repeated_outputs;
  for (const ValueId input : function.inputs)
    if (!inputs.insert(function.values[input].name).second)
      repeated_inputs.push_back(&function.values[input].name);
  for (Output& output : function.outputs)
    if (!outputs.insert(output.name).second) repeated_outputs.push_back(&output.name);
  for (std::string* name : repeated_inputs) *name = free_name(inputs, *name);
  for (std::string* name : repeated_outputs) *name = free_name(outputs, *name);
}

}  // namespace cohort
