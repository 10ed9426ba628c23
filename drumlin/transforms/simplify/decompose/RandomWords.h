// Generates the words of counter-based random generators: Threefry-2x32 with 20 rounds and
// Philox-4x32 with 10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3; SC 2011), as
// operations on whole tensors.
#pragma once

#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

#include <array>

namespace drumlin {

// Words are tensors of one shape; keys are scalars. Threefry uses ui32. Philox uses ui64 values
// below 2^32: its multiplications need 64 bits, and widening and narrowing twice per round would be
// slower than computing everything with half as many lanes.
using Key = std::array<mlir::Value, 2>;
std::array<mlir::Value, 2> threefry2x32(TensorBuilder &b, std::array<mlir::Value, 2> counter,
                                        Key key);
std::array<mlir::Value, 4> philox4x32(TensorBuilder &b, std::array<mlir::Value, 4> counter,
                                      Key key);

// Returns the low 32 bits of ui64 numbers, as ui64; `joinHalves` combines two such halves.
mlir::Value lowHalf(TensorBuilder &b, mlir::Value number);
mlir::Value highHalf(TensorBuilder &b, mlir::Value number);
mlir::Value joinHalves(TensorBuilder &b, mlir::Value low, mlir::Value high);

} // namespace drumlin
