// Alias buffers, whose elements are those of another buffer that becomes known later. They have
// their own memory, into which the other buffer's elements are copied, so that programs waiting for
// them already know the address.
#include "drumlin/pjrt/Arguments.h"
#include "drumlin/pjrt/Buffer.h"

#include <cstring>

namespace drumlin::pjrt {

struct FulfillAliasBufferCallback {
  ArrayType type;
  std::shared_ptr<Storage> storage;
  std::shared_ptr<Completion> ready;
};

Outcome handleClientCreateAliasBuffer(ClientCreateAliasBufferArgs &args) {
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
    use = StorageUse(); // releases the other buffer's memory before the alias is ready
    to.ready->setReady(std::move(copied));
  });
  return Done();
}

// Fulfils an alias and uses up its callback. If this fails, the alias gets the same error. Only
// invalid arguments leave the callback valid.
Outcome handleClientFulfillAliasBuffer(ClientFulfillAliasBufferArgs &args) {
  if (args.statusCode == ErrorCode::Ok && !args.buffer) {
    return nullField<ClientFulfillAliasBufferArgs>("buffer", "`status_code` isn't an error");
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
