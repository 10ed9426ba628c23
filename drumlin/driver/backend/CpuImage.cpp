// Makes a CPU plan's image: kernels and entry as ELF objects, and their description.
#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/driver/CompileBudget.h"
#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/Linker.h"
#include "drumlin/driver/PlanLock.h"
#include "drumlin/driver/ValueDescriptions.h"
#include "drumlin/driver/WeightTable.h"
#include "drumlin/driver/backend/Backends.h"
#include "drumlin/driver/tuner/KernelTuning.h"
#include "drumlin/interpreter/InterpretedCalls.h"
#include "drumlin/ir/costs/KernelTimes.h"
#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/ElidedConstants.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/Processes.h"
#include "drumlin/ir/sizes/BoundedResults.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/transforms/entry/Weights.h"
#include "llvm/IR/LLVMContext.h"

namespace drumlin {

static constexpr const char *compilerVersion = "drumlin 0.1.0";

// Links an image and parses it as the loader does, so that a faulty image ends the compilation and
// doesn't overwrite an earlier image.
static Result<std::string> linkedImage(std::vector<std::string> objects) {
  Result<std::string> image = linkImage(objects);
  if (!image) {
    return image;
  }
  // Frees memory: the image and its parsed form may each be as large as the objects.
  objects.clear();
  std::span<const std::byte> bytes = std::as_bytes(std::span<const char>(*image));
  Result<ImageLayout> layout = inspectImage(bytes, "");
  Result<ImageDescription> description =
      layout ? parse(layout->metadata, "") : Result<ImageDescription>(layout.error());
  if (!description) {
    return diagnose(errors::InternalError,
                    "the image that was linked can't be read: " + description.error().message);
  }
  return image;
}

// Describes the signature, including donations. JAX writes a donation as the attribute
// `tf.aliasing_output`, which names the result that reuses an argument's memory.
static void describeSignature(mlir::func::FuncOp main, ImageDescription &description) {
  unsigned passed = main.getNumArguments() - static_cast<unsigned>(weightCount(main));
  for (unsigned i = 0; i < passed; ++i) {
    ValueDescription value =
        describeValue(callersArgument(main, i), argumentName(main.getArgument(i)));
    value.isStatic =
        main.getArgAttr(i, staticAttribute) && !main.getArgAttr(i, layoutModeAttribute);
    if (auto result = main.getArgAttrOfType<mlir::IntegerAttr>(i, "tf.aliasing_output")) {
      value.donatedTo = result.getInt();
    }
    description.arguments.push_back(std::move(value));
  }
  std::vector<CountedBy> counts = countsOfResults(main);
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    std::string name = "result" + std::to_string(i);
    if (auto given = main.getResultAttrOfType<mlir::StringAttr>(i, "jax.result_info")) {
      name = given.str();
    }
    description.results.push_back(describeValue(callersResult(main, i), name));
    if (!counts[i].empty()) { // a complex result is described with one more dimension
      counts[i].resize(description.results.back().shape.size(), -1);
    }
    description.results.back().countedBy = counts[i];
  }
}

// Describes symbolic sizes. Fails if an argument or result with symbolic sizes is marked static or
// isn't row-major.
static Status describeSizes(mlir::func::FuncOp main, ImageDescription &description) {
  for (const std::vector<ValueDescription> *values :
       {&description.arguments, &description.results}) {
    for (const ValueDescription &value : *values) {
      if (!value.sizes.empty() && (value.isStatic || !value.layout.empty())) {
        return diagnose(errors::UnsupportedDynamicShape,
                        "`" + value.name +
                            "`, whose sizes are known only when the program runs, "
                            "can't be static or have a layout of its own",
                        plan::sourceOf(main.getLoc()));
      }
    }
  }
  for (const ValueDescription &argument : description.arguments) {
    bool isDonated = argument.donatedTo >= 0;
    if (isDonated && str(argument.sizes) !=
                         str(description.results[static_cast<size_t>(argument.donatedTo)].sizes)) {
      return diagnose(errors::ProgramInvalid,
                      "`" + argument.name + "` gives its memory to a result of other sizes",
                      plan::sourceOf(main.getLoc()));
    }
  }
  for (const SizeSymbol &symbol : sizeSymbolsOf(main)) {
    description.symbols.push_back({symbol.name, symbol.minimum, symbol.maximum});
  }
  for (const SizeConstraint &constraint : sizeConstraintsOf(main)) {
    description.constraints.push_back({constraint.size, constraint.isZero});
  }
  for (const SizeExpression &slot : arenaSlotsOf(main)) {
    description.slotBytes = description.slotBytes + slot;
  }
  return Done{};
}

