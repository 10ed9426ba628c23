// A call that a program makes of code outside of it, as used by images, the interpreter and the
// runtime. Independent of MLIR.
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

// The convention by which the code is called. The first four are the values of StableHLO's
// `CustomCallApiVersion`: 1 (which also stands for 0), 2, 3 and 4. `Infeed` to `Recv` are
// StableHLO's operations of these names. The last two are for programs of several processes.
enum class HostInterface : uint8_t {
  Original,               // function(results, operands)
  StatusReturning,        // function(results, operands, status)
  StatusReturningUnified, // function(results, operands, opaque, opaqueSize, status)
  TypedFfi,               // XLA's foreign function interface
  Infeed,
  Outfeed,
  Send,
  Recv,
  Exchange, // exchanges data between processes: see ExchangeTable
  Process,  // gets a process number; the target is `replica`, `partition` or `process`
};

// A named value passed to a call besides its operands. Nested attributes are sorted by name.
struct HostAttribute {
  // Elements are stored as in tensors (drumlin/support/ElementType.h), one after another.
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
  Shape shape;           // a nominal shape if `sizes` isn't empty
  DimensionOrder layout; // slowest dimension first; empty: row-major
  // Sizes known only when the program runs; empty: all are fixed.
  std::vector<SizeExpression> sizes = {};

  bool isToken() const { return !type; }
};

struct HostCall {
  HostInterface interface = HostInterface::Original;
  std::string target = {}; // the custom call's name; for `send` and `recv`, the channel's number
  std::string opaque = {}; // `backend_config`, `infeed_config` or `outfeed_config` as a text
  std::vector<HostAttribute> attributes = {}; // `backend_config` as a dictionary, sorted by name
  std::vector<HostValue> operands = {}, results = {};
  // Pairs of a result and the operand whose memory it shares: the memory has the operand's elements
  // when the call begins.
  std::vector<std::pair<size_t, size_t>> aliases = {};
};

// The memory of each value during a call; null for a token.
using HostBuffers = std::span<void *const>;

// Calls the code, which fills the results. `operands` and `results` have one pointer for each value
// of the call. Fails with HostCallFailed, or with the code's own error.
using HostCaller =
    std::function<Status(const HostCall &call, HostBuffers operands, HostBuffers results)>;

} // namespace drumlin
