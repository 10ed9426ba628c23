// Tests lanes that read elements near each other: strided slices, reversed rows, and interior
// padding.
#include "drumlin/codegen/cpu/test/GuardedOperands.h"

using namespace drumlin;

// Lengths of rows that are shorter than a register, fill one register, or fill several registers
// with and without a remainder.
static const std::vector<int64_t> rowLengths = {1, 2, 15, 16, 17, 33, 64, 100};

static std::string function(const Shape &in, const Shape &out, ElementType type,
                            const std::string &body) {
  return "func.func @main(%x: " + tensorType(in, type) + ") -> " + tensorType(out, type) + " {\n" +
         body + "  return %r : " + tensorType(out, type) + "\n}\n";
}

// Returns a program that slices elements [first, length - behind) of each row with stride `step`.
static std::string sliced(int64_t rows, int64_t length, int64_t first, int64_t behind, int64_t step,
                          ElementType type) {
  Shape in = {rows, length}, out = {rows, (length - behind - first + step - 1) / step};
  std::string limits =
      std::to_string(first) + ":" + std::to_string(length - behind) + ":" + std::to_string(step);
  return function(in, out, type,
                  "  %r = stablehlo.slice %x [0:" + std::to_string(rows) + ", " + limits + "] : (" +
                      tensorType(in, type) + ") -> " + tensorType(out, type) + "\n");
}

// Returns a program that pads rows, with `interior` numbers between elements; negative `low` and
// `high` remove elements.
static std::string padded(int64_t rows, int64_t length, int64_t low, int64_t high, int64_t interior,
                          ElementType type) {
  Shape in = {rows, length}, out = {rows, low + length + (length - 1) * interior + high};
  std::string scalar = tensorType({}, type);
  std::string value = isBoolean(type) ? "true" : isFloat(type) ? "1.0" : "1";
  return function(in, out, type,
                  "  %c = stablehlo.constant dense<" + value + "> : " + scalar +
                      "\n  %r = stablehlo.pad %x, %c, low = [0, " + std::to_string(low) +
                      "], high = [0, " + std::to_string(high) + "], interior = [0, " +
                      std::to_string(interior) + "] : (" + tensorType(in, type) + ", " + scalar +
                      ") -> " + tensorType(out, type) + "\n");
}

static void checkRows(const std::string &text, int64_t rows, int64_t length, ElementType type) {
  check(text, {drawTensor(type, {rows, length}, Values::Special, static_cast<uint64_t>(length))},
        everyTarget);
}

TEST(Spans, OfSlices) {
  size_t turn = 0;
  for (int64_t length : rowLengths) {
    for (int64_t step : {2, 3, 4, 5}) {
      for (int64_t first : {0, 1}) {
        if (first < length) {
          ElementType type = nativeTypes[turn++ % nativeTypes.size()];
          checkRows(sliced(5, length, first, 0, step, type), 5, length, type);
        }
      }
    }
  }
}

TEST(Spans, OfInteriorPadding) {
  size_t turn = 0;
  for (int64_t length : rowLengths) {
    for (int64_t interior : {1, 2, 3, 7}) {
      for (auto [low, high] : {std::pair(0, 0), {1, 0}, {2, 3}, {-1, 4}}) {
        ElementType type = nativeTypes[turn++ % nativeTypes.size()];
        checkRows(padded(3, length, low, high, interior, type), 3, length, type);
      }
    }
  }
}

TEST(Spans, OfReversedRows) {
  size_t turn = 0;
  for (int64_t length : rowLengths) {
    ElementType type = nativeTypes[turn++ % nativeTypes.size()];
    std::string tensor = tensorType({3, length}, type);
    checkRows(function({3, length}, {3, length}, type,
                       "  %r = stablehlo.reverse %x, dims = [1] : " + tensor + "\n"),
              3, length, type);
  }
}

