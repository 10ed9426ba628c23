// Short names of instructions and computations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

// For each name a short one, in order: names with several numbers at their end (`Arg_0.1.0`) lose
// those of them without which no two names are equal (`Arg_0`, else `Arg_0.1`). Other names
// (`fusion.12`) stay, so that they are found in other texts of the program.
std::vector<std::string> shortNames(const std::vector<std::string_view> &names);

} // namespace drumlin::listing
