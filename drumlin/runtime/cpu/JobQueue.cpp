#include "drumlin/runtime/cpu/JobQueue.h"

#include "drumlin/runtime/cpu/Spin.h"
#include "drumlin/support/Threads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <iterator>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

namespace drumlin {

static thread_local bool runsJobs = false;

struct JobQueue::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs;
  std::vector<pthread_t> threads;
  size_t maxThreads = 1, waiting = 0; // `waiting` includes the spinning thread
  bool spins = false;                 // whether a thread spins, and so takes the next job
  std::atomic<bool> hasWork{false};   // there are jobs, or the queue ends; polled while spinning
  size_t unfinished = 0;              // jobs that haven't ended, whether started or not
  bool stopping = false;
};

JobQueue::JobQueue(unsigned maxThreads) : state(std::make_shared<State>()) {
  state->maxThreads = maxThreads;
}

JobQueue::~JobQueue() {
  std::vector<pthread_t> threads;
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->stopping = true;
    state->hasWork.store(true, std::memory_order_relaxed);
    threads.swap(state->threads);
    state->changed.notify_all();
  }
  for (pthread_t thread : threads) {
    if (pthread_equal(thread, pthread_self())) {
      pthread_detach(thread);
    } else {
      pthread_join(thread, nullptr);
    }
  }
}

bool JobQueue::isJobThread() { return runsJobs; }

void *JobQueue::start(void *given) {
  std::unique_ptr<std::shared_ptr<State>> own(static_cast<std::shared_ptr<State> *>(given));
  State &state = **own;
  SignalStack stack;
  runsJobs = true;
  std::unique_lock<std::mutex> lock(state.mutex);
  while (true) {
    ++state.waiting;
    if (!state.spins && !state.stopping && state.jobs.empty()) {
      state.spins = true;
      state.hasWork.store(false, std::memory_order_relaxed);
      lock.unlock();
      spinUntil([&] { return state.hasWork.load(std::memory_order_relaxed); });
      lock.lock();
      state.spins = false;
    }
    state.changed.wait(lock, [&] { return state.stopping || !state.jobs.empty(); });
    --state.waiting;
    if (state.jobs.empty()) {
      return nullptr;
    }
    std::function<void()> job = std::move(state.jobs.front());
    state.jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr; // frees what the job captured, which may include the queue
    lock.lock();
    --state.unfinished;
  }
}

// Starts a thread; called under the mutex.
bool JobQueue::addThread() {
  // Reserves memory for the list first: if adding a started thread failed, nobody would join it.
  state->threads.reserve(state->threads.size() + 1);
  // Once the thread has started, it owns `given`.
  std::shared_ptr<State> *given = std::make_unique<std::shared_ptr<State>>(state).release();
  // Blocks all signals, which only threads of the host program should handle.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread = {};
  bool isMade = pthread_create(&thread, nullptr, start, given) == 0;
  if (isMade) {
    pthread_setname_np(thread, "drumlin-run");
    state->threads.push_back(thread);
  } else {
    delete given;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return isMade;
}

void JobQueue::submit(std::function<void()> job) {
  std::unique_lock<std::mutex> lock(state->mutex);
  bool wantsThread = state->waiting <= state->jobs.size();
  if (wantsThread && state->threads.size() < state->maxThreads) {
    addThread();
  }
  if (state->threads.empty()) {
    lock.unlock();
    job();
    return;
  }
  state->jobs.push_back(std::move(job));
  ++state->unfinished;
  state->hasWork.store(true, std::memory_order_relaxed);
  if (!state->spins || state->jobs.size() > 1) {
    state->changed.notify_one();
  }
}

double JobQueue::measureHandOver() {
  std::array<double, 3> taken = {};
  for (double &seconds : taken) {
    std::this_thread::sleep_for(2 * spinTime); // waits until the queue's threads sleep
    std::mutex mutex;
    std::condition_variable changed;
    bool hasEnded = false;
    auto begin = std::chrono::steady_clock::now();
    submit([&] {
      std::lock_guard<std::mutex> lock(mutex);
      hasEnded = true;
      changed.notify_one();
    });
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return hasEnded; });
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  std::ranges::sort(taken);
  return taken[1];
}

bool JobQueue::submitTogether(std::vector<std::function<void()>> jobs) {
  std::lock_guard<std::mutex> lock(state->mutex);
  while (state->threads.size() < state->unfinished + jobs.size()) {
    if (!addThread()) {
      return false;
    }
  }
  // Inserts the jobs in one step, so that either all of them are submitted or none.
  state->jobs.insert(state->jobs.end(), std::make_move_iterator(jobs.begin()),
                     std::make_move_iterator(jobs.end()));
  state->unfinished += jobs.size();
  state->hasWork.store(true, std::memory_order_relaxed);
  state->changed.notify_all();
  return true;
}

} // namespace drumlin
