#include "drumlin/driver/check/NativeSteps.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

namespace drumlin {

NativeSteps::~NativeSteps() {
  if (isRunning) {
    (void)finish();
  }
}

LaunchObserver NativeSteps::observer() {
  return [this](LaunchMoment, int64_t kernel, void *const *buffers) { stopAt({kernel, buffers}); };
}

void NativeSteps::stopAt(Stop reached) {
  std::unique_lock<std::mutex> lock(mutex);
  if (isReleased) {
    return;
  }
  stop = reached;
  turn = Turn::Checker;
  changed.notify_all();
  changed.wait(lock, [&] { return turn == Turn::Native || isReleased; });
}

void NativeSteps::start(Executable &executable, std::span<const Tensor> arguments) {
  size_t started = thread.start(1, [this, &executable, arguments] {
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return turn == Turn::Native || isReleased; });
    }
    Result<std::vector<Tensor>> given = call(executable, arguments);
    std::lock_guard<std::mutex> lock(mutex);
    results.emplace(std::move(given));
    hasEnded = true;
    changed.notify_all();
  });
  isRunning = started != 0;
  if (!isRunning) {
    results.emplace(diagnose(errors::OutOfMemory, "no thread could be made for the program"));
    hasEnded = true;
  }
}

std::optional<NativeSteps::Stop> NativeSteps::next() {
  std::unique_lock<std::mutex> lock(mutex);
  if (hasEnded) {
    return std::nullopt;
  }
  turn = Turn::Native;
  changed.notify_all();
  changed.wait(lock, [&] { return turn == Turn::Checker || hasEnded; });
  return hasEnded ? std::nullopt : stop;
}

Result<std::vector<Tensor>> NativeSteps::finish() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isReleased = true;
    turn = Turn::Native;
    changed.notify_all();
  }
  thread.join();
  isRunning = false;
  return std::move(*results);
}

} // namespace drumlin
