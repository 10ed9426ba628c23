// What a generated program is held to. Each check compares with the program as written,
// interpreted.
#pragma once

#include "Program.h"

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

// A fault: `kind` has one word for all that are probably the same, such as
// `native/avx2/D5004 NumbersDiffer`.
struct Finding {
  std::string kind;
  std::string message;
};

// Numbers over all programs of a run.
struct Counts {
  int64_t programs = 0, findings = 0;
  std::map<std::string, int64_t> checks;     // `phases`, `native avx2`, …: programs that were held
  std::map<std::string, int64_t> skipped;    // why a check didn't apply
  std::map<std::string, int64_t> operations; // generated: `stablehlo.add f32`
  std::map<std::string, int64_t> rules;      // decisions: `loop-fuse-producer taken`
  std::map<std::string, int64_t> places;     // `stablehlo.add epilogue`
  int64_t generatedOperations = 0;
  int64_t exactElements = 0;   // of results that were compared bit for bit
  int64_t roundedElements = 0; // of results that were compared with a tolerance
  int64_t widenedElements =
      0; // of these, how many pass only by the allowance for their own program
};

// A program that was read, with arguments and the results that it has as written.
class Subject {
public:
  static Result<Subject> make(Program program, mlir::MLIRContext &context);

  mlir::OwningOpRef<mlir::ModuleOp> copy() const;
  // How results differ from the program's own by more than they may; nothing where they don't.
  std::optional<std::string> compare(const std::vector<Tensor> &got, Counts &counts) const;

  Program program;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Tensor> arguments, expected;

private:
  const Allowances &allowances() const;
  mutable std::optional<Allowances> knownAllowances;
};

// The program interpreted after each phase.
std::optional<Finding> checkPhases(const Subject &subject, Counts &counts);

// How native code is made, and run.
struct NativeRun {
  std::string level;                   // of the CPU
  std::string disabled = {};           // a pass or rule to leave out, if any
  std::optional<unsigned> effort = {}; // the level of `-O`, if not the default
  std::string runner = {}; // what runs it for another architecture (driver/check/ForeignRun.h)
};
// Native code, with what callers donate donated.
std::optional<Finding> checkNative(const Subject &subject, const NativeRun &how, Counts &counts);
// Its bytecode and its artifact, read again, against its text.
std::optional<Finding> checkFormats(const Subject &subject, Counts &counts);

// CPU levels that this machine can run.
const std::vector<std::string> &cpuLevels();
// Rules and passes that a compilation may go without.
const std::vector<std::string> &optionalPasses();

} // namespace drumlin::fuzz
