// Defines the compiler functions that the plugin calls, and the function that frameworks look up.
#include "drumlin/pjrt/PjrtPlugin.h"

#include "CompilerPool.h"
#include "Interruption.h"
#include "commands/CommandFiles.h"
#include "commands/CommandLine.h"
#include "commands/CommandOptions.h"
#include "commands/Commands.h"
#include "commands/OptionChecks.h"
#include "drumlin/driver/CompilerMemory.h"
#include "drumlin/hlo/ElementTypeNames.h"
#include "drumlin/import/Import.h"
#include "drumlin/ir/costs/KernelTimes.h"
#include "drumlin/ir/costs/Roofline.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/ScatterWindows.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/listing/program/KernelCalls.h"
#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/Devices.h"
#include "drumlin/pjrt/Execute.h"
#include "drumlin/pjrt/HostCallbacks.h"
#include "drumlin/pjrt/PjrtCompiler.h"
#include "drumlin/runtime/CApi.h"
#include "drumlin/runtime/device/HostDevice.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/BuildId.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/target/MachineLimits.h"
#include "drumlin/target/TargetNames.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <new>

using namespace drumlin;
using namespace drumlin::cli;

extern "C" DRUMLIN_EXPORT const pjrt::Api *GetPjrtApi() { return pjrt::api(); }

// Sets the caller of callbacks; called by the Python package
// (python/jax_plugins/drumlin/_callbacks.py).
extern "C" DRUMLIN_EXPORT drumlin_error *
drumlin_on_callback(void (*call)(const drumlin_callback *call)) {
  Status status = pjrt::setCallbackCaller(call);
  return status ? nullptr : new drumlin_error{status.error()};
}

extern "C" DRUMLIN_EXPORT uint64_t drumlin_execution_count() { return pjrt::executionCount(); }

// Ends compilations and waits for running programs. Called before the interpreter of a language
// such as Python exits, since programs call functions of this language.
extern "C" DRUMLIN_EXPORT void drumlin_before_exit() {
  Interruption::endAll();
  pjrt::RunningPrograms::waitForAllClients();
}

std::string pjrt::compilerVersion() {
  return std::string("Drumlin ") + drumlin_version() + " (build " + buildId() + ") for " +
         targetName();
}

std::string pjrt::targetName() {
  const std::string *name = nullptr;
  {
    CompilerMemory memory; // nativeTarget() calls LLVM
    name = &nativeTarget()->name;
  }
  return *name;
}

std::shared_ptr<drumlin::Device> pjrt::makeDevice(unsigned threads) {
  return std::make_shared<HostDevice>(threads);
}

namespace {
// Parses options of `drumlin compile` from names and values.
struct OptionParser {
  OptionParser() : sub(app.add_subcommand("compile")) {
    sub->set_help_flag();
    addCompileOptions(*sub, options);
    addTuningOptions(*sub, options);
  }

  Status parse(const std::vector<pjrt::CompileOption> &given) {
    std::vector<std::string> words = {"compile"};
    for (const auto &[key, value] : given) {
      std::string name = (key.size() == 1 ? "-" : "--") + key;
      std::ranges::replace(name, '_', '-');
      const CLI::Option *option = sub->get_option_no_throw(name);
      if (!option) {
        return diagnose(errors::CommandLineInvalid, "No such compile option: '" + key + "'", {},
                        "`drumlin list-options compile` lists them");
      }
      bool isFlag = option->get_items_expected_max() == 0;
      // A repeatable option has one value per line.
      const std::string &longName = option->get_lnames().front();
      bool isMany = optionOf("compile", "--" + longName).repeats != Repeats::Never;
      if (!isFlag) {
        llvm::SmallVector<llvm::StringRef> values = {value};
        if (isMany) {
          values.clear();
          llvm::StringRef(value).split(values, '\n', -1, /*KeepEmpty=*/false);
        }
        for (llvm::StringRef each : values) {
          words.push_back("--" + longName + "=" + each.str());
        }
      } else if (value == "true") {
        words.push_back(name);
      } else if (value != "false") {
        return diagnose(errors::CommandLineInvalid, "the option `" + key + "` is `" + value + "`",
                        {}, "pass True or False");
      }
    }
    if (Status status = parseWords(app, std::move(words)); !status) {
      return status;
    }
    if (Status status = checkOptions(*sub); !status) {
      return status;
    }
    if (Status status = checkFiles(*sub); !status) {
      return status;
    }
    return options.takeNames();
  }

