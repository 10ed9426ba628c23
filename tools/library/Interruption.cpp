#include "Interruption.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>

namespace drumlin {

static std::atomic<uint64_t> interruptions = 0;

namespace {
// The number of living Interruption objects, and the previous signal handler, which handle() calls.
// Never destroyed: threads may compile while the process ends.
struct Handling {
  std::mutex mutex;
  std::condition_variable ended;
  int living = 0;
  struct sigaction previous = {};

  static Handling &get() {
    static auto *only = new Handling;
    return *only;
  }
  void begin();
  void end();
};
} // namespace

static Handling *const handling = &Handling::get();

static void handle(int signal, siginfo_t *info, void *context) {
  interruptions.fetch_add(1);
  const struct sigaction &previous = handling->previous;
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
}

static bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == handle;
}

static bool isHandled(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void Handling::begin() {
  std::lock_guard<std::mutex> lock(mutex);
  struct sigaction present = {};
  if (++living > 1 || sigaction(SIGINT, nullptr, &present) != 0 || !isHandled(present)) {
    return;
  }
  if (!isOurs(present)) { // another library may have restored it already
    previous = present;
    present.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    present.sa_sigaction = handle;
    (void)sigaction(SIGINT, &present, nullptr);
  }
}

void Handling::end() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--living > 0) {
    return;
  }
  struct sigaction present = {};
  if (sigaction(SIGINT, nullptr, &present) == 0 && isOurs(present)) {
    (void)sigaction(SIGINT, &previous, nullptr);
  }
  ended.notify_all();
}

Interruption::Interruption() : before(interruptions.load()) { handling->begin(); }

Interruption::~Interruption() { handling->end(); }

bool Interruption::isThere() const { return interruptions.load() != before; }

void Interruption::endAll() {
  interruptions.fetch_add(1);
  std::unique_lock<std::mutex> lock(handling->mutex);
  handling->ended.wait(lock, [] { return handling->living == 0; });
}

} // namespace drumlin
