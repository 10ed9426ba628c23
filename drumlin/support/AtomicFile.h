// A file that appears completely or not at all: it is written under a temporary name in its final
// folder, then synced and renamed.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace drumlin {

class AtomicFile {
public:
  // Creates a file. Fails with FileNotWritable, also if the file system doesn't allow the name. An
  // existing destination that isn't a regular file (`/dev/stdout`, a pipe) is written in place; for
  // a symbolic link, its target is replaced. `mode` applies to files that don't exist yet.
  static Result<AtomicFile> create(const std::string &path, unsigned mode = 0666);
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  // Removes the temporary file unless commit() has succeeded.
  ~AtomicFile();

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text);
  // Completes the file; called once, after the last write.
  Status commit();

private:
  AtomicFile() = default;
  Diagnostic failure(int error) const;
  void discard();

  std::string path;      // the path that the caller passed
  std::string target;    // the path with symbolic links resolved
  std::string temporary; // empty: the file is written in place
  int file = -1;
  int slot = -1; // the file's index in the list of removeTemporaries(); -1: none
};

Status writeFile(const std::string &path, std::span<const std::byte> bytes);
Status writeFile(const std::string &path, std::string_view text, unsigned mode = 0666);

// Renames a file; may replace an existing one.
Status renameFile(const std::string &from, const std::string &to);

// A function that is called before a file gets its final name. Tests use it to see which files
// remain if the process ends at that moment.
using CommitHook = void (*)(const std::string &target);
void setCommitHook(CommitHook hook);

// Returns a name for an incomplete file, `.drumlin-PROCESS-NUMBER.tmp`, unique within this process.
std::string temporaryFileName();
bool isTemporaryFileName(std::string_view name);

// Unlinks the temporary files that killed writers left in a folder: files of this user that weren't
// written to for an hour and aren't locked, since writers lock their files. If the file system has
// no locks, nothing is unlinked.
void removeLeftTemporaries(const std::string &folder);

// Unlinks the temporaries of all files that are being written. Async-signal-safe: for handlers of
// signals that end the process.
void removeTemporaries();

} // namespace drumlin
