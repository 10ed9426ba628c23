// Faults that a program may show, and what has to stay of one while the program shrinks.
#pragma once

#include "drumlin/driver/check/Check.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace drumlin {

struct ProgramFault {
  enum class Kind {
    None,
    Differs,  // native code from the interpreter
    Fails,    // the compiler, or what it made, ends with status 70
    Crashes,  // with a signal
    TimesOut, // takes longer than it may
  } kind = Kind::None;
  // What tells it from other faults of its kind, without numbers and places: the diagnostic's code
  // and phase, the error's text, the signal and the assertion.
  std::string detail;

  bool operator==(const ProgramFault &) const = default;
  std::string str() const;
};

// Makes the arguments of a program: for each, its number in the first program, as
// takeArgumentNumbers() gives them.
using MakeReducedArguments = std::function<Result<std::vector<Tensor>>(
    const std::vector<ValueDescription> &, const std::vector<std::optional<unsigned>> &)>;

struct FaultOptions {
  CompileOptions compilation;
  CheckOptions checking;
  MakeReducedArguments makeArguments;
  double seconds = 10;             // that one program may take
  std::function<bool()> isStopped; // empty: never
};

// What is done to a program.
enum class FaultSearch {
  Compile, // it is compiled
  Check,   // it is compiled, runs, and is compared with the interpreter
};

// Compiles or checks a program in a child process, where it may crash or hang. The program may be a
// candidate of reduceProgram(). No other thread may be running.
ProgramFault findFault(mlir::ModuleOp program, FaultSearch search, const FaultOptions &options);

// Runs a command of /bin/sh on a program's text in a file, whose path takes the place of `{}` or
// follows the command. True where it ends with status 0 in time.
Result<bool> runCommand(mlir::ModuleOp program, const std::string &command, double seconds,
                        const std::function<bool()> &isStopped);

} // namespace drumlin
