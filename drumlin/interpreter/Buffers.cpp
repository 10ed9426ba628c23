#include "drumlin/interpreter/Buffers.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace drumlin {

// Processes exchange tensors, so that any thread may drop one.
struct Buffers::State {
  std::mutex mutex;
  struct Kept {
    Shape part;
    Tensor buffer;
  };
  std::unordered_map<const std::byte *, Kept> buffers; // by the elements of their parts
  std::atomic<int64_t> bytes = 0;                      // asked for before each operation

  void drop(const std::byte *elements) {
    Tensor dropped; // outside of the lock
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
  // The same elements under another shape are the beginning of nothing.
  bool isPart = found != state->buffers.end() && found->second.part == part.shape();
  return isPart ? std::optional(found->second.buffer) : std::nullopt;
}

std::optional<Tensor> Buffers::keep(const Tensor &part, Tensor buffer) {
  // One element at least, so that no other tensor is at this place.
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
