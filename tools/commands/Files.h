// Files that commands read and write.
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

// Returns the bytes of a program or an image. Sources that can be read only once, like pipes, are
// kept until the process ends: a command may need its program again, e.g. to determine its kind.
Result<std::shared_ptr<MappedFile>> readSource(const std::string &path);

// Returns the source's name for messages: `<stdin>` for `-`.
std::string sourceName(const std::string &path);

// Makes `name` stand for a program in memory instead of a file. Fails with OutOfMemory.
Status keepSource(const std::string &name, std::string_view content);
// Drops all kept sources, also of pipes.
void forgetSources();

// Reads a module from a file or a pipe; a crash from now on leaves a reproducer of it.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importSource(const std::string &path, mlir::MLIRContext &context, const ImportLimits &limits);

// Whether a path names a regular file, which can be read repeatedly; false for a program in memory.
bool isRegularFile(const std::string &path);
bool isFolder(const std::string &path);

// Checks all files before a command runs: a file that it writes must not be one that it reads
// (OutputIsInput) and must be writable (FileNotWritable), so that a long run doesn't end without a
// place for its results.
Status checkFiles(const CLI::App &command);

// Opens failing descriptors in place of closed standard streams; otherwise the next opened files
// would take their places and receive the output.
void occupyStandardStreams();
// Checks that all output could be written.
Status finishOutput();

} // namespace drumlin::cli
