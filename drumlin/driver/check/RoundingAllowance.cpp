#include "drumlin/driver/check/RoundingAllowance.h"

#include "drumlin/codegen/cpu/math/MathLibrary.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/plan/FusedMultiplyAdd.h"
#include "drumlin/ir/plan/KernelSums.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/FloatFormats.h"

#include <cmath>
#include <limits>

namespace drumlin {

using Tensors = std::vector<Tensor>;

// Returns how far an element moves, as a share of its bound, in [-1, 1]. The share is a
// reproducible random number (Steele, Lea and Flood's splitmix64). Evaluations come in pairs. In
// the second evaluation of a pair, each element moves in the opposite direction.
static double shareOf(int evaluation, uint64_t element) {
  int pair = evaluation / 2;
  double sign = evaluation % 2 == 0 ? 1 : -1;
  if (pair == 0) {
    return sign;
  }
  uint64_t bits = element + 0x9e3779b97f4a7c15u * static_cast<uint64_t>(pair);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  double share = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
  // In every other pair, elements move by the full bound, so that the largest sum of moves is
  // included.
  return sign * (pair % 2 == 0 ? share : share < 0 ? -1 : 1);
}

// Returns the elements as numbers. For a complex element, returns the real part, then the imaginary
// part.
static std::vector<double> numbersOf(const Tensor &given) {
  Tensor tensor = isComplex(given.type()) ? complexParts(given) : given;
  std::vector<double> numbers(static_cast<size_t>(tensor.elements()));
  decodeRun(tensor.type(), tensor.data(), numbers.data(), tensor.elements());
  return numbers;
}

// Applies `map` to the operands that the operation adds or multiplies, and returns the operation's
// result for the changed operands.
static Result<std::vector<double>> runMapped(mlir::Operation *op, Tensors operands, Frame &frame,
                                             const OperationHandler &original,
                                             double (*map)(double)) {
  size_t selecting = llvm::isa<stablehlo::SelectAndScatterOp>(op) ? 1 : 0;
  for (Tensor &operand : llvm::drop_begin(operands, selecting)) {
    if (!isFloat(operand.type())) {
      continue;
    }
    std::vector<double> numbers = numbersOf(operand);
    llvm::transform(numbers, numbers.begin(), map);
    operand = Tensor(operand.type(), operand.shape());
    encodeRun(operand.type(), numbers.data(), operand.data(), operand.elements());
  }
  Result<Tensors> results = original(op, std::move(operands), frame);
  if (!results) {
    return results.error();
  }
  return numbersOf(results->front());
}

// Returns the distance from a number to its neighbours in a type.
static double unitInLastPlace(ElementType type, double value) {
  const ElementTypeInfo &entry = info(type);
  int least = 1 - entry.exponentBias; // exponent of the least normal number
  int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - static_cast<int>(entry.mantissaBits));
}

static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
// The least normal number, which is the same for f32 and bf16.
static constexpr double leastNormal = 0x1p-126;
static constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns whether two numbers are both finite, both the same infinity, or both NaN.
static bool areAlike(double a, double b) {
  return a == b || (std::isfinite(a) && std::isfinite(b)) || (std::isnan(a) && std::isnan(b));
}

// Moves each finite element by up to `distance(element, value)`, at least to its neighbour. A
// distance of NaN allows any value: the element becomes NaN and, in every other evaluation, zero.
static Tensor moved(const Tensor &tensor, int evaluation, uint64_t salt,
                    llvm::function_ref<double(size_t, double)> distance) {
  std::vector<double> numbers = numbersOf(tensor);
  for (size_t i = 0; i < numbers.size(); ++i) {
    double step = distance(i, numbers[i]);
    if (std::isnan(step)) {
      numbers[i] = evaluation % 2 == 0 ? notANumber : 0;
      continue;
    }
    if (!std::isfinite(numbers[i])) {
      continue;
    }
    step = std::max(step, unitInLastPlace(tensor.type(), numbers[i]));
    double target = numbers[i] + step * shareOf(evaluation, salt + i);
    // An element that would overflow doesn't move.
    numbers[i] = std::fabs(target) <= largestFinite(tensor.type()) ? target : numbers[i];
  }
  Tensor made(tensor.type(), tensor.shape());
  encodeRun(made.type(), numbers.data(), made.data(), made.elements());
  return made;
}

