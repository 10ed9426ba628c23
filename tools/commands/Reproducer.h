// What is left for a report when the compiler fails by a fault of its own.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"

#include <string>

namespace drumlin::cli {

// Writes a new folder `drumlin-reproducer-…` into the current one, or into the one for temporary
// files where that can't be written; gives its path. In it:
//   program.mlir   the program; large constants are left out
//   constants.txt  where those are: their places in the program's file, types and hashes
//   command.txt    the command line, the program's path and hash
//   message.txt    the diagnostic
//   ledger.json    the decisions up to the failure
Result<std::string> writeReproducer(const std::string &program, const CompileOptions &options,
                                    const Diagnostic &error);

// The hint of a diagnostic whose reproducer was written, or couldn't be.
std::string reproducerRemedy(const Result<std::string> &folder);

} // namespace drumlin::cli
