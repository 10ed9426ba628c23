#include "drumlin/driver/check/NonFinite.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/FloatFormats.h"

#include <cmath>
#include <cstdio>

namespace drumlin {

using Tensors = std::vector<Tensor>;

std::string NonFiniteOrigin::str() const {
  std::string text = operation + (source.empty() ? "" : " at " + source) +
                     (kernel.empty() ? "" : " in `" + kernel + "`") + ", element " +
                     std::to_string(element);
  return operands.empty() ? text : text + ", from " + operands;
}

NonFiniteCounts &NonFiniteCounts::operator+=(const NonFiniteCounts &other) {
  nans += other.nans;
  infinities += other.infinities;
  return *this;
}

namespace {
// A tensor's elements as numbers. A complex element counts as two numbers.
class Numbers {
public:
  explicit Numbers(const Tensor &tensor) : tensor(tensor), part(tensor.type()) {
    if (isComplex(part)) {
      part = part == ElementType::C64 ? ElementType::F32 : ElementType::F64;
      parts = 2;
    }
  }
  bool canBeNonFinite() const { return isFloat(part); }
  int64_t size() const { return tensor.elements() * parts; }
  int64_t element(int64_t i) const { return i / parts; }
  double at(int64_t i) const {
    return toDouble(part, tensor.data() + static_cast<size_t>(i) * storageBytes(part));
  }

private:
  const Tensor &tensor;
  ElementType part;
  int64_t parts = 1;
};
} // namespace

NonFiniteCounts countNonFinite(const Tensor &tensor) {
  NonFiniteCounts counts;
  Numbers numbers(tensor);
  if (!numbers.canBeNonFinite()) {
    return counts;
  }
  for (int64_t i = 0; i < numbers.size(); ++i) {
    double value = numbers.at(i);
    counts.nans += std::isnan(value) ? 1 : 0;
    counts.infinities += std::isinf(value) ? 1 : 0;
  }
  return counts;
}

NonFiniteCounts countNonFinite(std::span<const Tensor> tensors) {
  NonFiniteCounts counts;
  for (const Tensor &tensor : tensors) {
    counts += countNonFinite(tensor);
  }
  return counts;
}

// Returns whether an operation only forwards values, or has regions whose operations are checked
// separately.
static bool isTransparent(mlir::Operation *op) {
  if (llvm::isa_and_nonnull<plan::PlanDialect>(op->getDialect())) {
    return true;
  }
  OperationClass of = classify(op);
  return of == OperationClass::DataMovement || of == OperationClass::Control ||
         op->getName().getStringRef() == "func.call";
}

static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

static NonFiniteOrigin originAt(mlir::Operation *op, int64_t element) {
  return {op->getName().getStringRef().str(), plan::sourceOf(op->getLoc()), "", element, ""};
}

static void lookByElement(mlir::Operation *op, const Tensors &operands, const Tensor &result,
                          NonFiniteOrigins &found) {
  std::vector<Numbers> from(operands.begin(), operands.end());
  Numbers numbers(result);
  for (int64_t i = 0; i < numbers.size() && !(found.nan && found.infinity); ++i) {
    double value = numbers.at(i);
    if (std::isfinite(value)) {
      continue;
    }
    bool hasNan = false, hasInfinity = false;
    std::string values;
    for (const Numbers &operand : from) {
      double given = operand.at(operand.size() == 1 ? 0 : i);
      hasNan |= std::isnan(given);
      hasInfinity |= std::isinf(given);
      values += (values.empty() ? "" : ", ") + numberText(given);
    }
    bool isNan = std::isnan(value);
    std::optional<NonFiniteOrigin> &place = isNan ? found.nan : found.infinity;
    if (!place && !hasNan && (isNan || !hasInfinity)) {
      place = originAt(op, numbers.element(i));
      place->operands = values;
    }
  }
}

static void lookAtWhole(mlir::Operation *op, const Tensors &operands, const Tensor &result,
                        NonFiniteOrigins &found) {
  NonFiniteCounts before = countNonFinite(operands);
  Numbers numbers(result);
  for (int64_t i = 0; i < numbers.size() && !(found.nan && found.infinity); ++i) {
    double value = numbers.at(i);
    if (std::isnan(value) && !found.nan && before.nans == 0) {
      found.nan = originAt(op, numbers.element(i));
      found.nan->operands =
          before.infinities > 0 ? std::to_string(before.infinities) + " infinities" : "";
    }
    bool isFresh = before.nans == 0 && before.infinities == 0;
    if (std::isinf(value) && !found.infinity && isFresh) {
      found.infinity = originAt(op, numbers.element(i));
    }
  }
}

static void look(mlir::Operation *op, const Tensors &operands, const Tensors &results,
                 NonFiniteOrigins &found) {
  bool isConstant = classify(op) == OperationClass::Constant;
  for (const Tensor &result : results) {
    NonFiniteCounts counts = countNonFinite(result);
    bool isNews = (counts.nans > 0 && !found.nan) ||
                  (counts.infinities > 0 && !found.infinity && !isConstant);
    if (!isNews) {
      continue;
    }
    auto fits = [&](const Tensor &operand) {
      return isComplex(operand.type()) == isComplex(result.type()) &&
             (operand.elements() == result.elements() || operand.elements() == 1);
    };
    bool isByElement = classify(op) == OperationClass::Pointwise && llvm::all_of(operands, fits);
    if (isByElement) {
      lookByElement(op, operands, result, found);
      continue;
    }
    std::optional<NonFiniteOrigin> infinity = found.infinity;
    lookAtWhole(op, operands, result, found);
    if (isConstant) {
      found.infinity = infinity;
    }
  }
}

InterpreterTable searchingTable(const InterpreterTable &table, NonFiniteOrigins &found) {
  InterpreterTable searching;
  for (const std::string &name : table.names()) {
    const OperationHandler *original = table.find(name);
    searching.add(name, [original, &found](mlir::Operation *op, Tensors operands, Frame &frame) {
      if ((found.nan && found.infinity) || isTransparent(op)) {
        return (*original)(op, std::move(operands), frame);
      }
      // The copy keeps the handler from modifying the original operands in place.
      Tensors kept = operands;
      Result<Tensors> results = (*original)(op, std::move(operands), frame);
      if (results) {
        look(op, kept, *results, found);
      }
      return results;
    });
  }
  return searching;
}

void searchArguments(std::span<const Tensor> arguments, NonFiniteOrigins &found) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    Numbers numbers(arguments[i]);
    if (!numbers.canBeNonFinite()) {
      continue;
    }
    for (int64_t j = 0; j < numbers.size(); ++j) {
      double value = numbers.at(j);
      std::optional<NonFiniteOrigin> &place = std::isnan(value) ? found.nan : found.infinity;
      if (!std::isfinite(value) && !place) {
        place = NonFiniteOrigin{"argument " + std::to_string(i), "", "", numbers.element(j), ""};
      }
    }
  }
}

} // namespace drumlin
