#include "commands/Progress.h"

#include "drumlin/support/VisibleText.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <unistd.h>

namespace drumlin::cli {

// The delay before the line is shown, and the shortest time between two changes of it.
static constexpr auto showAfter = std::chrono::milliseconds(300);
static constexpr auto showEvery = std::chrono::milliseconds(100);

static constexpr const char *clearLine = "\r\033[K";

ProgressFunction terminalProgress() {
  if (!isatty(STDERR_FILENO)) {
    return {};
  }
  auto next = std::make_shared<std::chrono::steady_clock::time_point>();
  return [next](const std::string &step, size_t done, size_t total) {
    auto now = std::chrono::steady_clock::now();
    if (*next == std::chrono::steady_clock::time_point()) {
      *next = now + showAfter;
    }
    if (now < *next) {
      return;
    }
    *next = now + showEvery;
    if (total != 0) {
      std::fprintf(stderr, "%s%s: %zu of %zu", clearLine, visibleText(step).c_str(), done, total);
    } else {
      std::fprintf(stderr, "%s%s", clearLine, visibleText(step).c_str());
    }
    std::fflush(stderr);
  };
}

void clearProgress() {
  if (isatty(STDERR_FILENO)) {
    std::fputs(clearLine, stderr);
  }
}

} // namespace drumlin::cli
