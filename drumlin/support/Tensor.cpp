#include "drumlin/support/Tensor.h"

#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/PageOffset.h"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace drumlin {

// Tensors from this size on get zeroed pages from the kernel when they are touched, huge pages if
// available.
static constexpr size_t mappedTensorBytes = size_t(4) << 20;
static constexpr size_t tensorAlignment = 64;

std::optional<int64_t> elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  bool overflow = false;
  for (int64_t dimension : shape) {
    if (dimension < 0) {
      return std::nullopt;
    }
    empty |= dimension == 0;
    // A zero dimension makes the count zero, however large the other dimensions are.
    if (dimension != 0) {
      overflow |= __builtin_mul_overflow(count, dimension, &count);
    }
  }
  if (empty) {
    return 0;
  }
  if (overflow) {
    return std::nullopt;
  }
  return count;
}

std::optional<int64_t> byteCount(ElementType type, std::span<const int64_t> shape) {
  std::optional<int64_t> count = elementCount(shape);
  int64_t bytes;
  if (!count || __builtin_mul_overflow(*count, static_cast<int64_t>(storageBytes(type)), &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

Shape rowMajorStrides(std::span<const int64_t> shape) {
  Shape strides(shape.size());
  uint64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(stride);
    // Unsigned, since strides of an empty shape may exceed int64; they are then meaningless.
    stride *= static_cast<uint64_t>(shape[i]);
  }
  return strides;
}

static std::shared_ptr<std::byte> allocateZeroed(size_t bytes) {
  if (bytes >= mappedTensorBytes) {
    if (bytes > SIZE_MAX - pageBytes) {
      return nullptr;
    }
    size_t offset = nextPageOffset(), mapped = offset + bytes;
    void *memory =
        mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return nullptr;
    }
    madvise(memory, mapped, MADV_HUGEPAGE);
    return {static_cast<std::byte *>(memory) + offset,
            [memory, mapped](std::byte *) { munmap(memory, mapped); }};
  }
  size_t padded = (bytes + tensorAlignment - 1) / tensorAlignment * tensorAlignment;
  if (padded == 0) {
    padded = tensorAlignment;
  }
  void *memory = std::aligned_alloc(tensorAlignment, padded);
  if (!memory) {
    return nullptr;
  }
  std::memset(memory, 0, padded);
  return {static_cast<std::byte *>(memory), [](std::byte *p) { std::free(p); }};
}

std::optional<Tensor> Tensor::allocate(ElementType type, Shape shape) {
  std::optional<int64_t> bytes = byteCount(type, shape);
  if (!bytes) {
    return std::nullopt;
  }
  std::shared_ptr<std::byte> memory = allocateZeroed(static_cast<size_t>(*bytes));
  if (!memory) {
    return std::nullopt;
  }
  return Tensor(type, std::move(shape), std::move(memory));
}

Tensor::Tensor(ElementType type, Shape shape) : elementType(type), dimensions(std::move(shape)) {
  std::optional<int64_t> bytes = byteCount(type, dimensions);
  if (bytes) {
    memory = allocateZeroed(static_cast<size_t>(*bytes));
  }
  if (!memory) {
    allocationFailed();
  }
  count = *elementCount(dimensions);
}

Tensor::Tensor(ElementType type, Shape shape, std::shared_ptr<std::byte> data)
    : elementType(type), dimensions(std::move(shape)), memory(std::move(data)) {
  std::optional<int64_t> elements = elementCount(dimensions);
  assert(elements && "the shape's size overflows");
  count = elements.value_or(0);
}

Tensor Tensor::clone() const {
  if (!memory) {
    return *this;
  }
  Tensor copy(elementType, dimensions);
  if (bytes() != 0) {
    std::memcpy(copy.data(), data(), static_cast<size_t>(bytes()));
  }
  return copy;
}

Tensor Tensor::withShape(Shape shape) const {
  assert(elementCount(shape) == count && "another number of elements");
  return Tensor(elementType, std::move(shape), memory);
}

} // namespace drumlin