  CLI::App app;
  CLI::App *sub;
  ProgramOptions options;
};
} // namespace

// The largest time in seconds that quickly generated code may add to a run. Frameworks spend some
// microseconds on each call anyway.
static constexpr double unnoticedSeconds = 100e-9;

static Result<CompileOptions> readOptions(const std::vector<pjrt::CompileOption> &given) {
  if (given.empty()) {
    return CompileOptions();
  }
  OptionParser parser;
  Status status = parser.parse(given);
  return status ? Result<CompileOptions>(parser.options) : Result<CompileOptions>(status.error());
}

static pjrt::EntryValue entryValue(mlir::Type type, mlir::DictionaryAttr attributes) {
  pjrt::EntryValue value;
  value.isToken = mlir::isa<stablehlo::TokenType>(type);
  if (attributes) {
    value.isDonated =
        attributes.contains("tf.aliasing_output") || attributes.contains("jax.buffer_donor");
    if (auto kind = attributes.getAs<mlir::StringAttr>("mhlo.memory_kind")) {
      const auto *found = std::ranges::find(pjrt::memoryKinds, kind.getValue());
      value.memoryKind = found == std::end(pjrt::memoryKinds)
                             ? 0
                             : static_cast<int>(found - std::begin(pjrt::memoryKinds));
    }
  }
  return value;
}

// Describes the program's signature. Must run before tokens are removed from the program.
static void describeEntry(mlir::ModuleOp module, pjrt::CompiledProgram &program) {
  mlir::func::FuncOp main = entryFunction(module);
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    program.arguments.push_back(entryValue(main.getArgumentTypes()[i], main.getArgAttrDict(i)));
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    program.results.push_back(entryValue(main.getResultTypes()[i], main.getResultAttrDict(i)));
  }
}

static llvm::SmallVector<bool> tokensAmong(const std::vector<pjrt::EntryValue> &values) {
  auto tokens = llvm::map_to_vector(values, [](const pjrt::EntryValue &v) { return v.isToken; });
  return llvm::is_contained(tokens, true) ? tokens : llvm::SmallVector<bool>();
}

// Predicts the seconds of one run; infinite for loops of unknown length.
static double predictedSeconds(mlir::ModuleOp plan, const PlanCost &costs, const CpuTarget &target,
                               KernelCosts &kernelCosts) {
  if (!costs.unknownLoops.empty()) {
    return std::numeric_limits<double>::infinity();
  }
  double seconds = 0;
  for (const KernelTime &kernel : kernelTimes(plan, target, &kernelCosts)) {
    seconds += kernel.seconds;
  }
  return seconds;
}

// Removes the layouts that the shapes of an HLO module have. XLA's clients expect the interface's
// arrays to be row-major unless the compile options say otherwise.
static void takeOffLayouts(mlir::ModuleOp module) {
  mlir::func::FuncOp main = entryFunction(module);
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    main.removeArgAttr(i, layoutModeAttribute);
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    main.removeResultAttr(i, mlir::StringAttr::get(main.getContext(), layoutModeAttribute));
  }
}

// Returns the shape in HLO's syntax; empty for dynamic sizes or types that HLO has no name for.
static std::string hloShape(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (llvm::isa<stablehlo::TokenType>(type)) {
    return "token[]";
  }
  if (!tensor || !tensor.hasStaticShape() || stablehlo::isQuantized(tensor)) {
    return {};
  }
  return std::string(hlo::hloName(elementTypeOf(tensor.getElementType()))) + "[" +
         llvm::join(llvm::map_range(tensor.getShape(), [](int64_t d) { return std::to_string(d); }),
                    ",") +
         "]";
}

