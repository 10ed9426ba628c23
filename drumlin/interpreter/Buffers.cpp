#include "drumlin/interpreter/Buffers.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace drumlin {

// Has a lock: processes exchange tensors, so any thread may drop the last reference to a tensor
// that has a full buffer.
struct Buffers::State {
  std::mutex mutex;
  struct Kept {
    Shape part;
    Tensor buffer;
  };
  std::unordered_map<const std::byte *, Kept> buffers; // keyed by the address of a part's elements
  std::atomic<int64_t> bytes = 0; // atomic: each operation reads it without the lock

  void drop(const std::byte *elements) {
    Tensor dropped; // destroyed after the lock is released
    std::lock_guard<std::mutex> lock(mutex);
    auto found = buffers.find(elements);
    if (found != buffers.end()) {
      dropped = std::move(found->second.buffer);
      bytes -= dropped.bytes();
      buffers.erase(found);
    }
  }
};

Buffers::Buffers() : state(std::make_shared<State>()) {}

int64_t Buffers::bytes() const { return state->bytes.load(std::memory_order_relaxed); }

std::optional<Tensor> Buffers::bufferOf(const Tensor &part) const {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto found = state->buffers.find(part.data());
  // A tensor that was reshaped shares the elements' address but is not a part of the buffer.
  bool isPart = found != state->buffers.end() && found->second.part == part.shape();
  return isPart ? std::optional(found->second.buffer) : std::nullopt;
}

std::optional<Tensor> Buffers::keep(const Tensor &part, Tensor buffer) {
  // Allocates at least one element even if `part` is empty, so that no other tensor has the same
  // address.
  std::optional<Tensor> owner =
      Tensor::allocate(part.type(), {std::max<int64_t>(part.elements(), 1)});
  if (!owner) {
    return std::nullopt;
  }
  if (part.bytes() != 0) {
    std::memcpy(owner->data(), part.data(), static_cast<size_t>(part.bytes()));
  }
  std::byte *elements = owner->data();
  std::weak_ptr<State> of = state;
  std::shared_ptr<std::byte> memory(elements, [owner = *owner, of](std::byte *place) {
    if (std::shared_ptr<State> held = of.lock()) {
      held->drop(place);
    }
  });
  std::lock_guard<std::mutex> lock(state->mutex);
  state->bytes += buffer.bytes();
  state->buffers.insert_or_assign(elements, State::Kept{part.shape(), std::move(buffer)});
  return Tensor(part.type(), part.shape(), std::move(memory));
}

} // namespace drumlin
