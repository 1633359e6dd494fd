// cohort schema: the JSON Schema of graph files.
#include "ir/schema.h"

#include <fmt/format.h>

#include "tools/cohort/command.h"

namespace cohort {

Action declare_schema(CLI::App&) {
  return [] {
    fmt::print("{}", json_schema());
    return kExitOk;
  };
}

}  // namespace cohort
