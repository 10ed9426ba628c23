#include "drumlin/import/hlo/ImportShardings.h"

#include "drumlin/support/diagnostics/ProgramErrors.h"

#include <algorithm>
#include <numeric>

namespace drumlin::hlo {

// Returns the product of sizes; nullopt if they are invalid or the product is too large.
static std::optional<int64_t> deviceCount(const Value &sizes) {
  constexpr int64_t maxDevices = int64_t(1) << 40;
  auto numbers = sizes.integers();
  int64_t count = 1;
  for (int64_t size : numbers.value_or(std::vector<int64_t>())) {
    if (size < 1 || size > maxDevices || (count *= size) > maxDevices) {
      return std::nullopt;
    }
  }
  return numbers ? std::optional(count) : std::nullopt;
}

// Whether item `at` begins a valid dimension order such as `T(1,0)` for a shape of the given rank.
// The order may be missing if the rank is 1.
static bool isOrder(const List<Value> &items, size_t at, size_t rank) {
  if (at == items.size() || !items[at].isWord("T")) {
    return rank == 1;
  }
  auto order = at + 1 < items.size() ? items[at + 1].integers() : std::nullopt;
  std::vector<int64_t> places(rank);
  std::iota(places.begin(), places.end(), 0);
  return order && order->size() == rank &&
         std::is_permutation(order->begin(), order->end(), places.begin());
}

// Whether `devices=[2,4]<=[8]` or `devices=[2,1]0,1` has equal numbers of devices and tiles.
// `more`: the number of device numbers after the first, which are separate items.
static bool areTiles(const Value &tiles, size_t more) {
  const List<Value> &items = tiles.items;
  if (tiles.kind != Value::Kind::Sequence || items.size() < 2) {
    return false;
  }
  std::optional<int64_t> count = deviceCount(items[0]);
  if (items[1].text == "<=") {
    std::optional<int64_t> devices = items.size() > 2 ? deviceCount(items[2]) : std::nullopt;
    return count && devices == count && isOrder(items, 3, items[2].items.size());
  }
  return count && std::cmp_equal(*count, more + 1);
}

// Whether a sharding is valid. A tuple's sharding has one sharding for each element.
static bool isSharding(const Value &sharding) {
  const List<Value> &items = sharding.items;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == Value::Kind::List && items[i].bracket == '{') {
      if (!isSharding(items[i])) {
        return false;
      }
      continue;
    }
    if (items[i].kind != Value::Kind::Entry || items[i].items[0].text != "devices") {
      continue;
    }
    size_t more = 0;
    while (i + more + 1 < items.size() && items[i + more + 1].kind == Value::Kind::Number) {
      ++more;
    }
    if (!areTiles(items[i].items[1], more)) {
      return false;
    }
  }
  return true;
}

void checkShardings(Conversion &conversion) {
  for (const auto &computation : conversion.module.computations) {
    for (const auto &instruction : computation->instructions) {
      const Value *sharding = instruction->find("sharding");
      if (sharding && !isSharding(*sharding)) {
        conversion.fail(errors::ProgramInvalid,
                        "sharding `" + sharding->str() +
                            "` has a different number of devices than of "
                            "tiles",
                        *instruction,
                        "list as many devices in `devices` as the product of its sizes");
      }
    }
  }
}

} // namespace drumlin::hlo
