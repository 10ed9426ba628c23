// Plans as pages for browsers.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace drumlin::cli {

// The listing of a program; of a plan with the costs of its launches and of the whole, and with
// what was decided about the operations that each operation was made of. `fileName`: of the text
// that the module was read from; places in it are no sources.
listing::Module listWithNotes(mlir::ModuleOp module, const std::string &fileName,
                              const std::vector<LedgerEntry> &decisions = {});

} // namespace drumlin::cli
