// `cohort explain --html`: one page that needs nothing else.
#pragma once

#include <string>

#include "tools/cohort/explain_report.h"

namespace cohort {

// `report` is what --json prints. Of large modules the page has fewer nodes and names, and says so, so that
// it stays under kMostPageBytes.
inline constexpr std::size_t kMostPageBytes = 1'900'000;
std::string page_text(const CompiledModule& compiled, const Json& report);
void write_page(const std::string& path, const CompiledModule& compiled, const Json& report);

}  // namespace cohort
