#include "drumlin/ir/costs/Work.h"
#include <cmath>

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/heroes/TriangularProblem.h"
#include "drumlin/ir/stablehlo/CholeskyOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/ir/stablehlo/TriangularSolveOp.h"
#include "drumlin/support/Cost.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

static int64_t product(ArrayRef<int64_t> shape, ArrayRef<int64_t> dimensions) {
  int64_t result = 1;
  for (int64_t dimension : dimensions) {
    result = multiplySaturating(result, shape[static_cast<size_t>(dimension)]);
  }
  return result;
}

bool isUpcast(Operation *op) {
  auto convert = dyn_cast<stablehlo::ConvertOp>(op);
  if (!convert) {
    return false;
  }
  // Quantized elements, which exist only before lowering, are integers.
  std::optional<ElementType> from = tryElementTypeOf(convert.getOperand().getType());
  std::optional<ElementType> to = tryElementTypeOf(convert.getResult().getType());
  return from && to && isFloat(*from) && isFloat(*to) && info(*to).bits > info(*from).bits;
}

// Returns the number of operations in a body that computes on scalars, at least one.
static int64_t bodyOperations(Region &body) {
  int64_t count = 0;
  for (Operation &op : body.front()) {
    count += classify(&op) == OperationClass::Pointwise ? 1 : 0;
  }
  return std::max<int64_t>(count, 1);
}

double flopsPerEvaluation(Operation *op, bool isFollowed) {
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    double in = static_cast<double>(elementsOf(reduce.getInputs().front()));
    double out = static_cast<double>(std::max<int64_t>(elementsOf(op->getResult(0)), 1));
    return in / out * static_cast<double>(bodyOperations(reduce.getBody()));
  }
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    double body = static_cast<double>(bodyOperations(window.getBody()));
    if (isFollowed) {
      return body;
    }
    for (int64_t size : window.getWindowDimensions()) {
      body *= static_cast<double>(size);
    }
    return body;
  }
  return classify(op) == OperationClass::Pointwise ? 1 : 0;
}

//===- windows ----------------------------------------------------------------===//

// One dimension of a window that slides over a padded, dilated operand.
struct WindowDimension {
  int64_t extent, size, results;
  int64_t stride = 1, dilation = 1, baseDilation = 1, low = 0;
};

// The code below counts pairs of a result and a window position. Sizes, strides and dilations may
// all be large, so the code does not iterate over the pairs. It adds up quotients, in integers of
// any size.
using Integer = llvm::DynamicAPInt;

// Returns Σ floor((slope k + offset) / divisor) for k in [0, count). This is the number of lattice
// points under a line; it is computed by the steps of Euclid's algorithm on slope and divisor.
static Integer sumOfQuotients(Integer count, Integer slope, Integer offset, Integer divisor) {
  Integer sum(0);
  while (count > 0) {
    Integer steps = floorDiv(slope, divisor), base = floorDiv(offset, divisor);
    sum += steps * (count * (count - 1) / 2) + base * count;
    slope -= steps * divisor;
    offset -= base * divisor;
    Integer top = slope * count + offset;
    if (top < divisor) {
      break;
    }
    // Counts the same lattice points by columns instead of rows.
    count = top / divisor;
    offset = top % divisor;
    std::swap(slope, divisor);
  }
  return sum;
}

// Returns x with a x = 1 modulo `modulus`. `a` and `modulus` must be coprime.
static Integer inverse(const Integer &a, const Integer &modulus) {
  Integer rest = modulus, next = mod(a, modulus), x(0), nextX(1);
  while (next != 0) {
    Integer quotient = rest / next;
    rest = std::exchange(next, rest - quotient * next);
    x = std::exchange(nextX, x - quotient * nextX);
  }
  return mod(x, modulus);
}

