// Finds things by their ids and names, of which a computation has as many as instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace drumlin::hlo {

// Numbers of things by their ids. XLA's ids of a computation are mostly near one another.
class Places {
public:
  void assign(std::span<const uint32_t> ids) {
    table.clear();
    sorted.clear();
    second.reset();
    if (ids.empty()) {
      return;
    }
    auto [least, most] = std::minmax_element(ids.begin(), ids.end());
    first = *least;
    size_t range = size_t(*most - *least) + 1;
    if (range <= 4 * ids.size() + 64) {
      table.assign(range, none);
      for (size_t i = 0; i < ids.size(); ++i) {
        uint32_t &place = table[ids[i] - first];
        if (place != none && !second) {
          second = static_cast<uint32_t>(i);
        }
        place = place == none ? static_cast<uint32_t>(i) : place;
      }
      return;
    }
    sorted.reserve(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      sorted.emplace_back(ids[i], static_cast<uint32_t>(i));
    }
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i].first == sorted[i - 1].first) {
        second = std::min(second.value_or(sorted[i].second), sorted[i].second);
      }
    }
  }

  std::optional<uint32_t> find(uint32_t id) const {
    if (!table.empty()) {
      uint32_t at = id - first;
      return at < table.size() && table[at] != none ? std::optional(table[at]) : std::nullopt;
    }
    auto found = std::lower_bound(sorted.begin(), sorted.end(), std::pair(id, uint32_t(0)));
    return found != sorted.end() && found->first == id ? std::optional(found->second)
                                                       : std::nullopt;
  }

  // The first thing whose id is an earlier one's, too.
  std::optional<uint32_t> repeated() const { return second; }

private:
  static constexpr uint32_t none = UINT32_MAX;
  uint32_t first = 0;
  std::vector<uint32_t> table;
  std::vector<std::pair<uint32_t, uint32_t>> sorted; // where the ids are far from one another
  std::optional<uint32_t> second;
};

// Names that are there once.
class NameSet {
public:
  // Makes room for this many.
  void clear(size_t count) {
    size_t size = 16;
    while (size < 2 * count) {
      size *= 2;
    }
    slots.assign(size, {});
  }

  // False where the set has the name. It has room for as many as were announced.
  bool insert(std::string_view name) {
    for (size_t at = hash(name);; ++at) {
      std::string_view &slot = slots[at & (slots.size() - 1)];
      if (slot.data() == nullptr) {
        slot = name;
        return true;
      }
      if (slot == name) {
        return false;
      }
    }
  }

private:
  // A word at a time; the last one overlaps the one before.
  static size_t hash(std::string_view name) {
    const char *at = name.data(), *end = at + name.size();
    uint64_t hash = name.size(), word = 0;
    if (name.size() < sizeof(word)) {
      for (; at != end; ++at) {
        word = word << 8 | static_cast<uint8_t>(*at);
      }
      return mixed(hash ^ word);
    }
    for (; end - at > ptrdiff_t(sizeof(word)); at += sizeof(word)) {
      std::memcpy(&word, at, sizeof(word));
      hash = mixed(hash ^ word);
    }
    std::memcpy(&word, end - sizeof(word), sizeof(word));
    return mixed(hash ^ word);
  }
  // The high bits of a product depend on all of the bits below.
  static uint64_t mixed(uint64_t word) {
    word *= 0x9e3779b97f4a7c15;
    return word ^ word >> 32;
  }

  std::vector<std::string_view> slots; // twice as many as names
};

// Ids of things by where these lie.
class PointerIds {
public:
  // Makes room for this many.
  explicit PointerIds(size_t count)
      : slots(std::bit_ceil(2 * count + 1)), shift(64 - std::countr_zero(slots.size())) {}

  void insert(const void *thing, int64_t id) {
    Slot *slot = &slots[first(thing)];
    while (slot->thing) {
      slot = next(slot);
    }
    *slot = {thing, id};
  }

  // Of a thing that is there.
  int64_t at(const void *thing) const {
    const Slot *slot = &slots[first(thing)];
    while (slot->thing != thing) {
      slot = next(slot);
    }
    return slot->id;
  }

private:
  struct Slot {
    const void *thing = nullptr;
    int64_t id = 0;
  };

  // The high bits of a product depend on all bits of the address.
  size_t first(const void *thing) const {
    return reinterpret_cast<uintptr_t>(thing) * 0x9e3779b97f4a7c15 >> shift;
  }
  template <typename S> S *next(S *slot) const {
    return slot + 1 == slots.data() + slots.size() ? slot - (slots.size() - 1) : slot + 1;
  }

  std::vector<Slot> slots; // twice as many as things
  int shift;
};

// The rows of a table that doesn't change, by a word of each, `word`.
template <typename Row> class WordTable {
public:
  WordTable(std::span<const Row> rows, std::string_view Row::*word)
      : slots(std::bit_ceil(4 * rows.size() + 1)), word(word) {
    for (const Row &row : rows) {
      size_t at = hash(row.*word);
      while (slots[at & (slots.size() - 1)]) {
        ++at;
      }
      slots[at & (slots.size() - 1)] = &row;
    }
  }

  // Null where there is none.
  const Row *find(std::string_view text) const {
    for (size_t at = hash(text);; ++at) {
      const Row *row = slots[at & (slots.size() - 1)];
      if (!row || row->*word == text) {
        return row;
      }
    }
  }

private:
  // Words of a table differ in their lengths or in one of three characters, nearly all.
  static size_t hash(std::string_view text) {
    auto at = [&](size_t place) { return static_cast<size_t>(static_cast<uint8_t>(text[place])); };
    size_t size = text.size();
    return size == 0 ? 0 : (at(0) * 7 + at(size / 2) * 31 + at(size - 1) * 131) ^ size * 17;
  }

  std::vector<const Row *> slots; // four times as many as rows
  std::string_view Row::*word;
};

} // namespace drumlin::hlo
