#include "drumlin/driver/OperatorSupport.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/stablehlo/StablehloOperation.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "llvm/IR/LLVMContext.h"

#include <map>

namespace drumlin {

namespace {
struct Sample {
  std::string arguments, body, result, returned;
};
} // namespace

namespace {
struct Use {
  std::string_view operation, name;
  Sample sample;
};
} // namespace

static const std::vector<Use> &uses() {
  static const std::vector<Use> all = {
#define DRUMLIN_USE(operation, use, arguments, body, result, returned)                             \
  {operation, use, {arguments, body, result, returned}},
#include "drumlin/driver/OperatorUses.def"
  };
  return all;
}

// Returns a sample of an elementwise operation with one or two operands, if operands and result
// have the same type.
static std::optional<Sample> sampleOf(mlir::RegisteredOperationName name) {
  bool isUnary = name.hasTrait<mlir::OpTrait::OneOperand>();
  bool isBinary = name.hasTrait<mlir::OpTrait::NOperands<2>::Impl>();
  if (!name.hasTrait<mlir::OpTrait::Elementwise>() || !name.hasTrait<stablehlo::SameType>() ||
      (!isUnary && !isBinary)) {
    return std::nullopt;
  }
  std::string text = "%r = " + name.getStringRef().str() + (isUnary ? " %a : $V" : " %a, %b : $V");
  if (name.getDialectNamespace() == "chlo") {
    text += isUnary ? " -> $V" : ", $V -> $V";
  }
  return Sample{isUnary ? "%a: $V" : "%a: $V, %b: $V", text, "$V", "%r"};
}

static void forEachOperator(llvm::function_ref<void(mlir::RegisteredOperationName)> body) {
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    llvm::StringRef dialect = name.getDialectNamespace();
    if (dialect == "stablehlo" || dialect == "chlo") {
      body(name);
    }
  }
}

static const std::map<std::string, Sample, std::less<>> &samples() {
  static const std::map<std::string, Sample, std::less<>> all = [] {
    std::map<std::string, Sample, std::less<>> made = {
#define DRUMLIN_SAMPLE(operation, arguments, body, result, returned)                               \
  {operation, {arguments, body, result, returned}},
#include "drumlin/driver/OperatorSamples.def"
    };
    forEachOperator([&](mlir::RegisteredOperationName name) {
      if (std::optional<Sample> sample = sampleOf(name)) {
        made.try_emplace(name.getStringRef().str(), *sample);
      }
    });
    return made;
  }();
  return all;
}

static const std::vector<ElementType> &elementTypes() {
  static const std::vector<ElementType> all = {
#define DRUMLIN_ELEMENT_TYPE(Name, ...) ElementType::Name,
#include "drumlin/support/ElementType.def"
  };
  return all;
}

