#include "drumlin/codegen/cpu/ObjectEmitter.h"

#include "drumlin/codegen/cpu/machine/Machines.h"
#include "drumlin/codegen/cpu/math/MathLibrary.h"
#include "drumlin/support/SystemLimits.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LastRunTrackingAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryDependenceAnalysis.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PhiValues.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <ranges>
#include <utility>
#include <vector>

using namespace llvm;

namespace drumlin::codegen {

// Maximum number of calls of a math function in one kernel that are inlined. With more calls, the
// function isn't inlined: inlining all of them would slow compilation down and gain nothing.
static constexpr unsigned maxInlinedCalls = 6;

static std::unique_ptr<TargetMachine> makeTargetMachine(const CpuTarget &target) {
  const Machine &of = machineOf(target);
  of.registerInLlvm();
  std::string error;
  Triple triple(of.triple());
  const llvm::Target *found = TargetRegistry::lookupTarget(triple, error);
  assert(found && "the machine registers its LLVM target");
  TargetOptions options;
  // The program's multiplications and additions are rounded separately. Fused multiply-adds are
  // explicit fma intrinsics.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(
      triple, of.baseCpu(), target.featureString(), options, Reloc::PIC_, CodeModel::Small));
}

static CodeGenOptLevel levelOf(Effort effort) {
  return effort == Effort::Full   ? CodeGenOptLevel::Default
         : effort == Effort::Lean ? CodeGenOptLevel::Less
                                  : CodeGenOptLevel::None;
}

static Diagnostic internalError(std::string message) {
  return diagnose(errors::InternalError, std::move(message));
}

// Links those math functions that the module calls.
static Status linkMathLibrary(Module &module, const CpuTarget &target) {
  bool needed = any_of(module, [](const Function &function) {
    return function.isDeclaration() && function.getName().starts_with("drumlin_");
  });
  if (!needed) {
    return Done{};
  }
  std::span<const uint8_t> bytes = mathLibrary(target.hasFma()).bitcode;
  MemoryBufferRef buffer(StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()),
                         "math");
  Expected<std::unique_ptr<Module>> library = getLazyBitcodeModule(buffer, module.getContext());
  if (!library) {
    return internalError("the math library's bitcode can't be read: " +
                         toString(library.takeError()));
  }
  StringSet<> kernels;
  for (const Function &function : module) {
    if (!function.isDeclaration()) {
      kernels.insert(function.getName());
    }
  }
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded)) {
    return internalError("the math library can't be linked into a kernel");
  }
  for (Function &function : module) {
    if (function.isDeclaration() || kernels.contains(function.getName())) {
      continue;
    }
    function.setLinkage(GlobalValue::InternalLinkage);
    setTargetAttributes(function, target);
    if (function.hasFnAttribute(Attribute::AlwaysInline) &&
        function.getNumUses() > maxInlinedCalls) {
      function.removeFnAttr(Attribute::AlwaysInline);
      function.addFnAttr(Attribute::NoInline);
    }
  }
  return Done{};
}

template <typename... Analyses, typename Manager> static void registerAll(Manager &manager) {
  (manager.registerPass([] { return Analyses(); }), ...);
}

