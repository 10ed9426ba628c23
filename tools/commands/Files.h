// The files that commands read and write.
#pragma once

#include "drumlin/import/Import.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/MappedFile.h"

#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace drumlin::cli {

// The bytes of a program or an image. What can be read only once, as a pipe can, is kept until the
// process ends: a command may come back to its program, to tell what kind it is or to explain it.
Result<std::shared_ptr<MappedFile>> readSource(const std::string &path);

// What messages call a source: `<stdin>` for `-`.
std::string sourceName(const std::string &path);

// From now on this name stands for a program in memory, not for the file of that name. OutOfMemory.
Status keepSource(const std::string &name, std::string_view content);
// Drops what was kept, also of pipes.
void forgetSources();

// A module from a file or a pipe; a crash from now on leaves a reproducer of it.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importSource(const std::string &path, mlir::MLIRContext &context, const ImportLimits &limits);

// Whether a path names a regular file, which can be read as often as one likes; a program in memory
// is none.
bool isRegularFile(const std::string &path);
bool isFolder(const std::string &path);

// Before a command does anything: no file that it writes may be one that it reads (OutputIsInput),
// and each must be one that can be written (FileNotWritable): a long run shouldn't end with nowhere
// to put its results.
Status checkFiles(const CLI::App &command);

// Where standard input, output or error are closed, the next files that are opened would take their
// places, and get what is printed. Puts something there that fails instead.
void occupyStandardStreams();
// Whether all that was printed could be written.
Status finishOutput();

} // namespace drumlin::cli
