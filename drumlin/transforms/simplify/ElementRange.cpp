#include "drumlin/transforms/simplify/ElementRange.h"

#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

// A search that would follow more operations than this assumes elements at all positions. Searches
// can be long, since a concatenation searches each of its operands.
static constexpr int64_t maxFollowed = 64;

bool isFilledWith(Value value, DenseElementsAttr filler) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat() && elements.getElementType() == filler.getElementType() &&
         elements.getRawData() == filler.getRawData();
}

namespace {
class RangeFinder {
public:
  explicit RangeFinder(DenseElementsAttr filler) : filler(filler) {}

  ElementRange find(Value value, int64_t dimension) {
    int64_t size = shapeOf(value)[static_cast<size_t>(dimension)];
    const ElementRange all{0, size};
    Operation *op = value.getDefiningOp();
    if (isFilledWith(value, filler)) {
      return {};
    }
    if (!op || ++followed > maxFollowed) {
      return all;
    }
    auto d = static_cast<size_t>(dimension);
    return TypeSwitch<Operation *, ElementRange>(op)
        .Case([&](stablehlo::PadOp pad) {
          if (!isFilledWith(pad.getPaddingValue(), filler)) {
            return all;
          }
          ElementRange inner = find(pad.getOperand(), dimension);
          int64_t low = pad.getEdgePaddingLow()[d], step = pad.getInteriorPadding()[d] + 1;
          return inner.size() == 0
                     ? inner
                     : within({low + inner.begin * step, low + (inner.end - 1) * step + 1}, size);
        })
        .Case([&](stablehlo::SliceOp slice) {
          ElementRange inner = find(slice.getOperand(), dimension);
          int64_t start = slice.getStartIndices()[d], stride = slice.getStrides()[d];
          return inner.size() == 0
                     ? inner
                     : within({llvm::divideCeilSigned(inner.begin - start, stride),
                               llvm::divideFloorSigned(inner.end - 1 - start, stride) + 1},
                              size);
        })
        .Case([&](stablehlo::ReverseOp reverse) {
          ElementRange inner = find(reverse.getOperand(), dimension);
          bool isReversed = llvm::is_contained(reverse.getDimensions(), dimension);
          return isReversed ? ElementRange{size - inner.end, size - inner.begin} : inner;
        })
        .Case([&](stablehlo::TransposeOp transpose) {
          return find(transpose.getOperand(), transpose.getPermutation()[d]);
        })
        .Case([&](stablehlo::BroadcastInDimOp broadcast) {
          for (auto [from, to] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
            if (to == dimension && shapeOf(broadcast.getOperand())[from] == size) {
              return find(broadcast.getOperand(), static_cast<int64_t>(from));
            }
          }
          return isFilledWith(broadcast.getOperand(), filler) ? ElementRange() : all;
        })
        .Case([&](stablehlo::ReshapeOp reshape) {
          std::optional<int64_t> from = keptDimension(reshape, dimension);
          return from ? find(reshape.getOperand(), *from) : all;
        })
        .Case([&](stablehlo::ConcatenateOp joined) { return ofConcatenation(joined, dimension); })
        .Default([&](Operation *) { return all; });
  }

private:
  static ElementRange within(ElementRange range, int64_t size) {
    range.begin = std::max<int64_t>(range.begin, 0);
    range.end = std::min(range.end, size);
    return range.end > range.begin ? range : ElementRange();
  }

  // Returns the dimension of the operand that a reshape keeps as the result's `dimension`, if there
  // is one.
  static std::optional<int64_t> keptDimension(stablehlo::ReshapeOp reshape, int64_t dimension) {
    ArrayRef<int64_t> from = shapeOf(reshape.getOperand()), to = shapeOf(reshape.getResult());
    auto product = [](ArrayRef<int64_t> sizes) {
      int64_t made = 1;
      for (int64_t size : sizes) {
        made *= size;
      }
      return made;
    };
    int64_t before = product(to.take_front(static_cast<size_t>(dimension)));
    for (size_t d = 0; d < from.size(); ++d) {
      if (from[d] == to[static_cast<size_t>(dimension)] && product(from.take_front(d)) == before) {
        return static_cast<int64_t>(d);
      }
    }
    return std::nullopt;
  }

  ElementRange ofConcatenation(stablehlo::ConcatenateOp joined, int64_t dimension) {
    bool isAlong = static_cast<int64_t>(joined.getDimension()) == dimension;
    int64_t offset = 0;
    ElementRange found;
    for (Value input : joined.getInputs()) {
      ElementRange part = find(input, dimension);
      if (part.size() > 0) {
        part = {part.begin + offset, part.end + offset};
        found = found.size() == 0 ? part
                                  : ElementRange{std::min(found.begin, part.begin),
                                                 std::max(found.end, part.end)};
      }
      offset += isAlong ? shapeOf(input)[static_cast<size_t>(dimension)] : 0;
    }
    return found;
  }

  DenseElementsAttr filler;
  int64_t followed = 0;
};
} // namespace

ElementRange elementRange(Value value, int64_t dimension, DenseElementsAttr filler) {
  return RangeFinder(filler).find(value, dimension);
}

} // namespace drumlin
