#include "drumlin/pjrt/Outcome.h"

namespace drumlin::pjrt {

struct Error {
  const ErrorTable *table;
  Failure failure;
};

static void destroy(Error *error) { delete error; }

static void giveMessage(const Error *error, const char **message, size_t *size) {
  giveText(error->failure.message, *message, *size);
}

static ErrorCode codeOf(const Error *error) { return error->failure.code; }

// Errors have a code and a message, nothing else.
static void forEachPayload(const Error *, ErrorPayloadVisitor, void *) {}

static constexpr ErrorTable errorTable = {sizeof(ErrorTable), sizeof(Error), nullptr,       destroy,
                                          giveMessage,        codeOf,        forEachPayload};

Error *errorOf(const Outcome &outcome) {
  return outcome ? nullptr : new Error{&errorTable, outcome.failure()};
}

Outcome takeOutcome(Error *error) {
  std::unique_ptr<Error> owned(error);
  return owned ? Outcome(std::move(owned->failure)) : Outcome(Done());
}

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
  text.pop_back(); // the end of the last line
  // Code that the program called is to blame, not what was passed to it.
  bool isCalled = diagnostic.code == DiagnosticCode::HostCallFailed;
  return {isCalled ? ErrorCode::Internal : codeOf(info(diagnostic.code).status), std::move(text)};
}

Outcome call(ErrorDestroyArgs &args) {
  delete args.error;
  return Done();
}

Outcome call(ErrorMessageArgs &args) {
  static const auto *none = new std::string();
  giveText(args.error ? args.error->failure.message : *none, args.message, args.messageSize);
  return Done();
}

Outcome call(ErrorGetCodeArgs &args) {
  args.code = args.error->failure.code;
  return Done();
}

Outcome call(ErrorForEachPayloadArgs &) { return Done(); }

} // namespace drumlin::pjrt
