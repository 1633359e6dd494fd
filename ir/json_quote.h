// A string as JSON writes it, quotes included: the text form quotes names the same way.
#pragma once

#include <string>
#include <string_view>

namespace cohort {

std::string json_quote(std::string_view text);

}  // namespace cohort