namespace {
// The kinds of rounding errors that move an operation's results.
enum class Movement { None, Sum, Product, Function, Transform, Fused };
} // namespace

// Returns the numbers of those operands of an addition or subtraction that are products which
// native code may leave unrounded. In a plan, these are the products that the plan fuses; in a
// program as written, all products that could be fused.
static llvm::SmallVector<unsigned, 2> unroundedProducts(mlir::Operation *op, Numerics numerics) {
  llvm::SmallVector<unsigned, 2> operands;
  for (unsigned operand = 0; operand < op->getNumOperands() && operand < 2; ++operand) {
    std::optional<plan::FusedMultiplyAdd> possible = plan::fusedMultiplyAdd(op, operand);
    std::optional<plan::FusedMultiplyAdd> planned = plan::fusedMultiplyAdd(op);
    bool isPlanned = possible && planned && planned->product == possible->product;
    if (isPlanned || (possible && numerics.allows(Relaxation::Contract))) {
      operands.push_back(operand);
    }
  }
  return operands;
}

static Movement movementOf(mlir::Operation *op, Numerics numerics) {
  if (llvm::isa<stablehlo::FftOp>(op)) {
    return Movement::Transform;
  }
  if (op->getNumResults() != 1 ||
      !llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(op->getResult(0).getType()))) {
    return Movement::None;
  }
  if (!unroundedProducts(op, numerics).empty()) {
    return Movement::Fused;
  }
  if (llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
    return Movement::Sum;
  }
  if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
                stablehlo::SelectAndScatterOp>(op)) {
    std::optional<Reducer> reducer = knownReducer(op->getRegions().back());
    return reducer == Reducer::Add        ? Movement::Sum
           : reducer == Reducer::Multiply ? Movement::Product
                                          : Movement::None;
  }
  llvm::StringRef name = op->getName().stripDialect();
  const MathFunction *function = findMathFunction({name.data(), name.size()}, MathElement::F32);
  return function && function->maxUlp > 0.5 ? Movement::Function : Movement::None;
}

static double termsOf(mlir::Operation *op) {
  if (llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
    return static_cast<double>(contractionShape(op).k);
  }
  if (llvm::isa<stablehlo::ScatterOp, stablehlo::SelectAndScatterOp>(op)) {
    // An element is at most the sum of the original element and all updates.
    auto updates = llvm::isa<stablehlo::ScatterOp>(op) ? op->getNumOperands() - 1 : 1;
    return static_cast<double>(elementsOf(op->getOperand(updates))) + 1;
  }
  return std::max(flopsPerEvaluation(op), 1.0);
}

SumUnits sumUnitsOf(mlir::ModuleOp plan) {
  // If several kernels compute the same sum, only the largest of their bounds counts.
  std::map<std::pair<int64_t, llvm::StringRef>, double> units;
  plan.walk([&](mlir::Operation *op) {
    if (std::optional<SumBound> bound = sumBoundOf(op)) {
      for (int64_t origin : plan::originsOf(op->getLoc())) {
        double &most = units[{origin, op->getName().getStringRef()}];
        most = std::max(most, bound->units());
      }
    }
  });
  SumUnits made;
  for (const auto &[place, most] : units) {
    made[place.first] += most;
  }
  return made;
}

// Returns the largest possible difference between the native and the interpreted sum, divided by
// the sum of the addends' magnitudes.
static double shareOfSum(mlir::Operation *op, double roundoff, const SumUnits &planned) {
  double terms = termsOf(op), units = 0;
  if (std::optional<SumBound> bound = sumBoundOf(op)) {
    units = bound->units();
  } else {
    for (int64_t origin : plan::originsOf(op->getLoc())) {
      auto found = planned.find(origin);
      units += found == planned.end() ? 0 : found->second;
    }
  }
  return units > 0 ? units * 0x1p-24 + terms * 0x1p-53 : 2 * std::sqrt(terms) * roundoff;
}

