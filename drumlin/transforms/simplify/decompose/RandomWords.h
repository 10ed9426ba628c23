// The words of counter-based random generators: Threefry-2x32 with 20 rounds and Philox-4x32 with
// 10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3; SC 2011), as operations on whole
// tensors.
#pragma once

#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

#include <array>

namespace drumlin {

// Words are tensors of one shape; keys are scalars. Threefry's are of ui32. Philox's are of ui64
// below 2^32: its products need the room, and lanes that change their width twice a round take
// longer than half as many that don't.
using Key = std::array<mlir::Value, 2>;
std::array<mlir::Value, 2> threefry2x32(TensorBuilder &b, std::array<mlir::Value, 2> counter,
                                        Key key);
std::array<mlir::Value, 4> philox4x32(TensorBuilder &b, std::array<mlir::Value, 4> counter,
                                      Key key);

// The halves of numbers of ui64, in ui64; and the number of both.
mlir::Value lowHalf(TensorBuilder &b, mlir::Value number);
mlir::Value highHalf(TensorBuilder &b, mlir::Value number);
mlir::Value joinHalves(TensorBuilder &b, mlir::Value low, mlir::Value high);

} // namespace drumlin
