#include "drumlin/driver/PlanLock.h"

#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/VisibleText.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/transforms/requirements/KernelParts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace drumlin {

// The first line of any lock begins with this text, followed by the version of the format.
static constexpr llvm::StringLiteral headingStart = "drumlin plan lock ";
static constexpr llvm::StringLiteral heading = "drumlin plan lock 2";
static constexpr llvm::StringLiteral lastLine = "end";

int64_t PlanLock::flops() const {
  int64_t sum = 0;
  for (const LockedKernel &kernel : kernels) {
    sum = addSaturating(sum, kernel.flops);
  }
  return sum;
}

int64_t PlanLock::bytes() const {
  int64_t sum = 0;
  for (const LockedKernel &kernel : kernels) {
    sum = addSaturating(sum, addSaturating(kernel.bytesRead, kernel.bytesWritten));
  }
  return sum;
}

// Escapes a name for a line of a lock. The name is from the program and may contain any characters,
// including line breaks.
static std::string lineOf(const std::string &name) {
  std::string line;
  for (char c : visibleText(name)) {
    line += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return line;
}

static std::string typeText(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string shape;
  for (int64_t size : tensor.getShape()) {
    shape += (shape.empty() ? "" : "x") + std::to_string(size);
  }
  return std::string(name(elementTypeOf(tensor.getElementType()))) + "[" + shape + "]";
}

std::vector<std::string> typeTexts(TypeRange types) {
  std::vector<std::string> made;
  for (Type type : types) {
    if (isa<RankedTensorType>(type)) {
      made.push_back(typeText(type));
    }
  }
  return made;
}

// The attribute of an argument or result of the entry whose layout isn't row-major.
static constexpr const char *entryLayoutAttribute = "plan.layout";

static void addLayout(const char *what, unsigned number, Attribute layout, PlanLock &lock) {
  if (layout) {
    std::string text;
    llvm::raw_string_ostream(text) << what << " " << number << " " << layout;
    lock.layouts.push_back(std::move(text));
  }
}

// Returns the names of a launch's fused parts. A library call also has its function, compute type
// and epilogue as parts, so that a diff reports if one of these is lost.
static std::vector<std::string> partsOf(Operation *launch, const SymbolTable &symbols) {
  std::vector<std::string> names;
  auto call = dyn_cast<plan::LaunchOp>(launch);
  Operation *kernel = call ? symbols.lookup(call.getKernel()) : launch;
  if (auto library = dyn_cast<plan::LibraryCallOp>(launch)) {
    for (const char *field : {"function", "compute_type", "epilogue"}) {
      if (auto name = library.getCall().getAs<StringAttr>(field)) {
        names.push_back(name.str());
      }
    }
  }
  if (call || plan::kernelKindOf(launch)) {
    for (const KernelPart &part : kernelParts(kernel)) {
      names.push_back(part.name);
    }
  }
  return names;
}

PlanLock makePlanLock(ModuleOp module, const std::string &program, const Target &target,
                      const std::vector<plan::ProgramOperation> &operations,
                      const PlanCost &costs) {
  PlanLock lock;
  lock.program = lineOf(program);
  lock.target = target.name;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (auto bytes = function->getAttrOfType<IntegerAttr>(arenaBytesAttribute)) {
      lock.arenaBytes = std::max(lock.arenaBytes, bytes.getInt());
    }
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      addLayout("argument", i, function.getArgAttr(i, entryLayoutAttribute), lock);
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      addLayout("result", i, function.getResultAttr(i, entryLayoutAttribute), lock);
    }
  }
  SymbolTable symbols(module);
  for (const LaunchCost &launch : costs.launches) {
    LockedKernel made;
    made.kind = launch.kind;
    made.calls = launch.calls;
    Cost total = launch.total();
    made.flops = total.hardwareFlops();
    made.bytesRead = addSaturating(total.askedBytesRead, total.otherBytesRead);
    made.bytesWritten = addSaturating(total.askedBytesWritten, total.otherBytesWritten);
    made.inputs = typeTexts(launch.op->getOperandTypes());
    made.outputs = typeTexts(launch.op->getResultTypes());
    made.parts = partsOf(launch.op, symbols);
    for (int64_t origin : plan::originsOfLaunch(launch.op)) {
      if (static_cast<size_t>(origin) < operations.size()) {
        const plan::ProgramOperation &operation = operations[static_cast<size_t>(origin)];
        // Constants aren't listed: each kernel that uses a constant has a copy of it.
        if (operation.name != "stablehlo.constant") {
          made.operations.push_back(lineOf(operation.name + " " + operation.source));
        }
      }
    }
    lock.kernels.push_back(std::move(made));
  }
  return lock;
}

