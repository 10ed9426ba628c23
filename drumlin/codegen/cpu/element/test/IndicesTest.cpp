// Tests indices that a program computes, of every integer type. Out-of-bounds indices are clamped
// or skipped, and an unsigned index is never read as negative.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

static const std::vector<ElementType> indexTypes = {
    ElementType::SI8, ElementType::SI16, ElementType::SI32, ElementType::SI64,
    ElementType::UI8, ElementType::UI16, ElementType::UI32, ElementType::UI64};

// Returns a tensor of indices: some in bounds, some just out of bounds, and some with the bit
// patterns of -1, -2 and the lowest number.
static Tensor extremes(ElementType type, const Shape &shape, size_t first = 0) {
  Tensor tensor(type, shape);
  int64_t size = storageBytes(type);
  uint64_t lowest = uint64_t{1} << (8 * size - 1);
  const std::vector<uint64_t> numbers = {0, 3,  uint64_t(-1), 9, lowest, lowest - 1, uint64_t(-2),
                                         8, 10, lowest + 3};
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    uint64_t bits = numbers[(first + static_cast<size_t>(i)) % numbers.size()];
    std::memcpy(tensor.data() + i * size, &bits, static_cast<size_t>(size));
  }
  return tensor;
}

static std::string withIndexType(std::string text, ElementType type) {
  replaceAll(text, "INDEX", std::string(name(type)));
  return text;
}

TEST(Indices, OfScatters) {
  const std::string body = "({ ^bb0(%p: tensor<f32>, %q: tensor<f32>): %s = stablehlo.add %p, %q : "
                           "tensor<f32> stablehlo.return %s : tensor<f32> })";
  for (ElementType type : indexTypes) {
    SCOPED_TRACE(name(type));
    // The windows may be partly out of bounds.
    check(
        withIndexType(
            R"(func.func @main(%x: tensor<10xf32>, %i: tensor<10x1xINDEX>, %u: tensor<10x3xf32>) -> tensor<10xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) )" +
                body +
                R"( {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<10xf32>, tensor<10x1xINDEX>, tensor<10x3xf32>) -> tensor<10xf32>
  return %r : tensor<10xf32>
})",
            type),
        {drawTensor(ElementType::F32, {10}, Values::Few, 1), extremes(type, {10, 1}),
         drawTensor(ElementType::F32, {10, 3}, Values::Few, 2)});
    // Each window is part of a row. Lanes are consecutive elements of the row.
    check(
        withIndexType(
            R"(func.func @main(%x: tensor<10x20xf32>, %i: tensor<10x2xINDEX>, %u: tensor<10x18xf32>) -> tensor<10x20xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) )" +
                body +
                R"( {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>} : (tensor<10x20xf32>, tensor<10x2xINDEX>, tensor<10x18xf32>) -> tensor<10x20xf32>
  return %r : tensor<10x20xf32>
})",
            type),
        {drawTensor(ElementType::F32, {10, 20}, Values::Few, 1), extremes(type, {10, 2}),
         drawTensor(ElementType::F32, {10, 18}, Values::Few, 2)});
  }
}

TEST(Indices, OfGathers) {
  for (ElementType type : indexTypes) {
    SCOPED_TRACE(name(type));
    check(withIndexType(
              R"(func.func @main(%x: tensor<10x6xf32>, %i: tensor<20xINDEX>) -> tensor<20x2x6xf32> {
  %r = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 6>} : (tensor<10x6xf32>, tensor<20xINDEX>) -> tensor<20x2x6xf32>
  return %r : tensor<20x2x6xf32>
})",
              type),
          {drawTensor(ElementType::F32, {10, 6}, Values::Few, 1), extremes(type, {20})});
  }
}

