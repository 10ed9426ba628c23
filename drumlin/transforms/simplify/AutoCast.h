// Which f32 values a user allows to be rounded to a narrower type (`--auto-cast`).
#pragma once

#include <cstdint>
#include <optional>
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

// `none`, `matmult`, `all`; `bf16`, `fp16`, `tf32`, `fp8_e4m3`.
std::optional<AutoCast::Mode> autoCastMode(std::string_view name);
std::optional<AutoCast::Type> autoCastType(std::string_view name);

} // namespace drumlin
