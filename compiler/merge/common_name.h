#pragma once

#include <string>
#include <vector>

namespace cohort::merge {

// A name for alike things: what their names begin and end with, without digits in between; the first name if
// they have nothing in common.
//
//   ens12.voltage, ens3.voltage   ⇒   ens.voltage
std::string common_name(const std::vector<std::string>& names);

}  // namespace cohort::merge
