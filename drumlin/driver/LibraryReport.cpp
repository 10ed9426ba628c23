#include "drumlin/driver/LibraryReport.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/target/LibraryTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace drumlin {

Result<std::vector<LibraryKernel>> libraryPlan(mlir::ModuleOp module, const GpuTarget &target,
                                               const CompileOptions &options) {
  CompileOptions untilLayout = options;
  untilLayout.target = TargetPtr(TargetPtr(), &target);
  untilLayout.stopAfter = "layout";
  PhaseResult phases;
  if (Status status = runPhases(module, untilLayout, phases); !status) {
    return status.error();
  }
  std::vector<LibraryKernel> kernels = planLibraryCalls(module, target);
  for (const LibraryKernel &kernel : kernels) {
    if (!kernel.forced.empty() && kernel.forced != "own" && !kernel.call) {
      const LibraryLimitInfo &limit = info(kernel.limit);
      return diagnose(DiagnosticCode::KernelChoiceUnfit,
                      "no call of `" + kernel.forced + "` computes " + kernel.shape + ": " +
                          std::string(limit.text) +
                          (kernel.detail.empty() ? "" : " (" + kernel.detail + ")"),
                      kernel.source);
    }
  }
  return kernels;
}

namespace {
// The arguments of a call by the names that the library gives them, in its order: for text and
// JSON.
class Arguments {
public:
  Arguments(const LibraryCall &call, const GpuTarget &target) : call(call), target(target) {
    bool isCublas = call.library == GpuLibrary::CublasLt;
    family = isCublas ? "CUBLASLT_" : "HIPBLASLT_";
    operations = isCublas ? "CUBLAS_OP_" : "HIPBLAS_OP_";
  }

  std::string_view function() const {
    return call.library == GpuLibrary::CublasLt ? "cublasLtMatmul" : "hipblasLtMatmul";
  }
  std::string type(ElementType type) const {
    return std::string(libraryTypeName(target, type).value_or("?"));
  }
  std::string operation(bool transposes) const { return operations + (transposes ? "T" : "N"); }
  std::string pointerMode() const {
    return family + (call.alphaOnDevice ? "POINTER_MODE_DEVICE" : "POINTER_MODE_HOST");
  }
  std::string order() const { return family + "ORDER_COL"; }
  std::string batchMode() const { return family + "BATCH_MODE_STRIDED"; }
  std::string epilogue() const {
    return std::string(epilogueName(target, call.epilogue).value_or("?"));
  }
  std::string scaleMode(const LibraryScale &scale) const {
    return std::string(scaleRowOf(call.library, scale.mode).name);
  }

  std::vector<std::pair<const char *, const LibraryMatrix *>> matrices() const {
    return {{"A", &call.a}, {"B", &call.b}, {"C", &call.c}, {"D", &call.d}};
  }
  std::vector<std::pair<const char *, const std::optional<LibraryScale> *>> scales() const {
    return {{"A", &call.scaleA}, {"B", &call.scaleB}, {"D", &call.scaleD}};
  }

private:
  const LibraryCall &call;
  const GpuTarget &target;
  std::string family, operations;
};
} // namespace

static std::string pointerText(const LibraryMatrix &matrix) {
  return matrix.pointer +
         (matrix.offsetBytes ? " + " + std::to_string(matrix.offsetBytes) + " bytes" : "");
}

static void printMatrix(llvm::raw_ostream &stream, const Arguments &names, const char *name,
                        const LibraryMatrix &matrix) {
  stream << "    " << name << ": " << pointerText(matrix) << ", " << names.type(matrix.type) << ", "
         << names.order() << ", rows " << matrix.rows << ", cols " << matrix.columns << ", ld "
         << matrix.ld;
  if (matrix.batchCount != 1) {
    stream << ", batches " << matrix.batchCount << ", " << names.batchMode() << ", stride "
           << matrix.batchStride;
  }
  stream << "\n";
}

