// A file that appears whole or not at all: it is written under a temporary name in the folder where
// it will lie, synced and renamed at the end.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace drumlin {

class AtomicFile {
public:
  // Fails with FileNotWritable, also where the name can't be one of the file system's. A
  // destination that exists and is no regular file (`/dev/stdout`, a pipe) is written in place; a
  // symbolic link is followed, and what it points at is replaced. `mode`: of a file that doesn't
  // exist yet.
  static Result<AtomicFile> create(const std::string &path, unsigned mode = 0666);
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  // Removes the temporary unless commit() has succeeded.
  ~AtomicFile();

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text);
  // Only once, after the last write.
  Status commit();

private:
  AtomicFile() = default;
  Diagnostic failure(int error) const;
  void discard();

  std::string path;      // as the caller said it
  std::string target;    // with symbolic links resolved
  std::string temporary; // empty: written in place
  int file = -1;
  int slot = -1; // in the list that removeTemporaries() walks
};

Status writeFile(const std::string &path, std::span<const std::byte> bytes);
Status writeFile(const std::string &path, std::string_view text, unsigned mode = 0666);

// Gives a file another name, which may be that of a file.
Status renameFile(const std::string &from, const std::string &to);

// For tests of what is left when the process ends there: called before a file gets its name.
using CommitHook = void (*)(const std::string &target);
void setCommitHook(CommitHook hook);

// The name of a file that isn't whole yet, `.drumlin-PROCESS-NUMBER.tmp`: no two of this process
// are the same.
std::string temporaryFileName();
bool isTemporaryFileName(std::string_view name);

// Unlinks the temporaries in a folder whose writers were killed: those of this user to which nobody
// has written for an hour, and which no process holds locked, as writers do. Where the file system
// has no locks, nothing is unlinked.
void removeLeftTemporaries(const std::string &folder);

// Unlinks the temporaries of all files that are being written. Async-signal-safe: for handlers of
// signals that end the process.
void removeTemporaries();

} // namespace drumlin
