#include "drumlin/runtime/executable/CallSizes.h"

#include "drumlin/runtime/executable/LinearSize.h"
#include "drumlin/support/diagnostics/CallErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <algorithm>
#include <map>

namespace drumlin {

// The limit on the bytes of a value, which exceeds any machine's memory.
static constexpr int64_t maxBytes = int64_t(1) << 46;

static std::string placeOf(const ImageDescription &image, size_t argument, size_t dimension) {
  return "argument " + std::to_string(argument) + " `" + image.arguments[argument].name +
         "`, dimension " + std::to_string(dimension);
}

namespace {
class CallSolver {
public:
  CallSolver(const ImageDescription &image, std::span<const Shape> arguments,
             const std::string &location)
      : image(image), arguments(arguments), location(location) {}

  Result<CallSizes> run() {
    CallSizes made;
    made.arguments.assign(arguments.begin(), arguments.end());
    for (auto step : {&CallSolver::checkRanks, &CallSolver::solve, &CallSolver::checkDimensions,
                      &CallSolver::checkConstraints}) {
      if (Status status = (this->*step)(); !status) {
        return status.error();
      }
    }
    for (const SizeSymbolDescription &symbol : image.symbols) {
      made.symbols.push_back(values.at(symbol.name));
    }
    for (const ValueDescription &result : image.results) {
      Shape shape;
      for (size_t d = 0; d < result.shape.size(); ++d) {
        std::optional<int64_t> size =
            result.sizes.empty() ? result.shape[d] : result.sizes[d].evaluate(lookup());
        if (!size || *size < 0) {
          return tooLarge("result `" + result.name + "`");
        }
        shape.push_back(*size);
      }
      if (!fits(result.type, shape)) {
        return tooLarge("result `" + result.name + "`");
      }
      made.results.push_back(std::move(shape));
    }
    std::optional<int64_t> slots = image.slotBytes.evaluate(lookup());
    if (!slots || *slots < 0 || *slots > maxBytes) {
      return tooLarge("the program's temporaries");
    }
    made.arenaBytes = image.arenaBytes + static_cast<uint64_t>(*slots);
    made.scratchBytes = image.scratchBytes;
    for (const SizeExpression &size : image.scratchSizes) {
      std::optional<int64_t> bytes = size.evaluate(lookup());
      if (!bytes || *bytes < 0 || *bytes > maxBytes) {
        return tooLarge("a kernel's working memory");
      }
      made.scratchBytes = std::max(made.scratchBytes, static_cast<uint64_t>(*bytes));
    }
    return made;
  }

private:
  SizeExpression::Values lookup() const {
    return [this](std::string_view name) -> std::optional<int64_t> {
      auto found = values.find(std::string(name));
      return found == values.end() ? std::nullopt : std::optional(found->second);
    };
  }

  static bool fits(ElementType type, const Shape &shape) {
    std::optional<int64_t> bytes = byteCount(type, shape);
    return bytes && *bytes <= maxBytes;
  }

  Diagnostic mismatch(const std::string &what) const {
    return diagnose(errors::ArgumentMismatch, what, location);
  }
  Diagnostic tooLarge(const std::string &what) const {
    return diagnose(errors::OutOfMemory, what + ": no machine has memory for these sizes",
                    location);
  }

  SizeExpression sizeOf(size_t argument, size_t dimension) const {
    const ValueDescription &value = image.arguments[argument];
    return value.sizes.empty() ? SizeExpression(value.shape[dimension]) : value.sizes[dimension];
  }

  Status checkRanks() {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const ValueDescription &expected = image.arguments[i];
      if (arguments[i].size() != expected.shape.size()) {
        return mismatch("argument " + std::to_string(i) + " `" + expected.name + "` has " +
                        std::to_string(arguments[i].size()) + " dimensions, the program takes " +
                        std::to_string(expected.shape.size()));
      }
      bool isSize = std::ranges::all_of(arguments[i], [](int64_t size) { return size >= 0; });
      if (!isSize || !fits(expected.type, arguments[i])) {
        return mismatch("argument " + std::to_string(i) + " `" + expected.name +
                        "` has impossible sizes");
      }
    }
    return Done();
  }

  // Computes the symbols: the first dimension whose size is linear in a symbol determines its
  // value.
  Status solve() {
    for (size_t i = 0; i < arguments.size(); ++i) {
      for (size_t d = 0; d < arguments[i].size(); ++d) {
        std::optional<LinearSize> size = asLinear(sizeOf(i, d));
        if (!size || values.contains(size->symbol)) {
          continue;
        }
        int64_t left = 0;
        bool isBeyond = __builtin_sub_overflow(arguments[i][d], size->more, &left);
        if (isBeyond || left % size->times != 0) {
          return mismatch(placeOf(image, i, d) + ", is " + std::to_string(arguments[i][d]) +
                          ", and the program takes " + sizeOf(i, d).str());
        }
        values[size->symbol] = left / size->times;
        if (Status status = checkBounds(size->symbol, i, d); !status) {
          return status;
        }
      }
    }
    return Done();
  }

  Status checkBounds(const std::string &name, size_t argument, size_t dimension) {
    auto symbol = std::ranges::find(image.symbols, name, &SizeSymbolDescription::name);
    int64_t value = values[name];
    if (symbol == image.symbols.end() || (value >= symbol->minimum && value <= symbol->maximum)) {
      return Done();
    }
    bool isLess = value < symbol->minimum;
    return mismatch(placeOf(image, argument, dimension) + ", is " +
                    std::to_string(arguments[argument][dimension]) + ": " + name + " = " +
                    std::to_string(value) + ", and the program takes " +
                    (isLess ? std::to_string(symbol->minimum) + " at least"
                            : std::to_string(symbol->maximum) + " at most"));
  }

  Status checkDimensions() {
    for (size_t i = 0; i < arguments.size(); ++i) {
      for (size_t d = 0; d < arguments[i].size(); ++d) {
        SizeExpression size = sizeOf(i, d);
        std::optional<int64_t> expected = size.evaluate(lookup());
        if (expected != arguments[i][d]) {
          std::string said = size.constant() ? "" : size.str() + " = ";
          return mismatch(placeOf(image, i, d) + ", is " + std::to_string(arguments[i][d]) +
                          ", and the program takes " + said +
                          (expected ? std::to_string(*expected) : "no number"));
        }
      }
    }
    return Done();
  }

  Status checkConstraints() {
    for (const SizeConstraintDescription &constraint : image.constraints) {
      std::optional<int64_t> value = constraint.size.evaluate(lookup());
      if (!value || (constraint.isZero ? *value != 0 : *value < 0)) {
        std::string given;
        for (const std::string &name : constraint.size.symbols()) {
          given += (given.empty() ? "" : ", ") + name + " = " + std::to_string(values.at(name));
        }
        return mismatch("the program takes sizes with " + constraint.size.str() +
                        (constraint.isZero ? " = 0" : " >= 0") + ", not " + given);
      }
    }
    return Done();
  }

  const ImageDescription &image;
  std::span<const Shape> arguments;
  const std::string &location;
  std::map<std::string, int64_t> values;
};
} // namespace

Result<CallSizes> sizesOfCall(const ImageDescription &image, std::span<const Shape> arguments,
                              const std::string &location) {
  return CallSolver(image, arguments, location).run();
}

} // namespace drumlin
