#include "drumlin/ir/plan/Origin.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace drumlin::plan {

// Long chains of merged locations make no list longer than this: a kernel of a whole model stays
// readable.
static constexpr size_t maxMergedLocations = 64;

void numberOrigins(Operation *root) {
  int64_t next = 0;
  MLIRContext *context = root->getContext();
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root) {
      op->setLoc(FusedLoc::get({op->getLoc()}, OriginAttr::get(context, next++), context));
    }
  });
}

static void collect(Location loc, llvm::SetVector<int64_t> &origins) {
  loc->walk([&](Location nested) {
    if (auto fused = dyn_cast<FusedLoc>(nested)) {
      if (auto origin = dyn_cast_or_null<OriginAttr>(fused.getMetadata())) {
        origins.insert(origin.getNumber());
      }
    }
    return WalkResult::advance();
  });
}

SmallVector<int64_t> originsOf(Operation *op) {
  llvm::SetVector<int64_t> origins;
  op->walk([&](Operation *nested) { collect(nested->getLoc(), origins); });
  SmallVector<int64_t> sorted = llvm::to_vector(origins);
  llvm::sort(sorted);
  return sorted;
}

Location mergeLocations(MLIRContext *context, ArrayRef<Operation *> ops) {
  llvm::SetVector<Location> locations;
  for (Operation *op : ops) {
    // A merged location is taken apart, so that merging again doesn't nest.
    auto fused = dyn_cast<FusedLoc>(op->getLoc());
    if (fused && !fused.getMetadata()) {
      locations.insert(fused.getLocations().begin(), fused.getLocations().end());
    } else {
      locations.insert(op->getLoc());
    }
  }
  SmallVector<Location> kept = llvm::to_vector(locations);
  if (kept.size() > maxMergedLocations) {
    kept.truncate(maxMergedLocations);
  }
  return FusedLoc::get(context, kept);
}

std::string sourceOf(Location loc) {
  std::string found;
  loc->walk([&](Location nested) {
    if (auto file = dyn_cast<FileLineColLoc>(nested)) {
      found = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
               Twine(file.getColumn()))
                  .str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

} // namespace drumlin::plan
