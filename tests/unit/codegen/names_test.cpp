#include <doctest/doctest.h>

#include "codegen/names.h"
#include "codegen/text.h"
#include "compiler/compiled.h"
#include "ir/json_reader.h"

using namespace cohort;

TEST_CASE("case 28: identifiers from hostile names") {
  CHECK(to_identifier("layer1.weight") == "layer1_weight");
  CHECK(to_identifier("1234") == "n1234");
  CHECK(to_identifier("gpu_0/data:0") == "gpu_0_data_0");
  CHECK(to_identifier("class") == "class_");
  CHECK(to_identifier("NULL") == "NULL_");
  CHECK(to_identifier("EOF") == "EOF_");
  CHECK(to_identifier("INFINITY") == "INFINITY_");
  CHECK(to_identifier("M_PI") == "M_PI_");
  CHECK(to_identifier("errno") == "errno_");
  CHECK(to_identifier("EPS") == "EPS");
  CHECK(to_identifier("restrict") == "restrict_");
  CHECK(to_identifier("a-b") == "a_b");
  CHECK(to_identifier("é") == "u00e9");
  CHECK(to_identifier("") == "unnamed");
  CHECK(to_identifier("---") == "unnamed");
  CHECK(to_identifier("_x__y_") == "x_y_");
  CHECK(to_identifier("rt_load") == "n_rt_load");
  CHECK(to_identifier("x y") == "x_y");
}

TEST_CASE("a name space gives each name an identifier of its own, in order") {
  Identifiers names{"taken"};
  CHECK(names.unique("a-b") == "a_b");
  CHECK(names.unique("a_b") == "a_b_2");
  CHECK(names.unique("a b") == "a_b_3");
  CHECK(names.unique("taken") == "taken_2");
  CHECK(names.unique("A_b") == "A_b");
  CHECK(names.unique("for") == "for_");
  CHECK(names.unique("for") == "for_2");
  CHECK(names.first_free({"a_b", "a_b_out"}) == "a_b_out");
  names.release("a_b");
  CHECK(names.unique("a_b") == "a_b");
}

TEST_CASE("many equal names take linear time") {
  Identifiers names;
  std::string last;
  for (int k = 0; k < 50000; ++k) last = names.unique("x");
  CHECK(last == "x_50000");
}

namespace {

CompiledModule module_of(const std::string& json) { return compile(read_module_text(json, "test.json"), {}); }

}  // namespace

TEST_CASE("members and symbols never meet") {
  const CompiledModule compiled = module_of(R"({
    "format": "cohort-ir", "version": "1.0", "name": "m",
    "functions": {
      "init": {"inputs": {"x": "f32[]", "x_bytes": "f32[]", "struct_size": "f32[]"}, "outputs": {"x": "x", "y": "x_bytes"}},
      "f_args": {"inputs": {"x": "f32[]"}, "outputs": {"y": "x"}},
      "f": {"inputs": {"x_bytes": "f32[]", "x": "f32[]"}, "outputs": {"y": "x"}}}})");
  const ModuleNames names = name_module(compiled, "");
  CHECK(names.prefix == "m");
  CHECK(names.macro == "M");
  CHECK(names.functions[0].identifier == "init_2");
  CHECK(names.functions[0].inputs == std::vector<std::string>{"x", "x_bytes_2", "struct_size_2"});
  CHECK(names.functions[0].outputs == std::vector<std::string>{"x_out", "y"});
  CHECK(names.functions[1].identifier == "f_args");
  CHECK(names.functions[2].identifier == "f_2");
  CHECK(names.functions[2].inputs == std::vector<std::string>{"x_bytes", "x_2"});
}

TEST_CASE("a dim that only nodes mention is an argument") {
  const CompiledModule compiled = module_of(R"({
    "format": "cohort-ir", "version": "1.0", "name": "m", "dims": {"n": {"min": 1, "max": 32}, "k": {"min": 1, "max": 8}},
    "functions": {
      "f": {"nodes": [{"name": "x", "op": "size", "attrs": {"shape": ["n"]}}], "outputs": {"y": "x"}},
      "g": {"nodes": [{"name": "i", "op": "iota", "attrs": {"shape": ["k"]}},
                      {"name": "s", "op": "reduce_sum", "inputs": ["i"]}], "outputs": {"y": "s"}}}})");
  const ModuleNames names = name_module(compiled, "");
  CHECK(names.functions[0].dims == std::vector<std::string>{"n", ""});
  CHECK(names.functions[1].dims == std::vector<std::string>{"", "k"});
}

TEST_CASE("text in strings and comments") {
  CHECK(c_string("a\"b\\c\n") == "\"a\\\"b\\\\c\\012\"");
  CHECK(c_string("what?"
                 "?!") == "\"what\\?\\?!\"");
  CHECK(c_string("é") == "\"é\"");
  CHECK(c_string("a\xe2\x80\xae"
                 "b") == "\"a\\342\\200\\256b\"");
  CHECK(comment_text("a */ b") == "a * / b");
  CHECK(comment_text("a\nb\\") == "a b\\.");
}
