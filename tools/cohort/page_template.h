// tools/cohort/explain_page.html as a string; CMakeLists.txt makes the source that defines it.
#pragma once

namespace cohort {

extern const char* const kPageTemplate;

}  // namespace cohort
