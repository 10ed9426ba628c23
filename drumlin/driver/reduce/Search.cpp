#include "drumlin/driver/reduce/Search.h"

#include "drumlin/driver/reduce/ArgumentNumbers.h"
#include "drumlin/driver/reduce/Edits.h"
#include "drumlin/import/ProgramCheck.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace drumlin::reduce {

namespace {
enum Part {
  Calls,
  Operations,
  Constants,
  Results,
  Arguments,
  Held,
  Elements,
  Types,
  Attributes,
  Text
};
} // namespace

static void addValue(Value value, Size &size) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor) {
    return;
  }
  for (int64_t each : tensor.getShape()) {
    // Adds the sizes of the dimensions, since their product could overflow. Like the product, the
    // sum gets smaller if any size gets smaller.
    constexpr int64_t most = int64_t(1) << 40;
    size[Elements] += ShapedType::isDynamic(each) ? most : std::min(each, most);
  }
  size[Elements] += tensor.getRank();
  Type element = tensor.getElementType();
  size[Types] += !element.isF32() && !element.isSignlessInteger(32) && !element.isInteger(1);
}

// Returns the rank of a constant: 0 if all elements are 0, 1 if all are 1, 2 if all equal another
// number, 3 if they differ.
static int64_t heldBy(ElementsAttr elements) {
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense || !dense.isSplat()) {
    return 3;
  }
  if (auto numbers = dyn_cast<DenseFPElementsAttr>(dense)) {
    APFloat number = numbers.getSplatValue<APFloat>();
    return number.isPosZero() ? 0 : number.isExactlyValue(1) ? 1 : 2;
  }
  if (auto numbers = dyn_cast<DenseIntElementsAttr>(dense)) {
    APInt number = numbers.getSplatValue<APInt>();
    return number.isZero() ? 0 : number.isOne() ? 1 : 2;
  }
  return 2;
}

static void addAttributes(Operation *op, Size &size) {
  for (NamedAttribute named : op->getAttrs()) {
    ++size[Attributes];
    if (auto numbers = dyn_cast<DenseI64ArrayAttr>(named.getValue())) {
      for (int64_t number : numbers.asArrayRef()) {
        size[Attributes] += std::abs(number);
      }
    } else if (auto pairs = dyn_cast<DenseIntElementsAttr>(named.getValue());
               pairs && !isa<stablehlo::ConstantOp>(op)) {
      for (const APInt &number : pairs.getValues<APInt>()) {
        size[Attributes] += std::abs(number.getSExtValue());
      }
    }
  }
}

static void addOperation(Operation *op, Size &size) {
  addAttributes(op, size);
  for (Region &region : op->getRegions()) {
    for (BlockArgument argument : region.getArguments()) {
      addValue(argument, size);
    }
  }
  if (op->hasTrait<OpTrait::IsTerminator>() || isa<ModuleOp, func::FuncOp>(op)) {
    return;
  }
  for (OpResult result : op->getResults()) {
    addValue(result, size);
  }
  size[Calls] += isa<func::CallOp, stablehlo::CompositeOp>(op);
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    ++size[Constants];
    size[Held] += heldBy(constant.getValue());
  } else {
    ++size[Operations];
  }
}

static Size sizeOf(ModuleOp module, StringRef text) {
  Size size{};
  module->walk([&](Operation *op) { addOperation(op, size); });
  func::FuncOp entry = entryFunction(module);
  size[Results] = entry.getNumResults();
  size[Arguments] = entry.getNumArguments();
  size[Text] = static_cast<int64_t>(text.size());
  return size;
}

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

// Returns whether the module is valid, by the checks for a program read from a file.
static bool isValid(ModuleOp module) {
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](mlir::Diagnostic &) { return success(); });
  return succeeded(verify(module)) && checkProgram(module);
}

Search::Search(OwningOpRef<ModuleOp> given, const ReduceOptions &options,
               IsInteresting isInteresting, ReduceReport &report)
    : program(std::move(given)), options(options), isInteresting(isInteresting), report(report) {
  numberArguments(*program);
}

func::FuncOp Search::entry() const { return entryFunction(*program); }

bool Search::ask(ModuleOp candidate) {
  ++report.tries;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(candidate->clone());
  return isInteresting(*copy);
}

bool Search::begin() {
  size = sizeOf(*program, textOf(*program));
  if (!ask(*program)) {
    return false;
  }
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(program->clone());
  eraseDead(*copy);
  bool hasDead = sizeOf(*copy, textOf(*copy)) < size;
  if (hasDead && !attempt("dropping unused operations", [](ModuleOp) { return true; })) {
    dropsDead = false;
  }
  return true;
}

bool Search::isOver() {
  if (options.isStopped && options.isStopped()) {
    report.end = ReduceReport::End::Stopped;
  } else if (report.tries >= options.maxTries) {
    report.end = ReduceReport::End::MaxTries;
  }
  return report.end != ReduceReport::End::FixedPoint;
}

bool Search::attempt(const char *step, Change change) {
  if (isOver()) {
    return false;
  }
  OwningOpRef<ModuleOp> candidate = cast<ModuleOp>(program->clone());
  if (!change(*candidate)) {
    return false;
  }
  if (dropsDead) {
    eraseDead(*candidate);
  }
  if (!isValid(*candidate)) {
    return false;
  }
  std::string text = textOf(*candidate);
  Size candidateSize = sizeOf(*candidate, text);
  if (candidateSize >= size || !tried.insert(llvm::xxh3_64bits(text)).second) {
    return false;
  }
  if (options.progress) {
    options.progress("reducing: " + std::to_string(size[Operations] + size[Constants]) +
                         " operations, try " + std::to_string(report.tries) + ", " + step,
                     0, 0);
  }
  if (!ask(*candidate)) {
    return false;
  }
  program = std::move(candidate);
  size = candidateSize;
  ++successes;
  return true;
}

void forEachChunk(Search &search, llvm::function_ref<size_t()> count,
                  llvm::function_ref<void(size_t, size_t)> tryChunk) {
  for (size_t size = std::max<size_t>(count() / 2, 1); size > 0; size /= 2) {
    for (size_t end = count(); end > 0 && !search.isOver();) {
      size_t begin = end > size ? end - size : 0;
      tryChunk(begin, end);
      end = std::min(begin, count());
    }
  }
}

} // namespace drumlin::reduce
