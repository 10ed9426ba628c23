// Calls that ask a GPU's matrix product library what it takes: around each row of the tables, one
// thing otherwise at a time. Whoever has a card asks its library (benchmarks/device); what it
// answered is kept in answers/, and the tables are held to it.
#pragma once

#include "drumlin/target/LibraryCall.h"

#include <string>
#include <vector>

namespace drumlin {

// One call. Questions of one group and one subject have the same variations in the same order.
struct LibraryQuestion {
  std::string group;     // `scales`
  std::string subject;   // a row of the table: `f8E4M3FN f8E4M3FN bf16 bf16`
  std::string variation; // `outer-vector and scalar`
  LibraryCall call;
};

// In an order that only the tables change.
std::vector<LibraryQuestion> libraryQuestions(const GpuTarget &target);

} // namespace drumlin
