// Decomposes rng_bit_generator: computes the words of its algorithm from the key and the counter in
// the state.
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/RngBitGeneratorOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"
#include "drumlin/transforms/simplify/decompose/RandomWords.h"

using namespace mlir;

namespace drumlin {

// Returns elements from the low bits of ui32 or ui64 words.
static Value elementsFrom(TensorBuilder &b, Value words, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  auto number = dyn_cast<FloatType>(element);
  if (!number) {
    return b.convert(words, element);
  }
  if (bits >= 8) {
    return b.bitcast(b.convert(words, b.unsignedType(bits)), element);
  }
  // No integer type has as few bits as the element type, so the elements are looked up in a table
  // of all bit patterns.
  SmallVector<llvm::APFloat> patterns;
  for (uint64_t pattern = 0; pattern < uint64_t{1} << bits; ++pattern) {
    patterns.emplace_back(number.getFloatSemantics(), APInt(bits, pattern));
  }
  auto count = static_cast<int64_t>(patterns.size());
  auto tableType = RankedTensorType::get({count}, element);
  Value table = stablehlo::ConstantOp::create(b.operations(), b.location(),
                                              DenseElementsAttr::get(tableType, patterns));
  Value indices = b.logicalAnd(words, b.like(words, static_cast<uint64_t>(count - 1)));
  return b.take(table, indices);
}

namespace {
// The output of a generator, and the number of blocks by which it advances the counter.
struct Bits {
  Value output;
  uint64_t blocks; // number of blocks drawn
};
} // namespace

// Returns the dimension along which the two words of a Threefry block are adjacent: the first
// dimension of even size, or else the first of the largest size.
static size_t splitDimension(ArrayRef<int64_t> shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] % 2 == 0) {
      return d;
    }
  }
  return static_cast<size_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
}

// Returns the numbers of the blocks, beginning at the counter, which is a ui64 scalar.
static Value countersOf(TensorBuilder &b, Value counter, ArrayRef<int64_t> shape) {
  return b.add(b.positions(b.unsignedType(64), shape), b.broadcast(counter, shape));
}

static std::array<Value, 2> threefryWords(TensorBuilder &b, Value counter, Key key,
                                          ArrayRef<int64_t> blocks) {
  Type half = b.unsignedType(32);
  Value counters = countersOf(b, counter, blocks);
  return threefry2x32(b, {b.convert(counters, half), b.convert(highHalf(b, counters), half)},
                      {b.convert(key[0], half), b.convert(key[1], half)});
}

// Numbers blocks in row-major order of the shape in which the split dimension is halved. If that
// dimension has an odd size, the last word of each line is unused. For a scalar, the second word of
// its block is unused.
static Bits drawThreefryWords(TensorBuilder &b, Value counter, Key key, Type element,
                              ArrayRef<int64_t> shape) {
  if (shape.empty()) {
    return {elementsFrom(b, threefryWords(b, counter, key, {})[0], element), 1};
  }
  size_t split = splitDimension(shape);
  int64_t size = shape[split], half = (size + 1) / 2, outer = 1, inner = 1;
  for (auto [d, each] : llvm::enumerate(shape)) {
    outer *= d < split ? each : 1;
    inner *= d > split ? each : 1;
  }
  std::array<Value, 2> words = threefryWords(b, counter, key, {outer, half, inner});
  SmallVector<Value> neighbours;
  for (Value word : words) {
    neighbours.push_back(b.reshape(elementsFrom(b, word, element), {outer, half, 1, inner}));
  }
  Value all = b.reshape(b.concatenate(neighbours, 2), {outer, 2 * half, inner});
  return {b.reshape(b.slice(all, 1, 0, size), shape), static_cast<uint64_t>(outer) *
                                                          static_cast<uint64_t>(half) *
                                                          static_cast<uint64_t>(inner)};
}

