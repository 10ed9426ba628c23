// Calls of GPU vendors' matrix product libraries, with all of their arguments; and the calls that a
// library accepts on a GPU, as data (CublasLt.def, HipblasLt.def) to check calls against. For plans
// only; this code calls no library.
//
// Both libraries compute, in column-major matrices,
//   sums = alpha · scale(A) · scale(B) · op(A) · op(B) + beta · C + bias
//   D    = scale(D) · epilogue(sums)
// If the epilogue says so, a bias's gradient is written beside D: epilogue(sums) summed along each
// row of D, or op(A) or op(B) summed along k. A is m × k and B is k × n after op(); C and D are m ×
// n; the bias is along D's rows; amax(D) is the largest magnitude of epilogue(sums) (cuBLAS
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

// The elements that share one scale: the whole matrix; a row of op(A) or column of op(B); 128
// elements along k; 128 × 128 elements; a block of the MX or NVFP4 format, which sets the scales'
// type.
enum class ScaleMode : uint8_t { Scalar, OuterVector, Row128, Square128, Mx, Nvfp4 };

enum class LibraryEpilogue : uint8_t {
#define LIBRARY_EPILOGUE_KIND(Name, activation, hasBias, hasAux, biasGradient) Name,
#include "drumlin/target/LibraryEpilogues.def"
};

// A matrix in memory: `rows` contiguous elements, `ld` elements from one column to the next.
struct LibraryMatrix {
  std::string pointer; // the kernel's input or output, as the plan names it
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

// A small value, computed from a kernel's inputs.
struct LibraryValue {
  std::vector<unsigned> inputs; // the kernel's inputs that are the function's arguments
  std::string program;          // `func.func @main` as StableHLO text
};

struct LibraryCall {
  GpuLibrary library = GpuLibrary::CublasLt;
  std::string_view computeType, scaleType; // enumerators
  bool transposesA = false, transposesB = false;
  LibraryMatrix a, b, c, d;            // if beta is 0, c isn't read: it is d's memory, or `null` if
                                       // the types differ, as libraries require
  std::string alpha = "1", beta = "0"; // a number in host memory, or what device memory holds
  bool alphaOnDevice = false;
  std::optional<LibraryScale> scaleA, scaleB, scaleD;
  LibraryEpilogue epilogue = LibraryEpilogue::Default;
  std::optional<LibraryVector> bias;
  std::optional<LibraryMatrix> aux;          // input of gradients, else an output
  std::optional<LibraryVector> biasGradient; // output, in the place of the bias argument
  std::vector<double> bounds;                // for Clamp
  std::string amaxD;                         // empty: not computed
  bool fastAccumulation = false;
  int64_t workspaceBytes = 0;
  // Values that small kernels of Drumlin's compute before the call. `prepared` are products of
  // inputs, numbers and values: `[- ][1 / ]input 2 · value 0, f32[, order]`.
  std::vector<LibraryValue> values;
  std::vector<std::string> prepared;
  std::vector<std::string> roundings; // where the call rounds differently from the program
};

// The matrix whose sum is a bias's gradient: the result along D's rows, or an operand along k.
enum class BiasGradient : uint8_t { None, OfResult, OfA, OfB };

struct EpilogueParts {
  enum Activation : uint8_t { None, Relu, Gelu, Silu, Clamp, ReluGrad, GeluGrad } activation = None;
  bool hasBias = false, hasAux = false;
  BiasGradient biasGradient = BiasGradient::None;
  bool operator==(const EpilogueParts &) const = default;
};
EpilogueParts partsOf(LibraryEpilogue epilogue);
// Returns nullopt if no epilogue has these parts.
std::optional<LibraryEpilogue> epilogueOf(const EpilogueParts &parts);

// Why a kernel isn't a library call: LibraryLimits.def.
enum class LibraryLimit : uint8_t {
#define LIBRARY_LIMIT(Name, name, text, remedy) Name,
#include "drumlin/target/LibraryLimits.def"
};
struct LibraryLimitInfo {
  LibraryLimit limit;
  std::string_view name; // `operand-order`
  std::string_view text;
  std::string_view remedy; // how to make the kernel a call
};
std::span<const LibraryLimitInfo> libraryLimits();
const LibraryLimitInfo &info(LibraryLimit limit);

} // namespace drumlin
