#include "drumlin/driver/check/RangeCheck.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/interpreter/StandardOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/runtime/calls/CallPreparation.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/transforms/simplify/AutoCast.h"

#include <cmath>
#include <cstdio>
#include <map>

namespace drumlin {

RangeCount &RangeCount::operator+=(const RangeCount &other) {
  evaluations += other.evaluations;
  elements += other.elements;
  outside += other.outside;
  infinite += other.infinite;
  zeros += other.zeros;
  largest = std::max(largest, other.largest);
  return *this;
}

RangeCount RangeReport::total() const {
  RangeCount sum;
  for (const RangeCount &each : operands) {
    sum += each;
  }
  return sum;
}

namespace {
class RangeObserver {
public:
  RangeObserver(AutoCast::Type type, std::span<const plan::ProgramOperation> operations)
      : type(type), limit(largestOf(type)), operations(operations) {}

  // Adds a row for each rounding of the program, even if it is never evaluated.
  void addRows(mlir::ModuleOp module) {
    module.walk([&](mlir::Operation *op) {
      if (std::optional<RoundingMark> mark = roundingMark(op)) {
        rowOf(op, *mark);
      }
    });
  }

  void look(mlir::Operation *op, std::span<const Tensor> operands, const Tensor &result) {
    RoundingMark mark = *roundingMark(op);
    RangeCount seen;
    seen.evaluations = 1;
    seen.elements = result.elements();
    if (mark.operand < 0 && op->getName().getStringRef() == mark.operation) {
      lookAtComputed(operands, result, seen);
    } else {
      // `op` is clamp(least, x, largest) or a conversion of x; x is the number that is rounded.
      bool isClamp = llvm::isa<stablehlo::ClampOp>(op);
      lookAtRounded(operands[isClamp ? 1 : 0], result, seen);
    }
    rowOf(op, mark) += seen;
  }

  std::vector<RangeCount> rows() const {
    std::vector<RangeCount> all;
    for (const auto &[key, row] : table) {
      all.push_back(row);
    }
    return all;
  }

private:
  // The key of a row: the operation's origins, the path of calls to it, and the operand's number.
  // Copies of an operation in an unrolled loop have equal keys and share one row.
  using Key = std::tuple<std::vector<int64_t>, std::vector<int64_t>, int64_t>;

  RangeCount &rowOf(mlir::Operation *op, const RoundingMark &mark) {
    llvm::SmallVector<int64_t> origins = plan::originsOf(op->getLoc()),
                               calls = plan::callPathOf(op->getLoc());
    // A result has the largest number, so that its row follows the rows of the operands.
    Key key = {{origins.begin(), origins.end()},
               {calls.begin(), calls.end()},
               mark.operand < 0 ? std::numeric_limits<int64_t>::max() : mark.operand};
    auto [found, isNew] = table.try_emplace(key);
    RangeCount &row = found->second;
    if (isNew) {
      row.operation = mark.operation;
      row.source = plan::sourceOf(op->getLoc());
      bool isProduct = mark.operation == stablehlo::DotGeneralOp::getOperationName() ||
                       mark.operation == stablehlo::ConvolutionOp::getOperationName();
      row.operand = mark.operand < 0 ? "result"
                    : isProduct      ? (mark.operand == 0 ? "lhs" : "rhs")
                                     : "operand " + std::to_string(mark.operand);
      if (!origins.empty() && static_cast<size_t>(origins.front()) < operations.size()) {
        const auto &scopes = operations[static_cast<size_t>(origins.front())].scopes;
        row.scope = scopes.empty() ? "" : scopes.front();
      }
    }
    return row;
  }

  static double at(const Tensor &tensor, int64_t i) {
    return toDouble(tensor.type(),
                    tensor.data() + static_cast<size_t>(i) * storageBytes(tensor.type()));
  }

  void lookAtRounded(const Tensor &before, const Tensor &after, RangeCount &seen) const {
    bool isSaturated = type == AutoCast::Type::Fp8E4M3;
    for (int64_t i = 0; i < before.elements(); ++i) {
      double x = at(before, i), y = at(after, i);
      if (std::isnan(x)) {
        continue;
      }
      if (isSaturated) {
        y = roundTo(ElementType::F8E4M3FN, y);
      }
      seen.outside += std::fabs(x) > limit ? 1 : 0;
      seen.infinite += std::isinf(y) && std::isfinite(x) ? 1 : 0;
      seen.zeros += y == 0 && x != 0 ? 1 : 0;
      seen.largest = std::max(seen.largest, std::fabs(x));
    }
  }

