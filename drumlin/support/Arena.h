// Memory that is taken piece by piece and given back at once: for many small things of one life.
// Destructors of what lies in it are its users' to call.
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
  // Memory for as many; aligned for any number or pointer.
  template <typename T> T *allocate(size_t count) {
    static_assert(alignof(T) <= alignment);
    return reinterpret_cast<T *>(take(count * sizeof(T)));
  }

  std::string_view copy(std::string_view text) {
    char *to = take(text.size());
    std::copy(text.begin(), text.end(), to);
    return {to, text.size()};
  }

  // Gives back all that was taken. The largest block stays for what comes next.
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
      // Half of all blocks: the number of blocks stays small, and little is unused.
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