// Returns, for each kernel, the cost of a call, taken from the kernel's first launch.
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

static Deadline deadlineOf(const CompileOptions &options) {
  if (options.timeBudget <= 0) {
    return {};
  }
  std::chrono::duration<double> seconds(options.timeBudget);
  return options.budget->since() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds);
}

namespace {
// Makes one image. Each step fills in the fields that later steps need.
class ImageMaker {
  template <typename Action> auto timed(const char *step, Action action) {
    auto begin = std::chrono::steady_clock::now();
    auto result = action();
    std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    made.phases.times.push_back({"codegen", step, taken.count(), peakKilobytes(options)});
    return result;
  }

public:
  ImageMaker(mlir::ModuleOp module, std::string program, const CpuTarget &target,
             const CompileOptions &options, Compilation &made)
      : module(module), program(std::move(program)), target(target), options(options), made(made) {}

  Status make() {
    Status tuned = timed("tuning", [&] {
      return tuneKernels(module, target, options, made.phases.ledger, deadlineOf(options));
    });
    if (!tuned) {
      return tuned;
    }
    price(module, made);
    Result<std::vector<CompiledKernel>> kernels =
        timed("kernels", [&] { return compileKernels(module, target, options, emitter); });
    if (!kernels) {
      return kernels.error();
    }
    made.kernels = std::move(*kernels);
    if (Status described = describeProgram(); !described) {
      return described;
    }
    describeKernels();
    if (Status described = describePlan(); !described) {
      return described;
    }
    return link();
  }

private:
  // Describes the program's signature, its symbolic sizes and its weights.
  Status describeProgram() {
    ImageDescription &image = made.description;
    image.abi = DRUMLIN_IMAGE_ABI;
    image.compilerVersion = compilerVersion;
    image.program = program;
    image.targetCpu = target.name;
    image.cpuFeatures = target.features;
    describeSignature(main(), image);
    if (Status sized = describeSizes(main(), image); !sized) {
      return sized;
    }
    Status described = timed("weights", [&] {
      return describeWeights(main(), options, made.phases, image, made.constants);
    });
    if (!described) {
      return described;
    }
    image.elided = elidedConstantOf(module);
    if (GridShape grid = gridOf(module); isCompiledGrid(grid)) {
      image.grid = grid;
    }
    for (plan::HostCallOp call : plan::hostCallsOf(main())) {
      Result<HostCall> hostCall = describeHostCall(call);
      if (!hostCall) {
        return hostCall.error();
      }
      image.hostCalls.push_back(std::move(*hostCall));
    }
    return Done{};
  }

