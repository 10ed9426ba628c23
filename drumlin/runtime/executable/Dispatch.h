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

// Waits for events, then submits a job to a queue. The constructor allocates the memory that is
// needed to report a failure, and throws if there is none. After startAfter() is called, the job
// runs exactly once in any case. If there is no memory to submit the job, the thread that would
// submit it runs it, with an error as `before`.
template <typename Ending> class Dispatch {
public:
  using Submit = std::function<void(std::function<void()> job)>;
  // A job; `before` is success, or the first error of an event.
  using Job = std::function<void(const Ending &before)>;

  Dispatch(Submit submit, Job job)
      : state(std::make_shared<State>(std::move(submit), std::move(job))) {}

  // Starts waiting; must be called once.
  void startAfter(const std::vector<std::shared_ptr<EventOf<Ending>>> &events) {
    for (const std::shared_ptr<EventOf<Ending>> &each : events) {
      state->missing.fetch_add(1);
      try {
        each->whenReady([state = state](const Ending &ending) {
          state->note(ending);
          arrive(state);
        });
      } catch (const std::bad_alloc &) { // the event can't call back: it counts as ready and failed
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
    std::atomic<size_t> missing{1}; // number of events that aren't ready, plus one for startAfter()
    std::mutex mutex;
    Ending before = Done();

    void note(const Ending &ending) {
      std::lock_guard<std::mutex> lock(mutex);
      if (before) {
        before = ending;
      }
    }
    void run() {
      // Frees what the job captured as soon as it ends, even if this object lives on.
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
    } catch (const std::bad_alloc &) { // no other thread will run the job
      state->note(outOfMemory());
      state->run();
    }
  }

  std::shared_ptr<State> state;
};

} // namespace drumlin
