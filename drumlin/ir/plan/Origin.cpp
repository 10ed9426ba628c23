#include "drumlin/ir/plan/Origin.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "mlir/IR/Location.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace drumlin::plan {

// Maximum number of locations in a merged location, so that the location of a large kernel stays
// readable.
static constexpr size_t maxMergedLocations = 64;

// Maximum length of a call path. Chains of calls of any length are inlined. With unlimited paths,
// the memory would be quadratic in this length.
static constexpr size_t maxCallsInPath = 16;

// Returns the outermost operation that contains the operation and is not control flow; the
// operation itself if there is none. Operations in the body of a reduction or in the comparator of
// a sort need no numbers of their own, because no decision is about them alone. Besides, a
// reduction that is printed in the short form has no location for the operation in its body.
static Operation *wholeOf(Operation *op, Operation *root) {
  Operation *whole = op;
  for (Operation *parent = op->getParentOp(); parent && parent != root;
       parent = parent->getParentOp()) {
    bool holdsProgram =
        isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp, FunctionOpInterface>(parent);
    whole = holdsProgram ? whole : parent;
  }
  return whole;
}

void numberOrigins(Operation *root) {
  int64_t next = 0;
  MLIRContext *context = root->getContext();
  llvm::DenseMap<Operation *, int64_t> numbers;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root) {
      numbers[op] = next++;
      int64_t number = numbers.lookup(wholeOf(op, root));
      op->setLoc(FusedLoc::get({op->getLoc()}, OriginAttr::get(context, number, {}), context));
    }
  });
}

ProgramOperation describeOperation(Operation *op) {
  ProgramOperation made;
  made.name = op->getName().getStringRef().str();
  made.source = sourceOf(op->getLoc());
  op->getLoc()->walk([&](Location nested) {
    if (auto name = dyn_cast<NameLoc>(nested)) {
      made.scopes.push_back(name.getName().str());
    }
    return WalkResult::advance();
  });
  made.attributes = op->getDiscardableAttrDictionary();
  return made;
}

std::vector<ProgramOperation> programOperations(Operation *root) {
  std::vector<ProgramOperation> operations;
  llvm::DenseMap<Operation *, int64_t> numbers;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root) {
      return;
    }
    numbers[op] = static_cast<int64_t>(operations.size());
    ProgramOperation made = describeOperation(op);
    // Operands from a later block (of a graph region) have no number yet.
    for (Value operand : op->getOperands()) {
      auto found = numbers.find(operand.getDefiningOp());
      if (found != numbers.end()) {
        made.operands.push_back(found->second);
      }
    }
    operations.push_back(std::move(made));
  });
  return operations;
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

SmallVector<int64_t> originsOfLaunch(Operation *op) {
  return isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op) ? originsOf(op->getLoc())
                                                                         : originsOf(op);
}

SmallVector<int64_t> originsOf(Location loc) {
  llvm::SetVector<int64_t> origins;
  collect(loc, origins);
  SmallVector<int64_t> sorted = llvm::to_vector(origins);
  llvm::sort(sorted);
  return sorted;
}

static OriginAttr firstOrigin(Location loc) {
  OriginAttr found;
  loc->walk([&](Location nested) {
    auto fused = dyn_cast<FusedLoc>(nested);
    found = fused ? dyn_cast_or_null<OriginAttr>(fused.getMetadata()) : found;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

SmallVector<int64_t> callPathOf(Location loc) {
  OriginAttr origin = firstOrigin(loc);
  return origin ? llvm::to_vector(origin.getCalls()) : SmallVector<int64_t>();
}

std::vector<OriginPlace> placesOf(Location loc) {
  llvm::SetVector<OriginAttr> found;
  loc->walk([&](Location nested) {
    auto fused = dyn_cast<FusedLoc>(nested);
    if (auto origin = fused ? dyn_cast_or_null<OriginAttr>(fused.getMetadata()) : OriginAttr()) {
      found.insert(origin);
    }
    return WalkResult::advance();
  });
  std::vector<OriginPlace> places;
  for (OriginAttr origin : found) {
    ArrayRef<int64_t> calls = origin.getCalls();
    places.emplace_back(origin.getNumber(), std::vector<int64_t>(calls.begin(), calls.end()));
  }
  return places;
}

Location inlinedLocation(Location loc, Location call) {
  OriginAttr from = firstOrigin(call), own = firstOrigin(loc);
  auto fused = dyn_cast<FusedLoc>(loc);
  if (!from || !own || !fused || fused.getMetadata() != own) {
    return loc;
  }
  SmallVector<int64_t> path = llvm::to_vector(from.getCalls());
  if (path.size() < maxCallsInPath) {
    path.push_back(from.getNumber());
  }
  return FusedLoc::get(fused.getLocations(),
                       OriginAttr::get(loc.getContext(), own.getNumber(), path), loc.getContext());
}

Location mergeLocations(MLIRContext *context, ArrayRef<Operation *> ops) {
  llvm::SetVector<Location> locations;
  for (Operation *op : ops) {
    // A location that is already merged is split first, so that merged locations are not nested.
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