static void replaceAll(std::string &text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

static std::string zeroText(ElementType type) {
  if (isComplex(type)) {
    return "(0.0, 0.0)";
  }
  if (isFloat(type)) {
    // A type that can only represent scales has no zero.
    return info(type).specials == FloatSpecials::ScaleOnly ? "1.0" : "0.0";
  }
  return type == ElementType::I1 ? "false" : "0";
}

// Returns the type of the same kind with twice the number of bits. `bitcast_convert` converts two
// elements to one element of this type.
static std::optional<ElementType> widerType(ElementType type) {
  auto found = llvm::find_if(elementTypes(), [&](ElementType other) {
    return info(other).kind == info(type).kind && info(other).bits == 2 * info(type).bits;
  });
  return found == elementTypes().end() ? std::nullopt : std::optional(*found);
}

static std::optional<std::string> programOf(const Sample &sample, ElementType type) {
  std::string text = "func.func @main(" + sample.arguments + ") -> " + sample.result + " {\n" +
                     sample.body + "\nreturn " + sample.returned + " : " + sample.result + "\n}\n";
  if (text.find("$W") != std::string::npos) {
    std::optional<ElementType> wider = widerType(type);
    if (!wider) {
      return std::nullopt;
    }
    replaceAll(text, "$W", name(*wider));
  }
  std::string real(name(type == ElementType::C64    ? ElementType::F32
                        : type == ElementType::C128 ? ElementType::F64
                                                    : type));
  replaceAll(text, "$V", "tensor<4x$T>");
  replaceAll(text, "$M", "tensor<4x4x$T>");
  replaceAll(text, "$S", "tensor<$T>");
  replaceAll(text, "$R", real);
  replaceAll(text, "$Z", zeroText(type));
  replaceAll(text, "$T", name(type));
  return text;
}

std::optional<std::string> operatorSample(std::string_view operation, ElementType type) {
  auto found = samples().find(operation);
  return found == samples().end() ? std::nullopt : programOf(found->second, type);
}

std::vector<std::string_view> operatorUses(std::string_view operation) {
  std::vector<std::string_view> names;
  for (const Use &use : uses()) {
    if (use.operation == operation) {
      names.push_back(use.name);
    }
  }
  return names;
}

std::optional<std::string> operatorUseSample(std::string_view operation, std::string_view use,
                                             ElementType type) {
  auto found = llvm::find_if(
      uses(), [&](const Use &each) { return each.operation == operation && each.name == use; });
  return found == uses().end() ? std::nullopt : programOf(found->sample, type);
}

std::vector<std::string> allOperators() {
  std::vector<std::string> names;
  forEachOperator(
      [&](mlir::RegisteredOperationName name) { names.push_back(name.getStringRef().str()); });
  llvm::sort(names);
  return names;
}

static Status tryInterpreting(mlir::ModuleOp module) {
  std::vector<Tensor> arguments;
  for (mlir::Type type : entryFunction(module).getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    arguments.emplace_back(elementTypeOf(tensor.getElementType()), Shape(tensor.getShape()));
  }
  Result<std::vector<Tensor>> results = interpret(module, arguments);
  // The operation is supported if the interpreter fails only because a single process waits for
  // data that another process would send.
  if (results || results.error().code == errors::InfeedEmpty ||
      results.error().code == errors::ProcessesBlocked) {
    return Done();
  }
  return results.error();
}

static Status tryCompiling(const std::string &text, mlir::MLIRContext &context,
                           const CpuTarget &target) {
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importText(text, "sample", context);
  if (!module) {
    return module.error();
  }
  CompileOptions options;
  options.target = std::make_shared<CpuTarget>(target);
  options.verifyContracts = false;
  PhaseResult phases;
  if (Status status = runPhases(**module, options, phases); !status) {
    return status.error();
  }
  llvm::StringMap<codegen::KernelProperties> properties;
  for (auto kernel : (*module)->getOps<plan::KernelOp>()) {
    llvm::LLVMContext context;
    llvm::Module code(kernel.getSymName(), context);
    Result<codegen::KernelProperties> emitted =
        codegen::emitKernel(kernel, codegen::kernelFunctionName(kernel), code, target);
    if (!emitted) {
      return emitted.error();
    }
    properties[kernel.getSymName()] = *emitted;
  }
  llvm::LLVMContext llvmContext;
  llvm::Module entry("entry", llvmContext);
  return codegen::emitEntry(entryFunction(**module), properties, /*arena=*/{}, entry, target);
}

static Result<mlir::OwningOpRef<mlir::ModuleOp>> verifiedProgram(const std::string &text,
                                                                 mlir::MLIRContext &context) {
  ImportLimits limits;
  limits.nativeTypesOnly = false;
  return importText(text, "sample", context, limits);
}

// Returns the uses of a native operation that the compiler refuses.
static std::vector<std::string_view> refusedUses(std::string_view operation, ElementType type,
                                                 mlir::MLIRContext &context,
                                                 const CpuTarget &target) {
  std::vector<std::string_view> refused;
  for (std::string_view use : operatorUses(operation)) {
    std::optional<std::string> text = operatorUseSample(operation, use, type);
    if (text && verifiedProgram(*text, context) && !tryCompiling(*text, context, target)) {
      refused.push_back(use);
    }
  }
  return refused;
}

// Fills in the support of an operation. `text` is a program that contains only this operation.
static void askAbout(const std::string &text, mlir::MLIRContext &context, const CpuTarget &target,
                     OperatorSupport &entry) {
  auto note = [&](const Diagnostic &error) {
    if (entry.refusal.empty()) {
      entry.refusal = std::string(info(error.code).id) + ": " + error.message;
    }
  };
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = verifiedProgram(text, context);
  entry.verified = static_cast<bool>(module);
  if (!entry.verified) {
    note(module.error());
    return;
  }
  Status interpreted = tryInterpreting(**module);
  entry.interpreted = static_cast<bool>(interpreted);
  if (!interpreted) {
    note(interpreted.error());
  }
  Status native = tryCompiling(text, context, target);
  entry.native = static_cast<bool>(native);
  if (!native) {
    note(native.error());
  }
}

std::vector<OperatorSupport> operatorSupport(const std::vector<std::string> &operations,
                                             const CpuTarget &target,
                                             const ProgressFunction &progress) {
  std::vector<OperatorSupport> support;
  std::map<ElementType, std::vector<std::string_view>> ofAll;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (progress) {
      progress("operations", i, operations.size());
    }
    mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
    for (ElementType type : elementTypes()) {
      std::optional<std::string> text = operatorSample(operations[i], type);
      if (!text) {
        break;
      }
      OperatorSupport &entry = support.emplace_back();
      entry.operation = operations[i];
      entry.type = type;
      askAbout(*text, context, target, entry);
      if (!entry.native) {
        continue;
      }
      if (!ofAll.contains(type)) {
        ofAll[type] = refusedUses("", type, context, target);
      }
      entry.restrictions = ofAll[type];
      llvm::append_range(entry.restrictions, refusedUses(operations[i], type, context, target));
    }
  }
  return support;
}

} // namespace drumlin
