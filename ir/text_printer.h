// Prints modules in the text form of the README; text_parser.h reads it back to the same module, bit for bit.
// (The graph file's line numbers, literals that nothing reads, and attributes at their defaults are not
// kept.)
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace cohort {

struct TextOptions {
  // Tensors of more elements print as `elided "digest"`, which does not parse back. Negative: never.
  std::int64_t elide_above = -1;
  bool locations = true;  // `# loc "model.py:3"` behind nodes
};

std::string print_text(const Module& module, const TextOptions& options = {});
std::string print_text(const Module& module, const Function& function, const TextOptions& options = {});

// Prints parts of one function; what names its values need is worked out once.
class FunctionText {
 public:
  FunctionText(const Module& module, const Function& function, const TextOptions& options = {});

  std::string function() const;
  // Inputs and nodes of a function that stands in a node, whose own line begins after `indent` blanks.
  std::string body(int indent) const;
  std::string node(NodeId id, int indent = 2) const;                      // "%y : f32[2] = tanh(%x)"
  const std::string& value(ValueId id) const { return references_[id]; }  // "%x", "@w", "2.0"

 private:
  std::string operand(ValueId id, bool with_dtype) const;
  std::string operands(const Node& node) const;
  bool is_literal(ValueId id) const;

  const Module& module_;
  const Function& function_;
  TextOptions options_;
  std::vector<std::string> references_;  // by ValueId
};

// A name as the text form writes it: as it is if it is a plain identifier, else quoted.
std::string text_name(const std::string& name);
// Nested lists, or one scalar if all elements are equal.
std::string data_text(const Tensor& tensor, const TextOptions& options = {});
std::string attr_text(const Attr& value, const Dims& dims);
// By ConstantId: "@w", "@0" for the first tensor without a name, "2.0" for a scalar without a name.
std::vector<std::string> constant_references(const Module& module);

}  // namespace cohort
