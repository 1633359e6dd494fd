// Names that emitted code must not give to anything of its own.
#pragma once

#include <string_view>

namespace cohort {

bool is_reserved_identifier(std::string_view name);
// Names of modules: they name files, too.
bool is_reserved_prefix(std::string_view name);

}  // namespace cohort
