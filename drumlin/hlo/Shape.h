// Shapes as HLO text writes them: element types by their HLO names, dimensions that may be dynamic,
// layouts with tiles and a memory space, tuples.
#pragma once

#include "drumlin/hlo/Value.h"
#include "drumlin/support/ElementType.h"

namespace drumlin::hlo {

// HLO's names for element types: `pred`, `s32`, `f8e4m3fn`, `c64`. Nothing for `token`, `opaque`
// and types that Drumlin doesn't have.
std::optional<ElementType> elementTypeFromHloName(std::string_view name);
std::string_view hloName(ElementType type);
// Whether a word before a bracket begins a shape; also for types that Drumlin doesn't have.
bool isElementTypeWord(std::string_view word);

struct Dimension {
  int64_t size = 0; // the bound of a dynamic one, -1 where it has none (`?`)
  bool dynamic = false;
  bool operator==(const Dimension &) const = default;
};

// `T(8,128)(2,1)`: what a layout says after its order.
struct LayoutSuffix {
  std::string name;      // `T` tiles, `S` memory space, `E` element bits, `L`, `SC`, `#` …
  List<Value> arguments; // its lists in parentheses
};

struct Layout {
  List<int64_t> minorToMajor; // the fastest dimension first
  List<LayoutSuffix> suffixes;

  const LayoutSuffix *find(std::string_view name) const;
  // Empty where there are none; a dimension that a tile joins with the next (`*`) is -1.
  std::vector<std::vector<int64_t>> tiles() const;
  void setTiles(const std::vector<std::vector<int64_t>> &tiles);
  int64_t memorySpace() const; // 0 where none is named
  void setMemorySpace(int64_t space);
  void print(std::string &out) const;
};

struct Shape {
  enum class Kind : uint8_t {
    Array,  // also `token[]` and `opaque[]`
    Tuple,  // `(f32[], s32[2]{0})`
    Buffer, // `b(f32[4]{0})`; its one element is what the buffer holds
    Absent, // an instruction's that the text leaves out, for XLA to infer
  };

  Kind kind = Kind::Array;
  bool indexComments = false; // a tuple numbers each fifth element: `/*index=5*/`
  Text element;               // HLO's name of the element type, also where Drumlin has none
  List<Dimension> dimensions;
  std::optional<Layout> layout;
  List<Shape> elements;

  std::optional<ElementType> elementType() const { return elementTypeFromHloName(element); }
  // Without layouts, as computations' signatures print shapes.
  std::string str(bool withLayout = true) const;
  void print(std::string &out, bool withLayout = true) const;
  // Whether all of its arrays have an element type, and layouts all dimensions.
  bool isWellFormed() const;
  // Whether both print the same text.
  bool printsAs(const Shape &other) const;
};

} // namespace drumlin::hlo
