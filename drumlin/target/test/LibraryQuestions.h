// Calls that ask a GPU's matrix product library what it accepts: each row of the tables, with one
// property changed at a time. The calls are run on a machine with the GPU (benchmarks/device). The
// answers are stored in answers/, and tests compare the tables with the answers.
#pragma once

#include "drumlin/target/LibraryCall.h"

#include <string>
#include <vector>

namespace drumlin {

// One call, which asks whether the library accepts it. The recorded answers of a group and subject
// have one character for each variation, in the order of the questions.
struct LibraryQuestion {
  std::string group;     // `scales`
  std::string subject;   // a row of the table: `f8E4M3FN f8E4M3FN bf16 bf16`
  std::string variation; // `outer-vector and scalar`
  LibraryCall call;
};

// Returns the questions. Their order changes only if the tables change.
std::vector<LibraryQuestion> libraryQuestions(const GpuTarget &target);

} // namespace drumlin
