// Tests reduce_precision and next_after, which are defined on the bits of floats, with every bit
// pattern of types of up to 16 bits and random bit patterns of wider types.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

#include "llvm/ADT/StringExtras.h"

using namespace drumlin;

static const std::vector<ElementType> floats = {
    ElementType::BF16,     ElementType::F16,    ElementType::F32,    ElementType::F64,
    ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F8E4M3, ElementType::F8E3M4};

static Tensor allBitPatterns(ElementType type, uint64_t seed) {
  int64_t bits = info(type).bits;
  Tensor tensor(type, {bits == 8 ? 256 : 65536});
  std::mt19937_64 generator(seed);
  size_t size = storageBytes(type);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    uint64_t pattern = bits > 16 ? generator() : static_cast<uint64_t>(i);
    // Most numbers have an exponent in the range of narrow formats or one of the largest exponents.
    if (type == ElementType::F32 && i % 4 != 0) {
      pattern = (pattern & 0x807fffff) | (uint64_t(i % 8 == 1 ? 255 : 100 + i % 50) << 23);
    } else if (type == ElementType::F64 && i % 4 != 0) {
      pattern =
          (pattern & 0x800fffffffffffff) | (uint64_t(i % 8 == 1 ? 2047 : 1000 + i % 50) << 52);
    }
    std::memcpy(tensor.data() + i * static_cast<int64_t>(size), &pattern, size);
  }
  return tensor;
}

TEST(BitPatterns, ReducePrecision) {
  for (ElementType type : floats) {
    Tensor patterns = allBitPatterns(type, 1);
    std::string tensor = tensorType(patterns.shape(), type), text = "func.func @main(%x: " + tensor;
    std::string types, results;
    std::string body;
    for (const char *format :
         {"e5m10", "e8m7", "e4m3", "e2m1", "e8m0", "e11m52", "e1m2", "e8m23"}) {
      std::string name = std::string("%") + format;
      body += "  " + name + " = stablehlo.reduce_precision %x, format = " + format + " : " +
              tensor + "\n";
      results += (results.empty() ? "" : ", ") + name;
      types += (types.empty() ? "" : ", ") + tensor;
    }
    check(text + ") -> (" + types + ") {\n" + body + "  return " + results + " : " + types + "\n}",
          {patterns}, everyTarget);
  }
}

static std::string nextAfterOf(const Shape &shape, ElementType type) {
  std::string tensor = tensorType(shape, type);
  return "func.func @main(%x: " + tensor + ", %y: " + tensor + ") -> (" + tensor + ", " + tensor +
         ") {\n  %r = chlo.next_after %x, %y : " + tensor + ", " + tensor + " -> " + tensor +
         "\n  %s = chlo.next_after %x, %x : " + tensor + ", " + tensor + " -> " + tensor +
         "\n  return %r, %s : " + tensor + ", " + tensor + "\n}";
}

TEST(BitPatterns, NextAfter) {
  for (ElementType type : floats) {
    if (info(type).bits > 8) {
      Tensor from = allBitPatterns(type, 2),
             to = drawTensor(type, from.shape(), Values::Special, 3);
      check(nextAfterOf(from.shape(), type), {from, to}, everyTarget);
    }
  }
}

// Tests every pair of bit patterns, including those of formats without infinities or without zero.
TEST(BitPatterns, NextAfterOfNarrowTypes) {
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    if (!isFloat(type) || info(type).bits > 8) {
      continue;
    }
    int64_t count = int64_t{1} << info(type).bits;
    Tensor from(type, {count, count}), to(type, {count, count});
    for (int64_t k = 0; k < count * count; ++k) {
      from.data()[k] = static_cast<std::byte>(k / count);
      to.data()[k] = static_cast<std::byte>(k % count);
    }
    check(nextAfterOf(from.shape(), type), {from, to}, everyTarget);
  }
}

// Types without negative zero or without a sign lack the negatives of some of their numbers. Later
// operations in the kernel must use the number to which the negative is rounded.
TEST(BitPatterns, NegationIsOfTheType) {
  for (ElementType type : {ElementType::F8E4M3FNUZ, ElementType::F8E5M2FNUZ,
                           ElementType::F8E4M3B11FNUZ, ElementType::F8E8M0FNU}) {
    Tensor patterns = allBitPatterns(type, 4);
    std::string tensor = tensorType(patterns.shape(), type);
    check("func.func @main(%x: " + tensor + ") -> (" + tensor + ", " + tensor + ") {\n" +
              "  %n = stablehlo.negate %x : " + tensor + "\n  %m = stablehlo.maximum %n, %x : " +
              tensor + "\n  %a = stablehlo.atan2 %n, %x : " + tensor +
              "\n  return %m, %a : " + tensor + ", " + tensor + "\n}",
          {patterns}, everyTarget);
  }
}

