// What compiles programs for the plugin. The library that offers both defines these functions
// (tools/library/Plugin.cpp); nothing else here knows of compilers.
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

// An argument or a result as the program has it.
struct EntryValue {
  bool isToken = false;   // it is none of the image's
  bool isDonated = false; // arguments: callers give it away
  int memoryKind = 0;     // a place in `memoryKinds` (Client.h)
};

// Bytes of a program's code that are the elements of a weight.
struct WeightInCode {
  size_t begin = 0, bytes = 0;             // in the code
  size_t weight = 0;                       // a place in CompiledProgram::weights
  std::vector<BlockedLayout> layouts = {}; // that they were laid out in, one after the other
};

struct CompiledProgram {
  std::string name;
  std::string image;                          // the bytes of its file
  ImageDescription description = {};          // of the image, without its texts
  std::vector<Tensor> weights = {};           // constants that it doesn't hold itself
  std::vector<WeightInCode> inCode = {};      // by their places
  std::vector<EntryValue> arguments, results; // in the program's order
  double seconds = 0;                         // predicted of one run; infinite: unpredictable
  double optimalSeconds = 0;                  // at the machine's limits: what `drumlin cost` says
  int64_t peakBytes = 0;                      // that it holds at most, arguments and results too
};

// What a program's bytes are, and the interface's name for it (`format`).
enum class ProgramFormat : uint8_t {
  Mlir,          // `mlir`: StableHLO as text, bytecode or a portable artifact
  Hlo,           // `hlo`: xla's HloModuleProto
  HloWithConfig, // `hlo_with_config`: xla's HloModuleProtoWithConfig
};
inline constexpr std::string_view programFormats[] = {"mlir", "hlo", "hlo_with_config"};

// By name and value, as `drumlin compile` has them.
using CompileOption = std::pair<std::string, std::string>;

// An array of a caller's, as compile options describe it.
struct ArrayLayout {
  std::string shape; // as HLO writes it, without a layout: `f32[2,3]`
  std::string order; // `{0,1}`; empty: row-major

  bool operator==(const ArrayLayout &) const = default;
};

// How a program's arguments and results lie; nothing: as the program says. Of tuples each array.
struct EntryLayouts {
  std::optional<std::vector<ArrayLayout>> arguments, results;
};

// Whether the program tells of each kernel that it runs.
enum class KernelTimers : uint8_t { None, Each };

// May be called from several threads at once. Fails as `drumlin compile` does, and with
// CompilerOptionInvalid where layouts are of other arrays than the program's.
Result<CompiledProgram> compileProgram(std::string_view code, ProgramFormat format,
                                       const std::vector<CompileOption> &options,
                                       const EntryLayouts &layouts = {},
                                       KernelTimers timers = KernelTimers::None);

// Returns the program's kernels as StableHLO text, a call each. It lists `ignored`, the options of
// other compilers that were given and have no meaning here. The text takes about a millisecond to
// make, so that only those who ask for it should. May be called from several threads at once.
Result<std::string> programText(const CompiledProgram &program,
                                const std::vector<std::string> &ignored);

// `Drumlin 0.1.0 for znver5`: programs that another one compiled aren't used.
std::string compilerVersion();
// The processor that programs are compiled for where no option says another.
std::string targetName();

} // namespace drumlin::pjrt
