#include "commands/CommandFiles.h"

#include "commands/Commands.h"
#include "commands/OptionTable.h"
#include "commands/Printing.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/SystemError.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drumlin::cli {

using Sources = std::map<std::string, std::shared_ptr<MappedFile>>;

static Sources &keptSources() {
  static Sources sources;
  return sources;
}

Status keepSource(const std::string &name, std::string_view content) {
  int file = memfd_create("drumlin-program", MFD_CLOEXEC);
  if (file < 0) {
    return systemError(errors::OutOfMemory, "no memory for a program", errno, name);
  }
  int error = 0;
  for (std::string_view rest = content; !rest.empty() && error == 0;) {
    ssize_t count = ::write(file, rest.data(), rest.size());
    error = count < 0 && errno != EINTR ? errno : 0;
    rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
  Result<std::shared_ptr<MappedFile>> mapped =
      MappedFile::open("/proc/self/fd/" + std::to_string(file));
  ::close(file);
  if (error != 0 || !mapped) {
    return diagnose(errors::OutOfMemory,
                    "no memory for a program of " + std::to_string(content.size()) + " bytes",
                    name);
  }
  keptSources()[name] = *mapped;
  return Done{};
}

void forgetSources() { keptSources().clear(); }

std::string sourceName(const std::string &path) { return path == "-" ? "<stdin>" : path; }

Result<std::shared_ptr<MappedFile>> readSource(const std::string &path) {
  Sources &kept = keptSources();
  if (isRegularFile(path)) {
    return MappedFile::open(path);
  }
  if (auto found = kept.find(path); found != kept.end()) {
    return found->second;
  }
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path == "-" ? "/dev/stdin" : path);
  if (file) {
    kept[path] = *file;
  }
  return file;
}

bool isRegularFile(const std::string &path) {
  struct stat status;
  return !keptSources().contains(path) && stat(path.c_str(), &status) == 0 &&
         S_ISREG(status.st_mode);
}

bool isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Result<mlir::OwningOpRef<mlir::ModuleOp>>
importSource(const std::string &path, mlir::MLIRContext &context, const ImportLimits &limits) {
  Result<std::shared_ptr<MappedFile>> file = readSource(path);
  if (!file) {
    return file.error();
  }
  nameCrashedProgram(path, *file);
  if (isRegularFile(path)) {
    return importFile(path, context, limits);
  }
  return importText((*file)->text(), sourceName(path), context, limits);
}

static std::vector<std::string> valuesOf(const CLI::App &command, const char *name) {
  const CLI::Option *option = command.get_option_no_throw(name);
  return option ? option->results() : std::vector<std::string>();
}

static bool areOne(const std::string &a, const std::string &b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Returns whether two paths name the same location, even if no file exists there.
static bool isOnePath(const std::string &a, const std::string &b) {
  std::error_code error;
  auto place = [&](const std::string &path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return place(a) == place(b);
}

// Returns all files that are written for an output, except temporary ones.
static std::vector<std::string> filesOf(const CLI::App &command, const std::string &output) {
  struct stat status;
  if (stat(output.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    // Results are written to a folder as `out0.npy`, … The list ends with the first file that
    // doesn't exist yet, since such a file can't be an input.
    std::vector<std::string> files;
    do {
      files.push_back(output + "/out" + std::to_string(files.size()) + ".npy");
    } while (isRegularFile(files.back()));
    return files;
  }
  if (command.get_name() != "compile") {
    return {output};
  }
  if (!valuesOf(command, "--stop-after").empty()) {
    return {output, ledgerPath(output)};
  }
  if (!valuesOf(command, "--weights").empty() && valuesOf(command, "--weights-in-place").empty()) {
    // Until the image is written, the weights are in a file whose name contains their hash.
    return {output, output + ".weights",
            output + ".weights." + std::string(contentHashDigits, '0')};
  }
  return {output};
}

// Returns the program files that `--dump-phases` writes.
static std::vector<std::string> dumpsOf(const CLI::App &command) {
  std::vector<std::string> files;
  std::vector<std::string> startFrom = valuesOf(command, "--start-from");
  for (const std::string &folder : valuesOf(command, "--dump-phases")) {
    bool isWritten = startFrom.empty();
    std::vector<std::string> names = phaseNames();
    names.insert(names.begin(), "import");
    for (size_t i = 0; i < names.size(); ++i) {
      if (isWritten) {
        files.push_back(folder + "/0" + std::to_string(i) + "-" + names[i] + ".mlir");
      }
      isWritten |= !startFrom.empty() && names[i] == startFrom[0];
    }
  }
  return files;
}

static Status checkWritable(const std::string &path) {
  struct stat status;
  // A pipe isn't opened here: its reader would see the end of the data when this check closes it.
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return Done{};
  }
  Result<AtomicFile> file = AtomicFile::create(path);
  return file ? Status(Done{}) : Status(file.error());
}

// Checks that no input is `file`. Values that aren't files (`zeros`) never match.
static Status checkNoInput(const CLI::App &command, const std::string &file) {
  for (const CLI::Option *option : command.get_options()) {
    const OptionRow &row = optionOf(command.get_name(), option->get_name());
    if (row.type != OptionType::File) {
      continue;
    }
    for (const std::string &input : option->results()) {
      // A tuning record that doesn't exist yet will be created, so only its path can be compared.
      bool isNewRecord = row.name == "--tune-record" && isOnePath(file, input);
      if (areOne(file, input) || isNewRecord) {
        return diagnose(errors::OutputIsInput,
                        "the output would replace `" + input + "`, which is an input", file);
      }
    }
  }
  return Done{};
}

Status checkFiles(const CLI::App &command) {
  for (const std::string &file : dumpsOf(command)) {
    if (Status status = checkNoInput(command, file); !status) {
      return status;
    }
  }
  for (const CLI::Option *option : command.get_options()) {
    if (optionOf(command.get_name(), option->get_name()).type != OptionType::Output) {
      continue;
    }
    for (const std::string &output : option->results()) {
      for (const std::string &file : filesOf(command, output)) {
        if (Status status = checkNoInput(command, file); !status) {
          return status;
        }
        if (Status status = checkWritable(file); !status) {
          return status;
        }
      }
    }
  }
  return Done{};
}

void occupyStandardStreams() {
  for (int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) != 0 && errno == EBADF) {
      // open() returns the lowest free descriptor. Standard input becomes write-only, so that
      // reading fails; the output streams become read-only, so that writing fails.
      [[maybe_unused]] int file = ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

Status finishOutput() {
  std::cout.flush();
  errno = 0;
  if (std::fflush(printed()) == 0 && !std::ferror(printed()) && std::cout.good()) {
    return Done{};
  }
  return diagnose(
      errors::FileNotWritable,
      "can't write the output" + (errno ? ": " + std::string(std::strerror(errno)) : std::string()),
      "standard output", "check the destination of standard output, and its free space");
}

} // namespace drumlin::cli
