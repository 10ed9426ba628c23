// Which f32 values a user allows to be rounded to a narrower type (`--auto-cast`).
#pragma once

#include "drumlin/support/ElementType.h"

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drumlin {

struct AutoCast {
  enum class Mode : uint8_t {
    None,
    MatMult, // the operands of dots and convolutions; their sums stay in f32
    All,     // of elementwise operations as well, which are computed in the narrower type
  };
  enum class Type : uint8_t {
    BF16,
    FP16,
    TF32,    // f32 with 10 bits of fraction: the values keep their type
    Fp8E4M3, // f8E4M3FN, saturating; for products only
  };

  Mode mode = Mode::None;
  Type type = Type::BF16;
};

// How a rounding is marked where a program is made to look at what they lose: on the operation that
// rounds, which operand of which operation its result is. On an operation that computes in a
// narrower type, that its result is rounded, too.
struct RoundingMark {
  std::string operation; // `stablehlo.dot_general`
  int64_t operand = 0;   // -1: the result
};
// Nothing where an operation isn't marked.
std::optional<RoundingMark> roundingMark(mlir::Operation *op);

// The narrower type's elements as the interpreter has them; none for tf32, whose values are f32.
std::optional<ElementType> elementTypeOf(AutoCast::Type type);
// The largest finite number of a type, beyond which values become it or infinity.
double largestOf(AutoCast::Type type);
std::string_view nameOf(AutoCast::Type type);

// `none`, `matmult`, `all`; `bf16`, `fp16`, `tf32`, `fp8_e4m3`.
std::optional<AutoCast::Mode> autoCastMode(std::string_view name);
std::optional<AutoCast::Type> autoCastType(std::string_view name);

} // namespace drumlin
