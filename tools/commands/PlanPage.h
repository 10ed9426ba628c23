// Plans as pages for browsers.
#pragma once

#include "drumlin/driver/EngineReport.h"
#include "drumlin/driver/PlanLock.h"
#include "drumlin/listing/Listing.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace drumlin::cli {

// What was decided about a plan. `lock`: of the plan, if its text says of no operation which ones
// of the program it was made of; the launches then have the decisions about those that the lock
// lists.
struct PlanDecisions {
  std::vector<LedgerEntry> entries;
  std::optional<PlanLock> lock;
};

// The listing of a program; of a plan with the costs of its launches and of the whole, and with
// what was decided about the operations that each operation was made of. `fileName`: of the text
// that the module was read from; places in it are no sources.
listing::Module listWithNotes(mlir::ModuleOp module, const std::string &fileName,
                              const PlanDecisions &decisions = {});

// The same of a simplified program with what a tensor engine takes for its operations.
listing::Module listForEngine(mlir::ModuleOp module, const EnginePlan &plan);

// The same of an image's plan, with the decisions that the image keeps. `path`: for messages.
Result<listing::Module> listImage(const ImageDescription &image, const std::string &path);

} // namespace drumlin::cli
