#include "tools/cohort/merge_option.h"

#include <map>
#include <string>

namespace cohort {

void add_merge_option(CLI::App& app, MergeMode& mode) {
  static const std::map<std::string, MergeMode> kModes{
      {"auto", MergeMode::kAuto}, {"off", MergeMode::kOff}, {"always", MergeMode::kAlways}};
  app.add_option("--merge", mode,
                 "alike pieces as one loop over one storage: auto (where it pays), off, always")
      ->transform(CLI::CheckedTransformer(kModes))
      ->type_name("auto|off|always");
}

}  // namespace cohort
