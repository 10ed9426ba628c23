// The tables of CublasLt.def and HipblasLt.def: what a library accepts on a target.
#pragma once

#include "drumlin/target/LibraryCall.h"

namespace drumlin {

// A combination of types of A, B, C, D and the bias.
struct LibraryProduct {
  unsigned targets;
  std::string_view compute, scale; // enumerators
  ElementType a, b, c, d;
  std::optional<ElementType> bias; // nullopt: only the default epilogue
  unsigned scaleModes;             // a set: bit 1 << ScaleMode
  std::string_view source;
};
std::span<const LibraryProduct> libraryProducts();

// An additional type of the activation's input, different from D's.
struct LibraryAux {
  unsigned targets;
  ElementType ab, c, d, bias, aux;
  LibraryEpilogue epilogue;
  std::string_view source;
};
std::span<const LibraryAux> libraryAuxTypes();

enum class LibraryRule : uint8_t {
  LargestSize,       // rows, columns and batches are at most the value
  Fp8DepthInRow,     // 8-bit floats: the contracting dimension is contiguous
  Fp4DepthInRow,     // the same for 4-bit floats
  MxDepthInRow,      // the same for operands with MX scales
  IntegerDepthInRow, // the same for integers
  IntegerMultiple,   // integers: D's rows, k and leading dimensions are multiples of the value
  IntegerAlignment,  // integers: each matrix, also in a batch, starts at a multiple of value bytes
  NarrowAlignment,   // narrow operands: rows and offsets are multiples of value bytes
  BlockPair,         // not both operands with 128×128 scales
  BlockMultiple,     // with scales of 128 elements, m and n are multiples of the value
  MxRowMultiple,     // with MX scales, m and n are multiples of the value
  MxDepthMultiple,   // with MX scales, k is a multiple of the value
  MxPlainEpilogue,   // with MX scales, the default epilogue only
  ScalarBatchOnly,   // in batches, only whole-tensor scales
  NarrowResultScale, // only a narrow D has a scale, with whole-tensor scales of A and B
  NarrowAmax,        // the same for amax
  AuxMultiple,       // the leading dimension of the activation's input is a multiple of the value
  NarrowGeluAux,     // with a narrow D, a gelu's input may have C's type
  InPlaceAlike,      // if C is in D's memory, it has D's type and layout
  BiasGradientOrder, // sums of op(A) need an A that isn't transposed, sums of op(B) need a
                     // transposed B
};
struct LibraryRuleRow {
  GpuLibrary library;
  unsigned targets;
  LibraryRule rule;
  int64_t value;
  std::string_view source;
};
// Returns null if the target has no such rule.
const LibraryRuleRow *ruleOf(const GpuTarget &target, LibraryRule rule);

struct LibraryScaleRow {
  GpuLibrary library;
  unsigned targets;
  ScaleMode mode;
  std::string_view name;
  ElementType type;
  std::string_view source;
};
// Returns the row of a mode, even if its targets don't include the GPU.
const LibraryScaleRow &scaleRowOf(GpuLibrary library, ScaleMode mode);

// Return enumerators; nullopt if the library has none on this target.
std::optional<std::string_view> libraryTypeName(const GpuTarget &target, ElementType type);
std::optional<std::string_view> epilogueName(const GpuTarget &target, LibraryEpilogue epilogue);

// Whether the activation's input, beside D, may have type `aux`, given the types of A, B, C and D.
bool takesAux(const GpuTarget &target, const LibraryProduct &product, LibraryEpilogue epilogue,
              ElementType aux, std::optional<ElementType> bias);

// Returns why calls with these operand and result types don't have an epilogue; nullopt if they may
// have it.
std::optional<std::string_view> whyWithoutEpilogue(const GpuTarget &target, ElementType operands,
                                                   ElementType result, LibraryEpilogue epilogue);

// Whether the type is a float of at most 8 bits.
bool isNarrow(ElementType type);
// Returns the rule that requires a contiguous contracting dimension of operands of this type (the
// "TN" format); null if there is none.
const LibraryRuleRow *depthInRowRule(const GpuTarget &target, ElementType type, bool hasMxScales);

} // namespace drumlin
