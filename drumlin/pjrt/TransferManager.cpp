// Buffers whose elements arrive from the host in parts, from any thread.
#include "drumlin/pjrt/Arguments.h"
#include "drumlin/pjrt/Buffer.h"
#include "drumlin/pjrt/PjrtEvent.h"

#include <cstring>

namespace drumlin::pjrt {

struct AsyncHostToDeviceTransferManager {
  struct Target {
    ArrayType type;
    std::shared_ptr<Storage> storage;
    std::shared_ptr<Completion> ready = std::make_shared<Completion>();
    bool isTaken = false;  // the caller has retrieved the buffer
    bool isLast = false;   // no more parts will arrive
    bool hasError = false; // the caller has set an error
    size_t copying = 0;    // the number of threads that copy parts now
  };

  Memory &memory;
  std::mutex mutex;
  std::vector<Target> targets = {};

  explicit AsyncHostToDeviceTransferManager(Memory &memory) : memory(memory) {}
  // Fails buffers whose elements haven't all arrived, so that their users don't wait forever.
  ~AsyncHostToDeviceTransferManager();
  AsyncHostToDeviceTransferManager(const AsyncHostToDeviceTransferManager &) = delete;
  AsyncHostToDeviceTransferManager &operator=(const AsyncHostToDeviceTransferManager &) = delete;

  // Returns the buffer with this number, or null.
  Target *find(int number) {
    bool isOne = number >= 0 && static_cast<size_t>(number) < targets.size();
    return isOne ? &targets[static_cast<size_t>(number)] : nullptr;
  }
  // Runs `copy` on the target's memory. Fails if all elements have arrived or the buffer has an
  // error.
  template <typename Copy> Outcome transfer(Target &target, bool isLast, Copy copy);
};

using Manager = AsyncHostToDeviceTransferManager;

AsyncHostToDeviceTransferManager::~AsyncHostToDeviceTransferManager() {
  for (Target &target : targets) {
    if (!target.isLast) {
      target.ready->setReady(orNoMemory([] {
        return fail(ErrorCode::Cancelled,
                    "the buffer's transfer manager was destroyed before all elements arrived");
      }));
    }
  }
}

static Outcome noTarget(int number) {
  return invalid("the transfer manager has no buffer " + std::to_string(number));
}

static Outcome complete() {
  return fail(ErrorCode::FailedPrecondition, "the buffer already got its last part or an error");
}

template <typename Copy>
Outcome AsyncHostToDeviceTransferManager::transfer(Target &target, bool isLast, Copy copy) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (target.isLast) {
      return complete();
    }
    target.isLast = isLast;
    ++target.copying;
  }
  Outcome copied = orNoMemory([&] { copy(*target.storage); });
  bool isReady = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    --target.copying;
    // After a failed copy, the missing elements can't arrive any more.
    bool isOver = !copied && !target.hasError;
    target.isLast |= isOver;
    isReady = isOver || (target.copying == 0 && target.isLast && !target.hasError);
    target.hasError |= isOver;
  }
  if (isReady) {
    target.ready->setReady(copied);
  }
  return copied;
}

Outcome
handleClientCreateBuffersForAsyncHostToDevice(ClientCreateBuffersForAsyncHostToDeviceArgs &args) {
  if (args.numDeviceLayouts != 0 && args.numDeviceLayouts != args.numShapeSpecs) {
    return invalid(std::to_string(args.numShapeSpecs) + " buffers have " +
                   std::to_string(args.numDeviceLayouts) + " layouts");
  }
  Memory &memory = args.memory ? *args.memory : *args.client->memoryList.front();
  std::vector<Manager::Target> targets;
  for (size_t i = 0; i < args.numShapeSpecs; ++i) {
    const ShapeSpec &spec = args.shapeSpecs[i];
    Result<ArrayType> type =
        ArrayType::make(spec.elementType, spec.dims, spec.numDims,
                        args.numDeviceLayouts ? args.deviceLayouts[i] : nullptr);
    if (!type) {
      return type.error();
    }
    std::shared_ptr<Storage> storage = Storage::allocate(type->bytes(), memory.device->statistics);
    if (!storage) {
      return noMemory(type->bytes());
    }
    targets.push_back({std::move(*type), std::move(storage)});
  }
  args.transferManager = new Manager(memory);
  args.transferManager->targets = std::move(targets);
  return Done();
}

Outcome
handleAsyncHostToDeviceTransferManagerDestroy(AsyncHostToDeviceTransferManagerDestroyArgs &args) {
  delete args.transferManager;
  return Done();
}

