#include "drumlin/export/hlo/HloExport.h"

#include "drumlin/export/hlo/ExportOperations.h"
#include "drumlin/export/hlo/ExportWriter.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/ir/stablehlo/ScatterWindows.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

using namespace mlir;

namespace drumlin::hlo {

// Returns the attributes `input_output_alias={ {1}: (0, {}, may-alias) }` and
// `buffer_donor={ (2, {}) }` for donated arguments.
static std::string donationTexts(func::FuncOp main) {
  std::string aliases, donors;
  bool isTuple = main.getNumResults() != 1;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    std::string parameter = std::to_string(i);
    if (auto result = main.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output")) {
      aliases += (aliases.empty() ? "" : ", ") +
                 (isTuple ? braces(result.getInt()) : std::string("{}")) + ": (" + parameter +
                 ", {}, may-alias)";
    }
    auto donor = main.getArgAttrOfType<BoolAttr>(i, "jax.buffer_donor");
    if (donor && donor.getValue()) {
      donors += (donors.empty() ? "" : ", ") + ("(" + parameter) + ", {})";
    }
  }
  return (aliases.empty() ? "" : ", input_output_alias={ " + aliases + " }") +
         (donors.empty() ? "" : ", buffer_donor={ " + donors + " }");
}

// Returns a layout such as `{(f32[4]{0})->f32[4]{0}}`. Unsupported types were already reported.
static std::string entryLayout(func::FuncOp main) {
  auto shape = [](Type type, StringAttr mode) {
    return shapeText(type, inBraces(mode)).value_or("");
  };
  std::string parameters, results;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    parameters += (i ? ", " : "") + shape(main.getArgumentTypes()[i],
                                          main.getArgAttrOfType<StringAttr>(i, "mhlo.layout_mode"));
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    results += (i ? ", " : "") + shape(main.getResultTypes()[i],
                                       main.getResultAttrOfType<StringAttr>(i, "mhlo.layout_mode"));
  }
  return "{(" + parameters + ")->" + (main.getNumResults() == 1 ? results : "(" + results + ")") +
         "}";
}

static std::string header(ModuleOp module, func::FuncOp main) {
  std::string text = "HloModule " + module.getSymName().value_or("module").str() +
                     donationTexts(main) + ", entry_computation_layout=" + entryLayout(main);
  for (auto [attribute, name] : {std::pair("mhlo.num_replicas", "replica_count"),
                                 {"mhlo.num_partitions", "num_partitions"}}) {
    auto count = module->getAttrOfType<IntegerAttr>(attribute);
    if (count && !count.getValue().isOne()) {
      text += std::string(", ") + name + "=" + std::to_string(count.getInt());
    }
  }
  return text + "\n";
}

} // namespace drumlin::hlo

namespace drumlin {

std::optional<std::string> hloOpcodeOf(StringRef operation, MLIRContext &context) {
  auto writer = hlo::findWriter(OperationName(operation, &context));
  return writer ? std::optional(writer->opcode) : std::nullopt;
}

static Result<std::string> exportAsIs(ModuleOp module) {
  hlo::Output output(module);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main) {
    return diagnose(errors::ArtifactUnsupported,
                    "HLO needs an entry, but the program has no `main`", {},
                    "name the entry function `main`");
  }
  hlo::Writer(output).functionComputation(main);
  if (output.error) {
    return std::move(*output.error);
  }
  return hlo::header(module, main) + output.computations;
}

Result<std::string> exportHlo(ModuleOp module) {
  if (!mayHavePartialWindows(module)) {
    return exportAsIs(module);
  }
  OwningOpRef<ModuleOp> copy = module.clone();
  keepPartsOfWindows(*copy);
  return exportAsIs(*copy);
}

Result<std::string> exportHloProto(ModuleOp module, hlo::ProtoForm form) {
  Result<std::string> text = exportHlo(module);
  if (!text) {
    return text.error();
  }
  Result<hlo::Module> written = hlo::parse(*text, "<HLO>");
  return written ? hlo::writeProto(*written, form) : Result<std::string>(written.error());
}

} // namespace drumlin