// Registers the analyses that the passes of optimize() require. LLVM's PassBuilder isn't used,
// because it would link all of LLVM's passes, and their options would be constructed at each start
// of the program.
static void registerAnalyses(TargetMachine &machine, LoopAnalysisManager &loops,
                             FunctionAnalysisManager &functions, ModuleAnalysisManager &modules) {
  registerAll<PassInstrumentationAnalysis>(loops);
  registerAll<PassInstrumentationAnalysis, ProfileSummaryAnalysis>(modules);
  registerAll<AssumptionAnalysis, BasicAA, BlockFrequencyAnalysis, BranchProbabilityAnalysis,
              DominatorTreeAnalysis, LastRunTrackingAnalysis, LoopAnalysis,
              MemoryDependenceAnalysis, MemorySSAAnalysis, OptimizationRemarkEmitterAnalysis,
              PassInstrumentationAnalysis, PhiValuesAnalysis, PostDominatorTreeAnalysis,
              ScalarEvolutionAnalysis, ScopedNoAliasAA, TargetLibraryAnalysis, TypeBasedAA>(
      functions);
  functions.registerPass([&] { return machine.getTargetIRAnalysis(); });
  functions.registerPass([] {
    AAManager aliases;
    aliases.registerFunctionAnalysis<BasicAA>();
    aliases.registerFunctionAnalysis<ScopedNoAliasAA>();
    aliases.registerFunctionAnalysis<TypeBasedAA>();
    return aliases;
  });
  modules.registerPass([&] { return FunctionAnalysisManagerModuleProxy(functions); });
  functions.registerPass([&] { return ModuleAnalysisManagerFunctionProxy(modules); });
  functions.registerPass([&] { return LoopAnalysisManagerFunctionProxy(loops); });
  loops.registerPass([&] { return FunctionAnalysisManagerLoopProxy(functions); });
}

// Returns the passes that clean up index arithmetic and hoist loop-invariant code. No other passes
// are needed, since the emitted code already consists of loops over vectors.
static FunctionPassManager cleanupPasses(Effort effort) {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  if (effort != Effort::Quick) {
    passes.addPass(InstCombinePass());
  }
  if (effort == Effort::Full) {
    passes.addPass(SimplifyCFGPass());
  }
  LoopPassManager motion;
  motion.addPass(LoopRotatePass());
  motion.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(motion), /*UseMemorySSA=*/true));
  if (effort == Effort::Quick) {
    return passes; // quick code gains nothing from further passes
  }
  if (effort == Effort::Lean) {
    // EarlyCSE finds most of what GVN would find, in a third of the time.
    passes.addPass(EarlyCSEPass());
    return passes;
  }
  LoopPassManager deletion;
  deletion.addPass(LoopDeletionPass());
  passes.addPass(GVNPass());
  passes.addPass(InstCombinePass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(deletion)));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(ADCEPass());
  return passes;
}

static void optimize(Module &module, TargetMachine &machine, Effort effort) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  ModuleAnalysisManager modules;
  registerAnalyses(machine, loops, functions, modules);

  ModulePassManager pipeline;
  pipeline.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  pipeline.addPass(GlobalDCEPass());
  pipeline.addPass(createModuleToFunctionPassAdaptor(cleanupPasses(effort)));
  pipeline.run(module, modules);
}

namespace {
// Code generation passes. Below full effort, loop strength reduction and its preparation are
// omitted: they take a tenth of such a kernel's compile time and don't make its code faster.
class CodegenPasses : public legacy::PassManager {
public:
  explicit CodegenPasses(Effort effort) : effort(effort) {}
  void add(Pass *pass) override {
    StringRef name = pass->getPassName();
    bool isLeftOut =
        name == "Loop Strength Reduction" || name == "Canonicalize Freeze Instructions in Loops";
    if (isLeftOut && effort != Effort::Full) {
      delete pass; // a manager that drops a pass must delete it
    } else {
      legacy::PassManager::add(pass);
    }
  }

private:
  Effort effort;
};
} // namespace

// LLVM's passes from IR to an object. They are created once and reused, since creating them takes
// 0.3 ms. A pipeline keeps no state of earlier modules (LLVM tests that with llc's
// --compile-twice).
namespace {
struct Writer {
  SmallVector<char, 0> bytes; // the object of the module that is being written
  raw_svector_ostream stream{bytes};
  CodegenPasses passes;

  explicit Writer(Effort effort) : passes(effort) {}
};
} // namespace

struct ObjectEmitter::Tools {
  Architecture architecture; // the target's
  std::string features;
  std::unique_ptr<TargetMachine> machine;
  // One writer for each level of LLVM's code generator; null before the level's first use.
  std::array<std::unique_ptr<Writer>, 3> writers;