std::string lockText(const PlanLock &lock) {
  std::string text = heading.str() + "\nprogram " + lock.program + "\ntarget " + lock.target +
                     "\narena " + std::to_string(lock.arenaBytes) + "\n";
  for (const std::string &layout : lock.layouts) {
    text += "layout " + layout + "\n";
  }
  for (const LockedKernel &kernel : lock.kernels) {
    text += "kernel " + kernel.kind + " calls=" + std::to_string(kernel.calls) +
            " flops=" + std::to_string(kernel.flops) + " read=" + std::to_string(kernel.bytesRead) +
            " written=" + std::to_string(kernel.bytesWritten) + "\n  in " +
            llvm::join(kernel.inputs, " ") + "\n  out " + llvm::join(kernel.outputs, " ") + "\n";
    for (const std::string &part : kernel.parts) {
      text += "  part " + part + "\n";
    }
    for (const std::string &operation : kernel.operations) {
      text += "  op " + operation + "\n";
    }
  }
  return text + lastLine.str() + "\n";
}

bool isLockText(std::string_view text) { return llvm::StringRef(text).starts_with(headingStart); }

// Parses `calls=4 flops=…` into the fields of the kernel.
static bool readCounts(llvm::StringRef text, LockedKernel &kernel) {
  llvm::SmallVector<llvm::StringRef> pairs;
  text.split(pairs, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef pair : pairs) {
    auto [field, value] = pair.split('=');
    int64_t *place = field == "calls"     ? &kernel.calls
                     : field == "flops"   ? &kernel.flops
                     : field == "read"    ? &kernel.bytesRead
                     : field == "written" ? &kernel.bytesWritten
                                          : nullptr;
    if (!place || value.getAsInteger(10, *place)) {
      return false;
    }
  }
  return true;
}

static std::vector<std::string> wordsOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ' ', -1, /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

// Parses one line inside a kernel.
static bool readDetail(llvm::StringRef line, LockedKernel &kernel) {
  auto [what, rest] = line.split(' ');
  if (what == "in") {
    kernel.inputs = wordsOf(rest);
  } else if (what == "out") {
    kernel.outputs = wordsOf(rest);
  } else if (what == "part") {
    kernel.parts.push_back(rest.str());
  } else if (what == "op") {
    kernel.operations.push_back(rest.str());
  } else {
    return false;
  }
  return true;
}

static bool readLine(llvm::StringRef line, PlanLock &lock) {
  if (line.consume_front("  ")) {
    return !lock.kernels.empty() && readDetail(line, lock.kernels.back());
  }
  auto [what, rest] = line.split(' ');
  if (what == "program") {
    lock.program = rest.str();
  } else if (what == "target") {
    lock.target = rest.str();
  } else if (what == "arena") {
    return !rest.getAsInteger(10, lock.arenaBytes);
  } else if (what == "layout") {
    lock.layouts.push_back(rest.str());
  } else if (what == "kernel") {
    auto [kind, counts] = rest.split(' ');
    lock.kernels.emplace_back();
    lock.kernels.back().kind = kind.str();
    return !kind.empty() && readCounts(counts, lock.kernels.back());
  } else {
    return false;
  }
  return true;
}

Result<PlanLock> parseLock(std::string_view text, const std::string &path) {
  auto invalid = [&](const std::string &what, int number) {
    return diagnose(errors::LockInvalid, what, path + ":" + std::to_string(number));
  };
  PlanLock lock;
  bool isWhole = false;
  llvm::StringRef rest(text);
  int number = 1;
  for (; !rest.empty(); ++number) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (number == 1 && line != heading && isLockText(line)) {
      return invalid("the lock has the form of `" + line.str() + "`, and this is `" +
                         heading.str() + "`",
                     number);
    }
    if (!llvm::json::isUTF8(line)) {
      return invalid("the line isn't UTF-8 text", number);
    }
    bool isLast = !isWhole && number != 1 && line == lastLine;
    bool isRead = isLast || line.empty() ||
                  (number == 1 ? line == heading : !isWhole && readLine(line, lock));
    if (!isRead) {
      return invalid("`" + line.str() + "` isn't a line of a plan lock", number);
    }
    isWhole |= isLast;
  }
  if (!isWhole) {
    return invalid("the lock has no last line `" + lastLine.str() + "`: it was cut short", number);
  }
  return lock;
}

} // namespace drumlin
