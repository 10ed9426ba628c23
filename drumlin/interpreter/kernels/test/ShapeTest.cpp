#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"

using namespace drumlin;
using namespace drumlin::interpreter;
using enum drumlin::ElementType;

static const KernelOptions options;
using List = std::vector<int64_t>;

TEST(Shape, BroadcastInDim) {
  expectTensor(broadcastInDim(make(SI32, {1, 3}, {1, 2, 3}), List{2, 1}, {2, 3, 2}, options), SI32,
               {2, 3, 2}, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3});
  expectTensor(broadcastInDim(make(F32, {}, {7}), List{}, {2}, options), F32, {2}, {7, 7});
  expectTensor(broadcastInDim(make(F32, {}, {7}), List{}, {0, 2}, options), F32, {0, 2}, {});
}

TEST(Shape, Concatenate) {
  std::vector<Tensor> operands{make(SI64, {3, 2}, {1, 2, 3, 4, 5, 6}), make(SI64, {1, 2}, {7, 8}),
                               make(SI64, {0, 2}, {})};
  expectTensor(concatenate(operands, 0, options), SI64, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  std::vector<Tensor> columns{make(SI64, {2, 1}, {1, 2}), make(SI64, {2, 2}, {3, 4, 5, 6})};
  expectTensor(concatenate(columns, 1, options), SI64, {2, 3}, {1, 3, 4, 2, 5, 6});
}

TEST(Shape, Iota) {
  expectTensor(iota(SI32, {2, 3}, 1, options), SI32, {2, 3}, {0, 1, 2, 0, 1, 2});
  expectTensor(iota(F32, {2, 3}, 0, options), F32, {2, 3}, {0, 0, 0, 1, 1, 1});
  expectTensor(iota(UI2, {5}, 0, options), UI2, {5}, {0, 1, 2, 3, 0});
  // bf16 has eight significant bits: 257 ties to 256.
  EXPECT_EQ(elements(*iota(BF16, {300}, 0, options))[257], 256);
}

// The specification's example, then negative edge padding, which drops elements, with interior
// padding.
TEST(Shape, Pad) {
  Tensor operand = make(SI64, {2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor zero = make(SI64, {}, {0});
  expectTensor(pad(operand, zero, List{0, 1}, List{2, 1}, List{1, 2}, options), SI64, {5, 9},
               {0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5,
                0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  Tensor line = make(SI64, {4}, {1, 2, 3, 4});
  expectElements(pad(line, zero, List{-1}, List{-1}, List{0}, options), {2, 3});
  expectElements(pad(line, zero, List{-1}, List{2}, List{1}, options), {0, 2, 0, 3, 0, 4, 0, 0});
  expectElements(pad(line, zero, List{-6}, List{0}, List{1}, options), {4});
  expectElements(pad(line, zero, List{3}, List{-6}, List{0}, options), {0});
  expectElements(pad(line, zero, List{-5}, List{3}, List{0}, options), {0, 0});
  expectElements(pad(make(SI64, {0}, {}), zero, List{1}, List{1}, List{5}, options), {0, 0});
}

TEST(Shape, ReverseSliceTranspose) {
  Tensor operand = make(SI32, {2, 3}, {1, 2, 3, 4, 5, 6});
  expectElements(reverse(operand, List{1}, options), {3, 2, 1, 6, 5, 4});
  expectElements(reverse(operand, List{0, 1}, options), {6, 5, 4, 3, 2, 1});
  expectTensor(transpose(operand, List{1, 0}, options), SI32, {3, 2}, {1, 4, 2, 5, 3, 6});
  expectTensor(slice(operand, List{0, 1}, List{2, 3}, List{1, 1}, options), SI32, {2, 2},
               {2, 3, 5, 6});
  expectTensor(slice(operand, List{0, 0}, List{2, 3}, List{2, 2}, options), SI32, {1, 2}, {1, 3});
  expectTensor(slice(operand, List{1, 2}, List{1, 3}, List{1, 1}, options), SI32, {0, 1}, {});
  expectTensor(reshape(operand, {3, 2}), SI32, {3, 2}, {1, 2, 3, 4, 5, 6});
}

// Start indices that would leave the operand are clamped.
TEST(Shape, DynamicSlices) {
  Tensor operand = make(F32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  std::vector<Tensor> outside{make(SI64, {}, {-1}), make(SI64, {}, {5})};
  expectTensor(dynamicSlice(operand, outside, List{2, 2}, options), F32, {2, 2}, {2, 3, 5, 6});
  std::vector<Tensor> unsignedStart{make(UI8, {}, {255}), make(UI8, {}, {0})};
  expectElements(dynamicSlice(operand, unsignedStart, List{1, 2}, options), {7, 8});
  expectElements(dynamicUpdateSlice(operand, make(F32, {2, 1}, {-1, -2}), outside, options),
                 {1, 2, -1, 4, 5, -2, 7, 8, 9});
  // The operand itself is unchanged.
  expectElements(operand, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}
