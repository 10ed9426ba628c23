// Calls of GPU vendors' matrix product libraries, with all of their arguments. The tables
// CublasLt.def and HipblasLt.def state which calls a library accepts on a GPU; calls are checked
// against them. For plans only: this code calls no library.
//
// Both libraries compute, in column-major matrices,
//   sums = alpha · scale(A) · scale(B) · op(A) · op(B) + beta · C + bias
//   D    = scale(D) · epilogue(sums)
// Some epilogues also write the gradient of a bias. The gradient is epilogue(sums), summed along
// each row of D, or op(A) or op(B), summed along k. op(A) is m × k, and op(B) is k × n. C and D are
// m × n. The bias has one element for each row of D. amax(D) is the largest magnitude of
// epilogue(sums) (cuBLAS documentation, 3.1.4.1 "Tensorwide Scaling For FP8 Data Types"; hipBLASLt
// documentation, "Data type support").
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

// The elements that share one scale. In the order of the enumerators: the whole matrix; a row of
// op(A) or a column of op(B); 128 elements along k; 128 × 128 elements; a block of the MX format; a
// block of the NVFP4 format. The MX and NVFP4 formats also determine the type of the scales.
enum class ScaleMode : uint8_t { Scalar, OuterVector, Row128, Square128, Mx, Nvfp4 };

enum class LibraryEpilogue : uint8_t {
#define LIBRARY_EPILOGUE_KIND(Name, activation, hasBias, hasAux, biasGradient) Name,
#include "drumlin/target/LibraryEpilogues.def"
};

// A column-major matrix in memory: each column has `rows` contiguous elements; `ld` is the stride
// between columns, in elements.
struct LibraryMatrix {
  std::string pointer; // the kernel's input or output, as the plan names it
  int64_t offsetBytes = 0;
  ElementType type = ElementType::F32;
  int64_t rows = 0, columns = 0, ld = 0;
  int64_t batchCount = 1, batchStride = 0; // stride between the matrices of a batch, in elements
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

// A value with few elements, like a scale, that is computed from a kernel's inputs before the call.
struct LibraryValue {
  std::vector<unsigned> inputs; // numbers of the kernel inputs that the program reads
  std::string program;          // `func.func @main` as StableHLO text
};

struct LibraryCall {
  GpuLibrary library = GpuLibrary::CublasLt;
  std::string_view computeType, scaleType; // enumerators
  bool transposesA = false, transposesB = false;
  LibraryMatrix a, b, c, d; // if beta is 0, c isn't read. As libraries require, c is then
                            // d's memory, or `null` if the types of c and d differ
  std::string alpha = "1", beta = "0"; // a number, or the value in device memory
  bool alphaOnDevice = false;
  std::optional<LibraryScale> scaleA, scaleB, scaleD;
  LibraryEpilogue epilogue = LibraryEpilogue::Default;
  std::optional<LibraryVector> bias;
  std::optional<LibraryMatrix> aux;          // input of gradient epilogues, output of others
  std::optional<LibraryVector> biasGradient; // output, passed as the library's bias argument
  std::vector<double> bounds;                // for Clamp
  std::string amaxD;                         // where amax(D) is written; empty: not computed
  bool fastAccumulation = false;
  int64_t workspaceBytes = 0;
  // Values that small kernels of Drumlin compute before the call. `values`: each entry is computed
  // by a program. `prepared`: the text of each entry describes a product of inputs, numbers and
  // entries of `values`, and its type: `[- ][1 / ]input 2 · value 0, f32[, order]`.
  std::vector<LibraryValue> values;
  std::vector<std::string> prepared;
  std::vector<std::string> roundings; // where the call rounds differently from the program
};

// The matrix that a call sums to compute the gradient of a bias: the result, summed along each row
// of D, or an operand, summed along k.
enum class BiasGradient : uint8_t { None, OfResult, OfA, OfB };

struct EpilogueParts {
  enum Activation : uint8_t { None, Relu, Gelu, Silu, Clamp, ReluGrad, GeluGrad } activation = None;
  bool hasBias = false, hasAux = false;
  BiasGradient biasGradient = BiasGradient::None;
  bool operator==(const EpilogueParts &) const = default;
};
EpilogueParts partsOf(LibraryEpilogue epilogue);
// Returns the epilogue with these parts; nullopt if there is none.
std::optional<LibraryEpilogue> epilogueOf(const EpilogueParts &parts);

// The reason for which a kernel isn't a library call (LibraryLimits.def).
enum class LibraryLimit : uint8_t {
#define LIBRARY_LIMIT(Name, name, text, remedy) Name,
#include "drumlin/target/LibraryLimits.def"
};
struct LibraryLimitInfo {
  LibraryLimit limit;
  std::string_view name; // `operand-order`
  std::string_view text;
  std::string_view remedy; // how the program must change so that the kernel becomes a call
};
std::span<const LibraryLimitInfo> libraryLimits();
const LibraryLimitInfo &info(LibraryLimit limit);

} // namespace drumlin