static void printCall(llvm::raw_ostream &stream, const LibraryCall &call, const GpuTarget &target) {
  Arguments names(call, target);
  stream << "  " << llvm::StringRef(names.function()) << "\n    compute type "
         << llvm::StringRef(call.computeType) << ", scale type " << llvm::StringRef(call.scaleType)
         << ", transa " << names.operation(call.transposesA) << ", transb "
         << names.operation(call.transposesB) << "\n";
  for (auto [name, matrix] : names.matrices()) {
    printMatrix(stream, names, name, *matrix);
  }
  stream << "    alpha " << call.alpha << ", beta " << call.beta << ", " << names.pointerMode()
         << "\n";
  for (auto [name, scale] : names.scales()) {
    if (*scale) {
      stream << "    scale of " << name << ": " << (*scale)->pointer << ", "
             << names.scaleMode(**scale) << "\n";
    }
  }
  stream << "    epilogue " << names.epilogue();
  if (call.bias) {
    stream << ", bias " << call.bias->pointer << " of " << names.type(call.bias->type);
    if (call.bias->batchStride) {
      stream << " with batch stride " << call.bias->batchStride;
    }
  }
  if (call.aux) {
    stream << ", aux " << call.aux->pointer << " of " << names.type(call.aux->type) << ", ld "
           << call.aux->ld << ", batch stride " << call.aux->batchStride;
  }
  if (!call.bounds.empty()) {
    stream << ", from " << call.bounds[0] << " to " << call.bounds[1];
  }
  stream << (call.amaxD.empty() ? "" : ", amax of D to " + call.amaxD) << "\n    fast accumulation "
         << (call.fastAccumulation ? "on" : "off") << ", workspace " << call.workspaceBytes
         << " bytes\n";
  for (auto [i, value] : llvm::enumerate(call.values)) {
    stream << "    before it, value " << i << ": of inputs [";
    llvm::interleaveComma(value.inputs, stream);
    stream << "]\n";
    for (llvm::StringRef line : llvm::split(value.program, '\n')) {
      stream << "      " << line << "\n";
    }
  }
  for (auto [i, what] : llvm::enumerate(call.prepared)) {
    stream << "    before it, prepared " << i << ": " << what << "\n";
  }
  for (const std::string &rounding : call.roundings) {
    stream << "    rounds otherwise: " << rounding << "\n";
  }
}

std::string libraryText(const std::vector<LibraryKernel> &kernels, const GpuTarget &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto calls = llvm::count_if(kernels, [](const LibraryKernel &each) { return bool(each.call); });
  stream << llvm::StringRef(target.name) << ": " << kernels.size() << " matrix products, " << calls
         << " of them calls of " << llvm::StringRef(libraryName(target.library))
         << "; for planning only, no code is made for it\n";
  for (const LibraryKernel &kernel : kernels) {
    stream << kernel.source << (kernel.source.empty() ? "" : ": ") << kernel.shape << "\n";
    for (auto [i, input] : llvm::enumerate(kernel.inputs)) {
      stream << "  input " << i << ": " << input << "\n";
    }
    for (auto [i, output] : llvm::enumerate(kernel.outputs)) {
      stream << "  output " << i << ": " << output << "\n";
    }
    if (kernel.call) {
      printCall(stream, *kernel.call, target);
      continue;
    }
    const LibraryLimitInfo &limit = info(kernel.limit);
    stream << "  a kernel of our own: " << llvm::StringRef(limit.name) << ", "
           << llvm::StringRef(limit.text) << (kernel.detail.empty() ? "" : ": " + kernel.detail);
    if (!kernel.manual.empty()) {
      stream << " (" << llvm::StringRef(kernel.manual) << ")";
    }
    stream << "\n";
  }
  return text;
}

