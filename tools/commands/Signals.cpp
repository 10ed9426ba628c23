// What signals lead to: interruption leaves no partial file; a crash leaves what a report needs.
#include "commands/Commands.h"

#include "drumlin/support/AtomicFile.h"

#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drumlin::cli {

// A handler can neither allocate nor be given anything, so what it needs lies in fixed memory.
static char crashProgram[PATH_MAX];
static char crashFolder[64];
static constexpr size_t crashStackBytes = size_t(64) << 10;
static char crashStack[crashStackBytes];

// Programs beyond this size hold weights; the command line says where they lie.
static constexpr size_t largestCopy = size_t(8) << 20;

void nameCrashedProgram(const std::string &path) {
  std::snprintf(crashProgram, sizeof(crashProgram), "%s", path.c_str());
}

static void say(const char *text) {
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

// `separator` stands for bytes that are zero.
static void copyFile(const char *from, const char *to, char separator = 0) {
  int source = ::open(from, O_RDONLY | O_CLOEXEC);
  int target = ::open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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

static void onInterrupt(int) {
  removeTemporaries();
  _exit(static_cast<int>(ExitStatus::Interrupted));
}

static void onCrash(int number) {
  removeTemporaries();
  const char *name = sigabbrev_np(number);
  say("\nerror D9001: the compiler crashed (SIG");
  say(name ? name : "?");
  say(")\n");
  // The folder's name was made beforehand.
  if (crashProgram[0] && ::mkdir(crashFolder, 0777) == 0 && ::chdir(crashFolder) == 0) {
    copyFile("/proc/self/cmdline", "command.txt", ' ');
    if (::chdir("..") == 0) {
      char target[sizeof(crashFolder) + sizeof("/program.mlir")];
      std::strcpy(target, crashFolder);
      std::strcat(target, "/program.mlir");
      copyFile(crashProgram, target);
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
  // A stack of its own, since overflowing the stack is one way to crash.
  stack_t stack = {};
  stack.ss_sp = crashStack;
  stack.ss_size = sizeof(crashStack);
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    sigaction(number, &action, nullptr);
  }
}

} // namespace drumlin::cli
