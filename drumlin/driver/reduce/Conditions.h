// Finds the faults that a program shows. A ProgramFault describes a fault by the details that must
// stay the same while the program shrinks.
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
    Differs,  // native code and interpreter differ
    Fails,    // the compiler or its output ends with status 70
    Crashes,  // the compiler or its output is ended by a signal
    TimesOut, // takes longer than FaultOptions::seconds
  } kind = Kind::None;
  // Details that distinguish the fault from others of its kind, without numbers and locations: the
  // diagnostic's code and phase, the error's text, the signal and the assertion.
  std::string detail;

  bool operator==(const ProgramFault &) const = default;
  std::string str() const;
};

// Creates a program's arguments, given each argument's number in the original program, as returned
// by takeArgumentNumbers().
using MakeReducedArguments = std::function<Result<std::vector<Tensor>>(
    const std::vector<ValueDescription> &, const std::vector<std::optional<unsigned>> &)>;

struct FaultOptions {
  CompileOptions compilation;
  CheckOptions checking;
  MakeReducedArguments makeArguments;
  double seconds = 10;             // time limit of one program
  std::function<bool()> isStopped; // empty: never
};

// How far a program is processed to find its faults.
enum class FaultSearch {
  Compile, // the program is only compiled
  Check,   // the program is compiled, run, and compared with the interpreter
};

// Compiles or checks a program in a child process, where it may crash or hang. The program may be a
// candidate of reduceProgram(). Requires that no other thread is running.
ProgramFault findFault(mlir::ModuleOp program, FaultSearch search, const FaultOptions &options);

// Writes the program to a file and runs a command of /bin/sh on this file. The file's path replaces
// `{}` in the command, or is appended to the command. Returns whether the command exits with status
// 0 in time.
Result<bool> runCommand(mlir::ModuleOp program, const std::string &command, double seconds,
                        const std::function<bool()> &isStopped);

} // namespace drumlin
