// Work that begins when other work has ended.
#pragma once

#include "drumlin/runtime/executable/Event.h"
#include "drumlin/support/OutOfMemory.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace drumlin {

// Waits for events, then hands a job to a queue. Everything that takes memory and can fail without
// an event to tell of it happens in the constructor; from startAfter() on the job runs once,
// whatever happens, on this thread where no memory is left to hand it over.
template <typename Ending> class Dispatch {
public:
  using Submit = std::function<void(std::function<void()> job)>;
  // `before`: how the events ended, with the first error that one had.
  using Job = std::function<void(const Ending &before)>;

  Dispatch(Submit submit, Job job)
      : state(std::make_shared<State>(std::move(submit), std::move(job))) {}

  // Once.
  void startAfter(const std::vector<std::shared_ptr<EventOf<Ending>>> &events) {
    for (const std::shared_ptr<EventOf<Ending>> &each : events) {
      state->missing.fetch_add(1);
      try {
        each->whenReady([state = state](const Ending &ending) {
          state->note(ending);
          arrive(state);
        });
      } catch (const std::bad_alloc &) { // it isn't waited for, and the work isn't done
        state->note(outOfMemory());
        state->missing.fetch_sub(1);
      }
    }
    arrive(state);
  }

private:
  struct State {
    State(Submit submit, Job job) : submit(std::move(submit)), job(std::move(job)) {}

    Submit submit;
    Job job;
    std::atomic<size_t> missing{1}; // events that aren't ready, and whoever starts it
    std::mutex mutex;
    Ending before = Done();

    void note(const Ending &ending) {
      std::lock_guard<std::mutex> lock(mutex);
      if (before) {
        before = ending;
      }
    }
    void run() {
      // Frees what the job captured as soon as it ends, whoever still holds this.
      Job once = std::move(job);
      once(before);
    }
  };

  static void arrive(const std::shared_ptr<State> &state) {
    if (state->missing.fetch_sub(1) != 1) {
      return;
    }
    try {
      state->submit([state] { state->run(); });
    } catch (const std::bad_alloc &) { // nobody else runs it
      state->note(outOfMemory());
      state->run();
    }
  }

  std::shared_ptr<State> state;
};

} // namespace drumlin
