#include "drumlin/transforms/simplify/quantized/QuantizedProducts.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/simplify/quantized/QuantizedValues.h"

#include "drumlin/support/FloatFormats.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

using interpreter::Quantization;

namespace {
// The dimensions of the right operand, by role.
struct RhsDimensions {
  SmallVector<int64_t> contracting;
  // The non-contracting dimensions, each with the corresponding dimension of the result.
  SmallVector<std::pair<int64_t, int64_t>> kept;
};
} // namespace

static RhsDimensions rhsDimensions(Operation *op) {
  RhsDimensions made;
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    stablehlo::ProductRoles roles(dot);
    made.contracting = roles.rhs().contracting;
    for (int64_t d : llvm::concat<const int64_t>(roles.rhs().batch, roles.rhs().free)) {
      made.kept.emplace_back(d, static_cast<int64_t>(*roles.inResult(1, d)));
    }
    return made;
  }
  auto numbers = cast<stablehlo::ConvolutionOp>(op).getDimensionNumbers();
  llvm::append_range(made.contracting, numbers.getKernelSpatialDimensions());
  made.contracting.push_back(numbers.getKernelInputFeatureDimension());
  made.kept.emplace_back(numbers.getKernelOutputFeatureDimension(),
                         numbers.getOutputFeatureDimension());
  return made;
}

//===-- bounds --------------------------------------------------------------------------------===//

namespace {
// The range of stored integers of a type of at most 8 bits, minus the zero point. It includes all
// integers of the type, which callers may pass even if the quantized type has tighter bounds.
struct Differences {
  Differences(ElementType storage, int64_t zeroPoint) {
    int64_t half = int64_t{1} << (info(storage).bits - 1);
    least = (isSigned(storage) ? -half : 0) - zeroPoint;
    greatest = (isSigned(storage) ? half - 1 : 2 * half - 1) - zeroPoint;
  }
  int64_t largest() const { return std::max(std::abs(least), std::abs(greatest)); }

  int64_t least, greatest;
};

// Bounds over all elements of an operand.
struct OperandBounds {
  int64_t difference = 0;       // largest magnitude of a stored integer minus its zero point
  int64_t significand = 1;      // largest odd s of the scales, each written as s * 2^n
  bool expressesExactly = true; // the expressed type represents all expressed numbers exactly
  bool arePowersOfTwo() const { return significand == 1; }
};
} // namespace

static int64_t oddPart(double value) {
  int exponent = 0;
  constexpr int bits = 53;
  auto integer = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), bits));
  return integer >> llvm::countr_zero(static_cast<uint64_t>(integer));
}

static OperandBounds boundsOf(const Quantization &quantization) {
  OperandBounds bounds;
  ElementType type = quantization.expressed;
  for (auto [given, zeroPoint] : llvm::zip_equal(quantization.scales, quantization.zeroPoints)) {
    double scale = roundTo(type, given);
    if (!std::isnormal(scale)) {
      return {0, 1, false};
    }
    Differences all(quantization.storage, zeroPoint);
    bounds.difference = std::max(bounds.difference, all.largest());
    bounds.significand = std::max(bounds.significand, oddPart(scale));
    for (int64_t each = all.least; each <= all.greatest && bounds.expressesExactly; ++each) {
      auto number = static_cast<double>(each);
      bounds.expressesExactly =
          roundTo(type, number) == number && roundTo(type, number * scale) == number * scale;
    }
  }
  return bounds;
}

