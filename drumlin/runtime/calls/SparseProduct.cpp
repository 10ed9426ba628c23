#include "drumlin/runtime/calls/JaxCalls.h"
#include "drumlin/runtime/calls/MatrixCall.h"

#include <algorithm>
#include <complex>

namespace drumlin {

namespace {
// The sizes of the product of a sparse matrix [rows, columns] and a dense matrix.
struct ProductSizes {
  int64_t elements, rows, columns, width;
};
} // namespace

// Computes each row of the result as a weighted sum of dense rows, in the order of the
// elements.
template <typename T, typename Index>
static Status multiply(MatrixCall &call, const ProductSizes &sizes) {
  const T *elements = call.operand<T>(0, 0), *dense = call.operand<T>(3, 0);
  const Index *starts = call.operand<Index>(1, 0), *columns = call.operand<Index>(2, 0);
  T *product = call.result<T>(0, 0);
  std::fill_n(product, sizes.rows * sizes.width, T());
  for (int64_t i = 0; i < sizes.rows; ++i) {
    if (starts[i] < 0 || starts[i + 1] < starts[i] || starts[i + 1] > sizes.elements) {
      return call.fail("row " + std::to_string(i) + " has the elements from " +
                       std::to_string(starts[i]) + " to " + std::to_string(starts[i + 1]) + " of " +
                       std::to_string(sizes.elements));
    }
    T *sum = product + i * sizes.width;
    for (Index e = starts[i]; e < starts[i + 1]; ++e) {
      if (columns[e] < 0 || columns[e] >= sizes.columns) {
        return call.fail("element " + std::to_string(e) + " is in column " +
                         std::to_string(columns[e]) + " of " + std::to_string(sizes.columns));
      }
      const T *row = dense + columns[e] * sizes.width;
      for (int64_t j = 0; j < sizes.width; ++j) {
        sum[j] += elements[e] * row[j];
      }
    }
  }
  call.finish();
  return Done();
}

// Integer overflow wraps, so signed types are computed as unsigned.
static Status multiplyBy(MatrixCall &call, const ProductSizes &sizes, ElementType type,
                         ElementType index) {
  bool isWide = index == ElementType::SI64;
  switch (type) {
  case ElementType::SI32:
    return isWide ? multiply<uint32_t, int64_t>(call, sizes) : multiply<uint32_t, int>(call, sizes);
  case ElementType::SI64:
    return isWide ? multiply<uint64_t, int64_t>(call, sizes) : multiply<uint64_t, int>(call, sizes);
  case ElementType::F32:
    return isWide ? multiply<float, int64_t>(call, sizes) : multiply<float, int>(call, sizes);
  case ElementType::F64:
    return isWide ? multiply<double, int64_t>(call, sizes) : multiply<double, int>(call, sizes);
  case ElementType::C64:
    return isWide ? multiply<std::complex<float>, int64_t>(call, sizes)
                  : multiply<std::complex<float>, int>(call, sizes);
  case ElementType::C128:
    return isWide ? multiply<std::complex<double>, int64_t>(call, sizes)
                  : multiply<std::complex<double>, int>(call, sizes);
  default:
    return call.fail("products of `" + std::string(name(type)) + "` aren't supported");
  }
}

Status multiplySparse(const HostCall &call, HostBuffers operands, HostBuffers results,
                      const HostRun &) {
  MatrixCall values(call, operands, results);
  std::optional<int64_t> elements = values.operandDimension(0, 1),
                         rows = values.resultDimension(0, 1);
  std::optional<ElementType> type = values.operandType(0), index = values.operandType(1);
  if (!elements || !rows || !type || call.operands.size() != 4 || call.operands[3].shape.empty() ||
      (index != ElementType::SI32 && index != ElementType::SI64)) {
    return values.fail(
        "the operands aren't elements, row offsets and columns, both `i32` or `i64`, "
        "and a matrix or a vector");
  }
  bool isVector = call.operands[3].shape.size() == 1;
  rows = values.resultDimension(0, isVector ? 1 : 2);
  ProductSizes sizes{*elements, rows.value_or(0), call.operands[3].shape.front(),
                     isVector ? 1 : call.operands[3].shape.back()};
  ExpectedValue dense{*type, {sizes.columns}}, product{*type, {sizes.rows}};
  if (!isVector) {
    dense = {*type, {sizes.columns, sizes.width}, false, true};
    product = {*type, {sizes.rows, sizes.width}, false, true};
  }
  if (Status status = values.expect({{*type, {sizes.elements}},
                                     {*index, {sizes.rows + 1}},
                                     {*index, {sizes.elements}},
                                     dense},
                                    {product});
      !status) {
    return status;
  }
  return multiplyBy(values, sizes, *type, *index);
}

} // namespace drumlin
