#include "drumlin/interpreter/kernels/EvaluateRandom.h"
#include "drumlin/interpreter/kernels/Elements.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace drumlin::interpreter {

//===-- generators ----------------------------------------------------------------------------===//

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> counter, std::array<uint32_t, 2> key) {
  constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr uint32_t parity = 0x1bd11bda;
  const uint32_t schedule[3] = {key[0], key[1], key[0] ^ key[1] ^ parity};
  uint32_t a = counter[0] + schedule[0], b = counter[1] + schedule[1];
  // Runs five groups of four rounds. Each group is followed by an injection of the key.
  for (uint32_t group = 1; group <= 5; ++group) {
    for (int rotation : rotations[(group - 1) % 2]) {
      a += b;
      b = std::rotl(b, rotation) ^ a;
    }
    a += schedule[group % 3];
    b += schedule[(group + 1) % 3] + group;
  }
  return {a, b};
}

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr uint64_t multipliers[2] = {0xd2511f53, 0xcd9e8d57};
  constexpr uint32_t weyl[2] = {0x9e3779b9, 0xbb67ae85};
  for (int round = 0; round < 10; ++round) {
    uint64_t even = counter[0] * multipliers[0], odd = counter[2] * multipliers[1];
    counter = {static_cast<uint32_t>(odd >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(odd),
               static_cast<uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(even)};
    key[0] += weyl[0];
    key[1] += weyl[1];
  }
  return counter;
}

static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
static uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

static uint64_t word(const Tensor &state, int64_t i) {
  return loadAs<uint64_t>(state.data() + i * 8);
}

//===-- bits ----------------------------------------------------------------------------------===//

// Stores the low bits of a word as one element in its type's storage.
static void storeBits(ElementType type, uint64_t bits, std::byte *target) {
  const ElementTypeInfo &format = info(type);
  if (format.kind == ElementKind::Signed && format.bits < 8) {
    bits = static_cast<uint64_t>(wrap(static_cast<int64_t>(bits), format.bits));
  } else {
    bits = wrap(bits, format.bits);
  }
  std::memcpy(target, &bits, format.storageBytes);
}

// Returns the dimension along which the two words of a Threefry block are neighbours: the first
// dimension of even size. If all sizes are odd, returns the first dimension of the largest size.
static size_t splitDimension(const Shape &shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] % 2 == 0) {
      return d;
    }
  }
  return static_cast<size_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
}

// Fills the output and returns the number of blocks. A block of two words gives two neighbours
// along splitDimension(). Blocks are numbered in row-major order of the shape with this dimension
// halved. If the dimension has an odd size, the second word of each line's last block is unused, as
// is the second word of the only block of a rank-0 shape.
static uint64_t drawThreefryWords(uint64_t counter, std::array<uint32_t, 2> key, Tensor &output) {
  const Shape &shape = output.shape();
  unsigned bytes = storageBytes(output.type());
  auto draw = [&](uint64_t block) {
    return threefry2x32({low(counter + block), high(counter + block)}, key);
  };
  if (shape.empty()) {
    storeBits(output.type(), draw(0)[0], output.data());
    return 1;
  }
  size_t split = splitDimension(shape);
  int64_t size = shape[split], half = (size + 1) / 2, outer = 1, inner = 1;
  for (size_t d = 0; d < split; ++d) {
    outer *= shape[d];
  }
  for (size_t d = split + 1; d < shape.size(); ++d) {
    inner *= shape[d];
  }
  uint64_t block = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t h = 0; h < half; ++h) {
      for (int64_t i = 0; i < inner; ++i) {
        std::array<uint32_t, 2> words = draw(block++);
        for (int64_t k = 0; k < 2 && 2 * h + k < size; ++k) {
          int64_t position = (o * size + 2 * h + k) * inner + i;
          storeBits(output.type(), words[static_cast<size_t>(k)], output.data() + position * bytes);
        }
      }
    }
  }
  return block;
}

static uint64_t drawThreefry(uint64_t counter, std::array<uint32_t, 2> key, Tensor &output) {
  if (info(output.type()).bits < 64) {
    return drawThreefryWords(counter, key, output);
  }
  for (int64_t i = 0; i < output.elements(); ++i) {
    uint64_t position = counter + static_cast<uint64_t>(i);
    std::array<uint32_t, 2> words = threefry2x32({low(position), high(position)}, key);
    storeBits(output.type(), words[0] | uint64_t{words[1]} << 32, output.data() + i * 8);
  }
  return static_cast<uint64_t>(output.elements());
}

// Fills the output in row-major order, with four 32-bit words or two 64-bit words per block.
static uint64_t drawPhilox(uint64_t lower, uint64_t upper, std::array<uint32_t, 2> key,
                           Tensor &output) {
  int64_t perBlock = info(output.type()).bits == 64 ? 2 : 4;
  unsigned bytes = storageBytes(output.type());
  int64_t blocks = (output.elements() + perBlock - 1) / perBlock;
  for (int64_t block = 0; block < blocks; ++block) {
    uint64_t position = lower + static_cast<uint64_t>(block);
    uint64_t carried = upper + (position < lower ? 1 : 0);
    std::array<uint32_t, 4> words =
        philox4x32({low(position), high(position), low(carried), high(carried)}, key);
    int64_t first = block * perBlock;
    for (int64_t k = 0; k < perBlock && first + k < output.elements(); ++k) {
      size_t at = static_cast<size_t>(k);
      uint64_t bits = perBlock == 4 ? words[at] : words[2 * at] | uint64_t{words[2 * at + 1]} << 32;
      storeBits(output.type(), bits, output.data() + (first + k) * bytes);
    }
  }
  return static_cast<uint64_t>(blocks);
}

