#include "drumlin/hlo/CrossList.h"

#include <charconv>

namespace drumlin::hlo {

std::optional<std::vector<std::vector<int64_t>>> parseCrossList(std::string_view text) {
  std::vector<std::vector<int64_t>> list(1);
  const char *at = text.data(), *last = at + text.size();
  for (;;) {
    auto [end, error] = std::from_chars(at, last, list.back().emplace_back());
    if (error != std::errc()) {
      return std::nullopt;
    }
    if (end == last) {
      return list;
    }
    if (*end == 'x') {
      list.emplace_back();
    } else if (*end != '_') {
      return std::nullopt;
    }
    at = end + 1;
  }
}

} // namespace drumlin::hlo
