// The f32 values that the user allows to be rounded to a narrower type (`--auto-cast`).
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
    MatMult, // operands of dots and convolutions; accumulators stay f32
    All,     // also elementwise operations, which compute in the narrower type
  };
  enum class Type : uint8_t {
    BF16,
    FP16,
    TF32,    // f32 with 10 fraction bits: the values keep their type
    Fp8E4M3, // f8E4M3FN, saturating; for dots and convolutions only
  };

  Mode mode = Mode::None;
  Type type = Type::BF16;
};

// Marks a rounding in a program that is compiled to measure rounding errors. If an operation only
// rounds a value, its mark names the operation and operand that read the rounded value. If an
// operation computes in a narrower type, its mark names this operation and its result.
struct RoundingMark {
  std::string operation; // e.g. `stablehlo.dot_general`
  int64_t operand = 0;   // -1: the result
};
// Returns the mark of an operation, or nothing if it has none.
std::optional<RoundingMark> roundingMark(mlir::Operation *op);

// Returns the interpreter's element type; nothing for tf32, whose values are f32.
std::optional<ElementType> elementTypeOf(AutoCast::Type type);
// Returns the largest finite number of a type; larger values saturate or become infinity.
double largestOf(AutoCast::Type type);
std::string_view nameOf(AutoCast::Type type);

// Parse `none`, `matmult`, `all`; `bf16`, `fp16`, `tf32`, `fp8_e4m3`.
std::optional<AutoCast::Mode> autoCastMode(std::string_view name);
std::optional<AutoCast::Type> autoCastType(std::string_view name);

} // namespace drumlin