Outcome handleAsyncHostToDeviceTransferManagerTransferData(
    AsyncHostToDeviceTransferManagerTransferDataArgs &args) {
  Manager::Target *target = args.transferManager->find(args.bufferIndex);
  if (!target) {
    return noTarget(args.bufferIndex);
  }
  if (Outcome outcome = checkRange(target->type, args.offset, args.transferSize); !outcome) {
    return outcome;
  }
  auto done = std::make_unique<Event>(Event{completed()});
  Outcome outcome = args.transferManager->transfer(*target, args.isLastTransfer, [&](Storage &to) {
    if (auto size = static_cast<size_t>(args.transferSize)) {
      std::memcpy(to.write(static_cast<size_t>(args.offset), size).data(), args.data, size);
    }
  });
  if (outcome) {
    args.doneWithH2dTransfer = done.release();
  }
  return outcome;
}

// Transfers a complete array, whose layout may differ from the buffer's.
Outcome handleAsyncHostToDeviceTransferManagerTransferLiteral(
    AsyncHostToDeviceTransferManagerTransferLiteralArgs &args) {
  Manager::Target *target = args.transferManager->find(args.bufferIndex);
  if (!target) {
    return noTarget(args.bufferIndex);
  }
  Result<ArrayType> given =
      ArrayType::make(args.shapeElementType, args.shapeDims, args.shapeNumDims, args.shapeLayout);
  if (!given) {
    return given.error();
  }
  const ArrayType &type = target->type;
  if (given->type != type.type || given->shape != type.shape) {
    return invalid("the literal has other sizes or elements than the buffer");
  }
  if (!args.data && type.bytes() != 0) {
    return nullField<AsyncHostToDeviceTransferManagerTransferLiteralArgs>(
        "data", "the literal has elements");
  }
  auto done = std::make_unique<Event>(Event{completed()});
  Outcome outcome = args.transferManager->transfer(*target, true, [&](Storage &to) {
    copyElements(static_cast<const std::byte *>(args.data), given->strides(),
                 to.write(0, type.bytes()).data(), type.strides(), type.shape,
                 storageBytes(type.element));
  });
  if (outcome) {
    args.doneWithH2dTransfer = done.release();
  }
  return outcome;
}

Outcome handleAsyncHostToDeviceTransferManagerRetrieveBuffer(
    AsyncHostToDeviceTransferManagerRetrieveBufferArgs &args) {
  Manager &manager = *args.transferManager;
  Manager::Target *target = manager.find(args.bufferIndex);
  if (!target) {
    return noTarget(args.bufferIndex);
  }
  std::lock_guard<std::mutex> lock(manager.mutex);
  if (target->isTaken) {
    return fail(ErrorCode::FailedPrecondition, "the buffer was retrieved before");
  }
  args.bufferOut = new Buffer(manager.memory, target->type, target->storage, target->ready);
  target->isTaken = true;
  return Done();
}

Outcome
handleAsyncHostToDeviceTransferManagerDevice(AsyncHostToDeviceTransferManagerDeviceArgs &args) {
  args.deviceOut = args.transferManager->memory.device;
  return Done();
}

Outcome handleAsyncHostToDeviceTransferManagerBufferCount(
    AsyncHostToDeviceTransferManagerBufferCountArgs &args) {
  args.bufferCount = args.transferManager->targets.size();
  return Done();
}

Outcome handleAsyncHostToDeviceTransferManagerBufferSize(
    AsyncHostToDeviceTransferManagerBufferSizeArgs &args) {
  Manager::Target *target = args.transferManager->find(args.bufferIndex);
  if (!target) {
    return noTarget(args.bufferIndex);
  }
  args.bufferSize = target->type.bytes();
  return Done();
}

Outcome handleAsyncHostToDeviceTransferManagerSetBufferError(
    AsyncHostToDeviceTransferManagerSetBufferErrorArgs &args) {
  Manager &manager = *args.transferManager;
  Manager::Target *target = manager.find(args.bufferIndex);
  if (!target) {
    return noTarget(args.bufferIndex);
  }
  {
    std::lock_guard<std::mutex> lock(manager.mutex);
    if (std::exchange(target->isLast, true)) {
      return complete();
    }
    target->hasError = true;
  }
  target->ready->setReady(orNoMemory(
      [&] { return fail(args.errorCode, std::string(args.errorMessage, args.errorMessageSize)); }));
  return Done();
}

// Accepts a framework's metadata for its transfers, used only in traces.
Outcome handleAsyncHostToDeviceTransferManagerAddMetadata(
    AsyncHostToDeviceTransferManagerAddMetadataArgs &) {
  return Done();
}

} // namespace drumlin::pjrt
