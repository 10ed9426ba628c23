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

// An additional allowed type of the activation's input; it differs from D's type.
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
  Fp4DepthInRow,     // 4-bit floats: the contracting dimension is contiguous
  MxDepthInRow,      // operands with MX scales: the contracting dimension is contiguous
  IntegerDepthInRow, // integers: the contracting dimension is contiguous
  IntegerMultiple,   // integers: D's rows, k and leading dimensions are multiples of the value
  IntegerAlignment,  // integers: each matrix, also of a batch, starts at a multiple of value bytes
  NarrowAlignment,   // narrow operands: rows, strides and offsets are multiples of value bytes
  BlockPair,         // at most one operand has 128×128 scales
  BlockMultiple,     // with scales of 128 elements, m and n are multiples of the value
  MxRowMultiple,     // with MX scales, m and n are multiples of the value
  MxDepthMultiple,   // with MX scales, k is a multiple of the value
  MxPlainEpilogue,   // with MX scales, only the default epilogue is allowed
  ScalarBatchOnly,   // in batches, all scales are whole-tensor scales
  NarrowResultScale, // D has a scale only if D is narrow and A and B have whole-tensor scales
  NarrowAmax,        // D has an amax only if it may have a scale
  AuxMultiple,       // the leading dimension of the activation's input is a multiple of the value
  NarrowGeluAux,     // with a narrow D, a gelu's input may have C's type
  InPlaceAlike,      // if C is in D's memory, it has D's type and layout
  BiasGradientOrder, // A isn't transposed if op(A) is summed; B is transposed if op(B) is summed
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
// Returns the library's row of a scale mode, without regard to the row's targets.
const LibraryScaleRow &scaleRowOf(GpuLibrary library, ScaleMode mode);

// Return the library's enumerator of a type or epilogue; nullopt if the library has none on this
// target.
std::optional<std::string_view> libraryTypeName(const GpuTarget &target, ElementType type);
std::optional<std::string_view> epilogueName(const GpuTarget &target, LibraryEpilogue epilogue);

// Returns whether the activation's input may have type `aux`, given the types of A, B, C, D and the
// bias.
bool takesAux(const GpuTarget &target, const LibraryProduct &product, LibraryEpilogue epilogue,
              ElementType aux, std::optional<ElementType> bias);

// Returns why calls with these operand and result types must not have an epilogue; nullopt if they
// may have it.
std::optional<std::string_view> whyWithoutEpilogue(const GpuTarget &target, ElementType operands,
                                                   ElementType result, LibraryEpilogue epilogue);

// Returns whether the type is a floating-point type of at most 8 bits.
bool isNarrow(ElementType type);
// Returns the rule that requires a contiguous contracting dimension of operands of this type (the
// "TN" format); null if there is none.
const LibraryRuleRow *depthInRowRule(const GpuTarget &target, ElementType type, bool hasMxScales);

} // namespace drumlin
