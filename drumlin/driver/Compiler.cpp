#include "drumlin/driver/Compiler.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/driver/Linker.h"
#include "drumlin/driver/PlanLock.h"
#include "drumlin/driver/tuner/KernelTuning.h"
#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/executable/WeightsFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/target/TensorEngine.h"
#include "drumlin/transforms/entry/Weights.h"
#include "llvm/IR/LLVMContext.h"

namespace drumlin {

static constexpr const char *programAttribute = "plan.program";
static constexpr const char *compilerVersion = "drumlin 0.1.0";

ValueDescription describeValue(mlir::Type type, std::string name) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  ValueDescription value;
  value.name = std::move(name);
  value.type = elementTypeOf(tensor.getElementType());
  value.shape = Shape(tensor.getShape());
  return value;
}

// An argument or result of the program whose type is its shape in memory.
static ValueDescription describeValue(mlir::Type type, std::string name,
                                      const std::optional<BlockedLayout> &layout) {
  ValueDescription value = describeValue(type, std::move(name));
  if (layout) {
    value.shape = layout->shape;
    value.layout = layout->order;
    value.blocks = layout->blocks;
  }
  return value;
}

// A weight's elements as they lie in its layout.
static Tensor stored(const Tensor &elements, const ValueDescription &value) {
  return value.layout.empty() ? elements : toPhysical(elements, value.memoryLayout());
}

Tensor Compilation::storedWeight(size_t number) const {
  return stored(phases.weights[number].tensor, description.weights[number].value);
}

// The signature, with donations as JAX writes them: `tf.aliasing_output` names the result that
// takes over an argument.
static void describeSignature(mlir::func::FuncOp main, ImageDescription &description) {
  unsigned passed = main.getNumArguments() - static_cast<unsigned>(weightCount(main));
  for (unsigned i = 0; i < passed; ++i) {
    ValueDescription value = describeValue(
        main.getArgumentTypes()[i], argumentName(main.getArgument(i)), argumentLayout(main, i));
    value.isStatic =
        main.getArgAttr(i, staticAttribute) && !main.getArgAttr(i, layoutModeAttribute);
    if (auto result = main.getArgAttrOfType<mlir::IntegerAttr>(i, "tf.aliasing_output")) {
      value.donatedTo = result.getInt();
    }
    description.arguments.push_back(std::move(value));
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    std::string name = "result" + std::to_string(i);
    if (auto given = main.getResultAttrOfType<mlir::StringAttr>(i, "jax.result_info")) {
      name = given.str();
    }
    description.results.push_back(
        describeValue(main.getResultTypes()[i], name, resultLayout(main, i)));
  }
}

static std::span<const std::byte> bytesOf(const Tensor &tensor) {
  return {tensor.data(), static_cast<size_t>(tensor.bytes())};
}

// The table of weights: first those that are bound, which get places in the side file, then the
// program's constants, which lie in the image.
static Status describeWeights(mlir::func::FuncOp main, std::span<const NamedTensor> bound,
                              ImageDescription &description) {
  size_t expected = weightCount(main);
  if (bound.size() != expected) {
    auto names = main->getAttrOfType<mlir::ArrayAttr>(weightsAttribute);
    return diagnose(DiagnosticCode::WeightMissing,
                    "the program has " + std::to_string(expected) +
                        " weights that were bound, such as `" +
                        mlir::cast<mlir::StringAttr>(names[0]).str() + "`, and no file has them",
                    "--weights");
  }
  for (size_t i = 0; i < expected; ++i) {
    WeightDescription weight;
    mlir::BlockArgument argument =
        main.getArgument(static_cast<unsigned>(main.getNumArguments() - expected + i));
    weight.value = describeValue(argument.getType(), bound[i].name,
                                 argumentLayout(main, argument.getArgNumber()));
    // Transposed here for the hash alone, and again where it is written: one weight at a time.
    weight.contentHash = contentHash(bytesOf(stored(bound[i].tensor, weight.value)));
    description.weights.push_back(std::move(weight));
  }
  placeWeights(description, /*embedBelow=*/0);
  // Known before any constant's elements are spelled out: a splat has one.
  int64_t embedded = 0;
  main.walk([&](stablehlo::ConstantOp constant) {
    embedded = addSaturating(embedded, bytesOf(constant.getResult()));
  });
  if (embedded > maxEmbeddedBytes) {
    return diagnose(DiagnosticCode::InputTooLarge,
                    "the program has " + std::to_string(embedded) +
                        " bytes of constants in memory, and an image holds " +
                        std::to_string(maxEmbeddedBytes));
  }
  std::optional<Diagnostic> failure;
  main.walk([&](stablehlo::ConstantOp constant) {
    WeightDescription weight;
    weight.value = describeValue(
        constant.getType(), "constant" + std::to_string(description.weights.size() - expected));
    Result<Tensor> tensor = tensorFromAttribute(constant.getValue());
    if (!tensor) {
      failure = tensor.error();
      return;
    }
    std::span<const std::byte> bytes = bytesOf(*tensor);
    const auto *raw = reinterpret_cast<const uint8_t *>(bytes.data());
    weight.embedded.assign(raw, raw + bytes.size());
    weight.contentHash = contentHash(bytes);
    description.weights.push_back(std::move(weight));
  });
  if (failure) {
    return *failure;
  }
  return Done{};
}

// Of one call of each kernel, by its first launch.
static llvm::StringMap<const Cost *> costsOfKernels(const PlanCost &costs) {
  llvm::StringMap<const Cost *> first;
  for (const LaunchCost &launch : costs.launches) {
    first.try_emplace(launch.kernel, &launch.cost);
  }
  return first;
}

