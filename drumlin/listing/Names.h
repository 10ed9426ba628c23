// Shortens the names of instructions and computations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

// Returns a short name for each name, in order. Names with several numbers at their end
// (`Arg_0.1.0`) lose the numbers that a unique name doesn't need (`Arg_0`, else `Arg_0.1`). Other
// names (`fusion.12`) don't change, so that they can be found in other texts of the program.
std::vector<std::string> shortNames(const std::vector<std::string_view> &names);

} // namespace drumlin::listing
