// A program from another compiler's bug report: the dot of grouped-query attention, and operations
// that use its result.
#pragma once

#include <string>

namespace drumlin {

// Returns a program with the reported dot of grouped-query attention. `consumer` may reshape the
// dot's result and return it with layout {2, 3, 1, 0}, in which tokens vary fastest.
inline std::string reportedProgram(const char *consumer, const char *result) {
  return R"(
func.func @main(%q: tensor<2x1x32x4x128xf16>, %v: tensor<4x2x1x128x128xf16>, %w: tensor<2x32x16xf16>) -> )" +
         std::string(result) + R"( {
  %0 = stablehlo.dot_general %q, %v, batching_dims = [0, 1] x [1, 2], contracting_dims = [3, 4] x [0, 3] : (tensor<2x1x32x4x128xf16>, tensor<4x2x1x128x128xf16>) -> tensor<2x1x32x128xf16>
)" + consumer +
         "  return %r : " + result + "\n}\n";
}

struct Consumer {
  const char *operations, *result;
};

inline constexpr Consumer consumers[] = {
    {"  %r = stablehlo.convert %0 : tensor<2x1x32x128xf16>\n", "tensor<2x1x32x128xf16>"},
    {R"(  %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2] : (tensor<2x1x32x128xf16>) -> tensor<2x1x128x32xf16>
  %r = stablehlo.reshape %1 : (tensor<2x1x128x32xf16>) -> tensor<256x32xf16>
)",
     "tensor<256x32xf16>"},
    {R"(  %1 = stablehlo.reshape %0 : (tensor<2x1x32x128xf16>) -> tensor<2x32x128xf16>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<2x32x128xf16>) -> tensor<2x128x32xf16>
  %r = stablehlo.dot_general %2, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x128x32xf16>, tensor<2x32x16xf16>) -> tensor<2x128x16xf16>
)",
     "tensor<2x128x16xf16>"},
    {R"(  %1 = stablehlo.reshape %0 : (tensor<2x1x32x128xf16>) -> tensor<64x128xf16>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x128xf16>) -> tensor<128x64xf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f16>
  %r = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<128x64xf16>, tensor<f16>) -> tensor<128xf16>
)",
     "tensor<128xf16>"},
};

} // namespace drumlin
