#include "drumlin/driver/reduce/Reducer.h"

#include "drumlin/driver/reduce/ArgumentNumbers.h"
#include "drumlin/driver/reduce/ProgramReductions.h"
#include "drumlin/driver/reduce/Search.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <chrono>

using namespace mlir;

namespace drumlin {

int64_t countOperations(ModuleOp module) {
  int64_t count = 0;
  module->walk([&](Operation *op) {
    count += !isa<ModuleOp, func::FuncOp>(op) && !op->hasTrait<OpTrait::IsTerminator>();
  });
  return count;
}

static void dropLocations(ModuleOp module) {
  Location unknown = UnknownLoc::get(module.getContext());
  module->walk([&](Operation *op) {
    op->setLoc(unknown);
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments()) {
        argument.setLoc(unknown);
      }
    }
  });
}

// Repeats all families of reductions until none succeeds. Types and attributes are simplified last,
// when few operations are left.
static void run(reduce::Search &search) {
  int64_t before;
  do {
    before = search.kept();
    int64_t structure;
    do {
      structure = search.kept();
      reduce::dropResults(search);
      reduce::dropOperations(search);
      reduce::inlineCalls(search);
      reduce::inlineControl(search);
      reduce::dropCarriedValues(search);
      reduce::retractResults(search);
      reduce::replaceOperations(search);
      reduce::dropArguments(search);
    } while (search.kept() != structure && !search.isOver());
    reduce::simplifyConstants(search);
    reduce::shrinkDimensions(search);
    reduce::simplifyTypes(search);
    reduce::simplifyAttributes(search);
  } while (search.kept() != before && !search.isOver());
}

Result<OwningOpRef<ModuleOp>> reduceProgram(ModuleOp program, const ReduceOptions &options,
                                            IsInteresting isInteresting, ReduceReport *report) {
  auto begin = std::chrono::steady_clock::now();
  ReduceReport own;
  ReduceReport &told = report ? *report : own;
  told = {};
  told.operationsBefore = countOperations(program);
  // First tries to remove all names and source locations: few faults depend on them.
  for (bool keepsLocations : {false, true}) {
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(program->clone());
    if (!keepsLocations) {
      dropLocations(*copy);
    }
    reduce::Search search(std::move(copy), options, isInteresting, told);
    if (!search.begin()) {
      continue;
    }
    run(search);
    OwningOpRef<ModuleOp> reduced = search.take();
    takeArgumentNumbers(*reduced);
    told.operationsAfter = countOperations(*reduced);
    told.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return reduced;
  }
  return diagnose(errors::FaultNotShown,
                  "the program doesn't show the fault, so it can't be reduced");
}

} // namespace drumlin
