// Reinterprets the bytes of a buffer as another array. In a bitcast, elements narrower than a byte
// are packed, as on XLA's devices: eight bits are two elements of four bits, the first in the low
// bits. In buffers, each such element takes a byte of its own, so arrays of such elements are
// converted. All other results share the buffer's memory.
#include "drumlin/pjrt/Buffer.h"

#include <algorithm>
#include <cstring>

namespace drumlin::pjrt {

// Returns an element's bits when packed; Booleans take a byte each in both forms.
static unsigned packedBits(ElementType element) {
  return element == ElementType::I1 ? 8 : info(element).bits;
}

static bool isPacked(const ArrayType &type) { return packedBits(type.element) < 8; }

static size_t packedBytes(const ArrayType &type) {
  size_t bits = packedBits(type.element);
  return bits < 8 ? (type.bytes() * bits + 7) / 8 : type.bytes();
}

static void pack(const std::byte *from, size_t count, unsigned bits, std::byte *to) {
  unsigned each = 8 / bits;
  for (size_t i = 0; i < count; ++i) {
    unsigned element = std::to_integer<unsigned>(from[i]) & ((1U << bits) - 1);
    std::byte before = i % each == 0 ? std::byte(0) : to[i / each];
    to[i / each] = before | std::byte(element << (i % each * bits));
  }
}

// Unpacks elements; signed ones are sign-extended.
static void unpack(const std::byte *from, size_t count, ElementType element, std::byte *to) {
  unsigned bits = packedBits(element), each = 8 / bits;
  bool isSigned = info(element).kind == ElementKind::Signed;
  for (size_t i = 0; i < count; ++i) {
    unsigned value =
        std::to_integer<unsigned>(from[i / each]) >> (i % each * bits) & ((1U << bits) - 1);
    bool isNegative = isSigned && (value >> (bits - 1)) != 0;
    to[i] = std::byte(isNegative ? value | (0xffU << bits & 0xffU) : value);
  }
}

static void convert(const std::byte *data, const ArrayType &from, const ArrayType &to,
                    std::byte *result) {
  std::vector<std::byte> bytes; // packed
  if (isPacked(from)) {
    bytes.resize(packedBytes(from));
    pack(data, from.bytes(), packedBits(from.element), bytes.data());
    data = bytes.data();
  }
  if (isPacked(to)) {
    unpack(data, to.bytes(), to.element, result);
  } else if (to.bytes() != 0) {
    std::memcpy(result, data, to.bytes());
  }
}

Outcome handleBufferBitcast(BufferBitcastArgs &args) {
  Buffer &buffer = *args.buffer;
  Result<ArrayType> type =
      ArrayType::make(args.elementType, args.dims, args.numDims, args.deviceLayout);
  if (!type) {
    return type.error();
  }
  if (packedBytes(*type) != packedBytes(buffer.type)) {
    return invalid("an array of " + std::to_string(packedBytes(buffer.type)) +
                   " bytes can't be one of " + std::to_string(packedBytes(*type)));
  }
  if (!isPacked(*type) && !isPacked(buffer.type)) {
    StorageUse use = buffer.hold();
    if (!use) {
      return deletedBuffer();
    }
    args.outBuffer = new Buffer(*buffer.memory, std::move(*type), use.storage(), buffer.ready);
    return Done();
  }
  std::shared_ptr<Storage> storage =
      Storage::allocate(type->bytes(), buffer.memory->device->statistics);
  if (!storage) {
    return noMemory(type->bytes());
  }
  std::shared_ptr<Completion> done;
  Outcome outcome =
      whenReady(buffer, done, [storage, from = buffer.type, to = *type](const Storage &given) {
        convert(given.read(0, from.bytes()).data(), from, to, storage->write(0, to.bytes()).data());
      });
  if (outcome) {
    args.outBuffer =
        new Buffer(*buffer.memory, std::move(*type), std::move(storage), std::move(done));
  }
  return outcome;
}

} // namespace drumlin::pjrt
