// The tables of CublasLt.def and HipblasLt.def: what a library takes on a target.
#pragma once

#include "drumlin/target/LibraryCall.h"

namespace drumlin {

// Types of A, B, C, D and the bias that go together.
struct LibraryProduct {
  unsigned targets;
  std::string_view compute, scale; // enumerators
  ElementType a, b, c, d;
  std::optional<ElementType> bias; // nothing: only the default epilogue
  unsigned scaleModes;             // a set: bit 1 << ScaleMode
  std::string_view source;
};
std::span<const LibraryProduct> libraryProducts();

// The type of the activation's input, where it may be another than D's.
struct LibraryAux {
  unsigned targets;
  ElementType ab, c, d, bias, aux;
  LibraryEpilogue epilogue;
  std::string_view source;
};
std::span<const LibraryAux> libraryAuxTypes();

enum class LibraryRule : uint8_t {
  LargestSize,       // of rows, columns, batches: at most the value
  Fp8DepthInRow,     // the contracting dimension of floats of 8 bits is contiguous
  Fp4DepthInRow,     // the same of floats of 4 bits
  MxDepthInRow,      // the same of operands with MX scales
  IntegerDepthInRow, // the same of integers
  IntegerMultiple,   // their D's rows, k and leading dimensions are multiples of the value
  IntegerAlignment,  // their matrices begin at multiples of so many bytes, each of a batch, too
  NarrowAlignment,   // with narrow operands, rows and offsets are multiples of so many bytes
  BlockPair,         // not 128×128 scales on both sides
  BlockMultiple,     // with scales of 128 elements, m and n are multiples of the value
  MxRowMultiple,     // with MX scales, m and n are multiples of the value
  MxDepthMultiple,   // the same of k
  MxPlainEpilogue,   // with MX scales, the default epilogue only
  ScalarBatchOnly,   // batches have scales of whole tensors only
  NarrowResultScale, // D has a scale where it is narrow and A's and B's scales are of whole tensors
  NarrowAmax,        // the same of amax
  AuxMultiple,       // the leading dimension of the activation's input is a multiple of the value
  NarrowGeluAux,     // beside a narrow D, what enters a gelu may have C's type
  InPlaceAlike,      // C at D's place has D's type and layout
  BiasGradientOrder, // sums of op(A) are of an A that isn't transposed, sums of op(B) of a B that
                     // is
};
struct LibraryRuleRow {
  GpuLibrary library;
  unsigned targets;
  LibraryRule rule;
  int64_t value;
  std::string_view source;
};
// Null where the target has no such rule.
const LibraryRuleRow *ruleOf(const GpuTarget &target, LibraryRule rule);

struct LibraryScaleRow {
  GpuLibrary library;
  unsigned targets;
  ScaleMode mode;
  std::string_view name;
  ElementType type;
  std::string_view source;
};
// The row of a mode, also where its targets don't have it.
const LibraryScaleRow &scaleRowOf(GpuLibrary library, ScaleMode mode);

// Enumerators: nothing where the library has none for it on this target.
std::optional<std::string_view> libraryTypeName(const GpuTarget &target, ElementType type);
std::optional<std::string_view> epilogueName(const GpuTarget &target, LibraryEpilogue epilogue);

// Whether what enters an activation, beside D, may be of a type, with operands, C and D of these.
bool takesAux(const GpuTarget &target, const LibraryProduct &product, LibraryEpilogue epilogue,
              ElementType aux, std::optional<ElementType> bias);

// Why calls with operands and a result of these types don't have an epilogue; nothing where they
// may.
std::optional<std::string_view> whyWithoutEpilogue(const GpuTarget &target, ElementType operands,
                                                   ElementType result, LibraryEpilogue epilogue);

// A float of 8 bits or fewer.
bool isNarrow(ElementType type);
// The rule by which an operand of this type must have a contiguous contracting dimension (the
// "TN" format); null where either order will do.
const LibraryRuleRow *depthInRowRule(const GpuTarget &target, ElementType type, bool hasMxScales);

} // namespace drumlin
