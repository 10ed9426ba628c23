// Implementations of IndexingInterface's readsBySizes(), which tells whether an operation's
// indexing maps are correct only at the nominal sizes.
#include "drumlin/ir/sizes/ReshapedSizes.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"

using namespace mlir;

namespace drumlin::stablehlo {

using Sizes = std::vector<SizeExpression>;

static bool isSized(ArrayRef<SizeExpression> sizes) {
  return llvm::any_of(sizes, [](const SizeExpression &size) { return !size.constant(); });
}

// Whether `whole` - `part` depends on symbols in any dimension. This difference is the largest
// possible start of a slice of size `part`.
static bool hasSizedDifference(ArrayRef<SizeExpression> whole, ArrayRef<SizeExpression> part) {
  return llvm::any_of(llvm::zip(whole, part), [](const auto &sizes) {
    return isSized(std::get<0>(sizes) - std::get<1>(sizes));
  });
}

bool ConcatenateOp::readsBySizes() {
  return llvm::any_of(getInputs(), [&](Value operand) {
    return isSized(symbolicSizesOf(operand)[static_cast<size_t>(getDimension())]);
  });
}

bool PadOp::readsBySizes() {
  Sizes low = symbolicSizesOf(*this, getEdgePaddingLowAttrName(), getEdgePaddingLow());
  Sizes high = symbolicSizesOf(*this, getEdgePaddingHighAttrName(), getEdgePaddingHigh());
  Sizes interior = symbolicSizesOf(*this, getInteriorPaddingAttrName(), getInteriorPadding());
  Sizes sizes = symbolicSizesOf(getOperand());
  for (size_t d = 0; d < sizes.size(); ++d) {
    bool pads = low[d].constant() != 0 || high[d].constant() != 0 || interior[d].constant() != 0;
    if (pads && isSized({low[d], high[d], interior[d], sizes[d]})) {
      return true;
    }
  }
  return false;
}

bool ReverseOp::readsBySizes() {
  Sizes sizes = symbolicSizesOf(getOperand());
  return llvm::any_of(getDimensions(),
                      [&](int64_t d) { return isSized(sizes[static_cast<size_t>(d)]); });
}

bool SliceOp::readsBySizes() {
  return isSized(symbolicSizesOf(*this, getStartIndicesAttrName(), getStartIndices())) ||
         isSized(symbolicSizesOf(*this, getStridesAttrName(), getStrides()));
}

bool DynamicSliceOp::readsBySizes() {
  return hasSizedDifference(symbolicSizesOf(getOperand()), symbolicSizesOf(getResult()));
}

bool DynamicUpdateSliceOp::readsBySizes() {
  return llvm::any_of(llvm::zip(symbolicSizesOf(getOperand()), symbolicSizesOf(getUpdate())),
                      [](const auto &sizes) {
                        const auto &[whole, part] = sizes;
                        return !(whole == part) && isSized({whole, part});
                      });
}

bool GatherOp::readsBySizes() {
  Sizes sizes = symbolicSizesOf(getOperand());
  Sizes slice = symbolicSizesOf(*this, getSliceSizesAttrName(), getSliceSizes());
  return llvm::any_of(getDimensionNumbers().getStartIndexMap(), [&](int64_t d) {
    auto at = static_cast<size_t>(d);
    return isSized(sizes[at] - slice[at]);
  });
}

bool ReshapeOp::readsBySizes() {
  Sizes from = symbolicSizesOf(getOperand()), to = symbolicSizesOf(getResult());
  return !llvm::all_of(reshapedGroups(from, to), [&](const ReshapedGroup &group) {
    return hasKnownDivisors(group, from, to);
  });
}

} // namespace drumlin::stablehlo