Result<RandomBitsResult> randomBits(RandomBits generator, const Tensor &state, ElementType type,
                                    const Shape &shape, const KernelOptions &options) {
  bool fits = state.type() == ElementType::UI64 && state.rank() == 1 &&
              (state.elements() == 2 || (state.elements() == 3 && generator == RandomBits::Philox));
  if (!fits) {
    return unsupportedElementType("rng_bit_generator", state.type());
  }
  if (!isInteger(type) && !isFloat(type)) {
    return unsupportedElementType("rng_bit_generator", type);
  }
  Result<Tensor> output = allocate(type, shape, options);
  if (!output) {
    return output.error();
  }
  RandomBitsResult result{state.clone(), std::move(*output)};
  std::array<uint32_t, 2> key = {low(word(state, 0)), high(word(state, 0))};
  uint64_t counter = word(state, 1);
  bool isLong = state.elements() == 3;
  uint64_t upper = word(state, isLong ? 2 : 0);
  uint64_t blocks = generator == RandomBits::Threefry
                        ? drawThreefry(counter, key, result.output)
                        : drawPhilox(counter, upper, key, result.output);
  storeAs<uint64_t>(result.state.data() + 8, counter + blocks);
  if (isLong && counter + blocks < counter) {
    storeAs<uint64_t>(result.state.data() + 16, upper + 1);
  }
  return result;
}

//===-- distributions -------------------------------------------------------------------------===//

// Returns 64 random bits for a position of a draw.
static uint64_t bitsAt(uint64_t stream, int64_t position) {
  std::array<uint32_t, 4> words =
      philox4x32({low(static_cast<uint64_t>(position)), high(static_cast<uint64_t>(position)),
                  low(stream), high(stream)},
                 {0x64727566, 0x6d6c696e});
  return words[0] | uint64_t{words[1]} << 32;
}

// Returns a number in [0, 1), a multiple of 2^-24 or, for f64, of 2^-53.
static double fraction(ElementType type, uint64_t bits) {
  return type == ElementType::F64 ? std::ldexp(static_cast<double>(bits >> 11), -53)
                                  : std::ldexp(static_cast<double>(bits >> 40), -24);
}

template <typename C> static C uniformValue(ElementType type, C first, C end, uint64_t bits) {
  if constexpr (isBoolValue<C>) {
    return first != end ? first : (bits & 1) != 0;
  } else if constexpr (isIntegerValue<C>) {
    // The upper half of the product scales the bits to the range (Lemire 2019, without rejection).
    uint64_t range = static_cast<uint64_t>(end) - static_cast<uint64_t>(first);
    auto share = static_cast<uint64_t>(static_cast<unsigned __int128>(bits) * range >> 64);
    return static_cast<C>(static_cast<uint64_t>(first) + share);
  } else if constexpr (isRealValue<C>) {
    // Rounding may give `end`, which isn't part of the interval.
    C value = roundValue<C>(type, first + fraction(type, bits) * (end - first));
    return value < end ? value : first;
  } else {
    return first;
  }
}

Result<Tensor> uniformNumbers(const Tensor &first, const Tensor &end, const Shape &shape,
                              uint64_t stream, const KernelOptions &options) {
  if (isComplex(first.type())) {
    return unsupportedElementType("rng", first.type());
  }
  Result<Tensor> result = allocate(first.type(), shape, options);
  if (!result) {
    return result;
  }
  withValueType(first.type(), [&]<typename C>() {
    C bounds[2];
    loadRun<C>(first.type(), first.data(), &bounds[0], 1);
    loadRun<C>(end.type(), end.data(), &bounds[1], 1);
    for (int64_t i = 0; i < result->elements(); ++i) {
      C value = uniformValue<C>(first.type(), bounds[0], bounds[1], bitsAt(stream, i));
      storeRun<C>(first.type(), &value, result->data() + i * storageBytes(first.type()), 1);
    }
  });
  return result;
}

Result<Tensor> normalNumbers(const Tensor &mean, const Tensor &deviation, const Shape &shape,
                             uint64_t stream, const KernelOptions &options) {
  ElementType type = mean.type();
  if (!isFloat(type)) {
    return unsupportedElementType("rng", type);
  }
  Result<Tensor> result = allocate(type, shape, options);
  if (!result) {
    return result;
  }
  double center = toDouble(type, mean.data()), scale = toDouble(type, deviation.data());
  for (int64_t i = 0; i < result->elements(); ++i) {
    // Two uniform numbers, one from (0, 1] and one from [0, 1), give one normal number.
    double radius = 1 - fraction(ElementType::F64, bitsAt(stream, 2 * i));
    double turn = fraction(ElementType::F64, bitsAt(stream, 2 * i + 1));
    double value =
        center + scale * std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * turn);
    encodeRun(type, &value, result->data() + i * storageBytes(type), 1);
  }
  return result;
}

} // namespace drumlin::interpreter