// Returns the largest error due to factoring out scales, divided by the sum of magnitudes. With the
// unit roundoff u, fl(a s) = a s (1 + d) and |d| <= u. The sum of fl(a s) b therefore differs from
// s · (sum of a b) by at most u · sum of |a s b|, plus one rounding of the result. If both operands
// are scaled, the errors add up.
static double scalingRoundoff(mlir::Operation *op) {
  double sum = 0;
  if (llvm::isa<stablehlo::DotGeneralOp>(op)) {
    for (mlir::Value operand : op->getOperands()) {
      ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(operand.getType()));
      bool isScaled = operand.getDefiningOp<stablehlo::MulOp>() && isFloat(type);
      sum += isScaled ? std::ldexp(1.0, -1 - static_cast<int>(info(type).mantissaBits)) : 0;
    }
  }
  return sum;
}

static double functionUlps(mlir::Operation *op, ElementType type) {
  llvm::StringRef name = op->getName().stripDialect();
  const MathFunction *function = findMathFunction(
      {name.data(), name.size()}, type == ElementType::F64 ? MathElement::F64 : MathElement::F32);
  return function ? function->maxUlp : 1;
}

// Returns whether native code may flush subnormal operands of the multiplications, and subnormal
// sums, to zero.
static bool flushes(mlir::Operation *op, Numerics numerics) {
  auto isNarrow = [](mlir::Value operand) {
    ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(operand.getType()));
    return isFloat(type) && info(type).bits <= info(ElementType::BF16).bits;
  };
  return numerics.allows(Relaxation::FlushProducts) &&
         llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op) &&
         llvm::all_of(op->getOperands(), isNarrow);
}

// Returns the number, or 0 if it is subnormal; bf16 and f32 have the same least normal number.
static double flushed(double number) { return std::fabs(number) < leastNormal ? 0 : number; }

// Returns whether multiplications by inserted zeros may change the result, since zero times
// infinity or NaN is NaN. The interpreter computes these multiplications; native code may compute
// none or different ones (docs/numerics.md).
static bool meetsInsertedZeros(mlir::Operation *op, const Tensors &operands) {
  auto convolution = llvm::dyn_cast<stablehlo::ConvolutionOp>(op);
  auto isDilated = [](int64_t dilation) { return dilation > 1; };
  return convolution && llvm::any_of(convolution.lhsDilationOrDefault(), isDilated) &&
         llvm::any_of(operands, [](const Tensor &operand) {
           return llvm::any_of(numbersOf(operand),
                               [](double number) { return !std::isfinite(number); });
         });
}

// Moves a Fourier transform's results. Each result is a sum over all elements of a line. Errors
// grow with the number of passes and spread evenly over the results, so the bound uses the results'
// root mean square.
static Tensor movedTransform(mlir::Operation *op, const Tensor &result, int evaluation,
                             uint64_t salt) {
  double length = 1;
  for (int64_t size : llvm::cast<stablehlo::FftOp>(op).getFftLength()) {
    length *= static_cast<double>(std::max<int64_t>(size, 1));
  }
  bool isPaired = isComplex(result.type());
  Tensor parts = isPaired ? complexParts(result) : result;
  ElementType type = parts.type();
  double squares = 0;
  for (double number : numbersOf(parts)) {
    squares += std::isfinite(number) ? number * number : 0;
  }
  double mean = std::sqrt(squares / static_cast<double>(std::max<int64_t>(parts.elements(), 1)));
  double distance =
      4 * std::ldexp(1.0, type == ElementType::F64 ? -53 : -24) * (1 + std::log2(length)) * mean;
  parts = moved(parts, evaluation, salt, [&](size_t, double) { return distance; });
  return isPaired ? fromComplexParts(parts) : parts;
}

