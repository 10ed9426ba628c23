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

// Returns the bytes of a program or an image. The bytes of sources that can be read only once, like
// pipes, are kept until the process ends: a command may read its program several times, e.g. first
// to determine its kind.
Result<std::shared_ptr<MappedFile>> readSource(const std::string &path);

// Returns the source's name for messages: `<stdin>` for `-`.
std::string sourceName(const std::string &path);

// Makes `name` stand for a program in memory instead of a file. Fails with OutOfMemory.
Status keepSource(const std::string &name, std::string_view content);
// Drops all kept sources: those of keepSource() and those that were read from pipes.
void forgetSources();

// Reads a module from a file or a pipe. A crash after this call leaves a reproducer with the
// module.
Result<mlir::OwningOpRef<mlir::ModuleOp>>
importSource(const std::string &path, mlir::MLIRContext &context, const ImportLimits &limits);

// Returns whether a path names a regular file, which can be read repeatedly; false for a program in
// memory.
bool isRegularFile(const std::string &path);
bool isFolder(const std::string &path);

// Checks all files before a command runs. Fails with FileNotWritable if a file that the command
// writes isn't writable, so that a long run doesn't lose its results. Fails with OutputIsInput if a
// file that the command writes is also a file that it reads.
Status checkFiles(const CLI::App &command);

// Replaces closed standard streams by descriptors on which reads and writes fail. Otherwise, the
// next files to be opened would get the descriptors of the standard streams, and the streams'
// output would be written to these files.
void occupyStandardStreams();
// Checks that all output could be written.
Status finishOutput();

} // namespace drumlin::cli
