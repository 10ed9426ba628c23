#include "drumlin/runtime/calls/MatrixCall.h"

#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

namespace drumlin {

static DimensionOrder orderOf(const HostValue &value) {
  return value.layout.empty() ? rowMajorOrder(value.shape.size()) : value.layout;
}

// Returns the dimension order of a batch of column-major matrices, one after another.
static DimensionOrder columnMajorOrder(size_t rank) {
  DimensionOrder order = rowMajorOrder(rank);
  std::swap(order[rank - 2], order[rank - 1]);
  return order;
}

// Copies a tensor from one memory layout to another. Treats the source as a row-major tensor of its
// physical shape; the target's dimension order is then expressed in the dimensions of that shape.
static void reorder(const void *from, const DimensionOrder &fromOrder, void *to,
                    const DimensionOrder &toOrder, const HostValue &value) {
  DimensionOrder places = inverseOrder(fromOrder), order;
  for (int64_t dimension : toOrder) {
    order.push_back(places[static_cast<size_t>(dimension)]);
  }
  permute(static_cast<const std::byte *>(from), static_cast<std::byte *>(to),
          physicalShape(value.shape, fromOrder), order, storageBytes(*value.type));
}

static size_t bytesOf(const HostValue &value) {
  return static_cast<size_t>(byteCount(*value.type, value.shape).value_or(0));
}

static std::string text(ElementType type, const Shape &shape) {
  std::string made = "`tensor<";
  for (int64_t dimension : shape) {
    made += std::to_string(dimension) + "x";
  }
  return made + std::string(name(type)) + ">`";
}

Diagnostic MatrixCall::fail(const std::string &message) const {
  return diagnose(errors::HostCallFailed, "`@" + call.target + "`: " + message);
}

Result<std::pair<int, int>> MatrixCall::matrix(size_t operand) {
  if (call.operands.size() <= operand || call.operands[operand].shape.size() < 2) {
    return fail("operand " + std::to_string(operand) + " isn't a matrix or a batch of matrices");
  }
  const Shape &shape = call.operands[operand].shape;
  batchShape = Shape(shape.begin(), shape.end() - 2);
  batchCount = elementCount(batchShape).value_or(0);
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  if (std::max(rows, columns) > std::numeric_limits<int>::max()) {
    return fail("matrices of " + std::to_string(rows) + " times " + std::to_string(columns) +
                " elements are too large for LAPACK's integers of 32 bits");
  }
  return std::pair<int, int>(static_cast<int>(rows), static_cast<int>(columns));
}

Result<int> MatrixCall::lastDimension(size_t operand) const {
  std::optional<int64_t> last = operandDimension(operand, 1);
  if (!last) {
    return fail("operand " + std::to_string(operand) + " isn't a vector or a batch of vectors");
  }
  if (*last > std::numeric_limits<int>::max()) {
    return fail("vectors of " + std::to_string(*last) +
                " elements are too large for LAPACK's integers of 32 bits");
  }
  return static_cast<int>(*last);
}

static std::optional<int64_t> dimension(const std::vector<HostValue> &values, size_t index,
                                        size_t fromLast) {
  if (index >= values.size() || values[index].shape.size() < fromLast) {
    return std::nullopt;
  }
  return values[index].shape[values[index].shape.size() - fromLast];
}

std::optional<int64_t> MatrixCall::operandDimension(size_t operand, size_t fromLast) const {
  return dimension(call.operands, operand, fromLast);
}

std::optional<int64_t> MatrixCall::resultDimension(size_t result, size_t fromLast) const {
  return dimension(call.results, result, fromLast);
}

Status MatrixCall::compare(const char *what, size_t index, const HostValue &value,
                           const ExpectedValue &expected) const {
  Shape shape = expected.isOfWholeBatch ? Shape() : batchShape;
  shape.insert(shape.end(), expected.shape.begin(), expected.shape.end());
  if (value.type == expected.type && value.shape == shape) {
    return Done();
  }
  return fail(std::string(what) + " " + std::to_string(index) + " is " +
              (value.isToken() ? "a token" : text(*value.type, value.shape)) + ", expected " +
              text(expected.type, shape));
}

Result<MatrixCall::Value> MatrixCall::view(const HostValue &value, void *buffer,
                                           const ExpectedValue &expected, bool isCopied,
                                           bool isRead) const {
  size_t rank = value.shape.size(), trailing = expected.shape.size();
  Value made;
  made.order = trailing == 2 && !expected.isRowMajor ? columnMajorOrder(rank) : rowMajorOrder(rank);
  made.step = expected.isOfWholeBatch ? 0 : *elementCount(std::span(value.shape).last(trailing));
  made.data = buffer;
  DimensionOrder order = orderOf(value);
  if (!isCopied && haveSameBytes(value.shape, order, made.order)) {
    return made;
  }
  made.own = AlignedMemory::allocate(std::max<size_t>(bytesOf(value), 1));
  if (!made.own) {
    return diagnose(errors::OutOfMemory,
                    "no memory for a copy of " + text(*value.type, value.shape));
  }
  made.data = made.own->data();
  if (isRead) {
    reorder(buffer, order, made.data, made.order, value);
  }
  return made;
}

// Whether the operand shares memory with a result other than the one computed from it in place.
bool MatrixCall::sharesMemory(size_t operand,
                              const std::vector<std::pair<size_t, size_t>> &copies) const {
  for (size_t i = 0; i < resultBuffers.size(); ++i) {
    if (resultBuffers[i] == operandBuffers[operand] && bytesOf(call.operands[operand]) > 0 &&
        std::find(copies.begin(), copies.end(), std::pair(operand, i)) == copies.end()) {
      return true;
    }
  }
  return false;
}

Status MatrixCall::expect(const std::vector<ExpectedValue> &expectedOperands,
                          const std::vector<ExpectedValue> &expectedResults,
                          const std::vector<std::pair<size_t, size_t>> &copies) {
  if (part && part->whole) {
    return Done();
  }
  if (call.operands.size() != expectedOperands.size() ||
      call.results.size() != expectedResults.size()) {
    return fail("has " + std::to_string(call.operands.size()) + " operands and " +
                std::to_string(call.results.size()) + " results, expected " +
                std::to_string(expectedOperands.size()) + " and " +
                std::to_string(expectedResults.size()));
  }
  for (size_t i = 0; i < call.operands.size(); ++i) {
    if (Status status = compare("operand", i, call.operands[i], expectedOperands[i]); !status) {
      return status;
    }
  }
  for (size_t i = 0; i < call.results.size(); ++i) {
    if (Status status = compare("result", i, call.results[i], expectedResults[i]); !status) {
      return status;
    }
  }
  for (size_t i = 0; i < call.operands.size(); ++i) {
    Result<Value> value = view(call.operands[i], operandBuffers[i], expectedOperands[i],
                               sharesMemory(i, copies), true);
    if (!value) {
      return value.error();
    }
    operands.push_back(std::move(*value));
  }
  for (size_t i = 0; i < call.results.size(); ++i) {
    Result<Value> value = view(call.results[i], resultBuffers[i], expectedResults[i], false, false);
    if (!value) {
      return value.error();
    }
    results.push_back(std::move(*value));
  }
  for (auto [from, to] : copies) {
    if (size_t bytes = bytesOf(call.operands[from]); bytes > 0) {
      std::memmove(results[to].data, operands[from].data, bytes);
    }
  }
  return Done();
}

void MatrixCall::finish() {
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].own) {
      reorder(results[i].data, results[i].order, resultBuffers[i], orderOf(call.results[i]),
              call.results[i]);
    }
  }
}