// Applies the compile options' layouts to the entry's arguments or results. `set` receives a
// value's index, and the attribute with the value's dimension order, which is null for row-major.
template <typename Set>
static Status askForLayouts(const std::optional<std::vector<pjrt::ArrayLayout>> &given,
                            mlir::TypeRange types, const char *kind, mlir::func::FuncOp main,
                            Set set) {
  auto refuse = [&](const std::string &what) {
    return diagnose(errors::CompilerOptionInvalid, what, plan::sourceOf(main.getLoc()),
                    "give the layout of each array of the program in its order, or none");
  };
  if (!given) {
    return Done{};
  }
  if (given->size() != types.size()) {
    return refuse("the compile options give layouts of " + std::to_string(given->size()) + " " +
                  kind + "s, and the program has " + std::to_string(types.size()));
  }
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(*given, types))) {
    const auto &[layout, type] = pair;
    std::string expected = hloShape(type);
    if (!expected.empty() && layout.shape != expected) {
      return refuse(std::string("the compile options give a layout of `") + layout.shape +
                    "` for " + kind + " " + std::to_string(number) + ", which is `" + expected +
                    "`");
    }
    bool isOrdered = !layout.order.empty() && llvm::isa<mlir::RankedTensorType>(type);
    set(static_cast<unsigned>(number),
        isOrdered ? mlir::StringAttr::get(main.getContext(), layout.order) : mlir::StringAttr());
  }
  return Done{};
}

static Status askForLayouts(const pjrt::EntryLayouts &layouts, mlir::ModuleOp module) {
  mlir::func::FuncOp main = entryFunction(module);
  auto name = mlir::StringAttr::get(main.getContext(), layoutModeAttribute);
  Status status = askForLayouts(layouts.arguments, main.getArgumentTypes(), "argument", main,
                                [&](unsigned i, mlir::StringAttr order) {
                                  order ? main.setArgAttr(i, name, order)
                                        : static_cast<void>(main.removeArgAttr(i, name));
                                });
  return !status ? status
                 : askForLayouts(layouts.results, main.getResultTypes(), "result", main,
                                 [&](unsigned i, mlir::StringAttr order) {
                                   order ? main.setResultAttr(i, name, order)
                                         : static_cast<void>(main.removeResultAttr(i, name));
                                 });
}

static Result<mlir::OwningOpRef<mlir::ModuleOp>>
importProgram(std::string_view code, pjrt::ProgramFormat format, mlir::MLIRContext &context) {
  static constexpr std::string_view name = "<program>";
  ImportLimits limits;
  limits.nativeTypesOnly = true;
  limits.holdsConstants = true;
  limits.bytesStay = true; // the caller keeps the bytes until the compilation ends
  if (format == pjrt::ProgramFormat::Mlir) {
    return importText(code, name, context, limits);
  }
  auto message = format == pjrt::ProgramFormat::Hlo ? hlo::ProtoMessage::Module
                                                    : hlo::ProtoMessage::ModuleWithConfig;
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module =
      importHloProto(code, message, name, context, limits);
  if (module) {
    takeOffLayouts(**module);
  }
  return module;
}

// Returns the ranges of the code that contain the elements of constants (HeldElements.h), sorted by
// position. `first`: the index of the first constant among the weights.
static std::vector<pjrt::WeightInCode> weightsInCode(std::string_view code,
                                                     const Compilation &compilation, size_t first) {
  std::vector<pjrt::WeightInCode> found;
  for (const HeldConstant &constant : compilation.constants) {
    pjrt::WeightInCode weight = {0, 0, first++};
    const HeldConstant *at = &constant;
    for (; at->from; at = at->from) {
      weight.layouts.insert(weight.layouts.begin(), at->layout);
    }
    const char *bytes = at->elements.as<char>();
    if (!at->isOwned() && std::less_equal<>()(code.data(), bytes) &&
        std::less<>()(bytes, code.data() + code.size())) {
      weight.begin = static_cast<size_t>(bytes - code.data());
      weight.bytes = static_cast<size_t>(at->elements.bytes());
      found.push_back(std::move(weight));
    }
  }
  // Several weights may have been derived from one constant.
  std::ranges::sort(found, {}, &pjrt::WeightInCode::begin);
  auto same = std::ranges::unique(found, {}, &pjrt::WeightInCode::begin);
  found.erase(same.begin(), same.end());
  return found;
}

// The name that XLA gives to an unnamed module.
static constexpr llvm::StringLiteral unnamedModule = "main";

// Removes the plan, the ledger and the lock from a description. They are read from the image when
// needed.
static ImageDescription withoutTexts(ImageDescription image) {
  for (std::string *text : {&image.plan, &image.ledger, &image.lock}) {
    std::string().swap(*text);
  }
  return image;
}

