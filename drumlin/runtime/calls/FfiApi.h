// What the functions that handlers call back work on.
#pragma once

#include "drumlin/runtime/calls/Ffi.h"
#include "drumlin/runtime/calls/HostRun.h"
#include "drumlin/support/Diagnostics.h"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace drumlin::ffi {

struct Error {
  Error(ErrorCode code, std::string message)
      : status(static_cast<uintptr_t>(code) << 2 | 1), code(code), message(std::move(message)) {}

  // Handlers that are part of jaxlib take an error for XLA's own, which is one absl::Status: this
  // is such a one, of the code alone (abseil's Status, "inlined representation").
  uintptr_t status;
  ErrorCode code;
  std::string message;
};

// An object that a handler made in one stage, for the stages after it; of a registered type, which
// destroys it. Handlers compiled before version 0.2 say themselves how.
class State {
public:
  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();

  TypeId type = {0};
  void *object = nullptr;
  void (*destroy)(void *object) = nullptr;
};

// What a handler made before it is executed: when it was instantiated, which lasts as long as the
// program is loaded; and for this run.
struct ExecutionContext {
  State *instance = nullptr;
  State prepared, initialized;
  int handlerMinorVersion = minorVersion;
  const HostRun *run = nullptr; // null: there is none yet

  // Null where a stage has none.
  State *stateOf(Stage stage);
  ThreadPool *pool() const { return run ? run->pool : nullptr; }
};

struct Future {
  // Waits until the handler is done; gives its error, which the caller destroys.
  Error *wait();
  void finish(Error *error);

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  Error *error = nullptr;
};

// Gives a type its number, or takes the one that a framework gave it (0: none), and says how its
// objects are destroyed; null: as was said before, or by whom they are made.
Error *registerType(const std::string &name, TypeId &id, void (*destroy)(void *object));

} // namespace drumlin::ffi

namespace drumlin {

// Returns the functions that handlers call back.
const ffi::Api &ffiApi();

} // namespace drumlin
