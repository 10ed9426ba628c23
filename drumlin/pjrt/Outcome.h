// How calls of the interface end, and how what they started ends.
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

// What a diagnostic is for frameworks, which print code and message.
Failure failureOf(const Diagnostic &diagnostic);

// Success, or a failure, which copies share.
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

// ResourceExhausted, for which there is always memory.
Outcome noMemoryLeft();
// Runs `action` and returns its outcome, or success if it returns nothing; noMemoryLeft() where an
// allocation failed. Nothing is thrown to frameworks, threads and events.
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

// Null for success; else an error, which the caller frees. Throws nothing.
Error *errorOf(const Outcome &outcome);

// What an error says, which is freed; null: success.
Outcome takeOutcome(Error *error);

// What buffers and events of the interface wait for.
using Completion = EventOf<Outcome>;
// One that is ready and succeeded, the same at each call.
const std::shared_ptr<Completion> &completed();
std::shared_ptr<Completion> completedWith(Outcome outcome);

// Each function of the interface, by its arguments. Results are written where it succeeds; what
// callers of another version lack of the arguments is zero, and isn't written.
#define PJRT_FUNCTION(name, size, ...) Outcome call(name##Args &args);
#define PJRT_VOID_FUNCTION PJRT_FUNCTION
#include "drumlin/pjrt/interface/Functions.def"

// For functions that don't set all of their results: where those go, a caller's struct may hold
// anything. `object` is the field that says what is asked.
template <typename Args, typename Object> void clearResults(Args &args, Object Args::*object) {
  Args cleared = {};
  cleared.structSize = args.structSize;
  cleared.extensions = args.extensions;
  cleared.*object = args.*object;
  args = cleared;
}

// Gives a text that the object keeps.
inline void giveText(const std::string &text, const char *&place, size_t &size) {
  place = text.data();
  size = text.size();
}
void giveText(std::string &&text, const char *&place, size_t &size) = delete;

} // namespace drumlin::pjrt
