#include "drumlin/driver/OperatorSupport.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/IR/LLVMContext.h"

#include <map>

namespace drumlin {

namespace {
struct Sample {
  std::string arguments, body, result, returned;
};
} // namespace

// Of an elementwise operation of one or two operands, all of one type with the result.
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
    // The type that only holds scales has no zero.
    return info(type).specials == FloatSpecials::ScaleOnly ? "1.0" : "0.0";
  }
  return type == ElementType::I1 ? "false" : "0";
}

std::optional<std::string> operatorSample(std::string_view operation, ElementType type) {
  auto found = samples().find(operation);
  if (found == samples().end()) {
    return std::nullopt;
  }
  const Sample &sample = found->second;
  std::string text = "func.func @main(" + sample.arguments + ") -> " + sample.result + " {\n" +
                     sample.body + "\nreturn " + sample.returned + " : " + sample.result + "\n}\n";
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

std::vector<std::string> allOperators() {
  std::vector<std::string> names;
  forEachOperator(
      [&](mlir::RegisteredOperationName name) { names.push_back(name.getStringRef().str()); });
  llvm::sort(names);
  return names;
}

static bool isInterpreted(mlir::ModuleOp module) {
  std::vector<Tensor> arguments;
  for (mlir::Type type : entryFunction(module).getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    arguments.emplace_back(elementTypeOf(tensor.getElementType()), Shape(tensor.getShape()));
  }
  Result<std::vector<Tensor>> results = interpret(module, arguments);
  // A process alone waits for what it would be sent.
  return results || results.error().code == DiagnosticCode::InfeedEmpty ||
         results.error().code == DiagnosticCode::ProcessesBlocked;
}

static bool isNative(mlir::ModuleOp module, const CpuTarget &target) {
  CompileOptions options;
  options.target = std::make_shared<CpuTarget>(target);
  options.verifyContracts = false;
  PhaseResult phases;
  if (!runPhases(module, options, phases)) {
    return false;
  }
  llvm::StringMap<codegen::KernelProperties> properties;
  for (auto kernel : module.getOps<plan::KernelOp>()) {
    llvm::LLVMContext context;
    llvm::Module code("kernel", context);
    Result<codegen::KernelProperties> emitted =
        codegen::emitKernel(kernel, codegen::kernelFunctionName(kernel), code, target);
    if (!emitted) {
      return false;
    }
    properties[kernel.getSymName()] = *emitted;
  }
  llvm::LLVMContext context;
  llvm::Module entry("entry", context);
  return static_cast<bool>(
      codegen::emitEntry(entryFunction(module), properties, /*arenaBytes=*/0, entry, target));
}

std::vector<OperatorSupport> operatorSupport(const std::vector<std::string> &operations,
                                             const CpuTarget &target,
                                             const ProgressFunction &progress) {
  std::vector<OperatorSupport> support;
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
      ImportLimits limits;
      limits.nativeTypesOnly = false;
      Result<mlir::OwningOpRef<mlir::ModuleOp>> module =
          importText(*text, "sample", context, limits);
      entry.verified = static_cast<bool>(module);
      if (!entry.verified) {
        continue;
      }
      entry.interpreted = isInterpreted(**module);
      Result<mlir::OwningOpRef<mlir::ModuleOp>> compiled = importText(*text, "sample", context);
      entry.native = compiled && isNative(**compiled, target);
    }
  }
  return support;
}

} // namespace drumlin
