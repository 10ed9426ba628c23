#include "drumlin/support/Cost.h"

#include <cmath>
#include <initializer_list>
#include <limits>

namespace drumlin {

static constexpr int64_t largest = std::numeric_limits<int64_t>::max();

int64_t addSaturating(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? largest : sum;
}

int64_t multiplySaturating(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? largest : product;
}

int64_t Cost::modelFlops() const { return addSaturating(matrixFlops, elementFlops); }

int64_t Cost::hardwareFlops() const {
  int64_t sum = modelFlops();
  for (int64_t part : {upcastFlops, padFlops, transposeFlops, recomputeFlops}) {
    sum = addSaturating(sum, part);
  }
  return sum;
}

int64_t Cost::askedBytes() const { return addSaturating(askedBytesRead, askedBytesWritten); }
int64_t Cost::otherBytes() const { return addSaturating(otherBytesRead, otherBytesWritten); }
int64_t Cost::bytes() const { return addSaturating(askedBytes(), otherBytes()); }

Cost &Cost::operator+=(const Cost &other) {
  for (const CostField &each : costFields) {
    this->*each.field = addSaturating(this->*each.field, other.*each.field);
  }
  return *this;
}

Cost Cost::repeated(int64_t calls) const {
  Cost total;
  for (const CostField &each : costFields) {
    total.*each.field = multiplySaturating(this->*each.field, calls);
  }
  if (calls > 0) {
    total.askedBytesRead = askedBytesRead;
    total.askedBytesWritten = askedBytesWritten;
    total.otherBytesRead =
        addSaturating(total.otherBytesRead, multiplySaturating(askedBytesRead, calls - 1));
    total.otherBytesWritten =
        addSaturating(total.otherBytesWritten, multiplySaturating(askedBytesWritten, calls - 1));
  }
  return total;
}

int64_t roundSaturating(double count) {
  return count < static_cast<double>(std::numeric_limits<int64_t>::max())
             ? static_cast<int64_t>(std::llround(count))
             : std::numeric_limits<int64_t>::max();
}

} // namespace drumlin
