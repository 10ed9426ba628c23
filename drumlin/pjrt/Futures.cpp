// Calls whose end the framework determines: it receives a function and the function's data, and
// calls the function once to end the call.
#include "drumlin/pjrt/Arguments.h"
#include "drumlin/pjrt/Buffer.h"
#include "drumlin/pjrt/PjrtEvent.h"

#include <cstring>

namespace drumlin::pjrt {

namespace {
// A copy of bytes to an address that becomes known later.
struct FutureCopy {
  StorageUse from;
  std::shared_ptr<Completion> ready, done;
  int64_t offset, size;
};

// A buffer whose elements become available after another buffer's, and after a dependency of the
// framework.
struct FutureDonation {
  std::shared_ptr<Completion> ready, done;
};
} // namespace

template <typename Args> static Outcome outcomeOf(const Args &args) {
  if (Outcome outcome = checkStruct(structOf<Args>, &args); !outcome) {
    return outcome;
  }
  return args.errorCode == ErrorCode::Ok
             ? Outcome(Done())
             : fail(args.errorCode, std::string(args.errorMessage, args.errorMessageSize));
}

static Outcome startCopy(const FutureCopy &asked,
                         const BufferCopyRawToHostFutureCallbackArgs &args) {
  if (Outcome outcome = outcomeOf(args); !outcome) {
    return outcome;
  }
  if (!args.dst && asked.size != 0) {
    return nullField<BufferCopyRawToHostFutureCallbackArgs>("dst", "bytes were asked for");
  }
  asked.ready->whenReady([copy = asked, to = args.dst](const Outcome &outcome) mutable {
    if (outcome && copy.size != 0) {
      auto size = static_cast<size_t>(copy.size);
      std::memcpy(to, copy.from->read(static_cast<size_t>(copy.offset), size).data(), size);
    }
    copy.from = StorageUse(); // releases the memory before the copy's end is signaled
    copy.done->setReady(outcome);
  });
  return Done();
}

static void copyTo(BufferCopyRawToHostFutureCallbackArgs *args) {
  if (!args || !args->callbackData) { // no data says which call ends
    return;
  }
  std::unique_ptr<FutureCopy> copy(static_cast<FutureCopy *>(args->callbackData));
  Outcome started = orNoMemory([&] { return startCopy(*copy, *args); });
  if (!started) {
    copy->done->setReady(std::move(started));
  }
}

// Copies a buffer's bytes later; until then nobody may write to the buffer's memory.
Outcome handleBufferCopyRawToHostFuture(BufferCopyRawToHostFutureArgs &args) {
  if (Outcome outcome = checkRange(args.buffer->type, args.offset, args.transferSize); !outcome) {
    return outcome;
  }
  StorageUse use = args.buffer->hold();
  if (!use) {
    return deletedBuffer();
  }
  auto done = std::make_shared<Completion>();
  auto event = std::make_unique<Event>(Event{done});
  args.callbackData = new FutureCopy{std::move(use), args.buffer->ready, std::move(done),
                                     args.offset, args.transferSize};
  args.futureReadyCallback = copyTo;
  args.event = event.release();
  return Done();
}

static void endDonation(BufferDonateWithControlDependencyCallbackArgs *args) {
  if (!args || !args->callbackData) {
    return;
  }
  std::unique_ptr<FutureDonation> donation(static_cast<FutureDonation *>(args->callbackData));
  Outcome started = orNoMemory([&]() -> Outcome {
    if (Outcome outcome = outcomeOf(*args); !outcome) {
      return outcome;
    }
    donation->ready->whenReady(
        [done = donation->done](const Outcome &outcome) { done->setReady(outcome); });
    return Done();
  });
  if (!started) {
    donation->done->setReady(std::move(started));
  }
}

Outcome handleBufferDonateWithControlDependency(BufferDonateWithControlDependencyArgs &args) {
  Buffer &buffer = *args.buffer;
  auto done = std::make_shared<Completion>();
  auto donation = std::make_unique<FutureDonation>(FutureDonation{buffer.ready, done});
  auto made = std::make_unique<Buffer>(*buffer.memory, buffer.type, nullptr, std::move(done));
  bool mayWrite = false;
  StorageUse use = buffer.donate(mayWrite);
  if (!use) {
    return deletedBuffer();
  }
  made->takeBack(std::move(use));
  args.outBuffer = made.release();
  args.callbackData = donation.release();
  args.dependencyReadyCallback = endDonation;
  return Done();
}

} // namespace drumlin::pjrt
