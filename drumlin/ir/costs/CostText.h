// Costs as people and programs read them.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/support/json/JsonStream.h"

#include <string>

namespace drumlin {

// Three or four significant digits with a decimal prefix: `34.60M`, `512`, `1.05G`.
std::string countText(int64_t count);
// `33.55 MB`
std::string bytesText(int64_t bytes);

// One line: FLOPs with their parts, bytes asked for and not.
std::string costText(const Cost &cost);
// `17408 * b FLOP of the model; 256 * b + 32768 B asked for, 512 * b B not`
std::string costText(const SymbolicCost &cost);

// The program as text, with the total in front and each kernel's and launch's cost as a comment
// behind it; the text parses as before. Constants of more than 64 elements are left out.
std::string planText(mlir::ModuleOp module, const PlanCost &costs);

// A line with the bytes that a run moves on the average, where the total's are the most; else
// empty.
std::string expectedText(const PlanCost &costs);

// The lines about sizes that the run tells; empty where there are none.
std::string symbolicText(const PlanCost &costs);

// The lines about memory: what is needed at most, when, and by what.
std::string memoryText(const PeakMemory &memory, size_t maxHolders);

void writeJson(JsonStream &json, const Cost &cost);
void writeJson(JsonStream &json, const PeakMemory &memory);
// Kernels, launches with costs, buffers and sources, the total, peak memory; `more` adds attributes
// about the whole program.
std::string planJson(mlir::ModuleOp module, const PlanCost &costs,
                     llvm::function_ref<void(JsonStream &)> more = nullptr);

} // namespace drumlin
