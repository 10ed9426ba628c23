// Calls whose operands and results are batches of matrices, vectors and numbers, as LAPACK's
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

// The required type and shape of an operand or result: an element type and zero, one or two
// dimensions after the batch dimensions; or one value for the whole batch.
struct ExpectedValue {
  ElementType type;
  Shape shape;
  bool isOfWholeBatch = false;
  bool isRowMajor = false; // false: matrices are column-major
};

class MatrixCall {
public:
  MatrixCall(const HostCall &call, HostBuffers operands, HostBuffers results)
      : call(call), operandBuffers(operands), resultBuffers(results) {}
  MatrixCall(const MatrixCall &) = delete;
  MatrixCall &operator=(const MatrixCall &) = delete;

  // Runs the code of a call. The first time, the batch is empty, and the code checks the call by
  // expect(). Then the code runs on parts of the batch, in parallel on the pool's threads. `pool`
  // may be null.
  using Code = std::function<Status(MatrixCall &call)>;
  static Status run(const Code &code, const HostCall &call, HostBuffers operands,
                    HostBuffers results, ThreadPool *pool);

  // Takes the batch dimensions from an operand that is a batch of matrices. Returns the matrices'
  // numbers of rows and columns, which must fit into 32 bits.
  Result<std::pair<int, int>> matrix(size_t operand);
  // Returns the last dimension of an operand; may be called before expect().
  Result<int> lastDimension(size_t operand) const;
  // Returns the size of a dimension, or nothing if there is none. `fromLast`: 1 for the last
  // dimension, 2 for the one before it, ….
  std::optional<int64_t> operandDimension(size_t operand, size_t fromLast) const;
  std::optional<int64_t> resultDimension(size_t result, size_t fromLast) const;

  // Checks the call against what the code expects, and prepares the call's values. Matrices become
  // column-major, one after another; all other values become row-major. Values in other layouts are
  // copied. For each pair in `copies`, the operand's elements are copied to the result. Does
  // nothing for a part of a batch.
  Status expect(const std::vector<ExpectedValue> &operands,
                const std::vector<ExpectedValue> &results,
                const std::vector<std::pair<size_t, size_t>> &copies = {});
  // Writes results back to their buffers if the code computed them in another layout.
  void finish();

  int64_t batch() const { return part ? part->count : batchCount; }
  // Returns an operand's elements for one entry of the batch.
  template <typename T> T *operand(size_t i, int64_t index) const {
    return elements<T>(whole().operands[i], index);
  }
  template <typename T> T *result(size_t i, int64_t index) const {
    return elements<T>(whole().results[i], index);
  }
  size_t operandCount() const { return call.operands.size(); }
  // Returns an operand's element type; nothing for a token or a missing operand.
  std::optional<ElementType> operandType(size_t operand) const {
    return operand < call.operands.size() ? call.operands[operand].type : std::nullopt;
  }

  // Return attributes: a letter among `allowed`, stored in 8 bits; a Boolean; a number of 32 bits.
  Result<char> letter(std::string_view name, std::string_view allowed) const;
  Result<bool> boolean(std::string_view name) const;
  Result<int> number(std::string_view name) const;

  // Returns a HostCallFailed diagnostic that names the call.
  Diagnostic fail(const std::string &message) const;

private:
  struct Value {
    void *data = nullptr;
    int64_t step = 0; // the number of elements between consecutive batch entries
    std::optional<AlignedMemory> own;
    DimensionOrder order; // the dimension order in `data`
  };
  // A part of a batch. `whole` is the call on the full batch, whose values the part uses. If
  // `whole` is null, the part is empty: the code then only checks the call.
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