  static std::unique_ptr<Tools> take(const CpuTarget &target);
  static void leave(std::unique_ptr<Tools> tools);

private:
  // The tools (target machine and passes) that no emitter uses at the moment. Those that were
  // released last are at the end.
  struct Idle {
    std::mutex lock;
    std::vector<std::unique_ptr<Tools>> tools;
  };
  // Returns the idle tools of the process. They are never destroyed, since threads may still
  // compile at process exit.
  static Idle &idle() {
    static Idle &all = *new Idle;
    return all;
  }
};

std::unique_ptr<ObjectEmitter::Tools> ObjectEmitter::Tools::take(const CpuTarget &target) {
  std::string features = target.featureString();
  {
    std::lock_guard<std::mutex> hold(idle().lock);
    std::vector<std::unique_ptr<Tools>> &all = idle().tools;
    auto found = std::ranges::find_if(std::ranges::reverse_view(all), [&](const auto &tools) {
      return tools->architecture == target.architecture && tools->features == features;
    });
    if (found != all.rend()) {
      std::unique_ptr<Tools> taken = std::move(*found);
      all.erase(std::next(found).base());
      return taken;
    }
  }
  auto made = std::make_unique<Tools>();
  made->architecture = target.architecture;
  made->features = std::move(features);
  made->machine = makeTargetMachine(target);
  return made;
}

void ObjectEmitter::Tools::leave(std::unique_ptr<Tools> tools) {
  static const size_t most = std::max(usableProcessors(), 4u);
  std::lock_guard<std::mutex> hold(idle().lock);
  std::vector<std::unique_ptr<Tools>> &all = idle().tools;
  all.push_back(std::move(tools));
  if (all.size() > most) {
    all.erase(all.begin());
  }
}

ObjectEmitter::ObjectEmitter(const CpuTarget &target) : target(target) {}

ObjectEmitter::~ObjectEmitter() {
  if (tools) {
    Tools::leave(std::move(tools));
  }
}

Status ObjectEmitter::prepare(Module &module, Effort effort) {
  if (!tools) {
    tools = Tools::take(target);
  }
  TargetMachine *machine = tools->machine.get();
  machine->setOptLevel(levelOf(effort));
  // The target machine has a flag for fast instruction selection. Creating passes sets the flag,
  // and all passes read it, so it must be set again for each module.
  machine->setFastISel(levelOf(effort) == CodeGenOptLevel::None);
  // The object's symbol table contains the source file name. The module's own name isn't used,
  // because it is the kernel's location in one program, and all programs that have such a kernel
  // share the object.
  module.setSourceFileName("drumlin");
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  if (Status status = linkMathLibrary(module, target); !status) {
    return status;
  }
  std::string problems;
  raw_string_ostream stream(problems);
  if (verifyModule(module, &stream)) {
    return internalError("emitted code is not well formed: " + problems);
  }
  if (effort != Effort::Entry) {
    optimize(module, *machine, effort);
    machineOf(target).hideFromSelection(module, target);
  }
  return Done{};
}

Result<SmallVector<char, 0>> ObjectEmitter::emit(Module &module, Effort asked,
                                                 function_ref<void(Module &)> optimized) {
  Effort effort = machineOf(target).possibleEffort(module, asked);
  if (Status status = prepare(module, effort); !status) {
    return status.error();
  }
  if (optimized) {
    optimized(module);
  }
  std::unique_ptr<Writer> &writer = tools->writers[static_cast<size_t>(levelOf(effort))];
  if (!writer) {
    writer = std::make_unique<Writer>(effort);
    if (tools->machine->addPassesToEmitFile(writer->passes, writer->stream, nullptr,
                                            CodeGenFileType::ObjectFile, /*DisableVerify=*/true)) {
      return internalError("the target can't write objects");
    }
  }
  writer->passes.run(module);
  return std::exchange(writer->bytes, {});
}

} // namespace drumlin::codegen
