// The cost of one call of a kernel or of a whole program, in counts: computed from shapes and
// target, never measured.
#pragma once

#include <cstdint>

namespace drumlin {

// Every evaluation is counted in exactly one of the six FLOP counts, so that their sum is the
// number that the machine executes. Sums and products saturate instead of wrapping.
struct Cost {
  // Two for each multiply-add required by dots and convolutions.
  int64_t matrixFlops = 0;
  // One for each elementwise operation, comparison, narrowing conversion, and combination of two
  // elements in a reduction, also of integers and booleans. Counts only the first evaluation of
  // each element.
  int64_t elementFlops = 0;
  // One for each conversion of an element to a float type of more bits.
  int64_t upcastFlops = 0;
  // Multiply-adds on padding: partial tiles, or a convolution's padding.
  int64_t padFlops = 0;
  // Multiply-adds that only transpose an operand.
  int64_t transposeFlops = 0;
  // The operations of all evaluations of an element after its first one.
  int64_t recomputeFlops = 0;

  // Bytes of elements that are read or written in an order other than that of memory.
  int64_t transposedBytes = 0;
  // The required bytes: the program's arguments, constants and results, each once. All other bytes
  // (temporaries, copies, arguments read again) are not required.
  int64_t askedBytesRead = 0, askedBytesWritten = 0;
  int64_t otherBytesRead = 0, otherBytesWritten = 0;

  int64_t modelFlops() const;
  int64_t hardwareFlops() const;
  int64_t askedBytes() const;
  int64_t otherBytes() const;
  int64_t bytes() const;

  Cost &operator+=(const Cost &other);
  // Returns the cost of `calls` consecutive calls: the first call's required bytes count as
  // required, those of all later calls as other bytes.
  Cost repeated(int64_t calls) const;

  bool operator==(const Cost &) const = default;
};

int64_t addSaturating(int64_t a, int64_t b);
int64_t multiplySaturating(int64_t a, int64_t b);
int64_t roundSaturating(double count);

// The fields by name, in the order of reports: one list for text, JSON and images.
struct CostField {
  const char *name; // `matrix_flops`
  int64_t Cost::*field;
};
inline constexpr CostField costFields[] = {
    {"matrix_flops", &Cost::matrixFlops},
    {"element_flops", &Cost::elementFlops},
    {"upcast_flops", &Cost::upcastFlops},
    {"pad_flops", &Cost::padFlops},
    {"transpose_flops", &Cost::transposeFlops},
    {"recompute_flops", &Cost::recomputeFlops},
    {"transposed_bytes", &Cost::transposedBytes},
    {"asked_bytes_read", &Cost::askedBytesRead},
    {"asked_bytes_written", &Cost::askedBytesWritten},
    {"other_bytes_read", &Cost::otherBytesRead},
    {"other_bytes_written", &Cost::otherBytesWritten},
};

} // namespace drumlin
