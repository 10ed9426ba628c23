// The interface to the compiler. The library that contains both compiler and plugin defines these
// functions (tools/library/PluginCompiler.cpp); nothing else in this folder depends on a compiler.
#pragma once

#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Layout.h"
#include "drumlin/support/Tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drumlin::pjrt {

// An argument or a result in the program's signature.
struct EntryValue {
  bool isToken = false;   // true: not a value of the image
  bool isDonated = false; // arguments only: whether callers donate the argument
  int memoryKind = 0;     // an index of `memoryKinds` (Client.h)
};

// A range of the program's code that contains the elements of a weight.
struct WeightInCode {
  size_t begin = 0, bytes = 0;             // the range of bytes in the code
  size_t weight = 0;                       // the index of the weight in CompiledProgram::weights
  std::vector<BlockedLayout> layouts = {}; // applied in this order to the elements in the code
};

struct CompiledProgram {
  std::string name;
  std::string image;                          // the bytes of the image file
  ImageDescription description = {};          // lacks the plan and the ledger
  std::vector<Tensor> weights = {};           // the constants that the image lacks
  std::vector<WeightInCode> inCode = {};      // sorted by `begin`
  std::vector<EntryValue> arguments, results; // the program's signature
  double seconds = 0;                         // predicted time of a run; infinite: unpredictable
  double optimalSeconds = 0;                  // time at the machine's limits, as in `drumlin cost`
  int64_t peakBytes = 0;                      // peak memory, with arguments and results
};

// The format of a program's bytes, and the interface's name for it (`format`).
enum class ProgramFormat : uint8_t {
  Mlir,          // `mlir`: StableHLO as text, bytecode or a portable artifact
  Hlo,           // `hlo`: xla's HloModuleProto
  HloWithConfig, // `hlo_with_config`: xla's HloModuleProtoWithConfig
};
inline constexpr std::string_view programFormats[] = {"mlir", "hlo", "hlo_with_config"};

// An option's name and value, as for `drumlin compile`.
using CompileOption = std::pair<std::string, std::string>;

// A caller's array, as described by compile options.
struct ArrayLayout {
  std::string shape; // such as `f32[2,3]`: HLO's syntax without a layout
  std::string order; // such as `{0,1}`; empty: row-major

  bool operator==(const ArrayLayout &) const = default;
};

// The layouts of a program's arguments and results, with one entry for each array of a tuple;
// empty: the program's own layouts.
struct EntryLayouts {
  std::optional<std::vector<ArrayLayout>> arguments, results;
};

// Whether the program's code reports each kernel that it runs.
enum class KernelTimers : uint8_t { None, Each };

// Compiles a program. May be called from several threads at once. Fails as `drumlin compile` does,
// and with CompilerOptionInvalid if the arrays in `layouts` differ from the program's arrays in
// number or shape.
Result<CompiledProgram> compileProgram(std::string_view code, ProgramFormat format,
                                       const std::vector<CompileOption> &options,
                                       const EntryLayouts &layouts = {},
                                       KernelTimers timers = KernelTimers::None);

// Returns the program's kernels as StableHLO text, one call for each. The text lists `ignored`, the
// given options of other compilers that have no effect here. It takes about a millisecond, so call
// this only when the text is requested. May be called from several threads at once.
Result<std::string> programText(const CompiledProgram &program,
                                const std::vector<std::string> &ignored);

// Returns a version such as `Drumlin 0.1.0 for znver5`: programs compiled by another version are
// refused.
std::string compilerVersion();
// Returns the processor that programs are compiled for by default.
std::string targetName();

} // namespace drumlin::pjrt
