// Memory allocated piece by piece and freed all at once, for many small objects with the same
// lifetime. Users must call the objects' destructors themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace drumlin {

class Arena {
public:
  // Allocates memory for `count` objects, aligned for any number or pointer.
  template <typename T> T *allocate(size_t count) {
    static_assert(alignof(T) <= alignment);
    return reinterpret_cast<T *>(take(count * sizeof(T)));
  }

  std::string_view copy(std::string_view text) {
    char *to = take(text.size());
    std::copy(text.begin(), text.end(), to);
    return {to, text.size()};
  }

  // Frees all allocations. Keeps the largest block for later ones.
  void reset() {
    if (blocks.empty()) {
      return;
    }
    blocks.erase(blocks.begin(), blocks.end() - 1);
    at = blocks.back().get();
    left = lastSize;
  }

private:
  static constexpr size_t alignment = 8;
  static constexpr size_t firstSize = 4096;

  char *take(size_t size) {
    size = (size + alignment - 1) / alignment * alignment;
    if (size > left) {
      // A new block has half of the total size so far: the number of blocks stays small, and little
      // memory is unused.
      lastSize = std::max({size, firstSize, total / 2});
      blocks.push_back(std::make_unique_for_overwrite<char[]>(lastSize));
      at = blocks.back().get();
      left = lastSize;
      total += lastSize;
    }
    char *taken = at;
    at += size;
    left -= size;
    return taken;
  }

  std::vector<std::unique_ptr<char[]>> blocks;
  char *at = nullptr;
  size_t left = 0, lastSize = 0, total = 0;
};

} // namespace drumlin