// Counts the pairs of a result r and a window position w for which
//   r * stride + w * dilation - low
// is at most `limit` and is a multiple of the base dilation.
static Integer pairsUpTo(const WindowDimension &d, const Integer &limit) {
  Integer size(d.size), results(d.results), stride(d.stride), dilation(d.dilation), low(d.low);
  Integer base(d.baseDilation);
  // Only every `period`-th window position, beginning with `first`, can read multiples of the base
  // dilation. At the k-th of these positions, r must be equal to `residue` - k * `drift` modulo
  // `cycle`.
  Integer common = gcd(stride, base), both = gcd(common, dilation);
  if (mod(low, both) != 0) {
    return Integer(0);
  }
  Integer period = common / both, cycle = base / common;
  Integer first = mod(low / both * inverse(dilation / both, period), period);
  Integer inverseStride = inverse(stride / common, cycle);
  Integer residue = mod((low - first * dilation) / common * inverseStride, cycle);
  Integer drift = mod(dilation / both * inverseStride, cycle);

  auto clamped = [&](const Integer &positions) {
    return positions < 0 ? Integer(0) : positions > size ? size : positions;
  };
  auto stepsBefore = [&](const Integer &position) {
    return position <= first ? Integer(0) : ceilDiv(position - first, period);
  };
  // At each of the first `whole` of these positions, all results satisfy the limit. After the first
  // `some` positions, no result does.
  Integer reach = limit + low;
  Integer whole = stepsBefore(clamped(floorDiv(reach - (results - 1) * stride, dilation) + 1));
  Integer some = stepsBefore(clamped(floorDiv(reach, dilation) + 1));
  // The number of results r in [0, last] with the k-th residue is
  //   floor((last - residue + k drift) / cycle) - floor((-1 - residue + k drift) / cycle).
  Integer pairs = sumOfQuotients(whole, drift, results - 1 - residue, cycle);
  // At the positions from `whole` to `some`, last is floor((reach - w * dilation) / stride).
  Integer slope = stride * drift - period * dilation;
  Integer offset = reach - first * dilation - stride * residue + slope * whole;
  pairs += sumOfQuotients(some - whole, slope, offset, stride * cycle);
  return pairs - sumOfQuotients(some, drift, -1 - residue, cycle);
}

// Counts the pairs of a result and a window position that read an element:
// result * stride + position * dilation - low is inside the operand, and is a multiple of the base
// dilation.
static int64_t pairsInside(const WindowDimension &d) {
  if (d.extent <= 0 || d.size <= 0 || d.results <= 0) {
    return 0;
  }
  Integer last = (Integer(d.extent) - 1) * Integer(d.baseDilation);
  Integer pairs = pairsUpTo(d, last) - pairsUpTo(d, Integer(-1));
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  return pairs > most ? most : int64_t(pairs);
}

int64_t windowTerms(Operation *op, bool isFollowed) {
  auto window = cast<stablehlo::ReduceWindowOp>(op);
  if (isFollowed) {
    return elementsOf(op->getResult(0));
  }
  ArrayRef<int64_t> shape = shapeOf(window.getInputs().front());
  ArrayRef<int64_t> results = shapeOf(op->getResult(0));
  auto strides = window.windowStridesOrDefault();
  auto dilations = window.windowDilationsOrDefault();
  auto baseDilations = window.baseDilationsOrDefault();
  auto padding = window.paddingOrDefault();
  int64_t terms = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    terms = multiplySaturating(
        terms, pairsInside({shape[i], window.getWindowDimensions()[i], results[i], strides[i],
                            dilations[i], baseDilations[i], padding[i].first}));
  }
  return terms;
}

//===- contractions -----------------------------------------------------------===//

ContractionShape contractionShape(Operation *op) {
  ContractionShape shape;
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    stablehlo::ProductRoles roles(dot);
    ArrayRef<int64_t> lhs = shapeOf(dot.getLhs()), rhs = shapeOf(dot.getRhs());
    shape.batch = product(lhs, roles.lhs().batch);
    shape.k = product(lhs, roles.lhs().contracting);
    shape.m = product(lhs, roles.lhs().free);
    shape.n = product(rhs, roles.rhs().free);
    return shape;
  }
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  auto numbers = convolution.getDimensionNumbers();
  ArrayRef<int64_t> kernel = shapeOf(convolution.getRhs());
  ArrayRef<int64_t> result = shapeOf(convolution.getResult());
  int64_t features = kernel[static_cast<size_t>(numbers.getKernelOutputFeatureDimension())];
  shape.batch = static_cast<int64_t>(convolution.getFeatureGroupCount()) *
                static_cast<int64_t>(convolution.getBatchGroupCount());
  shape.n = features / std::max<int64_t>(shape.batch, 1);
  shape.m = multiplySaturating(result[static_cast<size_t>(numbers.getOutputBatchDimension())],
                               product(result, numbers.getOutputSpatialDimensions()));
  shape.k =
      multiplySaturating(kernel[static_cast<size_t>(numbers.getKernelInputFeatureDimension())],
                         product(kernel, numbers.getKernelSpatialDimensions()));
  return shape;
}

int64_t denseMultiplyAdds(Operation *op) {
  ContractionShape shape = contractionShape(op);
  return multiplySaturating(multiplySaturating(shape.batch, shape.m),
                            multiplySaturating(shape.n, shape.k));
}