// Tests constants inside a kernel, in a table and as a splat, with every bit pattern of types of up
// to 8 bits.
TEST(BitPatterns, Constants) {
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    if (!isFloat(type) || info(type).bits > 8) {
      continue;
    }
    int64_t count = int64_t{1} << info(type).bits;
    std::string table, last;
    for (int64_t pattern = 0; pattern < count; ++pattern) {
      last = "0x" + llvm::utohexstr(static_cast<uint64_t>(pattern), false, 2);
      table += (pattern == 0 ? "" : ", ") + last;
    }
    std::string from = tensorType({count}, type), to = tensorType({count}, ElementType::F32);
    check("func.func @main(%x: " + to + ") -> (" + to + ", " + to +
              ") {\n  %t = stablehlo.constant dense<[" + table + "]> : " + from +
              "\n  %s = stablehlo.constant dense<" + last + "> : " + from +
              "\n  %f = stablehlo.convert %t : (" + from + ") -> " + to +
              "\n  %g = stablehlo.convert %s : (" + from + ") -> " + to +
              "\n  %a = stablehlo.add %f, %x : " + to + "\n  %b = stablehlo.add %g, %x : " + to +
              "\n  return %a, %b : " + to + ", " + to + "\n}",
          {drawTensor(ElementType::F32, {count}, Values::Few, 5)}, everyTarget);
  }
}

// Scale types have only positive numbers: they lack zero, so a result too small for f32 becomes the
// smallest scale.
TEST(BitPatterns, ProductsOfScales) {
  std::string tensor = tensorType({256}, ElementType::F8E8M0FNU), scalar = "tensor<f8E8M0FNU>";
  check("func.func @main(%x: " + tensor + ", %s: " + tensor + ") -> (" + tensor + ", " + tensor +
            ", " + tensor + ", " + tensor + ", " + tensor + ", " + scalar +
            ") {\n  %y = stablehlo.reverse %x, dims = [0] : " + tensor +
            "\n  %m = stablehlo.multiply %x, %x : " + tensor +
            "\n  %d = stablehlo.divide %x, %y : " + tensor + "\n  %p = stablehlo.power %x, %y : " +
            tensor + "\n  %a = stablehlo.atan2 %x, %y : " + tensor +
            "\n  %e = chlo.erfc %x : " + tensor + " -> " + tensor +
            "\n  %r = stablehlo.dot_general %s, %s, contracting_dims = [0] x [0] : (" + tensor +
            ", " + tensor + ") -> " + scalar + "\n  return %m, %d, %p, %a, %e, %r : " + tensor +
            ", " + tensor + ", " + tensor + ", " + tensor + ", " + tensor + ", " + scalar + "\n}",
        {allBitPatterns(ElementType::F8E8M0FNU, 6), Tensor(ElementType::F8E8M0FNU, {256})},
        everyTarget);
}

// Padding of scale types is NaN. Tests windows that are entirely, partly or not in the padding, and
// dilated inputs; some of the windows are contiguous runs of the input, others aren't.
TEST(BitPatterns, PaddedConvolutionsOfScales) {
  for (const char *window : {"pad = [[2, 1]]", "pad = [[0, 0]]", "pad = [[-1, 2]]",
                             "pad = [[1, 0]], lhs_dilate = [2]", "stride = [2], pad = [[2, 2]]"}) {
    std::string text(window);
    int64_t outputs = text == "pad = [[2, 1]]"     ? 42
                      : text == "pad = [[0, 0]]"   ? 39
                      : text == "pad = [[-1, 2]]"  ? 40
                      : text.starts_with("stride") ? 22
                                                   : 79;
    std::string result = tensorType({1, outputs, 3}, ElementType::F8E8M0FNU);
    for (const char *features : {"3", "1"}) {
      std::string kernel = std::string("tensor<2x") + features + "x3xf8E8M0FNU>";
      int64_t count = *features - '0';
      check(
          "func.func @main(%x: " + tensorType({1, 40, count}, ElementType::F8E8M0FNU) +
              ", %k: " + kernel + ") -> " + result +
              " {\n  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, "
              "f], window = {" +
              text + "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" +
              tensorType({1, 40, count}, ElementType::F8E8M0FNU) + ", " + kernel + ") -> " +
              result + "\n  return %r : " + result + "\n}",
          {drawTensor(ElementType::F8E8M0FNU, {1, 40, count}, Values::Few, 1),
           drawTensor(ElementType::F8E8M0FNU, {2, count, 3}, Values::Few, 2)},
          everyTarget);
    }
  }
}

TEST(BitPatterns, BitsOfConstantNaNs) {
  check(R"(func.func @main(%x: tensor<4xi32>, %y: tensor<4xi64>) -> (tensor<4xi32>, tensor<4xi64>) {
  %c = stablehlo.constant dense<0x7FC00123> : tensor<4xf32>
  %d = stablehlo.constant dense<0xFFF8000000000123> : tensor<4xf64>
  %a = stablehlo.bitcast_convert %c : (tensor<4xf32>) -> tensor<4xi32>
  %b = stablehlo.bitcast_convert %d : (tensor<4xf64>) -> tensor<4xi64>
  %r = stablehlo.add %a, %x : tensor<4xi32>
  %s = stablehlo.add %b, %y : tensor<4xi64>
  return %r, %s : tensor<4xi32>, tensor<4xi64>
})",
        {drawTensor(ElementType::SI32, {4}, Values::Few, 7),
         drawTensor(ElementType::SI64, {4}, Values::Few, 8)},
        everyTarget);
}