// Moves the results of sums whose product may be unrounded. fl(a b + c) differs from fl(fl(a b) +
// c) by at most the sum of two errors: the rounding of the product, which is half a unit in the
// last place of fl(a b), and one unit in the last place of the sum. A product that overflows by
// itself may not overflow as part of the sum.
static Tensor movedFused(llvm::ArrayRef<unsigned> unrounded, const Tensors &operands,
                         const Tensor &result, int evaluation, uint64_t salt) {
  ElementType type = result.type();
  std::vector<double> distances(static_cast<size_t>(result.elements()));
  // If both operands are products, only one of them is fused. The bound is that of the product with
  // the larger rounding.
  for (unsigned operand : unrounded) {
    std::vector<double> products = numbersOf(operands[operand]);
    for (auto [distance, product] : llvm::zip(distances, products)) {
      double half = std::isfinite(product) ? unitInLastPlace(type, product) / 2
                    : std::isinf(product)  ? infinity
                                           : 0;
      distance = std::max(distance, half);
    }
  }
  return moved(result, evaluation, salt, [&](size_t i, double value) {
    return std::isinf(distances[i]) ? notANumber
           : std::isfinite(value)   ? distances[i] + unitInLastPlace(type, value)
                                    : 0;
  });
}

// Returns whether the product of some of the elements may leave the range of f32's normal numbers.
static bool leavesF32(const Tensor &factors) {
  double up = 0, down = 0;
  for (double number : numbersOf(factors)) {
    double exponent = std::isfinite(number) && number != 0 ? std::log2(std::fabs(number)) : 0;
    (exponent > 0 ? up : down) += exponent;
  }
  return up > 127 || down < -126;
}

static Result<Tensors> runMoved(mlir::Operation *op, Tensors operands, Frame &frame,
                                const OperationHandler &original, Numerics numerics, int evaluation,
                                uint64_t salt, const SumUnits &planned) {
  Movement movement = movementOf(op, numerics);
  if (movement == Movement::None) {
    return original(op, std::move(operands), frame);
  }
  Tensors kept = operands;
  Result<Tensors> results = original(op, std::move(operands), frame);
  if (!results) {
    return results;
  }
  Tensor &result = results->front();
  if (movement == Movement::Transform) {
    result = movedTransform(op, result, evaluation, salt);
    return results;
  }
  if (movement == Movement::Fused) {
    result = movedFused(unroundedProducts(op, numerics), kept, result, evaluation, salt);
    return results;
  }
  ElementType type = result.type();
  if (movement == Movement::Function) {
    double ulps = functionUlps(op, type);
    result = moved(result, evaluation, salt,
                   [&](size_t, double value) { return ulps * unitInLastPlace(type, value); });
    return results;
  }
  // Only finite operands contribute to the bound, since infinities and NaNs give the same results
  // in any order.
  auto magnitude = [](double term) { return std::isfinite(term) ? std::fabs(term) : 0; };
  auto atLeastOne = [](double term) {
    return std::isfinite(term) ? std::max(std::fabs(term), 1.0) : 1;
  };
  auto atMostOne = [](double term) { return term == 0 ? 1 : std::min(std::fabs(term), 1.0); };
  bool isProduct = movement == Movement::Product;
  Result<std::vector<double>> largest = isProduct ? runMapped(op, kept, frame, original, atLeastOne)
                                                  : runMapped(op, kept, frame, original, magnitude);
  Result<std::vector<double>> smallest =
      isProduct ? runMapped(op, kept, frame, original, atMostOne) : largest;
  bool isFlushed = flushes(op, numerics);
  Result<std::vector<double>> other =
      isFlushed ? runMapped(op, kept, frame, original, flushed) : largest;
  for (const auto *made : {&largest, &smallest, &other}) {
    if (!*made) {
      return made->error();
    }
  }
  // In another order of its operands, a result may overflow or underflow; it may then be any
  // number. Types narrower than f32 are rounded only after the f32 result is complete.
  bool mayLeave = info(type).exponentBits >= info(ElementType::F32).exponentBits ||
                  (isProduct && leavesF32(kept.front()));
  double least = std::ldexp(1.0, 1 - info(type).exponentBias);
  double roundoff = std::ldexp(1.0, type == ElementType::F64 ? -53 : -24);
  double share =
      isProduct ? 2 * std::sqrt(termsOf(op)) * roundoff : shareOfSum(op, roundoff, planned);
  if (numerics.allows(Relaxation::Reassociate)) {
    share += scalingRoundoff(op);
  }
  // Products smaller than the normal numbers are rounded to a multiple of the least subnormal
  // number.
  double underflow = isFlushed
                         ? termsOf(op) * leastNormal
                         : termsOf(op) * std::ldexp(1.0, type == ElementType::F64 ? -1075 : -150);
  bool mayBeAny = meetsInsertedZeros(op, kept);
  result = moved(result, evaluation, salt, [&](size_t i, double value) {
    if (mayBeAny) {
      return notANumber;
    }
    double withoutSubnormals = isFlushed ? (*other)[i] : value;
    // `share` is infinite if partial sums are rounded to a narrow type so often that the error has
    // no bound. The result may then be any number.
    if (!areAlike(value, withoutSubnormals) || std::isinf(share)) {
      return notANumber;
    }
    if (mayLeave && (!std::isfinite((*largest)[i]) || (isProduct && (*smallest)[i] < least))) {
      return notANumber;
    }
    double change = std::isfinite(value) ? std::fabs(withoutSubnormals - value) : 0;
    return share * std::fabs(isProduct ? value : (*largest)[i]) + underflow + change;
  });
  return results;
}

