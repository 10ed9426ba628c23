#include "drumlin/runtime/executable/StaticArguments.h"

#include <algorithm>

namespace drumlin {

// The number of copies kept for each argument: callers with two sets of weights alternate between
// their pointers.
static constexpr size_t maxLaidOut = 2;

static bool layOut(StaticArguments::LaidOut &place, const ValueDescription &argument) {
  std::optional<AlignedMemory> memory = AlignedMemory::allocate(argument.storedBytes());
  if (!memory || !copyToLayout(static_cast<const std::byte *>(place.from), memory->data(),
                               argument.memoryLayout(), storageBytes(argument.type))) {
    return false;
  }
  place.memory = std::move(*memory);
  return true;
}

std::shared_ptr<StaticArguments::LaidOut> StaticArguments::make(const ValueDescription &argument,
                                                                const void *from) {
  auto made = std::make_shared<LaidOut>();
  made->from = from;
  return layOut(*made, argument) ? made : nullptr;
}

// Finds the copy made from this pointer, if any, and moves it to the front.
std::shared_ptr<StaticArguments::LaidOut> StaticArguments::find(size_t number, const void *from) {
  std::lock_guard<std::mutex> lock(mutex);
  if (kept.size() <= number) {
    kept.resize(number + 1);
  }
  std::vector<std::shared_ptr<LaidOut>> &all = kept[number];
  auto found =
      std::find_if(all.begin(), all.end(), [&](const auto &each) { return each->from == from; });
  if (found != all.end()) {
    std::rotate(all.begin(), found, found + 1);
    return all.front();
  }
  if (all.size() == maxLaidOut) {
    all.pop_back();
  }
  auto made = std::make_shared<LaidOut>();
  made->from = from;
  all.insert(all.begin(), made);
  return made;
}

std::shared_ptr<StaticArguments::LaidOut>
StaticArguments::get(size_t number, const ValueDescription &argument, const void *from) {
  std::shared_ptr<LaidOut> place = find(number, from);
  std::lock_guard<std::mutex> lock(place->making);
  return place->memory.data() || layOut(*place, argument) ? place : nullptr;
}

void StaticArguments::forget(size_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  if (number < kept.size()) {
    kept[number].clear();
  }
}

} // namespace drumlin