  // Counts the infinities in a result that was computed in the narrower type. The exact values are
  // unknown, but f32 arithmetic usually gives no infinity for finite operands.
  static void lookAtComputed(std::span<const Tensor> operands, const Tensor &result,
                             RangeCount &seen) {
    for (int64_t i = 0; i < result.elements(); ++i) {
      double y = at(result, i);
      if (std::isnan(y)) {
        continue;
      }
      bool isFresh = std::isinf(y) && llvm::all_of(operands, [&](const Tensor &operand) {
                       return std::isfinite(at(operand, operand.elements() == 1 ? 0 : i));
                     });
      seen.outside += isFresh ? 1 : 0;
      seen.infinite += isFresh ? 1 : 0;
      seen.largest = std::max(seen.largest, std::fabs(y));
    }
  }

  AutoCast::Type type;
  double limit;
  std::span<const plan::ProgramOperation> operations;
  std::map<Key, RangeCount> table;
};
} // namespace

// Returns the interpreter's table with handlers that also show marked roundings to the observer.
static InterpreterTable observingTable(RangeObserver &observer) {
  const InterpreterTable &standard = standardOperations();
  InterpreterTable table;
  for (const std::string &name : standard.names()) {
    const OperationHandler *original = standard.find(name);
    table.add(name, [original, &observer](mlir::Operation *op, std::vector<Tensor> operands,
                                          Frame &frame) {
      if (!roundingMark(op)) {
        return (*original)(op, std::move(operands), frame);
      }
      // The copy keeps the handler from modifying the original operands in place.
      std::vector<Tensor> kept = operands;
      Result<std::vector<Tensor>> results = (*original)(op, std::move(operands), frame);
      if (results) {
        observer.look(op, kept, results->front());
      }
      return results;
    });
  }
  return table;
}

Result<RangeReport> checkRanges(mlir::ModuleOp program, const CompileOptions &compilation,
                                std::span<const Tensor> arguments, int64_t maxMemory) {
  mlir::OwningOpRef<mlir::ModuleOp> rounded = mlir::cast<mlir::ModuleOp>(program->clone());
  PhaseResult phases;
  if (Status status = roundProgram(*rounded, compilation, phases); !status) {
    return status.error();
  }
  if (compilation.progress) {
    compilation.progress("interpreting the rounded program", 0, 0);
  }
  RangeObserver observer(compilation.autoCast.type, phases.operations);
  observer.addRows(*rounded);
  std::vector<Tensor> all(arguments.begin(), arguments.end());
  for (const NamedTensor &weight : phases.weights) {
    all.push_back(weight.tensor);
  }
  InterpreterTable table = observingTable(observer);
  static const HostCaller hostCaller = callOnce;
  InterpreterOptions interpreter;
  interpreter.table = &table;
  interpreter.hostCaller = &hostCaller;
  interpreter.maxMemory = maxMemory;
  interpreter.kernels.maxBytes = maxMemory;
  Result<std::vector<Tensor>> results = interpret(entryFunction(*rounded), all, interpreter);
  if (!results) {
    return results.error();
  }
  return RangeReport{std::string(nameOf(compilation.autoCast.type)),
                     largestOf(compilation.autoCast.type), observer.rows()};
}

//===-- the report ----------------------------------------------------------------------------===//

static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

static std::string countsText(const RangeCount &row) {
  std::string text =
      std::to_string(row.outside) + " of " + std::to_string(row.elements) + " elements outside";
  if (row.infinite > 0) {
    text += " (" + std::to_string(row.infinite) + " became infinity)";
  }
  return text + ", " + std::to_string(row.zeros) + " became zero";
}

std::string rangesText(const RangeReport &report) {
  std::string text = "ranges: " + report.type + " holds up to " + numberText(report.limit) + "\n";
  for (const RangeCount &row : report.operands) {
    text += "  " + (row.source.empty() ? "" : row.source + ": ") + row.operation +
            (row.scope.empty() ? "" : " (" + row.scope + ")") + ": " + row.operand + ": ";
    text += row.evaluations == 0
                ? "never evaluated\n"
                : countsText(row) + ", largest magnitude " + numberText(row.largest) + "\n";
  }
  return text + "ranges: in all, " + countsText(report.total()) + "\n";
}

static void writeCounts(JsonStream &out, const RangeCount &row) {
  out.attribute("elements", row.elements);
  out.attribute("outside", row.outside);
  out.attribute("became_infinity", row.infinite);
  out.attribute("became_zero", row.zeros);
}

void writeRanges(JsonStream &out, const RangeReport &report) {
  out.attributeObject("ranges", [&] {
    out.attribute("type", report.type);
    out.attribute("limit", report.limit);
    out.attributeArray("operands", [&] {
      for (const RangeCount &row : report.operands) {
        out.object([&] {
          out.attribute("operation", row.operation);
          out.attribute("source", row.source);
          out.attribute("scope", row.scope);
          out.attribute("operand", row.operand);
          out.attribute("evaluations", row.evaluations);
          writeCounts(out, row);
          // JSON can't represent infinity.
          std::isfinite(row.largest) ? out.attribute("largest", row.largest)
                                     : out.attribute("largest", "inf");
        });
      }
    });
    writeCounts(out, report.total());
  });
}

} // namespace drumlin