// The number of elements from which a batch is split between threads: a smaller batch is computed
// before other threads have woken.
static constexpr int64_t leastElementsOfParts = 512;

Status MatrixCall::computeParts(const Code &code, ThreadPool *pool) const {
  struct Parts {
    const MatrixCall &whole;
    const Code &code;
    std::mutex mutex;
    Status status = Done();

    void compute(int64_t first, int64_t end) {
      MatrixCall call(whole.call, whole.operandBuffers, whole.resultBuffers);
      call.part = {&whole, first, end - first};
      if (Status computed = code(call); !computed) {
        std::lock_guard<std::mutex> lock(mutex);
        status = computed;
      }
    }
  } parts{*this, code, {}};
  int64_t elements = 0;
  for (const HostValue &operand : call.operands) {
    elements += operand.isToken() ? 0 : elementCount(operand.shape).value_or(0);
  }
  if (!pool || batchCount < 2 || elements < leastElementsOfParts) {
    parts.compute(0, batchCount);
    return parts.status;
  }
  void *const buffers[] = {&parts};
  pool->parallel([](void *const *buffers, const int64_t *, void *, int64_t first,
                    int64_t end) { static_cast<Parts *>(buffers[0])->compute(first, end); },
                 buffers, nullptr, nullptr, {.tiles = batchCount});
  return parts.status;
}

Status MatrixCall::run(const Code &code, const HostCall &call, HostBuffers operands,
                       HostBuffers results, ThreadPool *pool) {
  MatrixCall whole(call, operands, results);
  whole.part = Part();
  if (Status status = code(whole); !status) {
    return status;
  }
  whole.part.reset();
  Status status = whole.computeParts(code, pool);
  if (status) {
    whole.finish();
  }
  return status;
}

template <typename T>
Result<T> MatrixCall::attribute(std::string_view name, ElementType type, const char *kind) const {
  for (const HostAttribute &attribute : call.attributes) {
    const auto *scalar = std::get_if<HostAttribute::Scalar>(&attribute.value);
    if (attribute.name == name && scalar && scalar->type == type &&
        scalar->bytes.size() == sizeof(T)) {
      T value;
      std::memcpy(&value, scalar->bytes.data(), sizeof(T));
      return value;
    }
  }
  return fail("has no attribute `" + std::string(name) + "` that is " + kind);
}

Result<char> MatrixCall::letter(std::string_view name, std::string_view allowed) const {
  Result<uint8_t> value = attribute<uint8_t>(name, ElementType::UI8, "a letter, of 8 bits");
  if (!value) {
    return value.error();
  }
  char letter = static_cast<char>(*value);
  if (allowed.find(letter) == std::string_view::npos) {
    return fail("the attribute `" + std::string(name) + "` is " + std::to_string(*value) +
                ", expected a letter of `" + std::string(allowed) + "`");
  }
  return letter;
}

Result<bool> MatrixCall::boolean(std::string_view name) const {
  Result<uint8_t> value = attribute<uint8_t>(name, ElementType::I1, "a Boolean");
  return value ? Result<bool>(*value != 0) : value.error();
}

Result<int> MatrixCall::number(std::string_view name) const {
  return attribute<int32_t>(name, ElementType::SI32, "a number of 32 bits");
}

} // namespace drumlin