// Returns the number of products that are added up for one result; saturates.
static int64_t termsOf(Operation *op) {
  int64_t terms = 1;
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(1));
  for (int64_t d : rhsDimensions(op).contracting) {
    if (llvm::MulOverflow(terms, shape[d], terms)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return terms;
}

namespace {
// Bounds of the sums and scales of a dot or convolution.
struct ProductBounds {
  ProductBounds(Operation *op, const Quantization &lhs, const Quantization &rhs)
      : left(boundsOf(lhs)), right(boundsOf(rhs)),
        sum(static_cast<double>(termsOf(op)) * static_cast<double>(left.difference) *
            static_cast<double>(right.difference)) {}

  OperandBounds left, right;
  double sum; // largest sum of integers
};
} // namespace

static bool hasZeroPoints(const Quantization &quantization) {
  return llvm::any_of(quantization.zeroPoints, [](int64_t each) { return each != 0; });
}

// Returns whether all elements along each contracting dimension have the same scale.
static bool sharesScales(Operation *op, const Quantization &rhs) {
  return rhs.blockSizes.empty() || llvm::all_of(rhsDimensions(op).contracting, [&](int64_t d) {
           return rhs.blockSizes[static_cast<size_t>(d)] == shapeOf(op->getOperand(1))[d];
         });
}

Decision decideIntegerProduct(Operation *op, RankedTensorType lhs, RankedTensorType rhs) {
  auto declined = [](std::string remedy = {}) {
    return Decision::declined(Reason::RoundsExpressed, nullptr, std::move(remedy));
  };
  Quantization left = parametersOf(lhs), right = parametersOf(rhs);
  if (info(left.storage).bits > 8 || info(right.storage).bits > 8) {
    return declined("store the operands in 8 bits or fewer");
  }
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
  if (dot && dot.getAlgorithm()) {
    return Decision::declined(Reason::AlgorithmAsked);
  }
  if (hasZeroPoints(right) || !sharesScales(op, right)) {
    return declined("give the right operand the zero point 0, and one scale along each dimension "
                    "that is summed over");
  }
  ProductBounds bounds(op, left, right);
  if (!bounds.left.expressesExactly || !bounds.right.expressesExactly) {
    return declined();
  }
  // Sums must fit in 32 bits, and the products of sums and scales in double precision.
  constexpr double maxSum = 0x1p31, maxScaled = 0x1p53;
  if (bounds.sum >= maxSum) {
    return declined("sum over fewer elements");
  }
  bool isExact = bounds.sum * static_cast<double>(bounds.left.significand) *
                     static_cast<double>(bounds.right.significand) <
                 maxScaled;
  return isExact ? Decision::taken() : declined();
}

//===-- the product ---------------------------------------------------------------------------===//

namespace {
class IntegerProduct {
public:
  IntegerProduct(TensorBuilder &b, Operation *op, RankedTensorType lhs, RankedTensorType rhs)
      : b(b), op(op), lhs(parametersOf(lhs)), rhs(parametersOf(rhs)), rhsShape(rhs.getShape()),
        shape(shapeOf(op->getResult(0))), dimensions(rhsDimensions(op)),
        expressed(stablehlo::expressedTypeOf(lhs)) {}

  Value make() {
    Value left = inBytes(op->getOperand(0)), right = inBytes(op->getOperand(1));
    int64_t zeroPoint = lhs.zeroPoints.front();
    Value sum = product(zeroPoint == 0 ? left : padded(left, zeroPoint), right, zeroPoint != 0);
    if (zeroPoint != 0) {
      sum = b.subtract(sum, rhsSums(right, zeroPoint));
    }
    return scaled(sum);
  }

private:
  Type wide() const { return b.signedType(32); }

  Value inBytes(Value stored) {
    return b.convert(stored, isSigned(lhs.storage) ? b.signedType(8) : b.unsignedType(8));
  }

  // The padding of a convolution must express zero.
  Value padded(Value left, int64_t zeroPoint) {
    auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op);
    if (!convolution) {
      return left;
    }
    size_t rank = shapeOf(left).size();
    SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0), sizes(shapeOf(left));
    auto spatial = convolution.getDimensionNumbers().getInputSpatialDimensions();
    for (auto [d, padding, dilation] : llvm::zip_equal(spatial, convolution.paddingOrDefault(),
                                                       convolution.lhsDilationOrDefault())) {
      low[d] = padding.first;
      high[d] = padding.second;
      interior[d] = dilation - 1;
      int64_t dilated = sizes[d] == 0 ? 0 : (sizes[d] - 1) * dilation + 1;
      sizes[d] = dilated + padding.first + padding.second;
    }
    if (llvm::equal(sizes, shapeOf(left)) && llvm::all_of(low, [](int64_t n) { return n == 0; })) {
      return left;
    }
    OpBuilder &builder = b.operations();
    Value padding = b.integer(TensorBuilder::elementOf(left), static_cast<uint64_t>(zeroPoint));
    return stablehlo::PadOp::create(builder, b.location(), TensorBuilder::typeOf(left).clone(sizes),
                                    left, padding, builder.getDenseI64ArrayAttr(low),
                                    builder.getDenseI64ArrayAttr(high),
                                    builder.getDenseI64ArrayAttr(interior));
  }

  Value product(Value left, Value right, bool isPadded) {
    OperationState state(b.location(), op->getName());
    state.addOperands({left, right});
    state.addTypes(RankedTensorType::get(shape, wide()));
    NamedAttrList attributes(op->getAttrs());
    if (isPadded && isa<stablehlo::ConvolutionOp>(op)) {
      attributes.erase("padding");
      attributes.erase("lhs_dilation");
    }
    state.addAttributes(attributes);
    return b.operations().create(state)->getResult(0);
  }

  // Returns the zero point times the sums of the right operand's elements.
  Value rhsSums(Value right, int64_t zeroPoint) {
    Value sums = b.sum(b.convert(right, wide()), dimensions.contracting);
    sums = b.multiply(sums, b.like(sums, static_cast<uint64_t>(zeroPoint)));
    return inResult(sums);
  }

  // Broadcasts a tensor to the result's shape. The tensor has the right operand's non-contracting
  // dimensions, in the order that they have in the operand.
  Value inResult(Value ofKept) {
    SmallVector<std::pair<int64_t, int64_t>> kept(dimensions.kept);
    llvm::sort(kept);
    SmallVector<int64_t> permutation, places;
    SmallVector<std::pair<int64_t, int64_t>> byPlace;
    for (auto [i, pair] : llvm::enumerate(kept)) {
      byPlace.emplace_back(pair.second, static_cast<int64_t>(i));
    }
    llvm::sort(byPlace);
    for (auto [place, i] : byPlace) {
      permutation.push_back(i);
      places.push_back(place);
    }
    return b.broadcast(b.transpose(ofKept, permutation), shape, places);
  }

  // Returns the product of both operands' scales for each element of the result.
  Value scales(Type element) {
    double left = roundTo(lhs.expressed, lhs.scales.front());
    SmallVector<double> products = llvm::map_to_vector(
        rhs.scales, [&](double right) { return left * roundTo(rhs.expressed, right); });
    if (llvm::all_equal(products)) {
      return b.number(element, products.front(), shape);
    }
    // There is one scale for each index of the non-contracting dimensions: along each contracting
    // dimension, there is only one block.
    Quantization kept = rhs;
    kept.blockSizes.clear();
    SmallVector<int64_t> sizes;
    for (auto [d, size] : llvm::enumerate(rhsShape)) {
      if (!llvm::is_contained(dimensions.contracting, static_cast<int64_t>(d))) {
        kept.blockSizes.push_back(rhs.blockSizes[d]);
        sizes.push_back(size);
      }
    }
    return inResult(valuesOfBlocks(b, kept, sizes, element, products));
  }

  // Rounds once: in the expressed type if it can represent the sums or if scaling doesn't round,
  // otherwise in f64, which can represent the products exactly.
  Value scaled(Value sum) {
    ProductBounds bounds(op, lhs, rhs);
    const ElementTypeInfo &type = info(lhs.expressed);
    double precise = std::ldexp(1.0, static_cast<int>(type.mantissaBits) + 1);
    bool holdsSums = bounds.sum <= std::min(precise, largestFinite(lhs.expressed));
    bool holdsScales = llvm::all_of(rhs.scales, [&](double right) {
      double product = roundTo(lhs.expressed, lhs.scales.front()) * roundTo(rhs.expressed, right);
      return roundTo(lhs.expressed, product) == product && std::fpclassify(product) == FP_NORMAL &&
             std::ilogb(product) >= 1 - type.exponentBias;
    });
    bool holdsRange = bounds.sum <= largestFinite(lhs.expressed);
    bool areShifts = bounds.left.arePowersOfTwo() && bounds.right.arePowersOfTwo() && holdsRange;
    Type computed =
        holdsScales && (holdsSums || areShifts) ? expressed : b.operations().getF64Type();
    return b.convert(b.multiply(b.convert(sum, computed), scales(computed)), expressed);
  }

  TensorBuilder &b;
  Operation *op;
  Quantization lhs, rhs;
  SmallVector<int64_t> rhsShape, shape;
  RhsDimensions dimensions;
  Type expressed;
};
} // namespace

Value integerProduct(TensorBuilder &b, Operation *op, RankedTensorType lhs, RankedTensorType rhs) {
  return IntegerProduct(b, op, lhs, rhs).make();
}

void widenSums(TensorBuilder &b, Operation *op) {
  Type wide = b.operations().getF64Type();
  for (OpOperand &operand : op->getOpOperands()) {
    if (isa<FloatType>(TensorBuilder::elementOf(operand.get()))) {
      operand.set(b.convert(operand.get(), wide));
    }
  }
  Value result = op->getResult(0);
  result.setType(TensorBuilder::typeOf(result).clone(wide));
}

} // namespace drumlin
