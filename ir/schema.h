// The JSON Schema (draft 2020-12, https://json-schema.org/draft/2020-12) of graph files, made from the
// operator tables: each operator's arity and attributes are in it, so that editors complete and check them.
#pragma once

#include <string>

namespace cohort {

std::string json_schema();

}  // namespace cohort
