// Finds things by their ids and names, of which a computation has as many as instructions.
#pragma once

#include <algorithm>
#include <cstdint>
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
    for (size_t at = std::hash<std::string_view>()(name);; ++at) {
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
  std::vector<std::string_view> slots; // twice as many as names
};

} // namespace drumlin::hlo
