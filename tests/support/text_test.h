// Text tests: one file holds the input and the whole expected output, parted by a line of `----`. A file that
// does not match fails with a diff and the command that accepts what came out instead.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cohort::test {

// All .txt files below `folder` (relative to the source tree), sorted.
std::vector<std::string> text_test_files(const std::string& folder);

// Gives `input` of the file to `produce` and compares what it returns with the file's expectation. Nothing if
// they agree, else what to print. With COHORT_ACCEPT=1 in the environment the file is rewritten and agrees.
std::string check_text_test(const std::string& path,
                            const std::function<std::string(const std::string& input)>& produce,
                            const std::string& program);

// Lines that only one of the texts has, in order, each with - or + before it.
std::string line_diff(const std::string& expected, const std::string& actual);

}  // namespace cohort::test
