// Fast maps and sets for ids and names, since large computations have many ids and names.
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

// A map from ids to the indices of objects. In computations of XLA, most ids are close together.
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

  // Returns the first index whose id also occurs at an earlier index, or nullopt if all ids differ.
  std::optional<uint32_t> repeated() const { return second; }

private:
  static constexpr uint32_t none = UINT32_MAX;
  uint32_t first = 0;
  std::vector<uint32_t> table;
  std::vector<std::pair<uint32_t, uint32_t>> sorted; // used if the ids are far apart
  std::optional<uint32_t> second;
};

// A set of names.
class NameSet {
public:
  // Empties the set and reserves room for `count` names.
  void clear(size_t count) {
    size_t size = 16;
    while (size < 2 * count) {
      size *= 2;
    }
    slots.assign(size, {});
  }

  // Inserts a name; returns false if the set already has it. The set doesn't grow beyond the
  // `count` names of clear().
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
  // Hashes 8 bytes at a time; the last 8 bytes may overlap the previous 8.
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
  // Mixes the bits: the high bits of the product depend on all lower bits.
  static uint64_t mixed(uint64_t word) {
    word *= 0x9e3779b97f4a7c15;
    return word ^ word >> 32;
  }

  std::vector<std::string_view> slots; // at least twice the number of names
};

// A map from the addresses of objects to their ids.
class PointerIds {
public:
  // Reserves room for `count` objects.
  explicit PointerIds(size_t count)
      : slots(std::bit_ceil(2 * count + 1)), shift(64 - std::countr_zero(slots.size())) {}

  void insert(const void *thing, int64_t id) {
    Slot *slot = &slots[first(thing)];
    while (slot->thing) {
      slot = next(slot);
    }
    *slot = {thing, id};
  }

  // Returns the id of an object, which must be in the map.
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

  // Returns the index of the first slot to probe. The high bits of the product depend on all bits
  // of the address.
  size_t first(const void *thing) const {
    return reinterpret_cast<uintptr_t>(thing) * 0x9e3779b97f4a7c15 >> shift;
  }
  template <typename S> S *next(S *slot) const {
    return slot + 1 == slots.data() + slots.size() ? slot - (slots.size() - 1) : slot + 1;
  }

  std::vector<Slot> slots; // at least twice the number of objects
  int shift;
};

// A hash table of constant rows, whose member `word` is the key.
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

  // Returns the row with a key, or null.
  const Row *find(std::string_view text) const {
    for (size_t at = hash(text);; ++at) {
      const Row *row = slots[at & (slots.size() - 1)];
      if (!row || row->*word == text) {
        return row;
      }
    }
  }

private:
  // Hashes the length and three characters, in which nearly all keys of a table differ.
  static size_t hash(std::string_view text) {
    auto at = [&](size_t place) { return static_cast<size_t>(static_cast<uint8_t>(text[place])); };
    size_t size = text.size();
    return size == 0 ? 0 : (at(0) * 7 + at(size / 2) * 31 + at(size - 1) * 131) ^ size * 17;
  }

  std::vector<const Row *> slots; // at least four times the number of rows
  std::string_view Row::*word;
};

} // namespace drumlin::hlo
