// Which option means something where: OptionMeanings.def. An option that would be ignored is a
// usage error, so that nobody takes for granted what wasn't done.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::cli {

// What a command does with its input.
namespace Work {
enum : unsigned {
  Code = 1 << 0,           // makes native code of a program
  Phases = 1 << 1,         // runs phases and stops before code
  Plan = 1 << 2,           // plans a program for the CPU
  Engine = 1 << 3,         // costs of a tensor engine
  Library = 1 << 4,        // plans of a GPU's library calls
  Image = 1 << 5,          // runs an image
  Recorded = 1 << 6,       // shows or compares what images and locks hold
  Interpretation = 1 << 7, // of the program as it is written
  Check = 1 << 8,          // native code beside the interpreter
  Measure = 1 << 9,        // this machine
  List = 1 << 10,          // operations
  Any = ~0u,
};
} // namespace Work

struct OptionMeaning {
  std::string_view name;
  unsigned where; // a set of Work
  std::string_view firstPhase, lastPhase;
  std::string_view changes; // words, with spaces between them
};
// A row of the table; nothing for other names.
std::optional<OptionMeaning> meaningOf(std::string_view name);
// `code`, `plan` …; empty for Work::Any.
std::vector<std::string> workNames(unsigned where);

// Fails with OptionMeaningless where an option was given that says nothing to what the command is
// going to do. `app` has parsed the command line.
Status checkOptions(const CLI::App &app);

} // namespace drumlin::cli