namespace {
// The changes of one element in the evaluations so far.
class Changes {
public:
  // Adds the change of one evaluation. `isMirrored`: all values moved as far as in the previous
  // evaluation, in the opposite direction.
  void add(double change, bool isMirrored) {
    up = std::max(up, change);
    down = std::max(down, -change);
    bent = isMirrored ? std::max(bent, std::fabs(change + before)) : bent;
    before = change;
  }

  // Returns the largest change if mirrored moves give mirrored changes. Otherwise, the result is
  // far from linear in the moved values. The evaluations, the interpreter's result and the native
  // result are then random samples of one range, so this returns twice the largest change.
  double allowed() const {
    double largest = std::max(up, down);
    return bent <= straight * largest ? largest : 2 * largest;
  }

private:
  // The largest asymmetry, as a share of the largest change, that rounding of the result alone can
  // cause.
  static constexpr double straight = 0.25;
  double up = 0, down = 0, bent = 0, before = 0;
};
} // namespace

std::vector<std::vector<double>>
roundingAllowances(const std::function<Result<Tensors>(const InterpreterTable &)> &run,
                   const Tensors &exact, const InterpreterTable &table, Numerics numerics,
                   int evaluations, const SumUnits &planned) {
  std::vector<std::vector<Changes>> changes(exact.size());
  for (int evaluation = 0; evaluation < evaluations; ++evaluation) {
    InterpreterTable moving;
    uint64_t salt = 0;
    for (const std::string &name : table.names()) {
      const OperationHandler *original = table.find(name);
      moving.add(name, [&salt, &planned, original, evaluation,
                        numerics](mlir::Operation *op, Tensors operands, Frame &frame) {
        salt += uint64_t(1) << 32;
        return runMoved(op, std::move(operands), frame, *original, numerics, evaluation, salt,
                        planned);
      });
    }
    Result<Tensors> results = run(moving);
    if (!results) {
      return {};
    }
    for (size_t i = 0; i < exact.size(); ++i) {
      if (!isFloat(exact[i].type()) && !isComplex(exact[i].type())) {
        continue;
      }
      std::vector<double> from = numbersOf(exact[i]), to = numbersOf((*results)[i]);
      changes[i].resize(from.size());
      for (size_t j = 0; j < from.size(); ++j) {
        double change = !areAlike(to[j], from[j]) ? infinity
                        : std::isfinite(from[j])  ? to[j] - from[j]
                                                  : 0;
        changes[i][j].add(change, evaluation % 2 == 1);
      }
    }
  }
  std::vector<std::vector<double>> allowances;
  for (const std::vector<Changes> &each : changes) {
    std::vector<double> &made = allowances.emplace_back();
    for (const Changes &all : each) {
      made.push_back(all.allowed());
    }
  }
  return allowances;
}

} // namespace drumlin
