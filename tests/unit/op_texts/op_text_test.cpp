#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "compiler/pipeline.h"
#include "engines.h"
#include "ir/atomic_file.h"
#include "ir/text_parser.h"
#include "ir/text_printer.h"
#include "ir/verify.h"
#include "tests/support/custom_functions.h"

namespace cohort {

namespace fs = std::filesystem;

TEST_CASE("every operator test holds on every engine") {
  const std::vector<std::string> files = op_text_files();
  REQUIRE(!files.empty());
  for (const std::string& file : files) {
    for (const OpEngine& engine : op_engines()) {
      for (const std::string& message : run_op_text(file, engine)) FAIL_CHECK(message);
    }
  }
}

TEST_CASE("cases joined to one module mean what they mean one by one") {
  const JoinedOpTexts joined(op_text_files());
  CHECK(joined.module().functions.size() > 20);
  for (const std::string& message : joined.run(op_engines()[0])) FAIL_CHECK(message);
}

TEST_CASE("what passes make of every case parses back to itself") {
  Module joined = JoinedOpTexts(op_text_files()).module();
  for (NamedDim& dim : joined.dims) std::replace(dim.name.begin(), dim.name.end(), '.', '_');
  for (const Module& module : {without_applied_functions(joined), optimise(joined, {})}) {
    CHECK(verify(module) == std::vector<std::string>());
    const std::string text = print_text(module);
    CHECK(print_text(parse_text(text, "joined.txt", test::custom_functions())) == text);
  }
}

TEST_CASE("the runner sees what does not hold") {
  const fs::path path = fs::temp_directory_path() / ("cohort_op_text_" + std::to_string(::getpid()) + ".txt");
  auto failures = [&](const std::string& checks) {
    write_file(path.string(),
               "# sums\nstate @s : i8[] = 1\nfunc f(%a: f64[2], %b: f64[]) {\n  %c = add(%a, %b)\n  %t = "
               "add(@s, 1)\n"
               "  output c = %c\n  update @s = %t\n}\n" +
                   checks);
    return run_op_text(path.string(), op_engines()[0]).size();
  };
  CHECK(failures("run: f([1, 2], 3) == [4, 5], @s = 2\nrun: f([1, 2], nan) == [nan, nan], @s = 3\n") == 0);
  CHECK(failures("run: f([1, 2], 3) == [4, 6]\n") == 1);
  CHECK(failures("run: f([1, 2], 3) == [[4, 5]]\n") == 1);
  CHECK(failures("run: f([1, 2], 3) == [4]\n") == 1);
  CHECK(failures("run: f([1, 2], 3) == \n") == 1);
  CHECK(failures("run: f([1, 2], 3) == [4, 5], [6, 7]\n") == 1);
  CHECK(failures("run: f([1, 2], 3) == [4, 5], @s = 3\n") == 1);
  CHECK(failures("run: f([0, 2], -0.0) == [-0.0, 2]\n") == 1);
  CHECK(failures("run: f([1, 2], 3) =~ [4.0000000000001, 5]\n") == 0);
  CHECK(failures("run: f([1, 2], 3) =~ [4.00000000001, 5]\n") == 1);
  CHECK(failures("run: g() == 1\n") == 1);
  CHECK(failures("fails: f([1, 2], 3) with error[cycle]\n") == 1);
  CHECK(failures("fails: f([1, 2, 3], 3) with error[input_extent]\n") == 0);
  CHECK(failures("") == 2);
  fs::remove(path);
}

}  // namespace cohort
