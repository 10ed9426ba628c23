#include "drumlin/transforms/simplify/decompose/RandomWords.h"

using namespace mlir;

namespace drumlin {

Value lowHalf(TensorBuilder &b, Value word) { return b.convert(word, b.unsignedType(32)); }

Value highHalf(TensorBuilder &b, Value word) { return lowHalf(b, b.shiftRight(word, 32)); }

Value joinHalves(TensorBuilder &b, Value low, Value high) {
  Type word = b.unsignedType(64);
  return b.logicalOr(b.convert(low, word), b.shiftLeft(b.convert(high, word), 32));
}

static Value rotateLeft(TensorBuilder &b, Value x, unsigned bits) {
  return b.logicalOr(b.shiftLeft(x, bits), b.shiftRight(x, 32 - bits));
}

std::array<Value, 2> threefry2x32(TensorBuilder &b, std::array<Value, 2> counter, Key key) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  static constexpr uint64_t parity = 0x1bd11bda;
  ArrayRef<int64_t> shape = shapeOf(counter[0]);
  Value mixed = b.logicalXor(b.logicalXor(key[0], key[1]), b.like(key[0], parity));
  Value schedule[3] = {key[0], key[1], mixed};
  auto inject = [&](Value word, Value scalar) { return b.add(word, b.broadcast(scalar, shape)); };
  Value x = inject(counter[0], schedule[0]), y = inject(counter[1], schedule[1]);
  // Five groups of four rounds, each followed by an injection of the key.
  for (unsigned group = 1; group <= 5; ++group) {
    for (unsigned rotation : rotations[(group - 1) % 2]) {
      x = b.add(x, y);
      y = b.logicalXor(rotateLeft(b, y, rotation), x);
    }
    x = inject(x, schedule[group % 3]);
    Value next = schedule[(group + 1) % 3];
    y = inject(y, b.add(next, b.like(next, group)));
  }
  return {x, y};
}

std::array<Value, 4> philox4x32(TensorBuilder &b, std::array<Value, 4> counter, Key key) {
  static constexpr uint64_t multipliers[2] = {0xd2511f53, 0xcd9e8d57};
  static constexpr uint64_t weyl[2] = {0x9e3779b9, 0xbb67ae85};
  ArrayRef<int64_t> shape = shapeOf(counter[0]);
  Type word = b.unsignedType(64);
  auto product = [&](Value x, uint64_t multiplier) {
    Value wide = b.convert(x, word);
    return b.multiply(wide, b.like(wide, multiplier));
  };
  auto mix = [&](Value x, Value y, Value scalar) {
    return b.logicalXor(b.logicalXor(x, y), b.broadcast(scalar, shape));
  };
  for (unsigned round = 0; round < 10; ++round) {
    Value even = product(counter[0], multipliers[0]), odd = product(counter[2], multipliers[1]);
    counter = {mix(highHalf(b, odd), counter[1], key[0]), lowHalf(b, odd),
               mix(highHalf(b, even), counter[3], key[1]), lowHalf(b, even)};
    for (unsigned i = 0; i < 2; ++i) {
      key[i] = b.add(key[i], b.like(key[i], weyl[i]));
    }
  }
  return counter;
}

} // namespace drumlin
