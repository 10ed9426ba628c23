#include "drumlin/ir/plan/heroes/FftProblem.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/YieldOp.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin {

// Whether the map leads from neighbours along the dimension to contiguous positions.
static bool isContiguous(const IndexingMap &map, size_t dimension) {
  SmallVector<LaneForm> dims(map.sizes().size());
  dims[dimension] = {false, 1, lanes};
  SmallVector<LaneForm> symbols(map.symbols().size(), LaneForm::varying());
  return laneForm(map.position(), dims, symbols, lanes).isContiguous();
}

// Whether the largest argument from which the value is computed is contiguous along the dimension.
static bool isReadAlong(mlir::Value value, size_t dimension) {
  struct Read {
    mlir::Value value;
    IndexingMap map;
  };
  SmallVector<Read> worklist = {{value, IndexingMap::identity(shapeOf(value), value.getContext())}};
  constexpr size_t maxReads = 64; // limits the time if values have many uses
  int64_t largest = -1;
  bool isAlong = true;
  for (size_t i = 0; i < worklist.size() && i < maxReads; ++i) {
    Read read = worklist[i];
    mlir::Operation *op = read.value.getDefiningOp();
    if (!op) {
      int64_t elements = elementsOf(read.value);
      if (elements > largest) {
        largest = elements;
        isAlong = isContiguous(read.map, dimension);
      }
      continue;
    }
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      if (std::optional<IndexingMap> map = indexing(operand)) {
        worklist.push_back({operand.get(), read.map.followedBy(*map)});
      }
    }
  }
  return isAlong;
}

FftProblem::FftProblem(mlir::Block &region) {
  for (mlir::Operation &each : region) {
    op = op ? op : dyn_cast<stablehlo::FftOp>(each);
  }
  if (!op) {
    return;
  }
  kind = op.getFftType();
  ArrayRef<int64_t> shape = shapeOf(op.getOperand()), result = shapeOf(op.getResult());
  size_t last = shape.size() - 1;
  operandLength = shape[last];
  resultLength = result[last];
  length = op.getFftLength().back();
  outer = sizesOf(cast<mlir::RankedTensorType>(op.getOperand().getType()));
  outer.pop_back();
  for (const Size &size : outer) {
    lines *= size.nominal;
  }
  columns = last > 0 ? shape[last - 1] : 1;
  mlir::Type element = mlir::getElementTypeOrSelf(op.getOperand().getType());
  if (auto complex = dyn_cast<mlir::ComplexType>(element)) {
    element = complex.getElementType();
  }
  type = elementTypeOf(element);
  if (lines * length == 0) {
    return;
  }
  isOperandAlong = isReadAlong(op.getOperand(), last);
  Epilogue epilogue(op);
  for (mlir::Operation &each : make_range(std::next(op->getIterator()), region.end())) {
    if (!isa<plan::YieldOp>(each)) {
      (void)epilogue.add(&each);
      continue;
    }
    for (mlir::Value yielded : each.getOperands().take_front()) {
      isResultAlong = !epilogue.contains(yielded) || isContiguous(epilogue.mapTo(yielded), last);
    }
  }
}

SmallVector<int64_t> primesOf(int64_t n) {
  SmallVector<int64_t> primes;
  for (int64_t factor = 2; n > 1; ++factor) {
    factor = factor * factor > n ? n : factor;
    for (; n % factor == 0; n /= factor) {
      primes.push_back(factor);
    }
  }
  return primes;
}

static Size productOf(ArrayRef<Size> sizes) {
  Size product(1);
  for (const Size &size : sizes) {
    product = product * size;
  }
  return product;
}

Size FftProblem::blockColumns() const {
  return isAnyLines() ? productOf(outer) : outer.empty() ? Size(1) : outer.back();
}

Size blocksOf(plan::FftScheduleAttr schedule, const FftProblem &problem, int64_t width) {
  if (schedule.getTraversal() == plan::LineLanes::along) {
    return productOf(problem.outer);
  }
  Size perRow = problem.blockColumns().ceilQuotient(width);
  bool isOneRow = problem.isAnyLines() || problem.outer.empty();
  return isOneRow ? perRow : productOf(ArrayRef(problem.outer).drop_back()) * perRow;
}

int64_t blocksCopiedTogether(plan::FftScheduleAttr schedule, const FftProblem &problem,
                             int64_t width) {
  // Tensors below `minBytes` fit in L2, and their pages in the TLB. The size of copies is limited,
  // so that half of L2 remains for the passes.
  constexpr int64_t minBytes = 1024 * 1024, maxCopied = 512 * 1024, maxBlocks = 4;
  int64_t lineBytes = 2 * problem.length * storageBytes(problem.type);
  bool isAcross = schedule.getTraversal() == plan::LineLanes::across && !problem.isAnyLines();
  if (!isAcross || problem.lines < minBytes / std::max<int64_t>(lineBytes, 1)) {
    return 1;
  }
  return std::clamp(maxCopied / (lineBytes * width), int64_t(1),
                    std::min(maxBlocks, schedule.getTile()));
}

std::string findScheduleFault(plan::FftScheduleAttr schedule, const FftProblem &problem) {
  stablehlo::FftOp op = problem.op;
  if (op.getFftLength().size() != 1) {
    return "a kernel transforms only one dimension";
  }
  if (schedule.getTile() < 1) {
    return "a task has at least one block";
  }
  if (schedule.getTraversal() == plan::LineLanes::across && shapeOf(op.getOperand()).size() < 2) {
    return "`across` needs several lines";
  }
  int64_t padded = schedule.getPadded(), length = problem.passLength();
  if (padded != 0 && (padded < 2 * length - 1 || padded > 16 * length)) {
    return "`padded` must be at least twice the line's length minus one, and at most 16 times the "
           "length";
  }
  int64_t wanted = padded != 0 ? padded : length, product = 1;
  for (int64_t factor : schedule.getFactors()) {
    if (factor < 2 || factor > largestDirectFactor || wanted % factor != 0 ||
        product > wanted / factor) {
      return "`factors` must be from 2 to " + std::to_string(largestDirectFactor) +
             " and divide the length";
    }
    product *= factor;
  }
  return wanted == 0 || product == wanted ? "" : "the product of `factors` isn't the length";
}

std::string plan::FftScheduleAttr::findFault(mlir::Operation *kernel) const {
  return findScheduleFault(*this, FftProblem(kernel->getRegion(0).front()));
}

} // namespace drumlin