static void writeMatrix(llvm::json::OStream &json, const Arguments &names, const char *key,
                        const LibraryMatrix &matrix) {
  json.attributeObject(key, [&] {
    json.attribute("pointer", matrix.pointer);
    json.attribute("offset_bytes", matrix.offsetBytes);
    json.attribute("type", names.type(matrix.type));
    json.attribute("order", names.order());
    json.attribute("rows", matrix.rows);
    json.attribute("cols", matrix.columns);
    json.attribute("ld", matrix.ld);
    json.attribute("batch_count", matrix.batchCount);
    json.attribute("batch_mode", names.batchMode());
    json.attribute("batch_stride", matrix.batchStride);
  });
}

static void writeCall(llvm::json::OStream &json, const LibraryCall &call, const GpuTarget &target) {
  Arguments names(call, target);
  json.attribute("function", llvm::StringRef(names.function()));
  json.attribute("compute_type", llvm::StringRef(call.computeType));
  json.attribute("scale_type", llvm::StringRef(call.scaleType));
  json.attribute("transa", names.operation(call.transposesA));
  json.attribute("transb", names.operation(call.transposesB));
  for (auto [name, matrix] : names.matrices()) {
    writeMatrix(json, names, name, *matrix);
  }
  json.attribute("alpha", call.alpha);
  json.attribute("beta", call.beta);
  json.attribute("pointer_mode", names.pointerMode());
  for (auto [name, scale] : names.scales()) {
    if (*scale) {
      json.attributeObject(std::string("scale_") + name, [&, &each = **scale] {
        json.attribute("mode", names.scaleMode(each));
        json.attribute("pointer", each.pointer);
      });
    }
  }
  json.attribute("epilogue", names.epilogue());
  if (call.bias) {
    json.attributeObject("bias", [&] {
      json.attribute("pointer", call.bias->pointer);
      json.attribute("type", names.type(call.bias->type));
      json.attribute("batch_stride", call.bias->batchStride);
    });
  }
  if (call.aux) {
    writeMatrix(json, names, "aux", *call.aux);
  }
  if (!call.bounds.empty()) {
    json.attributeArray("bounds", [&] {
      json.value(call.bounds[0]);
      json.value(call.bounds[1]);
    });
  }
  if (!call.amaxD.empty()) {
    json.attribute("amax_D", call.amaxD);
  }
  json.attribute("fast_accumulation", call.fastAccumulation);
  json.attribute("workspace_bytes", call.workspaceBytes);
  auto list = [&](const char *key, const std::vector<std::string> &texts) {
    json.attributeArray(key, [&] {
      for (const std::string &each : texts) {
        json.value(each);
      }
    });
  };
  json.attributeArray("values", [&] {
    for (const LibraryValue &value : call.values) {
      json.object([&] {
        json.attributeArray("inputs", [&] {
          for (unsigned input : value.inputs) {
            json.value(input);
          }
        });
        json.attribute("program", value.program);
      });
    }
  });
  list("prepared", call.prepared);
  list("roundings", call.roundings);
}

std::string libraryJson(const std::vector<LibraryKernel> &kernels, const GpuTarget &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 1);
  json.object([&] {
    json.attribute("target", llvm::StringRef(target.name));
    json.attribute("library", llvm::StringRef(libraryName(target.library)));
    json.attributeArray("kernels", [&] {
      for (const LibraryKernel &kernel : kernels) {
        json.object([&] {
          json.attribute("source", kernel.source);
          json.attribute("shape", kernel.shape);
          json.attributeArray("inputs", [&] {
            for (const std::string &input : kernel.inputs) {
              json.value(input);
            }
          });
          json.attributeArray("outputs", [&] {
            for (const std::string &output : kernel.outputs) {
              json.value(output);
            }
          });
          if (kernel.call) {
            json.attributeObject("call", [&] { writeCall(json, *kernel.call, target); });
            return;
          }
          json.attributeObject("own_kernel", [&] {
            json.attribute("reason", llvm::StringRef(info(kernel.limit).name));
            json.attribute("text", llvm::StringRef(info(kernel.limit).text));
            json.attribute("detail", kernel.detail);
            json.attribute("manual", llvm::StringRef(kernel.manual));
          });
        });
      }
    });
  });
  return text;
}

} // namespace drumlin
