#include "drumlin/interpreter/kernels/EvaluateSort.h"
#include "drumlin/interpreter/kernels/Compare.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"

#include <algorithm>
#include <numeric>

namespace drumlin::interpreter {

// Sorts `order` by a bottom-up merge sort with less(a, b), which may fail. The left run wins unless
// the right element is less, so equal elements keep their order; the result is a permutation even
// if `less` is inconsistent.
template <typename Less> static Status mergeSort(std::vector<int64_t> &order, Less less) {
  std::vector<int64_t> merged(order.size());
  size_t size = order.size();
  for (size_t width = 1; width < size; width *= 2) {
    for (size_t first = 0; first < size; first += 2 * width) {
      size_t middle = std::min(first + width, size);
      size_t last = std::min(first + 2 * width, size);
      size_t left = first;
      size_t right = middle;
      for (size_t target = first; target < last; ++target) {
        bool takeRight = left == middle;
        if (left < middle && right < last) {
          Result<bool> isLess = less(order[right], order[left]);
          if (!isLess) {
            return isLess.error();
          }
          takeRight = *isLess;
        }
        merged[target] = takeRight ? order[right++] : order[left++];
      }
    }
    order.swap(merged);
  }
  return Done{};
}

// Sorts `order`, which holds the positions of one slice.
static Status sortSlice(std::span<const Tensor> inputs, const ComparisonBody &comparator,
                        std::vector<int64_t> &order) {
  if (!comparator.simple) {
    std::vector<Tensor> arguments(inputs.size() * 2);
    return mergeSort(order, [&](int64_t a, int64_t b) -> Result<bool> {
      for (size_t k = 0; k < inputs.size(); ++k) {
        arguments[2 * k] = scalarAt(inputs[k], a);
        arguments[2 * k + 1] = scalarAt(inputs[k], b);
      }
      Result<std::vector<Tensor>> result = comparator.call(arguments);
      if (!result) {
        return result.error();
      }
      return *result->front().data() != std::byte{0};
    });
  }
  const ComparisonBody::Simple &simple = *comparator.simple;
  const Tensor &keys = inputs[simple.operand];
  auto ordered = [&](auto key) {
    return mergeSort(order, [&](int64_t a, int64_t b) -> Result<bool> {
      return simple.swapped ? holds(simple.direction, key(b), key(a))
                            : holds(simple.direction, key(a), key(b));
    });
  };
  if (simple.type == ComparisonType::TotalOrder && isFloat(keys.type())) {
    return ordered([&](int64_t position) { return totalOrderKey(keys, position); });
  }
  return withValueType(keys.type(), [&]<typename C>() {
    return ordered([&](int64_t position) {
      C value;
      loadRun<C>(keys.type(), keys.data() + position * storageBytes(keys.type()), &value, 1);
      return value;
    });
  });
}

Result<std::vector<Tensor>> sort(std::span<const Tensor> inputs, int64_t dimension,
                                 const ComparisonBody &comparator, const KernelOptions &options) {
  const Shape &shape = inputs.front().shape();
  size_t d = static_cast<size_t>(dimension < 0 ? dimension + static_cast<int64_t>(shape.size())
                                               : dimension);
  std::vector<Tensor> results;
  for (const Tensor &input : inputs) {
    Result<Tensor> result = allocate(input.type(), shape, options);
    if (!result) {
      return result.error();
    }
    results.push_back(std::move(*result));
  }
  Shape strides = rowMajorStrides(shape);
  Shape slices = shape;
  slices[d] = std::min<int64_t>(shape[d], 1);
  std::vector<int64_t> order(static_cast<size_t>(shape[d]));
  for (StridedTraversal traversal(slices, {strides}); !traversal.done(); traversal.next()) {
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = traversal.position(0) + static_cast<int64_t>(i) * strides[d];
    }
    if (Status sorted = sortSlice(inputs, comparator, order); !sorted) {
      return sorted.error();
    }
    for (size_t k = 0; k < inputs.size(); ++k) {
      int64_t size = storageBytes(inputs[k].type());
      for (size_t i = 0; i < order.size(); ++i) {
        int64_t target = traversal.position(0) + static_cast<int64_t>(i) * strides[d];
        std::memcpy(results[k].data() + target * size, inputs[k].data() + order[i] * size,
                    static_cast<size_t>(size));
      }
    }
  }
  return results;
}

Result<std::vector<Tensor>> topK(const Tensor &operand, int64_t k, const KernelOptions &options) {
  Result<Tensor> positions = iota(ElementType::SI32, operand.shape(), operand.rank() - 1, options);
  if (!positions) {
    return positions.error();
  }
  ComparisonBody comparator;
  comparator.simple =
      ComparisonBody::Simple{0, false, ComparisonDirection::GT, ComparisonType::TotalOrder};
  std::vector<Tensor> inputs{operand, *positions};
  Result<std::vector<Tensor>> sorted = sort(inputs, operand.rank() - 1, comparator, options);
  if (!sorted) {
    return sorted;
  }
  Shape start(operand.shape().size(), 0);
  Shape strides(operand.shape().size(), 1);
  Shape limit = operand.shape();
  limit.back() = k;
  std::vector<Tensor> results;
  for (const Tensor &tensor : *sorted) {
    Result<Tensor> result = slice(tensor, start, limit, strides, options);
    if (!result) {
      return result.error();
    }
    results.push_back(std::move(*result));
  }
  return results;
}

} // namespace drumlin::interpreter
