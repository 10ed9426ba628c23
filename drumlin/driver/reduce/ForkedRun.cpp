#include "drumlin/driver/reduce/ForkedRun.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drumlin::reduce {

// The number of bytes that are kept from the start of the child's standard error. They contain the
// message of a failed assertion.
static constexpr size_t errorsKept = 4096;

// Resets signal handlers in the child, so that signals end it.
static void prepareChild(int errors) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM}) {
    std::signal(number, SIG_DFL);
  }
  rlimit noCore = {0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
}

static void writeAll(int file, const std::string &text) {
  size_t written = 0;
  while (written < text.size()) {
    ssize_t count = ::write(file, text.data() + written, text.size() - written);
    if (count <= 0) {
      return;
    }
    written += static_cast<size_t>(count);
  }
}

namespace {
class Child {
public:
  Child(pid_t process, const ForkLimits &limits) : process(process), limits(limits) {
    if (limits.seconds > 0) {
      end = std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                std::chrono::duration<double>(limits.seconds));
    }
  }

  ForkedEnd wait(int answer, int errors) {
    ForkedEnd ended;
    pollfd files[] = {{answer, POLLIN, 0}, {errors, POLLIN, 0}};
    while ((files[0].fd >= 0 || files[1].fd >= 0) && !isPastEnd(ended)) {
      if (::poll(files, 2, millisecondsLeft()) <= 0) {
        continue;
      }
      readInto(files[0], ended.answer, std::string::npos);
      readInto(files[1], ended.errors, errorsKept);
    }
    if (ended.kind != ForkedEnd::Kind::NotStarted) {
      ::kill(-process, SIGKILL);
      ::kill(process, SIGKILL);
    }
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (ended.kind == ForkedEnd::Kind::NotStarted) {
      ended.kind = WIFEXITED(status) ? ForkedEnd::Kind::Exited : ForkedEnd::Kind::Signalled;
      ended.number = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    }
    return ended;
  }

private:
  bool isPastEnd(ForkedEnd &ended) const {
    if (limits.isStopped && limits.isStopped()) {
      ended.kind = ForkedEnd::Kind::Stopped;
      return true;
    }
    if (end && std::chrono::steady_clock::now() >= *end) {
      ended.kind = ForkedEnd::Kind::TimedOut;
      return true;
    }
    return false;
  }

  int millisecondsLeft() const {
    if (!end) {
      return -1;
    }
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        *end - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<int64_t>(left.count() + 1, 0, 1 << 30));
  }

  static void readInto(pollfd &file, std::string &text, size_t most) {
    if (file.fd < 0 || file.revents == 0) {
      return;
    }
    char buffer[4096];
    ssize_t count = ::read(file.fd, buffer, sizeof(buffer));
    if (count > 0) {
      text.append(buffer, std::min(static_cast<size_t>(count), most - text.size()));
    } else if (count == 0 || errno != EINTR) {
      file.fd = -1;
    }
  }

  pid_t process;
  const ForkLimits &limits;
  std::optional<std::chrono::steady_clock::time_point> end;
};
} // namespace

// Runs `work` in the child. `work` writes its result to the given file descriptor and returns the
// exit status.
static ForkedEnd run(const std::function<int(int)> &work, const ForkLimits &limits) {
  int answer[2], errors[2];
  if (::pipe2(answer, O_CLOEXEC) != 0) {
    return {};
  }
  if (::pipe2(errors, O_CLOEXEC) != 0) {
    ::close(answer[0]);
    ::close(answer[1]);
    return {};
  }
  pid_t process = ::fork();
  if (process == 0) {
    prepareChild(errors[1]);
    ::_exit(work(answer[1]));
  }
  ::close(answer[1]);
  ::close(errors[1]);
  ForkedEnd ended;
  if (process > 0) {
    // Both parent and child call this: whichever runs first, the child leads its process group
    // before the group can be killed.
    ::setpgid(process, process);
    ended = Child(process, limits).wait(answer[0], errors[0]);
  }
  ::close(answer[0]);
  ::close(errors[0]);
  return ended;
}

ForkedEnd runForked(const std::function<std::string()> &work, const ForkLimits &limits) {
  return run(
      [&](int file) {
        writeAll(file, work());
        return 0;
      },
      limits);
}

ForkedEnd runShell(const std::string &command, const ForkLimits &limits) {
  return run(
      [&](int) {
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        return 127;
      },
      limits);
}

} // namespace drumlin::reduce
