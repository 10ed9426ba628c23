#include "drumlin/support/PageOffset.h"

#include <atomic>

namespace drumlin {

size_t nextPageOffset() {
  static std::atomic<size_t> count{0};
  return count.fetch_add(1, std::memory_order_relaxed) * pageOffsetStep % pageBytes;
}

} // namespace drumlin
