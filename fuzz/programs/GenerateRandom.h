// Random numbers that are the same on every machine: splitmix64 (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014), and choices made with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace drumlin::fuzz {

class Random {
public:
  // Starts that are close to each other may give the same sequence with an offset. So don't pass a
  // seed, but a number that was drawn from the seed.
  explicit Random(uint64_t start) : state(start) {}

  uint64_t next() {
    uint64_t bits = state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
  }
  // Returns a number in [0, count). The remainder makes some numbers slightly more likely, which
  // doesn't matter here.
  size_t below(size_t count) { return static_cast<size_t>(next() % count); }
  // Returns a number in [first, last].
  int64_t between(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(next() % static_cast<uint64_t>(last - first + 1));
  }
  bool chance(int percent) { return below(100) < static_cast<size_t>(percent); }
  // Returns a number in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  template <typename T> const T &pick(const std::vector<T> &from) {
    return from[below(from.size())];
  }
  template <typename T> T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }
  // Picks an item; its probability is proportional to its weight.
  template <typename T> T weighted(std::initializer_list<std::pair<int, T>> from) {
    int total = 0;
    for (const auto &[weight, each] : from) {
      total += weight;
    }
    auto left = static_cast<int>(below(static_cast<size_t>(total)));
    for (const auto &[weight, each] : from) {
      if ((left -= weight) < 0) {
        return each;
      }
    }
    return from.begin()->second;
  }
  template <typename T> void shuffle(std::vector<T> &all) {
    for (size_t i = all.size(); i > 1; --i) {
      std::swap(all[i - 1], all[below(i)]);
    }
  }

private:
  uint64_t state;
};

} // namespace drumlin::fuzz
