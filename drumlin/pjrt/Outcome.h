// The outcomes of calls of the interface, and of the work that they start.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"
#include "drumlin/runtime/executable/Event.h"
#include "drumlin/support/Diagnostics.h"

#include <memory>
#include <new>
#include <string>
#include <type_traits>

namespace drumlin::pjrt {

struct Failure {
  ErrorCode code;
  std::string message;
};

// Converts a diagnostic to a failure; frameworks print its code and message.
Failure failureOf(const Diagnostic &diagnostic);

// Success, or a failure that copies share.
class [[nodiscard]] Outcome {
public:
  Outcome(Done) {}
  Outcome(Failure failure) : state(std::make_shared<const Failure>(std::move(failure))) {}
  Outcome(const Diagnostic &diagnostic) : Outcome(failureOf(diagnostic)) {}
  Outcome(const Status &status) {
    if (!status) {
      *this = Outcome(status.error());
    }
  }
  explicit operator bool() const { return !state; }
  const Failure &failure() const { return *state; }

private:
  std::shared_ptr<const Failure> state; // null: success
};

// Returns ResourceExhausted without allocating memory.
Outcome noMemoryLeft();
// Runs `action` and returns its outcome, or success if it returns nothing; noMemoryLeft() if an
// allocation fails. No exception may reach frameworks, threads and events.
template <typename Action> Outcome orNoMemory(Action action) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Action>>) {
      action();
      return Done();
    } else {
      return action();
    }
  } catch (const std::bad_alloc &) {
    return noMemoryLeft();
  }
}

inline Outcome fail(ErrorCode code, std::string message) {
  return Failure{code, std::move(message)};
}
inline Outcome invalid(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message));
}

// Returns null for success, else an error, which the caller frees. Doesn't throw.
Error *errorOf(const Outcome &outcome);

// Returns the outcome that an error describes, and frees the error; null: success.
Outcome takeOutcome(Error *error);

// The event type on which the interface's buffers and events wait.
using Completion = EventOf<Outcome>;
// Returns a successful completion that is ready, the same at each call.
const std::shared_ptr<Completion> &completed();
std::shared_ptr<Completion> completedWith(Outcome outcome);

// Declares each function of the interface, `handleClientCreate` for example. Results are written
// only on success. Fields that a caller of another version lacks are zero, and aren't written back.
#define PJRT_FUNCTION(name, size, ...) Outcome handle##name(name##Args &args);
#define PJRT_VOID_FUNCTION PJRT_FUNCTION
#include "drumlin/pjrt/interface/Functions.def"

// Sets all fields of a function's arguments to zero except `object`, the size and the extensions.
// For functions that don't set all results, since a caller may leave results uninitialized.
template <typename Args, typename Object> void clearResults(Args &args, Object Args::*object) {
  Args cleared = {};
  cleared.structSize = args.structSize;
  cleared.extensions = args.extensions;
  cleared.*object = args.*object;
  args = cleared;
}

// Sets `place` and `size` to a text, which its owner keeps alive.
inline void giveText(const std::string &text, const char *&place, size_t &size) {
  place = text.data();
  size = text.size();
}
void giveText(std::string &&text, const char *&place, size_t &size) = delete;

} // namespace drumlin::pjrt
