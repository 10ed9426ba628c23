// Cost reports as text and JSON.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/support/json/JsonStream.h"

#include <string>

namespace drumlin {

// Returns the count with three or four significant digits and a suffix for its power of ten:
// `34.60M`, `512`, `1.05G`.
std::string countText(int64_t count);
// Returns a text such as `33.55 MB`.
std::string bytesText(int64_t bytes);

// Returns one line with the FLOPs by kind, the bytes that the program requests, and all other
// bytes.
std::string costText(const Cost &cost);
// Returns a text such as `17408 * b FLOP of the model; 256 * b + 32768 B asked for, 512 * b B not`.
std::string costText(const SymbolicCost &cost);

// Returns the program as text, preceded by the total cost. Each kernel and launch is followed by a
// comment with its cost. The text can be parsed again. Constants of more than 64 elements are
// elided.
std::string planText(mlir::ModuleOp module, const PlanCost &costs);

// Returns a line with the expected (average) bytes of a run, or an empty text if the total bytes
// are exact rather than an upper bound.
std::string expectedText(const PlanCost &costs);

// Returns the lines about sizes that are known only at run time; empty if all sizes are static.
std::string symbolicText(const PlanCost &costs);

// Returns the lines about memory: the peak, when it occurs, and which values occupy it.
std::string memoryText(const PeakMemory &memory, size_t maxHolders);

void writeJson(JsonStream &json, const Cost &cost);
void writeJson(JsonStream &json, const PeakMemory &memory);
// Returns a JSON text with the kernels, the launches with their costs, buffers and sources, the
// total cost, and the peak memory. `more` adds attributes of the program.
std::string planJson(mlir::ModuleOp module, const PlanCost &costs,
                     llvm::function_ref<void(JsonStream &)> more = nullptr);

} // namespace drumlin
