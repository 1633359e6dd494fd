// Loops that threads may share: the loop becomes a function over a range of its iterations, and the kernel
// hands that to rt_parallel_for. So it is compiled once, for one thread and for many, and its pointers stay
// known to be apart.
#include <fmt/format.h>

#include <utility>

#include "codegen/emit_stmt.h"
#include "codegen/text.h"
#include "codegen/touched.h"

namespace cohort {

using kernel::BufferId;
using kernel::LoopMode;
using kernel::Stmt;

void StatementPrinter::shared_loop(const Stmt& s) {
  Touched touched;
  touched.stmts(program_, s.body);
  std::vector<std::string> parameters, arguments;
  const auto add = [&](const std::string& declaration, const std::string& name) {
    parameters.push_back(declaration);
    arguments.push_back(name);
  };
  for (const bool written : {true, false})
    for (const BufferId id : touched.buffers)
      if (touched.written.contains(id) == written) add(kernel_.pointer(id), exprs_.buffer_name(id));
  for (const kernel::ExprRef& v : touched.variables) {
    if (v->id == s.var || (s.mode == LoopMode::kRanges && v->id == s.count)) continue;
    const std::string& name = exprs_.variable(v->id).name;
    add(fmt::format("{} {}", dialect_.value_type(v->dtype), name), name);
  }
  for (const DimId d : touched.dims) {
    const std::string name = exprs_.extent(Dim::named(d));
    add("int64_t " + name, name);
  }
  parameters.insert(parameters.end(), {"int64_t begin", "int64_t end"});
  arguments.insert(arguments.end(), {"begin", "end"});

  const std::string name = kernel_.file_names.unique(kernel_.name + "_range");
  const std::string count = exprs_.index(s.value), grain = exprs_.index(s.grain);
  std::string text = std::exchange(text_, {});
  const int depth = std::exchange(depth_, 1);
  if (s.mode == LoopMode::kRanges)
    range_body(s);
  else
    loop(s, "begin", "end");
  functions_ +=
      wrapped(fmt::format("{} void {}(", dialect_.kernel, name), parameters, ") {\n") + text_ + "}\n";
  text_ = std::move(text);
  depth_ = depth;
  line(fmt::format("rt_parallel_for(header, {}, {}, [=](int64_t begin, int64_t end) {{", count, grain));
  text_ +=
      wrapped(std::string(static_cast<std::size_t>(2 * depth_ + 2), ' ') + name + "(", arguments, ");\n");
  line("});");
}

// All statements for the iterations [begin, end).
void StatementPrinter::range_body(const Stmt& s) {
  const std::string count = names_.unique("count");
  line(fmt::format("const int64_t {} = end - begin;", count));
  exprs_.name_variable(s.var, {.name = "begin", .natural = true});
  exprs_.name_variable(s.count, {.name = count, .natural = true});
  ++loops_;
  list(s.body);
  --loops_;
  names_.release(count);
}

}  // namespace cohort
