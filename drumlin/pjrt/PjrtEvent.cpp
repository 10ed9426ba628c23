#include "drumlin/pjrt/PjrtEvent.h"

namespace drumlin::pjrt {

std::shared_ptr<Completion> completedWith(Outcome outcome) {
  auto made = std::make_shared<Completion>();
  made->setReady(std::move(outcome));
  return made;
}

const std::shared_ptr<Completion> &completed() {
  // Never destroyed: buffers of other libraries may outlive this library's static objects.
  static const auto *ready = new std::shared_ptr<Completion>(completedWith(Done()));
  return *ready;
}

Outcome handleEventCreate(EventCreateArgs &args) {
  args.event = new Event{std::make_shared<Completion>()};
  return Done();
}

Outcome handleEventDestroy(EventDestroyArgs &args) {
  delete args.event;
  return Done();
}

Outcome handleEventIsReady(EventIsReadyArgs &args) {
  args.isReady = args.event->completion->isReady();
  return Done();
}

Outcome handleEventError(EventErrorArgs &args) {
  Completion &completion = *args.event->completion;
  return completion.isReady() ? completion.wait()
                              : fail(ErrorCode::FailedPrecondition, "the event isn't ready");
}

Outcome handleEventAwait(EventAwaitArgs &args) { return args.event->completion->wait(); }

Outcome handleEventOnReady(EventOnReadyArgs &args) {
  args.event->completion->whenReady(
      [callback = args.callback, argument = args.userArg](const Outcome &outcome) {
        callback(errorOf(outcome), argument);
      });
  return Done();
}

Outcome handleEventSet(EventSetArgs &args) {
  if (args.event->completion->isReady()) {
    return fail(ErrorCode::FailedPrecondition, "the event was set before");
  }
  args.event->completion->setReady(
      args.errorCode == ErrorCode::Ok
          ? Outcome(Done())
          : fail(args.errorCode, std::string(args.errorMessage, args.errorMessageSize)));
  return Done();
}

} // namespace drumlin::pjrt
