// Calls of the matrix product libraries of GPU vendors, with every argument that they take; and
// what a library takes on a GPU, as data (CublasLt.def, HipblasLt.def) against which calls are
// checked. For plans only; nothing here calls a library.
//
// Both libraries compute, in column-major matrices,
//   sums = alpha · scale(A) · scale(B) · op(A) · op(B) + beta · C + bias
//   D    = scale(D) · epilogue(sums)
// and beside D, where the epilogue says so, a gradient of a bias: epilogue(sums) added up along
// each row of D, or op(A) or op(B) along k with A m × k and B k × n after op(), C and D m × n, the
// bias along D's rows, and amax(D) the largest magnitude of epilogue(sums) (cuBLAS
// documentation, 3.1.4.1 "Tensorwide Scaling For FP8 Data Types"; hipBLASLt documentation, "Data
// type support").
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/GpuTarget.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// What one scale belongs to: the whole matrix; each row of op(A), or column of op(B); each run of
// so many elements along k; each such square. The last two also say the scales' type.
enum class ScaleMode : uint8_t { Scalar, OuterVector, Row128, Square128, Mx, Nvfp4 };

enum class LibraryEpilogue : uint8_t {
#define LIBRARY_EPILOGUE_KIND(Name, activation, hasBias, hasAux, biasGradient) Name,
#include "drumlin/target/LibraryEpilogues.def"
};

// A matrix in memory: `rows` contiguous elements, `ld` elements from one column to the next.
struct LibraryMatrix {
  std::string pointer; // an input or an output of the kernel, as the plan names it
  int64_t offsetBytes = 0;
  ElementType type = ElementType::F32;
  int64_t rows = 0, columns = 0, ld = 0;
  int64_t batchCount = 1, batchStride = 0; // the stride in elements
};

struct LibraryScale {
  ScaleMode mode = ScaleMode::Scalar;
  std::string pointer;
  ElementType type = ElementType::F32;
};

struct LibraryVector {
  std::string pointer;
  ElementType type = ElementType::F32;
  int64_t batchStride = 0;
};

// Something small that is computed from a kernel's inputs.
struct LibraryValue {
  std::vector<unsigned> inputs; // of the kernel: the function's arguments
  std::string program;          // `func.func @main` in StableHLO's text
};

struct LibraryCall {
  GpuLibrary library = GpuLibrary::CublasLt;
  std::string_view computeType, scaleType; // enumerators
  bool transposesA = false, transposesB = false;
  LibraryMatrix a, b, c, d; // where beta is 0, c isn't read: at d's place, or `null` where its
                            // type isn't d's, as libraries want it
  std::string alpha = "1", beta = "0"; // a number in host memory, or what device memory holds
  bool alphaOnDevice = false;
  std::optional<LibraryScale> scaleA, scaleB, scaleD;
  LibraryEpilogue epilogue = LibraryEpilogue::Default;
  std::optional<LibraryVector> bias;
  std::optional<LibraryMatrix> aux;          // read by gradients, else written
  std::optional<LibraryVector> biasGradient; // written where a bias would be read
  std::vector<double> bounds;                // of Clamp
  std::string amaxD;                         // empty: it isn't asked for
  bool fastAccumulation = false;
  int64_t workspaceBytes = 0;
  // Computed before the call by small kernels of our own. `prepared` are products of inputs,
  // numbers and values: `[- ][1 / ]input 2 · value 0, f32[, order]`.
  std::vector<LibraryValue> values;
  std::vector<std::string> prepared;
  std::vector<std::string> roundings; // what the call rounds otherwise than the program
};

// The matrix that a gradient of a bias adds up: the result along D's rows, or an operand along k.
enum class BiasGradient : uint8_t { None, OfResult, OfA, OfB };

struct EpilogueParts {
  enum Activation : uint8_t { None, Relu, Gelu, Silu, Clamp, ReluGrad, GeluGrad } activation = None;
  bool hasBias = false, hasAux = false;
  BiasGradient biasGradient = BiasGradient::None;
  bool operator==(const EpilogueParts &) const = default;
};
EpilogueParts partsOf(LibraryEpilogue epilogue);
// Nothing where no epilogue has these parts.
std::optional<LibraryEpilogue> epilogueOf(const EpilogueParts &parts);

// Why a kernel is no library call: LibraryLimits.def.
enum class LibraryLimit : uint8_t {
#define LIBRARY_LIMIT(Name, name, text, remedy) Name,
#include "drumlin/target/LibraryLimits.def"
};
struct LibraryLimitInfo {
  LibraryLimit limit;
  std::string_view name; // `operand-order`
  std::string_view text;
  std::string_view remedy; // what would make the kernel a call
};
std::span<const LibraryLimitInfo> libraryLimits();
const LibraryLimitInfo &info(LibraryLimit limit);

} // namespace drumlin
