// Transfers arrays from host memory to buffers and back. Nothing is copied if the host's array and
// the buffer are in the same memory, with equal element sizes and dimension order.
#include "drumlin/pjrt/Arguments.h"
#include "drumlin/pjrt/Buffer.h"
#include "drumlin/pjrt/PjrtEvent.h"
#include "drumlin/runtime/executable/Alignment.h"

#include <algorithm>
#include <cstring>

namespace drumlin::pjrt {

static Memory *memoryOf(Client &client, Device *device, Memory *memory) {
  return memory ? memory : device ? &device->defaultMemory() : client.memoryList.front();
}

Outcome handleClientBufferFromHostBuffer(ClientBufferFromHostBufferArgs &args) {
  Result<ArrayType> type = ArrayType::make(args.type, args.dims, args.numDims, args.deviceLayout);
  if (!type) {
    return type.error();
  }
  if (args.numByteStrides != 0 && args.numByteStrides != args.numDims) {
    return invalid("an array of " + std::to_string(args.numDims) + " dimensions has " +
                   std::to_string(args.numByteStrides) + " strides");
  }
  Memory &memory = *memoryOf(*args.client, args.device, args.memory);
  size_t elementBytes = storageBytes(type->element);
  Shape from = denseStrides(type->shape, {}, elementBytes), to = type->strides();
  if (args.numByteStrides != 0) {
    from.assign(args.byteStrides, args.byteStrides + args.numByteStrides);
  }
  auto differs = [&](size_t i) { return type->shape[i] > 1 && from[i] != to[i]; };
  bool isDense = true;
  for (size_t i = 0; i < from.size(); ++i) {
    isDense &= !differs(i);
  }
  size_t bytes = type->bytes();
  if (!args.data && bytes != 0) {
    return nullField<ClientBufferFromHostBufferArgs>("data", "the array has elements");
  }
  bool mayLend = args.hostBufferSemantics == HostBufferSemantics::ImmutableZeroCopy ||
                 args.hostBufferSemantics == HostBufferSemantics::MutableZeroCopy;
  const std::shared_ptr<drumlin::Device> &machine = memory.device->machine;
  if (mayLend && isDense && isAligned(args.data) && bytes != 0 && machine->memory().isHosts()) {
    auto done = std::make_shared<Completion>();
    bool isMutable = args.hostBufferSemantics == HostBufferSemantics::MutableZeroCopy;
    auto storage = Storage::lend(machine, args.data, isMutable, [done] { done->setReady(Done()); });
    args.buffer = new Buffer(memory, std::move(*type), std::move(storage), completed());
    args.doneWithHostBuffer = new Event{std::move(done)};
    return Done();
  }
  std::shared_ptr<Storage> storage = Storage::allocate(bytes, memory.device->statistics);
  if (!storage) {
    return noMemory(bytes);
  }
  copyElements(static_cast<const std::byte *>(args.data), from, storage->write(0, bytes).data(), to,
               type->shape, elementBytes);
  args.buffer = new Buffer(memory, std::move(*type), std::move(storage), completed());
  args.doneWithHostBuffer = new Event{completed()};
  return Done();
}

Outcome handleClientCreateViewOfDeviceBuffer(ClientCreateViewOfDeviceBufferArgs &args) {
  Result<ArrayType> type = ArrayType::make(args.elementType, args.dims, args.numDims, args.layout);
  if (!type) {
    return type.error();
  }
  if (!args.deviceBufferPtr && type->bytes() != 0) {
    return nullField<ClientCreateViewOfDeviceBufferArgs>("deviceBufferPtr",
                                                         "the array has elements");
  }
  if (!isAligned(args.deviceBufferPtr) && type->bytes() != 0) {
    // JAX looks for these words, including the number of bytes, before it makes a copy itself.
    return invalid("the memory is not aligned to 64 bytes, and can't be a buffer without a copy");
  }
  auto release = [callback = args.onDeleteCallback, data = args.deviceBufferPtr,
                  argument = args.onDeleteCallbackArg] {
    if (callback) {
      callback(data, argument);
    }
  };
  Memory &memory = *memoryOf(*args.client, args.device, args.memory);
  args.buffer = new Buffer(
      memory, std::move(*type),
      Storage::lend(memory.device->machine, args.deviceBufferPtr, false, release), completed());
  return Done();
}

Outcome handleClientCreateUninitializedBuffer(ClientCreateUninitializedBufferArgs &args) {
  Result<ArrayType> type =
      ArrayType::make(args.shapeElementType, args.shapeDims, args.shapeNumDims, args.shapeLayout);
  if (!type) {
    return type.error();
  }
  Memory &memory = *memoryOf(*args.client, args.device, args.memory);
  std::shared_ptr<Storage> storage = Storage::allocate(type->bytes(), memory.device->statistics);
  if (!storage) {
    return noMemory(type->bytes());
  }
  args.buffer = new Buffer(memory, std::move(*type), std::move(storage), completed());
  return Done();
}

Outcome handleClientCreateErrorBuffer(ClientCreateErrorBufferArgs &args) {
  Result<ArrayType> type =
      ArrayType::make(args.shapeElementType, args.shapeDims, args.shapeNumDims, args.shapeLayout);
  if (!type) {
    return type.error();
  }
  Memory &memory = *memoryOf(*args.client, nullptr, args.memory);
  std::shared_ptr<Storage> storage = Storage::allocate(0, memory.device->statistics);
  if (!storage) {
    return noMemory(0);
  }
  args.buffer = new Buffer(
      memory, std::move(*type), std::move(storage),
      completedWith(fail(args.errorCode, std::string(args.errorMessage, args.errorMessageSize))));
  return Done();
}

template <typename Copy> static Outcome whenReady(Buffer &buffer, Event *&event, Copy copy) {
  std::shared_ptr<Completion> done;
  Outcome outcome = whenReady(buffer, done, copy);
  event = outcome ? new Event{std::move(done)} : nullptr;
  return outcome;
}

Outcome handleBufferToHostBuffer(BufferToHostBufferArgs &args) {
  const ArrayType &type = args.src->type;
  if (!args.dst) {
    args.dstSize = type.bytes();
    args.event = nullptr;
    return Done();
  }
  // If no layout is given, uses the buffer's.
  DimensionOrder order = type.order;
  if (args.hostLayout) {
    Result<DimensionOrder> asked = orderOf(args.hostLayout, type);
    if (!asked) {
      return asked.error();
    }
    order = std::move(*asked);
  }
  if (args.dstSize < type.bytes()) {
    return invalid("the host has room for " + std::to_string(args.dstSize) + " bytes, of " +
                   std::to_string(type.bytes()));
  }
  size_t elementBytes = storageBytes(type.element);
  return whenReady(*args.src, args.event,
                   [to = static_cast<std::byte *>(args.dst), from = type.strides(),
                    shape = type.shape, strides = denseStrides(type.shape, order, elementBytes),
                    elementBytes, bytes = type.bytes()](const Storage &storage) {
                     copyElements(storage.read(0, bytes).data(), from, to, strides, shape,
                                  elementBytes);
                   });
}

Outcome checkRange(const ArrayType &type, int64_t offset, int64_t size) {
  auto bytes = static_cast<int64_t>(type.bytes());
  bool isInside = offset >= 0 && size >= 0 && size <= bytes && offset <= bytes - size;
  return isInside ? Outcome(Done())
                  : fail(ErrorCode::OutOfRange,
                         std::to_string(size) + " bytes from byte " + std::to_string(offset) +
                             " on aren't all in a buffer of " + std::to_string(bytes));
}

Outcome handleBufferCopyRawToHost(BufferCopyRawToHostArgs &args) {
  if (Outcome outcome = checkRange(args.buffer->type, args.offset, args.transferSize); !outcome) {
    return outcome;
  }
  return whenReady(*args.buffer, args.event,
                   [to = args.dst, offset = static_cast<size_t>(args.offset),
                    size = static_cast<size_t>(args.transferSize)](const Storage &storage) {
                     if (size != 0) {
                       std::memcpy(to, storage.read(offset, size).data(), size);
                     }
                   });
}

// Copies a buffer to another memory, through the host if one of the memories isn't the host's.
static Outcome copyTo(Buffer &buffer, Memory &memory, Buffer *&made) {
  std::shared_ptr<Storage> storage =
      Storage::allocate(buffer.type.bytes(), memory.device->statistics);
  if (!storage) {
    return noMemory(buffer.type.bytes());
  }
  std::shared_ptr<Completion> done;
  Outcome outcome =
      whenReady(buffer, done, [storage, bytes = buffer.type.bytes()](const Storage &from) {
        std::memcpy(storage->write(0, bytes).data(), from.read(0, bytes).data(), bytes);
      });
  if (outcome) {
    made = new Buffer(memory, buffer.type, storage, std::move(done));
  }
  return outcome;
}

Outcome handleBufferCopyToDevice(BufferCopyToDeviceArgs &args) {
  return copyTo(*args.buffer, args.dstDevice->defaultMemory(), args.dstBuffer);
}

Outcome handleBufferCopyToMemory(BufferCopyToMemoryArgs &args) {
  return copyTo(*args.buffer, *args.dstMemory, args.dstBuffer);
}

} // namespace drumlin::pjrt
