#include "drumlin/support/CountedResults.h"

#include <algorithm>
#include <cstring>

namespace drumlin {

// Copies the leading part of a tensor, one row of the innermost dimension after another.
static Tensor beginningOf(const Tensor &whole, const Shape &shape) {
  Tensor made(whole.type(), shape);
  if (made.elements() == 0 || shape.empty()) {
    return shape.empty() ? whole : made;
  }
  size_t rank = shape.size();
  int64_t bytes = storageBytes(whole.type()), row = shape.back() * bytes;
  Shape index(rank, 0);
  for (int64_t at = 0; at < made.bytes(); at += row) {
    int64_t from = 0;
    for (size_t d = 0; d < rank; ++d) {
      from = from * whole.shape()[d] + index[d];
    }
    std::memcpy(made.data() + at, whole.data() + from * bytes, static_cast<size_t>(row));
    for (size_t d = rank - 1; d > 0; --d) {
      if (++index[d - 1] < shape[d - 1]) {
        break;
      }
      index[d - 1] = 0;
    }
  }
  return made;
}

std::vector<Tensor> countedResults(std::vector<Tensor> results,
                                   std::span<const CountedBy> countedBy) {
  std::vector<bool> areCounts(results.size(), false);
  std::vector<Tensor> made;
  for (size_t i = 0; i < results.size(); ++i) {
    Shape shape = results[i].shape();
    for (size_t d = 0; i < countedBy.size() && d < countedBy[i].size(); ++d) {
      if (int64_t by = countedBy[i][d]; by >= 0) {
        int64_t count = *results[static_cast<size_t>(by)].as<int32_t>();
        shape[d] = std::clamp<int64_t>(count, 0, shape[d]);
        areCounts[static_cast<size_t>(by)] = true;
      }
    }
    made.push_back(shape == results[i].shape() ? results[i] : beginningOf(results[i], shape));
  }
  std::vector<Tensor> kept;
  for (size_t i = 0; i < made.size(); ++i) {
    if (!areCounts[i]) {
      kept.push_back(std::move(made[i]));
    }
  }
  return kept;
}

} // namespace drumlin
