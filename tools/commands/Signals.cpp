// Signal handling: interruption leaves no partial files; a crash leaves files for a report.
#include "commands/CommandLine.h"
#include "commands/Commands.h"

#include "commands/CommandFiles.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Threads.h"

#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drumlin::cli {

// A handler can't allocate or take arguments, so its data is in static memory.
static char crashProgram[PATH_MAX];
static char crashFolder[64];

// The largest number of bytes of a program that are copied. Larger programs contain weights; their
// copies are truncated, and the command line in the reproducer names the file.
static constexpr size_t largestCopy = size_t(8) << 20;

// The program's bytes, if the program can't be read again. A regular file is instead reopened by
// its path: the mapped file may have been truncated, and reading it would then raise another
// signal.
static std::shared_ptr<MappedFile> crashContent;

void nameCrashedProgram(const std::string &path, std::shared_ptr<MappedFile> content) {
  bool canBeReadAgain = isRegularFile(path);
  crashContent = canBeReadAgain ? nullptr : std::move(content);
  std::snprintf(crashProgram, sizeof(crashProgram), "%s", path.c_str());
}

static std::atomic<pid_t> reportingThread{0};

static void say(const char *text) {
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

static int createFile(const char *path) {
  return ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

// Copies a file. `separator`, if not 0, replaces zero bytes.
static void copyFile(const char *from, const char *to, char separator = 0) {
  int source = ::open(from, O_RDONLY | O_CLOEXEC);
  int target = createFile(to);
  char buffer[4096];
  size_t total = 0;
  ssize_t count;
  while (source >= 0 && target >= 0 && total < largestCopy &&
         (count = ::read(source, buffer, sizeof(buffer))) > 0) {
    total += static_cast<size_t>(count);
    for (ssize_t i = 0; i < count; ++i) {
      buffer[i] = buffer[i] ? buffer[i] : separator;
    }
    if (::write(target, buffer, static_cast<size_t>(count)) != count) {
      return;
    }
  }
}

static void copyProgram(const char *to) {
  if (!crashContent) {
    copyFile(crashProgram, to);
    return;
  }
  int target = createFile(to);
  std::span<const std::byte> bytes = crashContent->bytes();
  bytes = bytes.first(std::min(bytes.size(), largestCopy));
  while (target >= 0 && !bytes.empty()) {
    ssize_t count = ::write(target, bytes.data(), bytes.size());
    if (count <= 0) {
      return;
    }
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

static void onInterrupt(int) {
  removeTemporaries();
  _exit(static_cast<int>(ExitStatus::Interrupted));
}

static void onCrash(int number) {
  // If several threads crash at once, the first one writes the report and then ends the process. If
  // this thread crashes again meanwhile, it ends the process at once.
  pid_t reporting = 0;
  if (!reportingThread.compare_exchange_strong(reporting, gettid())) {
    if (reporting == gettid()) {
      _exit(static_cast<int>(ExitStatus::InternalError));
    }
    while (true) {
      pause();
    }
  }
  removeTemporaries();
  const char *name = sigabbrev_np(number);
  say("\nerror D9001: the compiler crashed (SIG");
  say(name ? name : "?");
  say(")\n");
  // The handler can't format the folder's name, so handleSignals() did that.
  if (crashProgram[0] && ::mkdir(crashFolder, 0700) == 0 && ::chdir(crashFolder) == 0) {
    copyFile("/proc/self/cmdline", "command.txt", ' ');
    if (::chdir("..") == 0) {
      char target[sizeof(crashFolder) + sizeof("/program.mlir")];
      std::strcpy(target, crashFolder);
      std::strcat(target, "/program.mlir");
      copyProgram(target);
    }
    say("  hint: report it with the reproducer in `");
    say(crashFolder);
    say("`; `drumlin reduce ");
    say(crashFolder);
    say("/program.mlir` makes it smaller\n");
  } else {
    say("  hint: report it with the program and the command line\n");
  }
  _exit(static_cast<int>(ExitStatus::InternalError));
}

void handleSignals() {
  std::signal(SIGINT, onInterrupt);
  std::signal(SIGTERM, onInterrupt);
  std::snprintf(crashFolder, sizeof(crashFolder), "drumlin-reproducer-crash-%d",
                static_cast<int>(getpid()));
  // The handler needs a separate stack, since a stack overflow is one kind of crash. Other threads
  // get their stacks when they are created.
  static SignalStack stack;
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    sigaction(number, &action, nullptr);
  }
}

} // namespace drumlin::cli
