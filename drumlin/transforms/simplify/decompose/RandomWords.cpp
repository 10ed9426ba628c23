#include "drumlin/transforms/simplify/decompose/RandomWords.h"

using namespace mlir;

namespace drumlin {

Value lowHalf(TensorBuilder &b, Value number) {
  return b.logicalAnd(number, b.like(number, 0xffffffff));
}

Value highHalf(TensorBuilder &b, Value number) { return b.shiftRight(number, 32); }

Value joinHalves(TensorBuilder &b, Value low, Value high) {
  return b.logicalOr(low, b.shiftLeft(high, 32));
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
  // There are five groups of four rounds, each followed by a key injection.
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
  auto product = [&](Value x, uint64_t multiplier) { return b.multiply(x, b.like(x, multiplier)); };
  // Computes each round's key from the original key, with one addition instead of a chain.
  auto keyOf = [&](unsigned round, unsigned i) {
    Value own = key[i];
    own = round == 0 ? own : lowHalf(b, b.add(own, b.like(own, round * weyl[i])));
    return b.broadcast(own, shape);
  };
  for (unsigned round = 0; round < 10; ++round) {
    Value even = product(counter[0], multipliers[0]), odd = product(counter[2], multipliers[1]);
    Value first = b.logicalXor(highHalf(b, odd), counter[1]);
    Value third = b.logicalXor(highHalf(b, even), counter[3]);
    counter = {b.logicalXor(first, keyOf(round, 0)), lowHalf(b, odd),
               b.logicalXor(third, keyOf(round, 1)), lowHalf(b, even)};
  }
  return counter;
}

} // namespace drumlin
