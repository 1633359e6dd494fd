// Whole modules compiled under one policy of placement.
#pragma once

#include <string>

#include "compiler/compiled.h"
#include "ir/text_parser.h"

namespace cohort {

inline CompiledModule placed(const std::string& text, PlacementMode mode) {
  CompileOptions options;
  options.placement = mode;
  return compile(parse_text(text, "m.txt"), options);
}

}  // namespace cohort
