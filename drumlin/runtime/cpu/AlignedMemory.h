// Zeroed memory for arenas, scratch and copies of weights: aligned to 64 bytes, starting at
// nextPageOffset() within a page, and from 2 MiB on in huge pages, which the system is asked to
// use. The 64 bytes after the end are readable too: linear algebra routines load whole registers
// past a matrix's end (OpenBLAS 0.3.21's zgemv: 16 bytes).
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace drumlin {

class AlignedMemory {
public:
  static constexpr size_t alignment = 64, readableBehind = 64;

  AlignedMemory() = default;
  // Allocates memory, or returns nothing if the system has none. Pages are allocated when first
  // touched.
  static std::optional<AlignedMemory> allocate(size_t bytes);
  AlignedMemory(AlignedMemory &&other) noexcept
      : mapping(std::exchange(other.mapping, nullptr)),
        mappingBytes(std::exchange(other.mappingBytes, 0)),
        memory(std::exchange(other.memory, nullptr)), bytes(std::exchange(other.bytes, 0)) {}
  AlignedMemory &operator=(AlignedMemory &&other) noexcept;
  ~AlignedMemory();

  std::byte *data() const { return memory; }
  size_t size() const { return bytes; }

private:
  void *mapping = nullptr;
  size_t mappingBytes = 0;
  std::byte *memory = nullptr;
  size_t bytes = 0;
};

} // namespace drumlin
