// A call that a program makes of code outside of it: what images say of it, what the interpreter
// asks for, and what the runtime answers. No MLIR.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Layout.h"
#include "drumlin/support/SizeExpression.h"
#include "drumlin/support/Tensor.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace drumlin {

// How the code is called. The first four are StableHLO's `CustomCallApiVersion`: 1 (and 0), 2, 3
// and 4; those up to `Recv` its operations of these names; the last two are between the processes
// of one run.
enum class HostInterface : uint8_t {
  Original,        // function(results, operands)
  StatusReturning, // function(results, operands, status), and 3: (…, opaque, its size, status)
  StatusReturningUnified,
  TypedFfi, // XLA's foreign function interface
  Infeed,
  Outfeed,
  Send,
  Recv,
  Exchange, // what other processes bring to the same call: see ExchangeTable
  Process,  // the number of this process that the target names: `replica`, `partition`, `process`
};

// A named value that calls have beside their operands. Attributes of an attribute are sorted by
// name.
struct HostAttribute {
  // Elements are stored as tensors store them (drumlin/support/ElementType.h), one after another.
  struct Scalar {
    ElementType type;
    std::vector<std::byte> bytes;
  };
  struct Array {
    ElementType type;
    int64_t count;
    std::vector<std::byte> bytes;
  };
  std::string name;
  std::variant<Scalar, Array, std::string, std::vector<HostAttribute>> value;
};

// An operand or a result: a tensor, or a token, which has no memory and no type.
struct HostValue {
  std::optional<ElementType> type;
  Shape shape;           // nominal where `sizes` says them
  DimensionOrder layout; // slowest dimension first; empty: row-major
  // Where they are known when the program runs.
  std::vector<SizeExpression> sizes = {};

  bool isToken() const { return !type; }
};

struct HostCall {
  HostInterface interface = HostInterface::Original;
  std::string target = {}; // of a custom call; of `send` and `recv` the channel's number
  std::string opaque = {}; // `backend_config`, `infeed_config` or `outfeed_config` as a text
  std::vector<HostAttribute> attributes = {}; // `backend_config` as a dictionary, sorted by name
  std::vector<HostValue> operands = {}, results = {};
  // Results and the operands whose memory they have: the code finds the operand's elements there.
  std::vector<std::pair<size_t, size_t>> aliases = {};
};

// The memory of a value during a call; null of a token.
using HostBuffers = std::span<void *const>;

// Calls the code, which fills the results. `operands` and `results` have as many pointers as the
// call has values. Fails with HostCallFailed, or with what else the code says.
using HostCaller =
    std::function<Status(const HostCall &call, HostBuffers operands, HostBuffers results)>;

} // namespace drumlin