// Loops over all indices. At each index, tests a slice, an update of a copy, and an in-place
// update.
TEST(Indices, OfSlicesAndUpdates) {
  for (ElementType type : indexTypes) {
    SCOPED_TRACE(name(type));
    check(
        withIndexType(
            R"(func.func @main(%x: tensor<10x20xf32>, %i: tensor<10xINDEX>, %u: tensor<3x18xf32>) -> (tensor<10x20xf32>, tensor<3x18xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %r:3 = stablehlo.while(%k = %zero, %c = %x, %s = %u) : tensor<i32>, tensor<10x20xf32>, tensor<3x18xf32>
  cond {
    %p = stablehlo.compare LT, %k, %ten, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %a = stablehlo.dynamic_slice %i, %k, sizes = [1] : (tensor<10xINDEX>, tensor<i32>) -> tensor<1xINDEX>
    %b = stablehlo.reshape %a : (tensor<1xINDEX>) -> tensor<INDEX>
    %w = stablehlo.dynamic_slice %c, %b, %b, sizes = [3, 18] : (tensor<10x20xf32>, tensor<INDEX>, tensor<INDEX>) -> tensor<3x18xf32>
    %t = stablehlo.add %w, %s : tensor<3x18xf32>
    %v = stablehlo.dynamic_update_slice %c, %u, %b, %b : (tensor<10x20xf32>, tensor<3x18xf32>, tensor<INDEX>, tensor<INDEX>) -> tensor<10x20xf32>
    %n = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %n, %v, %t : tensor<i32>, tensor<10x20xf32>, tensor<3x18xf32>
  }
  return %r#1, %r#2 : tensor<10x20xf32>, tensor<3x18xf32>
})",
            type),
        {drawTensor(ElementType::F32, {10, 20}, Values::Few, 1), extremes(type, {10}),
         drawTensor(ElementType::F32, {3, 18}, Values::Few, 2)});
    for (size_t first = 2; first < 6; ++first) {
      check(
          withIndexType(
              R"(func.func @main(%x: tensor<10x20xf32>, %i: tensor<INDEX>, %j: tensor<INDEX>, %u: tensor<3x18xf32>) -> (tensor<10x20xf32>, tensor<10x20xf32>) {
  %v = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<10x20xf32>, tensor<3x18xf32>, tensor<INDEX>, tensor<INDEX>) -> tensor<10x20xf32>
  %w = stablehlo.negate %v : tensor<10x20xf32>
  return %v, %w : tensor<10x20xf32>, tensor<10x20xf32>
})",
              type),
          {drawTensor(ElementType::F32, {10, 20}, Values::Few, 1), extremes(type, {}, first),
           extremes(type, {}, first + 1), drawTensor(ElementType::F32, {3, 18}, Values::Few, 2)});
    }
  }
}

// Constant indices become slices before compilation.
TEST(Indices, OfConstants) {
  check(R"(func.func @main(%x: tensor<10xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %i = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %j = stablehlo.constant dense<255> : tensor<ui8>
  %r = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<10xf32>, tensor<ui64>) -> tensor<3xf32>
  %s = stablehlo.dynamic_slice %x, %j, sizes = [3] : (tensor<10xf32>, tensor<ui8>) -> tensor<3xf32>
  return %r, %s : tensor<3xf32>, tensor<3xf32>
})",
        {drawTensor(ElementType::F32, {10}, Values::Many, 1)});
}

// A register's lanes begin before an operand and continue inside of it. The operand is read in an
// order other than its memory order, so rows and columns are computed by dividing positions, which
// may be negative.
TEST(Indices, OfOperandsBehindOthers) {
  for (const char *order : {"[2, 1, 0]", "[1, 0, 2]", "[0, 2, 1]"}) {
    for (int64_t last : {2, 3, 6}) {
      Shape shape = {3, 3, last}, turned = {3, 3, last};
      if (order[1] == '2') {
        turned = {last, 3, 3};
      } else if (order[1] == '0') {
        turned = {3, last, 3};
      }
      auto type = [](Shape shape) { return tensorType(shape, ElementType::F32); };
      std::string part = type(shape), wide = type({12, 3, last}), across = type({last, 3, 12});
      std::string text = "func.func @main(%x: " + part + ", %p: tensor<f32>) -> (" + across + ", " +
                         across + ") {\n  %t = stablehlo.transpose %x, dims = " + order + " : (" +
                         part + ") -> " + type(turned) + "\n  %r = stablehlo.reshape %t : (" +
                         type(turned) + ") -> " + part +
                         "\n  %c = stablehlo.concatenate %r, %x, %r, %r, dim = 0 : (" + part +
                         ", " + part + ", " + part + ", " + part + ") -> " + wide +
                         "\n  %q = stablehlo.pad %r, %p, low = [5, 0, 0], high = [4, 0, 0], "
                         "interior = [0, 0, 0] : "
                         "(" +
                         part + ", tensor<f32>) -> " + wide +
                         "\n  %a = stablehlo.transpose %c, dims = [2, 1, 0] : (" + wide + ") -> " +
                         across + "\n  %b = stablehlo.transpose %q, dims = [2, 1, 0] : (" + wide +
                         ") -> " + across + "\n  return %a, %b : " + across + ", " + across + "\n}";
      check(text,
            {drawTensor(ElementType::F32, shape, Values::Many, 21),
             tensorOf<float>(ElementType::F32, {}, {7.0f})},
            everyTarget);
    }
  }
}

