// Buffers whose elements are another buffer's, which is only known later. They have memory of their
// own, into which that one's elements are copied: programs that wait for them know where they lie.
#include "drumlin/pjrt/Arguments.h"
#include "drumlin/pjrt/Buffer.h"

#include <cstring>

namespace drumlin::pjrt {

struct FulfillAliasBufferCallback {
  ArrayType type;
  std::shared_ptr<Storage> storage;
  std::shared_ptr<Completion> ready;
};

Outcome call(ClientCreateAliasBufferArgs &args) {
  Result<ArrayType> type =
      ArrayType::make(args.shapeElementType, args.shapeDims, args.shapeNumDims, args.shapeLayout);
  if (!type) {
    return type.error();
  }
  Memory &memory = args.memory ? *args.memory : *args.client->memoryList.front();
  std::shared_ptr<Storage> storage = Storage::allocate(type->bytes(), memory.device->statistics);
  if (!storage) {
    return noMemory(type->bytes());
  }
  auto ready = std::make_shared<Completion>();
  args.aliasBuffer = new Buffer(memory, *type, storage, ready);
  args.fulfillAliasBufferCb =
      new FulfillAliasBufferCallback{std::move(*type), std::move(storage), std::move(ready)};
  return Done();
}

static Outcome fulfill(const FulfillAliasBufferCallback &alias, Buffer &buffer) {
  const ArrayType &type = buffer.type;
  if (type.type != alias.type.type || type.shape != alias.type.shape) {
    return invalid("the buffer has other sizes or elements than its alias");
  }
  StorageUse use = buffer.hold();
  if (!use) {
    return deletedBuffer();
  }
  buffer.ready->whenReady([use, type, to = alias](const Outcome &outcome) mutable {
    auto copy = [&] {
      copyElements(use->read(0, type.bytes()).data(), type.strides(),
                   to.storage->write(0, type.bytes()).data(), to.type.strides(), type.shape,
                   storageBytes(type.element));
    };
    Outcome copied = outcome ? orNoMemory(copy) : outcome;
    use = StorageUse(); // before anyone hears of the end
    to.ready->setReady(std::move(copied));
  });
  return Done();
}

// Takes the callback, also where it fails: then the alias has the same error. Of wrong arguments it
// takes nothing.
Outcome call(ClientFulfillAliasBufferArgs &args) {
  if (args.statusCode == ErrorCode::Ok && !args.buffer) {
    return nullField<ClientFulfillAliasBufferArgs>("buffer", "`status_code` is no error");
  }
  std::unique_ptr<FulfillAliasBufferCallback> alias(args.fulfillAliasBufferCb);
  if (args.statusCode != ErrorCode::Ok) {
    alias->ready->setReady(orNoMemory([&] {
      return fail(args.statusCode, std::string(args.errorMessage, args.errorMessageSize));
    }));
    return Done();
  }
  Outcome outcome = orNoMemory([&] { return fulfill(*alias, *args.buffer); });
  if (!outcome) {
    alias->ready->setReady(outcome);
  }
  return outcome;
}

} // namespace drumlin::pjrt
