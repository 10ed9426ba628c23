// An array on a device.
#pragma once

#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/Types.h"
#include "drumlin/runtime/executable/Dispatch.h"

namespace drumlin::pjrt {

struct Buffer {
  // `ready`: when its elements are there.
  Buffer(Memory &memory, ArrayType type, std::shared_ptr<Storage> storage,
         std::shared_ptr<Completion> ready)
      : memory(&memory), type(std::move(type)), ready(std::move(ready)),
        storage(std::move(storage)) {}
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  Memory *memory;
  ArrayType type;
  std::shared_ptr<Completion> ready;

  // Null where it was deleted or given away.
  StorageUse hold() const {
    std::lock_guard<std::mutex> lock(mutex);
    return storage;
  }
  // Gives the memory to a program: the buffer is deleted. `mayWrite`: nobody else looks at the
  // memory, so that the program may write its results there.
  StorageUse donate(bool &mayWrite);
  // Takes it back, where the program doesn't begin.
  void takeBack(StorageUse given);
  void remove();
  bool isDeleted() const;

  // Views of other libraries: the memory stays for them, and as it is.
  Outcome addView();
  Outcome removeView();
  // Returns the device's address of what a view shows; null for a deleted buffer without one.
  std::byte *address() const;
  // In bytes, by dimension; they live as long as the buffer.
  const Shape &strides();

private:
  mutable std::mutex mutex;
  StorageUse storage;
  StorageUse viewed; // while there are views
  size_t views = 0;
  Shape byteStrides; // once they were asked for
};

// What a call that asks for a deleted buffer's elements fails with.
Outcome deletedBuffer();
// What one that makes a buffer fails with where the system has no memory for it.
Outcome noMemory(size_t bytes);
// Fails with OutOfRange where not all of these bytes are an array's.
Outcome checkRange(const ArrayType &type, int64_t offset, int64_t size);

// Runs `copy` once the buffer's elements are there, with its memory; on the device's queue where
// that isn't the host's. `done`: when that was.
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
          storage = nullptr; // before anyone hears of the end
          done->setReady(std::move(copied));
        });
    dispatch.startAfter({buffer.ready});
  });
  if (!outcome) { // whoever writes to the memory waits for it
    done->setReady(outcome);
  }
  return outcome;
}

} // namespace drumlin::pjrt