  // Describes each kernel with its costs, and the memory that all kernels share.
  void describeKernels() {
    ImageDescription &image = made.description;
    uint64_t partials = 0;
    SizeExpression sizedPartials;
    mlir::SymbolTable symbols(module);
    llvm::StringMap<const Cost *> costOf = costsOfKernels(made.costs);
    llvm::StringMap<double> secondsOf;
    for (KernelTime &time : kernelTimes(module, target, &made.phases.kernelCosts)) {
      secondsOf[time.kernel.getSymName()] = time.secondsOfCall;
    }
    for (CompiledKernel &kernel : made.kernels) {
      const codegen::KernelProperties &of = kernel.properties;
      properties[kernel.name] = of;
      if (std::optional<int64_t> bytes = of.scratchBytes.constant()) {
        image.scratchBytes = std::max(image.scratchBytes, roundUp(static_cast<uint64_t>(*bytes)));
      } else {
        image.scratchSizes.push_back(of.scratchBytes);
      }
      if (std::optional<int64_t> bytes = of.partialBytes.constant()) {
        partials = std::max(partials, static_cast<uint64_t>(*bytes));
      } else {
        sizedPartials =
            SizeExpression::larger(sizedPartials, of.partialBytes.roundedUpTo(DRUMLIN_ALIGNMENT));
      }
      auto symbol = symbols.lookup<plan::KernelOp>(kernel.name);
      image.kernels.push_back(
          {kernel.name, symbol.getKey().str(), of.tiles.nominal, 0, 0, 0, of.tilesTogether,
           secondsOf.lookup(kernel.name) /
               static_cast<double>(std::max<int64_t>(of.tiles.nominal * of.steps, 1))});
      if (const Cost *cost = costOf.lookup(kernel.name)) {
        KernelDescription &last = image.kernels.back();
        last.modelFlops = static_cast<uint64_t>(cost->modelFlops());
        last.bytesRead =
            static_cast<uint64_t>(addSaturating(cost->askedBytesRead, cost->otherBytesRead));
        last.bytesWritten =
            static_cast<uint64_t>(addSaturating(cost->askedBytesWritten, cost->otherBytesWritten));
      }
      objects.push_back(std::move(kernel.object));
    }
    planned = roundUp(static_cast<uint64_t>(
        main()->getAttrOfType<mlir::IntegerAttr>(arenaBytesAttribute).getInt() -
        nominalSlotBytes(main())));
    image.arenaBytes = planned + roundUp(partials);
    image.slotBytes = image.slotBytes + sizedPartials;
  }

  Status describePlan() {
    ImageDescription &image = made.description;
    if (std::string what = findTooLarge(image); !what.empty()) {
      return diagnose(errors::TensorTooLarge, what);
    }
    image.cost = made.costs.total;
    image.isTimed = options.timeKernels;
    image.plan = made.planText;
    if (options.keepsDecisions) {
      image.ledger = made.phases.ledger.json();
      image.lock =
          lockText(makePlanLock(module, program, target, made.phases.operations, made.costs));
    }
    return Done{};
  }

  // Links the image from the kernels' objects, the entry's object, and the embedded routines that
  // the kernels call. The entry calls the kernels; its object also contains the description.
  Status link() {
    llvm::LLVMContext context;
    llvm::Module entry("entry", context);
    Status emitted = codegen::emitEntry(
        main(), properties,
        {static_cast<int64_t>(planned), static_cast<int64_t>(made.description.arenaBytes)}, entry,
        target, options.timeKernels ? codegen::EntryReach::Nothing : codegen::EntryReach::Buffers);
    if (!emitted) {
      return emitted;
    }
    codegen::emitImageSymbol(module, properties, serialize(made.description), entry);
    Result<llvm::SmallVector<char, 0>> entryObject =
        timed("entry", [&] { return emitter.emit(entry, codegen::Effort::Entry); });
    if (!entryObject) {
      return entryObject.error();
    }
    objects.emplace_back(entryObject->begin(), entryObject->end());
    llvm::append_range(objects, routineObjects(made.kernels, target));
    Result<std::string> linked = timed("link", [&] { return linkedImage(std::move(objects)); });
    if (!linked) {
      return linked.error();
    }
    made.image = std::move(*linked);
    return Done{};
  }

  mlir::func::FuncOp main() { return entryFunction(module); }

  mlir::ModuleOp module;
  std::string program;
  const CpuTarget &target;
  const CompileOptions &options;
  codegen::ObjectEmitter emitter{target};
  Compilation &made;
  llvm::StringMap<codegen::KernelProperties> properties;
  std::vector<std::string> objects;
  uint64_t planned = 0; // bytes of the plan's arena, without the kernels' partial results
};
} // namespace

Status CpuBackend::makeImage(mlir::ModuleOp plan, const std::string &program,
                             const CompileOptions &options, Compilation &made) const {
  return ImageMaker(plan, program, target, options, made).make();
}

} // namespace drumlin
