// The words of counter-based random generators: Threefry-2x32 with 20 rounds and Philox-4x32 with 10
// (Salmon et al., Parallel random numbers: as easy as 1, 2, 3; SC 2011), as operations on whole
// tensors.
#pragma once

#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

#include <array>

namespace drumlin {

// All words are tensors of ui32 and of one shape; keys are scalars of ui32.
using Key = std::array<mlir::Value, 2>;
std::array<mlir::Value, 2> threefry2x32(TensorBuilder &b, std::array<mlir::Value, 2> counter,
                                        Key key);
std::array<mlir::Value, 4> philox4x32(TensorBuilder &b, std::array<mlir::Value, 4> counter,
                                      Key key);

// The halves of words of ui64, and a word of two halves.
mlir::Value lowHalf(TensorBuilder &b, mlir::Value word);
mlir::Value highHalf(TensorBuilder &b, mlir::Value word);
mlir::Value joinHalves(TensorBuilder &b, mlir::Value low, mlir::Value high);

} // namespace drumlin
