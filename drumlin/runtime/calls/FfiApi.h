// Objects of XLA's interface that the runtime defines. The functions that handlers call back take
// and return them.
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

  // Handlers built into jaxlib treat this struct as XLA's own error type, an absl::Status. So the
  // first field is such a status, with a code but no message (abseil's Status, "inlined
  // representation").
  uintptr_t status;
  ErrorCode code;
  std::string message;
};

// An object that a handler created in one stage for later stages. Its registered type destroys it;
// handlers compiled before version 0.2 pass a destructor themselves.
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

// The states that a handler created before its execution: `instance`, created at instantiation,
// lives as long as the program is loaded; `prepared` and `initialized` belong to this run.
struct ExecutionContext {
  State *instance = nullptr;
  State prepared, initialized;
  int handlerMinorVersion = minorVersion;
  const HostRun *run = nullptr; // null for stages that precede runs

  // Returns the state of a stage, or null if the stage has none.
  State *stateOf(Stage stage);
  ThreadPool *pool() const { return run ? run->pool : nullptr; }
};

struct Future {
  // Waits until the handler is done; returns its error, which the caller destroys, or null.
  Error *wait();
  void finish(Error *error);

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  Error *error = nullptr;
};

// Registers a type: assigns it a number, or accepts the number that a framework gave it (`id` is
// not 0), and sets the destructor of its objects. A null `destroy` keeps the destructor registered
// earlier or, if there is none, leaves destruction to the objects' creator.
Error *registerType(const std::string &name, TypeId &id, void (*destroy)(void *object));

} // namespace drumlin::ffi

namespace drumlin {

// Returns the functions that handlers call back.
const ffi::Api &ffiApi();

} // namespace drumlin
