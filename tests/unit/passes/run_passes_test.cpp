// What run_passes does for all passes, with passes planted to fail.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "compiler/pipeline.h"
#include "compiler/structural_hash.h"
#include "ir/diagnostics.h"
#include "ir/interpreter.h"
#include "ir/rewriter.h"
#include "ir/text_parser.h"
#include "ir/text_printer.h"

namespace cohort::test {
namespace {

Module neg_neg() {
  return parse_text(
      "module m\n"
      "func f(%x: f32[3]) {\n"
      "  %a : f32[3] = neg(%x)\n"
      "  %b : f32[3] = neg(%a)\n"
      "  %c : f32[3] = neg(%x)\n"
      "  output y = %b\n"
      "  output z = %c\n"
      "}\n",
      "m.txt");
}

std::size_t node_count(const Module& module) { return module.functions[0]->nodes.size(); }

Function wrong_sign(ModuleBuilder& module, const Function& function, const PassOptions&) {
  Rewriter rewriter(module, function);
  for (const Node& node : function.nodes) {
    rewriter.copy(node);
    const ValueId now = rewriter(node.first_result);
    rewriter.map(node.first_result, rewriter.to().make("abs", {now}));
  }
  return rewriter.finish();
}
Function breaks_types(ModuleBuilder&, const Function& function, const PassOptions&) {
  Function copy = function;
  copy.values[copy.nodes[0].first_result].type.dtype = DType::kI8;
  copy.outputs[0].value = copy.nodes[0].first_result;
  return copy;
}
Function throws(ModuleBuilder&, const Function&, const PassOptions&) { internal_error("planted"); }

std::string message_of(PassRunner& runner, const Pass& pass) {
  try {
    runner.run(pass);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a pass that changes a value is named under --verify-passes, with the output and the element") {
  const Pass pass{"wrong_sign", Exactness::kExact, "", wrong_sign};
  CompileOptions options;
  PassRunner trusting(neg_neg(), options);
  CHECK(trusting.run(pass));
  options.verify_passes = true;
  PassRunner checking(neg_neg(), options);
  const std::string message = message_of(checking, pass);
  CHECK(message.find("pass `wrong_sign` on function `f`: it changed a value: output `y`: element") == 0);
  const Pass excused{"wrong_sign", Exactness::kAccuracy, "", wrong_sign};
  PassRunner excusing(neg_neg(), options);
  CHECK(excusing.run(excused));
}

TEST_CASE("a pass that breaks an invariant or throws is named, and its input is written as a reproducer") {
  const std::string path = (std::filesystem::temp_directory_path() / "cohort_run_passes_test.txt").string();
  CompileOptions options;
  options.reproducer = path;
  using Failure = std::pair<decltype(&throws), const char*>;
  for (const auto& [run, what] :
       {Failure(breaks_types, "it broke an invariant: I3"), Failure(throws, "planted")}) {
    std::filesystem::remove(path);
    PassRunner runner(neg_neg(), options);
    const std::string message = message_of(runner, Pass{"simplify", Exactness::kExact, "", run});
    CHECK(message.find(what) != std::string::npos);
    CHECK(message.find("(reproducer: " + path + ")") != std::string::npos);
    const std::string text = slurp(path);
    CHECK(text.find("# cohort opt " + path + " --passes=simplify") == 0);
    CHECK(print_text(parse_text(text, path)) == print_text(neg_neg()));
  }
  std::filesystem::remove(path);
}

TEST_CASE("passes are left out by name, by run and by number") {
  const std::vector<std::string> passes{"simplify", "merge_duplicates", "remove_dead"};
  CompileOptions options;
  CHECK(node_count(run_passes(neg_neg(), passes, options)) == 1);
  options.disabled = {"remove_dead"};
  CHECK(node_count(run_passes(neg_neg(), passes, options)) == 1);
  options.disabled = {"merge_duplicates", "simplify"};
  CHECK(node_count(run_passes(neg_neg(), passes, options)) == 3);
  options.disabled = {"merge_duplicates:1"};
  const std::vector<std::string> twice{"merge_duplicates", "merge_duplicates"};
  CHECK(node_count(run_passes(neg_neg(), twice, options)) == 2);
  options.disabled = {"merge_duplicates:1", "merge_duplicates:2"};
  CHECK(node_count(run_passes(neg_neg(), twice, options)) == 3);
  options.disabled = {};
  options.pass_limit = 0;
  CHECK(node_count(run_passes(neg_neg(), passes, options)) == 3);
  options.pass_limit = -1;
  options.stop_after = "simplify";
  CHECK(node_count(run_passes(neg_neg(), passes, options)) == 2);
}

TEST_CASE("names of passes that do not exist are refused") {
  const auto text = [](const CompileOptions& options, const std::vector<std::string>& passes) -> std::string {
    try {
      run_passes(neg_neg(), passes, options);
    } catch (const UserError& error) {
      return to_string(error.diagnostics()[0]);
    }
    return "";
  };
  CHECK(text({}, {"simplfy"}).find("error[unknown_pass]: `simplfy` is no pass") != std::string::npos);
  CHECK(text({}, {"simplfy"}).find("simplify") != std::string::npos);
  CompileOptions options;
  options.disabled = {"simplify:x"};
  CHECK(text(options, {}).find("error[bad_pass_number]") != std::string::npos);
}

TEST_CASE("the log says what ran, and changes are printed") {
  std::FILE* out = std::tmpfile();
  CompileOptions options;
  options.print_changed = true;
  PassRunner runner(neg_neg(), options, out);
  runner.run(*find_pass("simplify"));
  runner.run(*find_pass("simplify"));
  runner.run(*find_pass("simplify"));      // the second run left everything as it is
  runner.run(*find_pass("reassociate"));  // does not run without --fp=fast
  REQUIRE(runner.log().size() == 2);
  CHECK(runner.log()[0].changed);
  CHECK(!runner.log()[1].changed);
  CHECK(runner.log()[0].nodes_before == 3);
  std::rewind(out);
  char line[200] = {};
  REQUIRE(std::fgets(line, sizeof line, out));
  CHECK(std::string(line) == "# simplify, run 1 on `f`: 3 nodes, then 2\n");
  std::fclose(out);
}

TEST_CASE("the structural hash sees operators, attributes, operands and order, and no names") {
  const auto hash = [](const char* body) {
    const Module m =
        parse_text(std::string("module m\nfunc f(%x: f32[3], %y: f32[3]) {\n") + body + "}\n", "m.txt");
    return structural_hash(*m.functions[0]);
  };
  const auto base = hash("  %a : f32[3] = sub(%x, %y)\n  output o = %a\n");
  CHECK(base == hash("  %b : f32[3] = sub(%x, %y)\n  output o = %b\n"));
  CHECK(base != hash("  %a : f32[3] = add(%x, %y)\n  output o = %a\n"));
  CHECK(base != hash("  %a : f32[3] = sub(%y, %x)\n  output o = %a\n"));
  CHECK(base != hash("  %a : f32[3] = sub(%x, %y)\n  output p = %a\n"));
  CHECK(hash("  %a : f32[] = reduce_sum(%x) {axes = [0]}\n  output o = %a\n") !=
        hash("  %a : f32[] = reduce_sum(%x)\n  output o = %a\n"));
}

}  // namespace cohort::test
