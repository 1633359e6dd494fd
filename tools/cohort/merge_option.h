// --merge, which several subcommands take.
#pragma once

#include <CLI/CLI.hpp>

#include "compiler/compiled.h"

namespace cohort {

void add_merge_option(CLI::App& app, MergeMode& mode);

}  // namespace cohort
