// Buffers: arrays on a device.
#pragma once

#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/PjrtTypes.h"
#include "drumlin/runtime/executable/Dispatch.h"

namespace drumlin::pjrt {

struct Buffer {
  // Creates a buffer; `ready` completes when its elements are available.
  Buffer(Memory &memory, ArrayType type, std::shared_ptr<Storage> storage,
         std::shared_ptr<Completion> ready)
      : memory(&memory), type(std::move(type)), ready(std::move(ready)),
        storage(std::move(storage)) {}
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  Memory *memory;
  ArrayType type;
  std::shared_ptr<Completion> ready;

  // Returns the memory, or null if the buffer was deleted or donated.
  StorageUse hold() const {
    std::lock_guard<std::mutex> lock(mutex);
    return storage;
  }
  // Donates the memory to a program; this deletes the buffer. Sets `mayWrite` if nothing else uses
  // the memory, so that the program may write its results there.
  StorageUse donate(bool &mayWrite);
  // Restores donated memory if the program doesn't begin.
  void takeBack(StorageUse given);
  void remove();
  bool isDeleted() const;

  // Add and remove a view of the memory by another library. While there is a view, the memory stays
  // allocated and unchanged.
  Outcome addView();
  Outcome removeView();
  // Returns the device address of the memory; null if the buffer was deleted and has no view.
  std::byte *address() const;
  // Returns the strides in bytes, by dimension; they live as long as the buffer.
  const Shape &strides();

private:
  mutable std::mutex mutex;
  StorageUse storage;
  StorageUse viewed; // keeps the memory while there are views
  size_t views = 0;
  Shape byteStrides; // strides() computes them at its first call
};

// Returns the error of calls that need a deleted buffer's elements.
Outcome deletedBuffer();
// Returns the error of calls that create a buffer when memory is short.
Outcome noMemory(size_t bytes);
// Checks a range of an array's bytes. Fails with OutOfRange if it exceeds the array.
Outcome checkRange(const ArrayType &type, int64_t offset, int64_t size);

// Runs `copy` on the buffer's memory once its elements are available. If the memory isn't the
// host's, `copy` runs on the device's queue. `done` becomes ready after the copy.
template <typename Copy>
Outcome whenReady(Buffer &buffer, std::shared_ptr<Completion> &done, Copy copy) {
  StorageUse use = buffer.hold();
  if (!use) {
    return deletedBuffer();
  }
  bool isHosts = use->isHosts();
  if (isHosts && buffer.ready->isReady()) {
    Outcome outcome = buffer.ready->wait();
    if (outcome) {
      copy(*use.storage());
    }
    done = outcome ? completed() : buffer.ready;
    return Done();
  }
  done = std::make_shared<Completion>();
  use->addReader(done);
  Outcome outcome = orNoMemory([&] {
    Dispatch<Outcome> dispatch(
        [device = use->device(), isHosts](std::function<void()> job) {
          if (isHosts) {
            job();
          } else {
            device->queue().submit(std::move(job));
          }
        },
        [storage = use.storage(), done, copy](const Outcome &outcome) mutable {
          Outcome copied = outcome ? orNoMemory([&] { copy(*storage); }) : outcome;
          storage = nullptr; // releases the memory before `done` is ready
          done->setReady(std::move(copied));
        });
    dispatch.startAfter({buffer.ready});
  });
  if (!outcome) { // writers to the memory wait for `done` in any case
    done->setReady(outcome);
  }
  return outcome;
}

} // namespace drumlin::pjrt