// Tests the steps of an associative scan: the elements at even and at odd positions are sliced,
// combined and interleaved again.
TEST(Spans, OfInterleavedHalves) {
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::BF16, ElementType::SI8}) {
    for (int64_t half : {1, 8, 9, 24, 50}) {
      Shape whole = {4, 2 * half}, part = {4, half};
      std::string in = tensorType(whole, type), out = tensorType(part, type);
      std::string scalar = tensorType({}, type), end = std::to_string(2 * half);
      std::string text =
          "  %a = stablehlo.slice %x [0:4, 0:" + end + ":2] : (" + in + ") -> " + out +
          "\n  %b = stablehlo.slice %x [0:4, 1:" + end + ":2] : (" + in + ") -> " + out +
          "\n  %m = stablehlo.maximum %a, %b : " + out + "\n  %c = stablehlo.constant dense<" +
          (isFloat(type) ? "0.0" : "0") + "> : " + scalar +
          "\n  %d = stablehlo.pad %m, %c, low = [0, 0], high = [0, 1], interior = [0, 1] : (" +
          out + ", " + scalar + ") -> " + in +
          "\n  %e = stablehlo.pad %b, %c, low = [0, 1], high = [0, 0], interior = [0, 1] : (" +
          out + ", " + scalar + ") -> " + in + "\n  %r = stablehlo.add %d, %e : " + in + "\n";
      checkRows(function(whole, whole, type, text), 4, 2 * half, type);
    }
  }
}

// Returns a program that concatenates `count` parts of one element each in the last dimension, as
// for complex numbers and quaternions. Part i is computed from element count - 1 - i of the
// operand's row, and only in the lanes of part i.
static std::string interleaved(int64_t rows, int64_t count, const std::string &operation,
                               ElementType type) {
  Shape whole = {rows, count}, part = {rows, 1};
  std::string in = tensorType(whole, type), out = tensorType(part, type), text, parts, types;
  for (int64_t i = 0; i < count; ++i) {
    std::string name = std::to_string(i), from = std::to_string(count - 1 - i);
    std::string to = std::to_string(count - i);
    text.append("  %s" + name + " = stablehlo.slice %x [0:" + std::to_string(rows) + ", " + from +
                ":" + to + "] : (" + in + ") -> " + out + "\n");
    text.append("  %p" + name + " = stablehlo." + operation + " %s" + name + " : " + out + "\n");
    parts += (i == 0 ? "%p" : ", %p") + name;
    types += (i == 0 ? "" : ", ") + out;
  }
  text += "  %r = stablehlo.concatenate " + parts + ", dim = 1 : (" + types + ") -> " + in + "\n";
  return function(whole, whole, type, text);
}

TEST(Spans, OfPartsThatAreInterleaved) {
  size_t turn = 0;
  for (int64_t count : {2, 3, 4, 8}) {
    for (int64_t rows : {1, 8, 17, 100}) {
      for (int i = 0; i < 3; ++i) {
        ElementType type = nativeTypes[turn++ % nativeTypes.size()];
        const char *operation = isFloat(type) ? "negate" : "not";
        checkRows(interleaved(rows, count, operation, type), rows, count, type);
      }
      // Math functions are computed for vectors of 16 lanes, or of 8 lanes for f64.
      ElementType type = turn % 2 == 0 ? ElementType::F32 : ElementType::F64;
      checkRows(interleaved(rows, count, "tanh", type), rows, count, type);
    }
  }
}

//===- other memory -----------------------------------------------------------===//

TEST(Spans, ReadNothingOutside) {
  for (const std::string &target : everyTarget) {
    for (ElementType type : {ElementType::F32, ElementType::SI64, ElementType::SI8}) {
      for (int64_t length : {64, 192}) {
        for (int64_t step : {2, 3, 4}) {
          expectNothingTouchedOutside(sliced(1, length, step - 1, 0, step, type), target);
          expectNothingTouchedOutside(sliced(2, length, 0, 0, step, type), target);
        }
        expectNothingTouchedOutside(interleaved(length, 2, "negate", type), target);
        expectNothingTouchedOutside(padded(1, length, 1, 0, 1, type), target);
        expectNothingTouchedOutside(padded(2, length, 0, 2, 2, type), target);
        Shape shape = {length};
        std::string tensor = tensorType(shape, type);
        expectNothingTouchedOutside(
            function(shape, shape, type,
                     "  %r = stablehlo.reverse %x, dims = [0] : " + tensor + "\n"),
            target);
      }
    }
  }
}