static Result<pjrt::CompiledProgram> compileText(std::string_view code, pjrt::ProgramFormat format,
                                                 const std::vector<pjrt::CompileOption> &given,
                                                 const pjrt::EntryLayouts &layouts,
                                                 pjrt::KernelTimers timers) {
  Result<CompileOptions> options = readOptions(given);
  if (!options) {
    return options.error();
  }
  options->timeKernels = timers == pjrt::KernelTimers::Each;
  options->keepsDecisions = false;
  options->unnoticedSeconds = unnoticedSeconds;
  Interruption interruption;
  options->isInterrupted = [&] { return interruption.isThere(); };
  PooledContext context;
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importProgram(code, format, *context);
  if (!module) {
    return module.error();
  }
  if (Status status = askForLayouts(layouts, **module); !status) {
    return status.error();
  }
  pjrt::CompiledProgram program;
  program.name = (*module)->getSymName().value_or(unnamedModule).str();
  leaveOutWholeWindows(**module);
  describeEntry(**module, program);
  Result<Compilation> compilation = compile(**module, program.name, *options);
  if (!compilation) {
    return compilation.error();
  }
  // In XLA's interface, a buffer has exactly the size of its type.
  for (const ValueDescription &result : compilation->description.results) {
    if (!result.countedBy.empty()) {
      return diagnose(errors::UnsupportedDynamicShape,
                      "a result has a size that is known only at run time",
                      plan::sourceOf(entryFunction(**module).getLoc()),
                      "return an array of the bound's size, and the valid size separately");
    }
  }
  program.weights = compilation->storedWeights();
  program.inCode =
      weightsInCode(code, *compilation, program.weights.size() - compilation->constants.size());
  program.image = std::move(compilation->image);
  program.description = withoutTexts(std::move(compilation->description));
  const auto &target = llvm::cast<CpuTarget>(*options->target);
  program.seconds =
      predictedSeconds(**module, compilation->costs, target, compilation->phases.kernelCosts);
  program.optimalSeconds =
      estimateTimes(**module, assumedLimits(target), compilation->costs).seconds;
  program.peakBytes = compilation->costs.memory.total();
  size_t bytes = code.size() + program.image.size();
  for (const Tensor &weight : program.weights) {
    bytes += static_cast<size_t>(weight.bytes());
  }
  context.keep(bytes);
  return program;
}

// Returns the text of the plan in the image.
static Result<std::string> textOf(const pjrt::CompiledProgram &program,
                                  const std::vector<std::string> &ignored) {
  Result<ImageDescription> image =
      readImageDescription(std::as_bytes(std::span(program.image)), program.name);
  if (!image) {
    return image.error();
  }
  PooledContext context;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(image->plan, &*context);
  if (!module) {
    return diagnose(errors::ImageMetadataCorrupt, "the image's plan can't be read", program.name);
  }
  mlir::func::FuncOp main = entryFunction(*module);
  for (auto [number, argument] : llvm::enumerate(image->arguments)) {
    auto name = mlir::StringAttr::get(&*context, argument.name);
    main.getArgument(static_cast<unsigned>(number)).setLoc(mlir::NameLoc::get(name));
  }
  // Prints unknown locations explicitly, since parsers of the text would otherwise use positions in
  // the text as locations.
  listing::showKernelsAsCalls(*module, planCost(*module),
                              {tokensAmong(program.arguments), tokensAmong(program.results)});
  if (!ignored.empty()) { // shows ignored options, since JAX prints the module
    mlir::Builder builder(&*context);
    module->getOperation()->setAttr(
        "mhlo.frontend_attributes",
        builder.getDictionaryAttr(builder.getNamedAttr(
            "ignored_options", builder.getStringAttr(llvm::join(ignored, ",")))));
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  context.keep(text.size());
  return text;
}

// Runs a function and converts exceptions of the standard library to errors.
template <typename Function> static auto guarded(Function function) -> decltype(function()) {
  CompilerMemory memory;
  try {
    return function();
  } catch (const std::bad_alloc &) { // the host's own `operator new` may not call the handler
    EndsWithoutMemory::endNow();
  } catch (const std::exception &error) {
    return diagnose(errors::InternalError, error.what());
  }
}

Result<pjrt::CompiledProgram> pjrt::compileProgram(std::string_view code, ProgramFormat format,
                                                   const std::vector<CompileOption> &options,
                                                   const EntryLayouts &layouts,
                                                   KernelTimers timers) {
  return guarded([&] { return compileText(code, format, options, layouts, timers); });
}

Result<std::string> pjrt::programText(const CompiledProgram &program,
                                      const std::vector<std::string> &ignored) {
  return guarded([&] { return textOf(program, ignored); });
}
