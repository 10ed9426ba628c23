#include "drumlin/pjrt/Buffer.h"

#include "drumlin/pjrt/PjrtEvent.h"

namespace drumlin::pjrt {

Outcome deletedBuffer() {
  return invalid("the buffer was deleted or given to a program (donated)");
}

Outcome noMemory(size_t bytes) {
  return fail(ErrorCode::ResourceExhausted,
              "no memory for a buffer of " + std::to_string(bytes) + " bytes");
}

StorageUse Buffer::donate(bool &mayWrite) {
  std::lock_guard<std::mutex> lock(mutex);
  StorageUse given = std::exchange(storage, {});
  mayWrite = given && given.isOnly() && given->isMutable();
  return given;
}

void Buffer::takeBack(StorageUse given) {
  std::lock_guard<std::mutex> lock(mutex);
  storage = std::move(given);
}

// Deletes the buffer. The memory is released after the lock, since the function that frees a
// caller's memory may access the buffer.
void Buffer::remove() {
  StorageUse gone;
  std::lock_guard<std::mutex> lock(mutex);
  std::swap(gone, storage);
}

bool Buffer::isDeleted() const {
  std::lock_guard<std::mutex> lock(mutex);
  return !storage;
}

Outcome Buffer::addView() {
  std::lock_guard<std::mutex> lock(mutex);
  if (views == 0) {
    if (!storage) {
      return deletedBuffer();
    }
    viewed = storage;
  }
  ++views;
  return Done();
}

Outcome Buffer::removeView() {
  StorageUse gone;
  std::lock_guard<std::mutex> lock(mutex);
  if (views == 0) {
    return invalid("the buffer has no external reference");
  }
  if (--views == 0) {
    std::swap(gone, viewed);
  }
  return Done();
}

const Shape &Buffer::strides() {
  std::lock_guard<std::mutex> lock(mutex);
  if (byteStrides.size() != type.shape.size()) {
    byteStrides = type.strides();
  }
  return byteStrides;
}

std::byte *Buffer::address() const {
  std::lock_guard<std::mutex> lock(mutex);
  return storage ? storage->address() : viewed ? viewed->address() : nullptr;
}

Outcome handleBufferDestroy(BufferDestroyArgs &args) {
  delete args.buffer;
  return Done();
}

Outcome handleBufferElementType(BufferElementTypeArgs &args) {
  args.type = args.buffer->type.type;
  return Done();
}

Outcome handleBufferDimensions(BufferDimensionsArgs &args) {
  args.dims = args.buffer->type.shape.data();
  args.numDims = args.buffer->type.shape.size();
  return Done();
}

Outcome handleBufferUnpaddedDimensions(BufferUnpaddedDimensionsArgs &args) {
  args.unpaddedDims = args.buffer->type.shape.data();
  args.numDims = args.buffer->type.shape.size();
  return Done();
}

Outcome handleBufferDynamicDimensionIndices(BufferDynamicDimensionIndicesArgs &args) {
  args.dynamicDimIndices = nullptr;
  args.numDynamicDims = 0;
  return Done();
}

Outcome handleBufferGetMemoryLayout(BufferGetMemoryLayoutArgs &args) {
  const Shape &strides = args.buffer->strides();
  args.layout = {sizeof(BufferMemoryLayout), nullptr, {}, MemoryLayoutType::Strides};
  args.layout.strides = {sizeof(BufferMemoryLayoutStrides), nullptr, strides.data(),
                         strides.size()};
  return Done();
}

Outcome handleBufferOnDeviceSizeInBytes(BufferOnDeviceSizeInBytesArgs &args) {
  args.onDeviceSizeInBytes = args.buffer->type.bytes();
  return Done();
}

Outcome handleBufferDevice(BufferDeviceArgs &args) {
  args.device = args.buffer->memory->device;
  return Done();
}

Outcome handleBufferMemory(BufferMemoryArgs &args) {
  args.memory = args.buffer->memory;
  return Done();
}

Outcome handleBufferDelete(BufferDeleteArgs &args) {
  args.buffer->remove();
  return Done();
}

Outcome handleBufferIsDeleted(BufferIsDeletedArgs &args) {
  args.isDeleted = args.buffer->isDeleted();
  return Done();
}

Outcome handleBufferIsOnCpu(BufferIsOnCpuArgs &args) {
  args.isOnCpu = args.buffer->memory->device->machine->memory().isHosts();
  return Done();
}

Outcome handleBufferReadyEvent(BufferReadyEventArgs &args) {
  args.event = new Event{args.buffer->ready};
  return Done();
}

Outcome handleBufferIncreaseExternalReferenceCount(BufferIncreaseExternalReferenceCountArgs &args) {
  return args.buffer->addView();
}

Outcome handleBufferDecreaseExternalReferenceCount(BufferDecreaseExternalReferenceCountArgs &args) {
  return args.buffer->removeView();
}

Outcome handleBufferOpaqueDeviceMemoryDataPointer(BufferOpaqueDeviceMemoryDataPointerArgs &args) {
  args.deviceMemoryPtr = args.buffer->address();
  return args.deviceMemoryPtr ? Outcome(Done()) : deletedBuffer();
}

Outcome handleBufferUnsafePointer(BufferUnsafePointerArgs &args) {
  std::byte *address = args.buffer->address();
  args.bufferPointer = reinterpret_cast<uintptr_t>(address);
  return address ? Outcome(Done()) : deletedBuffer();
}

} // namespace drumlin::pjrt