static uint64_t roundUp(uint64_t bytes) {
  return (bytes + DRUMLIN_ALIGNMENT - 1) / DRUMLIN_ALIGNMENT * DRUMLIN_ALIGNMENT;
}

Result<Compilation> compile(mlir::ModuleOp module, const std::string &name,
                            const CompileOptions &options) {
  Compilation made;
  Deadline deadline;
  if (options.timeBudget > 0) {
    std::chrono::duration<double> budget(options.timeBudget);
    deadline = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(budget);
  }
  const auto *target = llvm::dyn_cast<CpuTarget>(options.target.get());
  if (!target) {
    return diagnose(DiagnosticCode::EngineWithoutCode,
                    "`" + options.target->name + "` is a target for " +
                        std::string(options.target->use()) + ": no code is made for it",
                    "--target");
  }
  // The text of a phase keeps the name of the program that it came from.
  auto given = module->getAttrOfType<mlir::StringAttr>(programAttribute);
  std::string program = given ? given.str() : name;
  module->setAttr(programAttribute, mlir::StringAttr::get(module.getContext(), program));
  if (Status status = runPhases(module, options, made.phases); !status) {
    return status.error();
  }
  auto price = [&] {
    made.costs = planCost(module);
    made.planText = planText(module, made.costs);
  };
  if (!options.stopAfter.empty()) {
    price();
    return made;
  }
  auto timed = [&](const char *step, auto action) {
    auto begin = std::chrono::steady_clock::now();
    auto result = action();
    std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    made.phases.times.push_back({"codegen", step, taken.count(), peakKilobytes()});
    return result;
  };

  Status tuned = timed("tuning", [&] {
    return tuneKernels(module, *target, options, made.phases.ledger, deadline);
  });
  if (!tuned) {
    return tuned.error();
  }
  price();
  codegen::ObjectEmitter emitter(*target);
  Result<std::vector<CompiledKernel>> kernels =
      timed("kernels", [&] { return compileKernels(module, *target, options, emitter); });
  if (!kernels) {
    return kernels.error();
  }
  mlir::func::FuncOp main = entryFunction(module);
  ImageDescription &image = made.description;
  image.abi = DRUMLIN_IMAGE_ABI;
  image.compilerVersion = compilerVersion;
  image.program = program;
  image.targetCpu = target->name;
  image.cpuFeatures = target->features;
  describeSignature(main, image);
  if (Status status = describeWeights(main, made.phases.weights, image); !status) {
    return status.error();
  }
  auto planned = roundUp(
      static_cast<uint64_t>(main->getAttrOfType<mlir::IntegerAttr>(arenaBytesAttribute).getInt()));
  uint64_t partials = 0;
  llvm::StringMap<codegen::KernelProperties> properties;
  std::vector<std::string> objects;
  mlir::SymbolTable symbols(module);
  llvm::StringMap<const Cost *> costOf = costsOfKernels(made.costs);
  for (CompiledKernel &kernel : *kernels) {
    properties[kernel.name] = kernel.properties;
    partials = std::max(partials, static_cast<uint64_t>(kernel.properties.partialBytes));
    image.scratchBytes = std::max(image.scratchBytes,
                                  roundUp(static_cast<uint64_t>(kernel.properties.scratchBytes)));
    auto symbol = symbols.lookup<plan::KernelOp>(kernel.name);
    image.kernels.push_back({kernel.name, symbol.getKey().str(), kernel.properties.tiles, 0, 0, 0});
    if (const Cost *cost = costOf.lookup(kernel.name)) {
      image.kernels.back().modelFlops = static_cast<uint64_t>(cost->modelFlops());
      image.kernels.back().bytesRead =
          static_cast<uint64_t>(addSaturating(cost->askedBytesRead, cost->otherBytesRead));
      image.kernels.back().bytesWritten =
          static_cast<uint64_t>(addSaturating(cost->askedBytesWritten, cost->otherBytesWritten));
    }
    objects.push_back(std::move(kernel.object));
  }
  image.arenaBytes = planned + roundUp(partials);
  if (std::string what = findTooLarge(image); !what.empty()) {
    return diagnose(DiagnosticCode::TensorTooLarge, what);
  }
  image.cost = made.costs.total;
  image.isTimed = options.timeKernels;
  image.plan = made.planText;
  image.ledger = made.phases.ledger.json();
  image.lock = lockText(makePlanLock(module, program, *target, made.phases.operations, made.costs));

  llvm::LLVMContext context;
  llvm::Module entry("entry", context);
  Status emitted =
      codegen::emitEntry(main, properties, static_cast<int64_t>(planned), entry, *target,
                         options.timeKernels ? codegen::Timers::Each : codegen::Timers::None);
  if (!emitted) {
    return emitted.error();
  }
  codegen::emitImageSymbol(serialize(image), entry);
  Result<llvm::SmallVector<char, 0>> entryObject =
      timed("entry", [&] { return emitter.emit(entry, codegen::Effort::Entry); });
  if (!entryObject) {
    return entryObject.error();
  }
  objects.emplace_back(entryObject->begin(), entryObject->end());
  llvm::append_range(objects, routineObjects(*kernels, *target));
  Result<std::string> linked = timed("link", [&] { return linkImage(objects); });
  if (!linked) {
    return linked.error();
  }
  made.image = std::move(*linked);
  made.kernels = std::move(*kernels);
  return made;
}

} // namespace drumlin
