// Writes the files for a bug report when the compiler itself fails.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"

#include <string>

namespace drumlin::cli {

// Writes a new folder `drumlin-reproducer-…` into the current folder, or into the folder for
// temporary files if the current folder isn't writable. Returns the new folder's path. It contains:
//   program.mlir   the program; large constants are left out
//   constants.txt  their locations in the program's file, types and hashes
//   command.txt    the command line, the program's path and hash
//   message.txt    the diagnostic
//   ledger.json    the decisions up to the failure
Result<std::string> writeReproducer(const std::string &program, const CompileOptions &options,
                                    const Diagnostic &error);

// Returns a diagnostic's remedy, which names the reproducer. `folder`: the result of
// writeReproducer().
std::string reproducerRemedy(const Result<std::string> &folder);

} // namespace drumlin::cli
