#include "drumlin/pjrt/Outcome.h"

#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

namespace drumlin::pjrt {

struct Error {
  const ErrorTable *table;
  Failure failure;
};

static void destroy(Error *error);

static void giveMessage(const Error *error, const char **message, size_t *size) {
  giveText(error->failure.message, *message, *size);
}

static ErrorCode codeOf(const Error *error) { return error->failure.code; }

// Visits no payload, since errors have only a code and a message.
static void forEachPayload(const Error *, ErrorPayloadVisitor, void *) {}

static constexpr ErrorTable errorTable = {sizeof(ErrorTable), sizeof(Error), nullptr,       destroy,
                                          giveMessage,        codeOf,        forEachPayload};

static ErrorCode codeOf(ExitStatus status) {
  switch (status) {
  case ExitStatus::Done:
    return ErrorCode::Ok;
  case ExitStatus::FileError:
    return ErrorCode::Unavailable;
  case ExitStatus::Usage:
  case ExitStatus::InvalidInput:
    return ErrorCode::InvalidArgument;
  case ExitStatus::Unsupported:
    return ErrorCode::Unimplemented;
  case ExitStatus::ContractUnmet:
    return ErrorCode::FailedPrecondition;
  case ExitStatus::ResourceLimit:
    return ErrorCode::ResourceExhausted;
  case ExitStatus::NumbersDiffer:
  case ExitStatus::InternalError:
    return ErrorCode::Internal;
  case ExitStatus::Interrupted:
    return ErrorCode::Cancelled;
  }
  return ErrorCode::Unknown;
}

Failure failureOf(const Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  text.pop_back(); // removes the last line break
  // The fault is in the code that the program calls, not in the arguments of the plugin's caller.
  bool isCalled = diagnostic.code == errors::HostCallFailed;
  return {isCalled ? ErrorCode::Internal : codeOf(info(diagnostic.code).status), std::move(text)};
}

// The outcome and the error that say that no memory is left. They are allocated when the library is
// loaded, and never destroyed; loading fails if there is no memory for them.
// NOLINTBEGIN(bugprone-throwing-static-initialization)
static const auto *const exhaustedOutcome = new Outcome(outOfMemory());
static auto *const exhaustedError = new Error{&errorTable, exhaustedOutcome->failure()};
// NOLINTEND(bugprone-throwing-static-initialization)

Outcome noMemoryLeft() { return *exhaustedOutcome; }

static void destroy(Error *error) {
  if (error != exhaustedError) {
    delete error;
  }
}

Error *errorOf(const Outcome &outcome) {
  if (outcome) {
    return nullptr;
  }
  try {
    return new Error{&errorTable, outcome.failure()};
  } catch (const std::bad_alloc &) {
    return exhaustedError;
  }
}

Outcome takeOutcome(Error *error) {
  Outcome outcome = orNoMemory([&] { return error ? Outcome(error->failure) : Outcome(Done()); });
  destroy(error);
  return outcome;
}

Outcome handleErrorDestroy(ErrorDestroyArgs &args) {
  destroy(args.error);
  return Done();
}

Outcome handleErrorMessage(ErrorMessageArgs &args) {
  static const auto *none = new std::string();
  giveText(args.error ? args.error->failure.message : *none, args.message, args.messageSize);
  return Done();
}

Outcome handleErrorGetCode(ErrorGetCodeArgs &args) {
  args.code = args.error->failure.code;
  return Done();
}

Outcome handleErrorForEachPayload(ErrorForEachPayloadArgs &) { return Done(); }

} // namespace drumlin::pjrt
