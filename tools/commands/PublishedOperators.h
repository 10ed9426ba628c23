// What a target's vendor takes of the operations: for tensor engines what published documents say,
// for GPUs what the tables of their libraries have.
#pragma once

#include "drumlin/driver/EngineReport.h"
#include "drumlin/driver/OperatorSupport.h"
#include "drumlin/target/LibraryCall.h"

#include <optional>
#include <span>
#include <string>

namespace drumlin::cli {

// An operation as a list shows it.
struct ListedOperation {
  std::string operation;                 // `stablehlo.add`
  std::string shown;                     // the same, or by HLO's name
  std::optional<std::string> opcode;     // of the HLO instruction that it becomes
  std::span<const OperatorSupport> here; // what Drumlin does with it; not in the short form
};

enum class ListForm : uint8_t { Short, Long, Json };

std::string publishedList(std::span<const ListedOperation> operations, const TensorEngine &engine,
                          ListForm form);

// Products that the GPU's library multiplies. Everything else is a kernel of our own, for which no
// code is made.
std::string libraryList(std::span<const ListedOperation> operations, const GpuTarget &gpu,
                        ListForm form);

// What the published documents don't take of a program that is planned for an engine.
EngineNotes publishedNotes(mlir::ModuleOp module, const TensorEngine &engine);

} // namespace drumlin::cli
