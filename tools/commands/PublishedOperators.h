// Lists which operations a target's vendor supports: tensor engines according to published
// documents, GPUs according to the tables of their libraries.
#pragma once

#include "drumlin/driver/EngineReport.h"
#include "drumlin/driver/OperatorSupport.h"
#include "drumlin/target/LibraryCall.h"

#include <optional>
#include <span>
#include <string>

namespace drumlin::cli {

// An operation as a row of a list.
struct ListedOperation {
  std::string operation;                 // `stablehlo.add`
  std::string shown;                     // the name in the list: `operation` or its HLO name
  std::optional<std::string> opcode;     // the HLO instruction of the operation
  std::span<const OperatorSupport> here; // Drumlin's own support, which the short form omits
};

enum class ListForm : uint8_t { Short, Long, Json };

std::string publishedList(std::span<const ListedOperation> operations, const TensorEngine &engine,
                          ListForm form);

// Returns the list of the matrix products that the GPU's library computes. For all other
// operations, Drumlin plans kernels of its own, but generates no code for these kernels.
std::string libraryList(std::span<const ListedOperation> operations, const GpuTarget &gpu,
                        ListForm form);

// Returns notes on the program's operations that the engine doesn't support, or supports with
// restrictions, according to the published documents.
EngineNotes publishedNotes(mlir::ModuleOp module, const TensorEngine &engine);

} // namespace drumlin::cli
