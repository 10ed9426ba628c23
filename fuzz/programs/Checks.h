// The checks of a generated program. Each check compares its results with the results of
// interpreting the program as written.
#pragma once

#include "RandomProgram.h"

#include "drumlin/driver/Options.h"
#include "drumlin/driver/check/PhaseProgram.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace drumlin::fuzz {

// A fault. `kind` is the same text for all faults with probably the same cause, such as
// `native/avx2/D7001 NumbersDiffer`.
struct Finding {
  std::string kind;
  std::string message;
};

// Counts over all programs of a run.
struct Counts {
  int64_t programs = 0, findings = 0;
  std::map<std::string, int64_t> checks;     // programs per check: `phases`, `native/avx2`, …
  std::map<std::string, int64_t> skipped;    // skipped checks, by reason
  std::map<std::string, int64_t> operations; // generated operations: `stablehlo.add f32`
  std::map<std::string, int64_t> rules;      // decisions: `loop-fuse-producer taken`
  std::map<std::string, int64_t> places;     // positions in kernels: `stablehlo.add epilogue`
  int64_t generatedOperations = 0;
  int64_t exactElements = 0;   // elements of results compared bit for bit
  int64_t roundedElements = 0; // elements of results compared with a tolerance
  // Elements that exceed the tolerance, but not the wider tolerance that the program's allowances
  // give.
  int64_t widenedElements = 0;
};

// A parsed program with its arguments, and the results of interpreting it as written.
class Subject {
public:
  static Result<Subject> make(Program program, mlir::MLIRContext &context);

  mlir::OwningOpRef<mlir::ModuleOp> copy() const;
  // Describes the first result that differs from `expected` by more than the tolerance; nullopt if
  // there is none.
  std::optional<std::string> compare(const std::vector<Tensor> &got, Counts &counts) const;

  Program program;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Tensor> arguments, expected;

private:
  const Allowances &allowances() const;
  mutable std::optional<Allowances> knownAllowances;
};

// Interprets the program after each phase.
std::optional<Finding> checkPhases(const Subject &subject, Counts &counts);

// Options for compiling and running native code.
struct NativeRun {
  std::string level;                   // the CPU level
  std::string disabled = {};           // a pass or rule to disable, if any
  std::optional<unsigned> effort = {}; // the level of `-O`, if not the default
  // A command that runs code of another architecture (driver/check/ForeignRun.h).
  std::string runner = {};
};
// Runs native code, donating the arguments that the program donates.
std::optional<Finding> checkNative(const Subject &subject, const NativeRun &how, Counts &counts);
// Computes, one after another, what several numbers of threads would compute of each launch, and
// compares the results' bits.
std::optional<Finding> checkThreads(const Subject &subject, const std::string &level,
                                    Counts &counts);
// Writes the program as bytecode and as an artifact, reads both back, and compares them with the
// program.
std::optional<Finding> checkFormats(const Subject &subject, Counts &counts);

// Returns the CPU levels that this machine can run.
const std::vector<std::string> &cpuLevels();
// Returns the rules and passes that can be disabled.
const std::vector<std::string> &optionalPasses();

} // namespace drumlin::fuzz
