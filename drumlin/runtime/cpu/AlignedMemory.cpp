#include "drumlin/runtime/cpu/AlignedMemory.h"

#include "drumlin/support/PageOffset.h"

#include <cstdint>
#include <sys/mman.h>

namespace drumlin {

static constexpr size_t hugePageBytes = size_t(2) << 20;

std::optional<AlignedMemory> AlignedMemory::allocate(size_t bytes) {
  AlignedMemory result;
  if (bytes > SIZE_MAX / 2) {
    return std::nullopt;
  }
  bool huge = bytes >= hugePageBytes;
  size_t page = huge ? hugePageBytes : pageBytes;
  size_t offset = bytes < pageBytes ? 0 : nextPageOffset();
  size_t rounded = (offset + bytes + readableBehind + page - 1) / page * page;
  // mmap aligns only to small pages. One huge page is mapped in addition, so that the memory can
  // start at a multiple of the huge page's size.
  result.mappingBytes = huge ? rounded + hugePageBytes : rounded;
  void *mapping = mmap(nullptr, result.mappingBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return std::nullopt;
  }
  result.mapping = mapping;
  uintptr_t start = (reinterpret_cast<uintptr_t>(mapping) + page - 1) / page * page;
  result.memory = reinterpret_cast<std::byte *>(start + offset);
  result.bytes = bytes;
  if (huge) {
    // The system allocates a huge page as a whole when any of it is first touched.
    size_t behind = (offset + bytes) % hugePageBytes;
    size_t inHuge = behind < hugePageBytes / 32 ? offset + bytes - behind : rounded;
    madvise(reinterpret_cast<void *>(start), inHuge, MADV_HUGEPAGE);
  }
  return result;
}

AlignedMemory &AlignedMemory::operator=(AlignedMemory &&other) noexcept {
  std::swap(mapping, other.mapping);
  std::swap(mappingBytes, other.mappingBytes);
  std::swap(memory, other.memory);
  std::swap(bytes, other.bytes);
  return *this;
}

AlignedMemory::~AlignedMemory() {
  if (mapping) {
    munmap(mapping, mappingBytes);
  }
}

} // namespace drumlin
