#include "drumlin/driver/LibraryReport.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/LibraryCallText.h"
#include "llvm/ADT/StringExtras.h"

namespace drumlin {

Result<std::vector<LibraryKernel>> libraryPlan(mlir::ModuleOp module, const GpuTarget &target,
                                               const CompileOptions &options) {
  CompileOptions untilSelect = options;
  untilSelect.target = TargetPtr(TargetPtr(), &target);
  untilSelect.stopAfter = backendOf(target)->lastPhase();
  PhaseResult phases;
  if (Status status = runPhases(module, untilSelect, phases); !status) {
    return status.error();
  }
  std::vector<LibraryKernel> kernels = libraryKernels(module, target);
  for (const LibraryKernel &kernel : kernels) {
    if (!kernel.forced.empty() && kernel.forced != "own" && !kernel.call) {
      const LibraryLimitInfo &limit = info(kernel.own.limit);
      return diagnose(errors::KernelChoiceUnfit,
                      "no call of `" + kernel.forced + "` computes " + kernel.shape + ": " +
                          std::string(limit.text) +
                          (kernel.own.detail.empty() ? "" : " (" + kernel.own.detail + ")"),
                      kernel.source);
    }
  }
  return kernels;
}

static std::string pointerText(const LibraryMatrix &matrix) {
  return matrix.pointer +
         (matrix.offsetBytes ? " + " + std::to_string(matrix.offsetBytes) + " bytes" : "");
}

static void printMatrix(llvm::raw_ostream &stream, const LibraryNames &names, const char *name,
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
  LibraryNames names(call, target);
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
  auto printVector = [&](const char *what, const std::optional<LibraryVector> &vector) {
    if (vector) {
      stream << ", " << what << " " << vector->pointer << " of " << names.type(vector->type);
    }
    if (vector && vector->batchStride) {
      stream << " with batch stride " << vector->batchStride;
    }
  };
  printVector("bias", call.bias);
  if (call.aux) {
    stream << ", aux " << call.aux->pointer << " of " << names.type(call.aux->type) << ", ld "
           << call.aux->ld << ", batch stride " << call.aux->batchStride;
  }
  printVector("gradient of the bias to", call.biasGradient);
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
    const LibraryLimitInfo &limit = info(kernel.own.limit);
    stream << "  a kernel of our own: " << llvm::StringRef(limit.name) << ", "
           << llvm::StringRef(limit.text)
           << (kernel.own.detail.empty() ? "" : ": " + kernel.own.detail);
    if (!kernel.own.manual.empty()) {
      stream << " (" << kernel.own.manual << ")";
    }
    stream << "\n  to make it a call: " << llvm::StringRef(limit.remedy) << "\n";
  }
  return text;
}

std::string libraryJson(const std::vector<LibraryKernel> &kernels, const GpuTarget &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream, 1);
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
            json.attributeObject("call", [&] { writeLibraryCall(json, *kernel.call, target); });
            return;
          }
          json.attributeObject("own_kernel", [&] {
            json.attribute("reason", llvm::StringRef(info(kernel.own.limit).name));
            json.attribute("text", llvm::StringRef(info(kernel.own.limit).text));
            json.attribute("detail", kernel.own.detail);
            json.attribute("manual", kernel.own.manual);
            json.attribute("remedy", llvm::StringRef(info(kernel.own.limit).remedy));
          });
        });
      }
    });
  });
  return text;
}

} // namespace drumlin
