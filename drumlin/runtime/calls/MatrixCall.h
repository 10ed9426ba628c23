// A call whose operands and results are batches of matrices, vectors and numbers, as LAPACK's
// routines take them.
#pragma once

#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/support/HostCall.h"

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace drumlin {

class ThreadPool;

// What a call must have in one place: elements of a type in these dimensions after the batch's,
// none, one or two; or one value for the whole batch.
struct ExpectedValue {
  ElementType type;
  Shape shape;
  bool isOfWholeBatch = false;
  bool isRowMajor = false; // though a matrix
};

class MatrixCall {
public:
  MatrixCall(const HostCall &call, HostBuffers operands, HostBuffers results)
      : call(call), operandBuffers(operands), resultBuffers(results) {}
  MatrixCall(const MatrixCall &) = delete;
  MatrixCall &operator=(const MatrixCall &) = delete;

  // Has the code compute a call: first of an empty batch, where it says what it expects, then of
  // the batch's parts, on the pool's threads at once. `pool` may be null.
  using Code = std::function<Status(MatrixCall &call)>;
  static Status run(const Code &code, const HostCall &call, HostBuffers operands,
                    HostBuffers results, ThreadPool *pool);

  // Takes the batch's dimensions from a matrix, and returns its rows and columns. Dimensions must
  // fit into 32 bits.
  Result<std::pair<int, int>> matrix(size_t operand);
  // The last dimension of an operand, of which `expect` has said nothing yet.
  Result<int> lastDimension(size_t operand) const;
  // A dimension, counted from 1 from the last one; nothing where there is none.
  std::optional<int64_t> operandDimension(size_t operand, size_t fromLast) const;
  std::optional<int64_t> resultDimension(size_t result, size_t fromLast) const;

  // Compares the call with what the code expects, and makes ready what it computes on: matrices
  // column-major, one after another, all else row-major; copies of what lies otherwise. The memory
  // of each result in `copies` then has the operand's elements. Does nothing for a part.
  Status expect(const std::vector<ExpectedValue> &operands,
                const std::vector<ExpectedValue> &results,
                const std::vector<std::pair<size_t, size_t>> &copies = {});
  // Writes the results that lie otherwise than the code computes them.
  void finish();

  int64_t batch() const { return part ? part->count : batchCount; }
  // What belongs to one of the batch.
  template <typename T> T *operand(size_t i, int64_t index) const {
    return elements<T>(whole().operands[i], index);
  }
  template <typename T> T *result(size_t i, int64_t index) const {
    return elements<T>(whole().results[i], index);
  }
  size_t operandCount() const { return call.operands.size(); }
  // Nothing of a token, and where there is no such operand.
  std::optional<ElementType> operandType(size_t operand) const {
    return operand < call.operands.size() ? call.operands[operand].type : std::nullopt;
  }

  // A letter that is one of these, an attribute of 8 bits; a Boolean; a number of 32 bits.
  Result<char> letter(std::string_view name, std::string_view allowed) const;
  Result<bool> boolean(std::string_view name) const;
  Result<int> number(std::string_view name) const;

  // HostCallFailed.
  Diagnostic fail(const std::string &message) const;

private:
  struct Value {
    void *data = nullptr;
    int64_t step = 0; // elements from one of the batch to the next
    std::optional<AlignedMemory> own;
    DimensionOrder order; // in `data`
  };
  // Of a batch; with the call that has its values, null for the one that is to be compared.
  struct Part {
    const MatrixCall *whole = nullptr;
    int64_t first = 0, count = 0;
  };

  const MatrixCall &whole() const { return part && part->whole ? *part->whole : *this; }
  template <typename T> T *elements(const Value &value, int64_t index) const {
    return static_cast<T *>(value.data) + ((part ? part->first : 0) + index) * value.step;
  }
  Status computeParts(const Code &code, ThreadPool *pool) const;
  Status compare(const char *what, size_t index, const HostValue &value,
                 const ExpectedValue &expected) const;
  Result<Value> view(const HostValue &value, void *buffer, const ExpectedValue &expected,
                     bool isCopied, bool isRead) const;
  bool sharesMemory(size_t operand, const std::vector<std::pair<size_t, size_t>> &copies) const;
  template <typename T>
  Result<T> attribute(std::string_view name, ElementType type, const char *kind) const;

  const HostCall &call;
  HostBuffers operandBuffers, resultBuffers;
  Shape batchShape;
  int64_t batchCount = 1;
  std::optional<Part> part;
  std::vector<Value> operands, results;
};

} // namespace drumlin