// All lanes of a register are outside of one operand of a concatenation. All lanes of a block share
// one scale, which must not be loaded from the lanes' out-of-bounds index.
TEST(Indices, OfScalesOutsideOfParts) {
  for (auto [first, second] : {std::pair<int64_t, int64_t>{128, 112}, {112, 128}, {16, 240}}) {
    auto type = [](Shape shape) { return tensorType(shape, ElementType::F32); };
    std::string whole = type({3, 256}), parts = type({3, 8}), blocks = type({3, 8, 32});
    std::string left = type({3, first}), right = type({3, second}), both = type({3, 240 + 16});
    auto at = [](int64_t begin, int64_t size) {
      return "[0:3, " + std::to_string(begin) + ":" + std::to_string(begin + size) + "]";
    };
    std::string kept = std::to_string(256 - first - second);
    std::string text =
        "func.func @main(%x: " + whole + ", %s: " + parts + ", %p: tensor<f32>) -> " + both +
        " {\n  %b = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (" + parts + ") -> " + blocks +
        "\n  %v = stablehlo.reshape %x : (" + whole + ") -> " + blocks +
        "\n  %d = stablehlo.divide %v, %b : " + blocks + "\n  %q = stablehlo.reshape %d : (" +
        blocks + ") -> " + whole + "\n  %l = stablehlo.slice %q " + at(0, first) + " : (" + whole +
        ") -> " + left + "\n  %r = stablehlo.slice %q " + at(256 - second, second) + " : (" +
        whole + ") -> " + right + "\n  %c = stablehlo.concatenate %r, %l, dim = 1 : (" + right +
        ", " + left + ") -> " + type({3, first + second}) +
        "\n  %o = stablehlo.pad %c, %p, low = [0, " + kept +
        "], high = [0, 0], interior = [0, 0] : (" + type({3, first + second}) +
        ", tensor<f32>) -> " + both + "\n  return %o : " + both + "\n}";
    check(text,
          {drawTensor(ElementType::F32, {3, 256}, Values::Many, 23),
           tensorOf<float>(ElementType::F32, {3, 8}, std::vector<float>(24, 2.0f)),
           tensorOf<float>(ElementType::F32, {}, {7.0f})},
          everyTarget);
  }
}

// Some lanes are padding in every row, and entire rows are padding, too.
TEST(Indices, OfRowsOfPadding) {
  for (int64_t size : {4, 8, 24}) {
    for (ElementType type : {ElementType::F32, ElementType::F64, ElementType::SI8}) {
      std::string from = tensorType({1, 1, size}, type), to = tensorType({2, 1, size + 4}, type);
      std::string scalar = tensorType({}, type);
      check(
          "func.func @main(%x: " + from + ", %c: " + scalar + ") -> (" + to + ", " + to +
              ") {\n  %p = stablehlo.pad %x, %c, low = [1, 0, 0], high = [0, 0, 4], interior = "
              "[0, 0, 0] : (" +
              from + ", " + scalar + ") -> " + to + "\n  %n = stablehlo.negate %p : " + to +
              "\n  return %p, %n : " + to + ", " + to + "\n}",
          {drawTensor(type, {1, 1, size}, Values::Many, 31), drawTensor(type, {}, Values::Few, 32)},
          everyTarget);
    }
  }
}