static Bits drawThreefry(TensorBuilder &b, Value counter, Key key, Type element,
                         ArrayRef<int64_t> shape) {
  if (element.getIntOrFloatBitWidth() < 64) {
    return drawThreefryWords(b, counter, key, element, shape);
  }
  std::array<Value, 2> words = threefryWords(b, counter, key, shape);
  Type word = b.unsignedType(64);
  Value bits = joinHalves(b, b.convert(words[0], word), b.convert(words[1], word));
  return {elementsFrom(b, bits, element), static_cast<uint64_t>(elementsOf(bits))};
}

// Takes four 32-bit words or two 64-bit words from each block, in row-major order.
static Bits drawPhilox(TensorBuilder &b, Value lower, Value upper, Key key, Type element,
                       ArrayRef<int64_t> shape) {
  bool isWide = element.getIntOrFloatBitWidth() == 64;
  int64_t count = 1, perBlock = isWide ? 2 : 4;
  for (int64_t size : shape) {
    count *= size;
  }
  int64_t blocks = (count + perBlock - 1) / perBlock;
  Value low = countersOf(b, lower, {blocks});
  Value first = b.broadcast(lower, {blocks}), high = b.broadcast(upper, {blocks});
  Value isCarried = b.compare(stablehlo::ComparisonDirection::LT, low, first);
  high = b.add(high, b.convert(isCarried, b.unsignedType(64)));
  std::array<Value, 4> words =
      philox4x32(b, {lowHalf(b, low), highHalf(b, low), lowHalf(b, high), highHalf(b, high)}, key);
  SmallVector<Value> elements, neighbours;
  for (size_t i = 0; i < 4; i += isWide ? 2 : 1) {
    Value word = isWide ? joinHalves(b, words[i], words[i + 1]) : words[i];
    elements.push_back(elementsFrom(b, word, element));
  }
  // A fused kernel would compute all words of a block for each element. The barrier makes it
  // compute each word once; the words are then reordered.
  for (Value each : b.barrier(elements)) {
    neighbours.push_back(b.reshape(each, {1, blocks}));
  }
  Value rows = b.barrier(b.concatenate(neighbours, 0)).front();
  Value all = b.reshape(b.transpose(rows, {1, 0}), {blocks * perBlock});
  return {b.reshape(b.slice(all, 0, 0, count), shape), static_cast<uint64_t>(blocks)};
}

Replacements decomposeRandomBits(Operation *op) {
  auto generator = dyn_cast<stablehlo::RngBitGeneratorOp>(op);
  if (!generator) {
    return std::nullopt;
  }
  Value state = generator.getInitialState();
  ArrayRef<int64_t> sizes = shapeOf(state);
  bool isThreefry = generator.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  bool isLong = sizes.size() == 1 && sizes[0] == 3 && !isThreefry;
  bool fits = TensorBuilder::elementOf(state).isUnsignedInteger(64) && sizes.size() == 1 &&
              (sizes[0] == 2 || isLong);
  if (!fits) {
    return std::nullopt;
  }
  TensorBuilder b(op);
  auto part = [&](int64_t i) { return b.reshape(b.slice(state, 0, i, i + 1), {}); };
  Value counter = part(1), upper = part(isLong ? 2 : 0);
  Key key = {lowHalf(b, part(0)), highHalf(b, part(0))};
  Type element = TensorBuilder::elementOf(generator.getOutput());
  ArrayRef<int64_t> shape = shapeOf(generator.getOutput());
  Bits bits = isThreefry ? drawThreefry(b, counter, key, element, shape)
                         : drawPhilox(b, counter, upper, key, element, shape);
  Value next = b.add(counter, b.like(counter, bits.blocks));
  SmallVector<Value> left = {b.slice(state, 0, 0, 1), b.reshape(next, {1})};
  if (isLong) {
    Value isCarried = b.compare(stablehlo::ComparisonDirection::LT, next, counter);
    left.push_back(b.reshape(b.add(upper, b.convert(isCarried, b.unsignedType(64))), {1}));
  }
  return SmallVector<Value>{b.concatenate(left, 0), bits.output};
}

} // namespace drumlin
