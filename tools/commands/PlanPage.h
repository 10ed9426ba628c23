// Makes listings of plans, for HTML pages.
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

// The decisions about a plan. `lock`: the plan's lock, which is needed if the plan's text doesn't
// link its operations to the program's operations. Each launch then gets the decisions about the
// operations that its entry in the lock lists.
struct PlanDecisions {
  std::vector<LedgerEntry> entries;
  std::optional<PlanLock> lock;
};

// Lists a program or a plan. A plan's listing also has the costs of each launch, the total costs,
// and the decisions about the program operations that each operation comes from. `fileName`: the
// file from which the module was read. Locations in this file don't count as sources.
listing::Module listWithNotes(mlir::ModuleOp module, const std::string &fileName,
                              const PlanDecisions &decisions = {});

// Lists a simplified program, with each operation's cost on a tensor engine.
listing::Module listForEngine(mlir::ModuleOp module, const EnginePlan &plan);

// Lists an image's plan, with the decisions stored in the image. `path`: for messages.
Result<listing::Module> listImage(const ImageDescription &image, const std::string &path);

} // namespace drumlin::cli