int64_t multiplyAdds(Operation *op) {
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op);
  if (!convolution) {
    return denseMultiplyAdds(op);
  }
  auto numbers = convolution.getDimensionNumbers();
  ArrayRef<int64_t> input = shapeOf(convolution.getLhs());
  ArrayRef<int64_t> kernel = shapeOf(convolution.getRhs());
  ArrayRef<int64_t> result = shapeOf(convolution.getResult());
  auto at = [](ArrayRef<int64_t> shape, int64_t i) { return shape[static_cast<size_t>(i)]; };
  int64_t total =
      multiplySaturating(multiplySaturating(at(result, numbers.getOutputBatchDimension()),
                                            at(result, numbers.getOutputFeatureDimension())),
                         at(kernel, numbers.getKernelInputFeatureDimension()));
  auto strides = convolution.windowStridesOrDefault();
  auto dilations = convolution.rhsDilationOrDefault();
  auto baseDilations = convolution.lhsDilationOrDefault();
  auto padding = convolution.paddingOrDefault();
  for (size_t i = 0; i < strides.size(); ++i) {
    // Window reversal is ignored, because it does not change which positions a window reads.
    total = multiplySaturating(
        total, pairsInside({at(input, numbers.getInputSpatialDimensions()[i]),
                            at(kernel, numbers.getKernelSpatialDimensions()[i]),
                            at(result, numbers.getOutputSpatialDimensions()[i]), strides[i],
                            dilations[i], baseDilations[i], padding[i].first}));
  }
  return total;
}

//===- other heroes -----------------------------------------------------------===//

int64_t heroFlops(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<stablehlo::SortOp>([](stablehlo::SortOp sort) {
        ArrayRef<int64_t> shape = shapeOf(sort.getInputs().front());
        int64_t extent = shape.empty() ? 1 : shape[static_cast<size_t>(sort.dimensionFromFront())];
        int64_t comparisons =
            multiplySaturating(elementsOf(sort.getInputs().front()),
                               extent > 1 ? llvm::Log2_64_Ceil(static_cast<uint64_t>(extent)) : 0);
        return multiplySaturating(comparisons, bodyOperations(sort.getComparator()));
      })
      .Case<chlo::TopKOp>([](chlo::TopKOp top) { return elementsOf(top.getOperand()); })
      .Case<stablehlo::ScatterOp>([](stablehlo::ScatterOp scatter) {
        Region &body = scatter.getUpdateComputation();
        bool computes = llvm::any_of(body.front(), [](Operation &nested) {
          return classify(&nested) == OperationClass::Pointwise;
        });
        return computes ? multiplySaturating(elementsOf(scatter.getUpdates().front()),
                                             bodyOperations(body))
                        : 0;
      })
      .Case<stablehlo::SelectAndScatterOp>([](stablehlo::SelectAndScatterOp window) {
        ArrayRef<int64_t> shape = shapeOf(window.getOperand());
        ArrayRef<int64_t> source = shapeOf(window.getSource());
        auto sizes = window.windowDimensionsOrDefault();
        auto strides = window.windowStridesOrDefault();
        auto padding = window.paddingOrDefault();
        int64_t terms = 1;
        for (size_t i = 0; i < shape.size(); ++i) {
          terms = multiplySaturating(terms, pairsInside({shape[i], sizes[i], source[i], strides[i],
                                                         1, 1, padding[i].first}));
        }
        return addSaturating(multiplySaturating(terms, bodyOperations(window.getSelect())),
                             multiplySaturating(elementsOf(window.getSource()),
                                                bodyOperations(window.getScatter())));
      })
      .Case<stablehlo::FftOp>([](stablehlo::FftOp fft) {
        // Counts 5 n log2 n for n elements that are transformed together, as if n were a power of
        // two; half of it if the operand or the result is real.
        using enum stablehlo::FftType;
        bool isReal = fft.getFftType() == RFFT || fft.getFftType() == IRFFT;
        Value longer = fft.getFftType() == IRFFT ? fft.getResult() : fft.getOperand();
        double length = 1;
        for (int64_t size : fft.getFftLength()) {
          length *= static_cast<double>(size);
        }
        double flops = length > 1 ? (isReal ? 2.5 : 5) * std::log2(length) *
                                        static_cast<double>(elementsOf(longer))
                                  : 0;
        constexpr double most = 0x1p62;
        return static_cast<int64_t>(std::llround(std::min(flops, most)));
      })
      .Case<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>([](Operation *triangular) {
        // Each multiply-add counts two FLOPs; a multiply-add of complex numbers counts eight.
        TriangularProblem problem(triangular);
        double flops = 2 * problem.multiplyAdds() * static_cast<double>(problem.matrices.nominal) *
                       static_cast<double>(problem.parts() * problem.parts());
        return static_cast<int64_t>(std::min(flops, 0x1p62));
      })
      .Default([](auto) { return 0; });
}

} // namespace drumlin
