// The value of an attribute in HLO text: a tree of words, numbers, strings, names, lists and
// shapes. One grammar covers all attributes, so that attributes of later XLA versions can be read
// too. XLA's printers differ in white space, for example after commas and inside braces. Each value
// keeps its white space, so that an unchanged tree prints the text that it was read from.
//
// A shape is one kind of value. It is a tuple of shapes, or an array with the HLO name of its
// element type, dimensions that may be dynamic, and a layout with tiles and a memory space. A
// layout's tiles are again lists of values. All print() functions are in Printer.cpp, since a name
// may be printed as an inline computation.
#pragma once

#include "drumlin/hlo/ElementTypeNames.h"
#include "drumlin/hlo/List.h"
#include "drumlin/hlo/Text.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drumlin::hlo {

struct Shape;
struct Instruction;
struct Computation;

// The white space before a token.
struct Gap {
  uint8_t lines = 0;
  uint16_t spaces = 0; // spaces after the last line break
  bool operator==(const Gap &) const = default;
};

struct Comment {
  std::string text; // without `/*` and `*/`; empty if implied by the list's `indexComments`
  Gap after;
};

// The object that a value refers to: a shape, or the computation or instruction that a name
// denotes. A value owns its shape, but not the computation or instruction. Stored in a single
// pointer, since modules have many values.
class Referent {
public:
  Referent() = default;
  Referent(const Referent &);
  Referent(Referent &&from) noexcept : bits(std::exchange(from.bits, 0)) {}
  Referent &operator=(Referent from) noexcept {
    std::swap(bits, from.bits);
    return *this;
  }
  ~Referent() {
    if (Shape *owned = shape()) {
      destroy(owned);
    }
  }

  void set(std::unique_ptr<Shape> shape) { assign(shape.release(), aShape); }
  // Set the object that the name denotes; null if there is none.
  void set(Computation *computation) { assign(computation, aComputation); }
  void set(Instruction *instruction) { assign(instruction, anInstruction); }

  // Return the object, or null if the value refers to another kind of object.
  Shape *shape() const { return get<Shape>(aShape); }
  Computation *computation() const { return get<Computation>(aComputation); }
  Instruction *instruction() const { return get<Instruction>(anInstruction); }

private:
  // The kind of object. It is stored in the pointer's two low bits, which alignment leaves zero.
  enum Tag : uintptr_t { nothing, aShape, aComputation, anInstruction, tags = 3 };

  void assign(const void *thing, Tag tag) {
    Referent before(std::move(*this));
    bits = thing ? reinterpret_cast<uintptr_t>(thing) | tag : 0;
  }
  template <typename T> T *get(Tag tag) const {
    return (bits & tags) == tag ? reinterpret_cast<T *>(bits - tag) : nullptr;
  }
  static void destroy(Shape *shape);

  uintptr_t bits = 0;
};

struct Value {
  enum class Kind : uint8_t {
    Word,     // `kLoop`, `true`, `b01f_01io`, `1_1x1_1`, `...`; free text in braces
    Number,   // `-1.5e-05`; `text` is the number as written
    String,   // `text` is the text between the quotes, with its escapes
    Name,     // `%add.1`: a computation or an instruction, printed with its current name; an
              // inline computation is printed as its instructions
    Mark,     // `->`, `<=`, `:` between the values of a sequence
    List,     // `{…}`, `(…)`, `[…]`; `bracket` is the opening bracket
    Entry,    // `key=value` or `key:value` in a list; `items` are key and value
    Range,    // `0:2:1`; `items` are the numbers
    Sequence, // values not separated by commas: `[2,2]<=[4]T(1,0)`
    Shape,    // `f32[8,4]{1,0}`
  };

  Value() = default;
  Value(const Value &);
  Value(Value &&) noexcept = default;
  Value &operator=(const Value &);
  Value &operator=(Value &&) noexcept = default;
  ~Value() = default;

  static Value word(std::string_view text);
  static Value number(int64_t value);
  // Creates a string; quotes, backslashes and line breaks are escaped.
  static Value string(std::string_view contents);
  // Creates a list. Items after the first are preceded by a comma and, if `spaced`, a space.
  static Value list(char bracket, List<Value> items, bool spaced = false);
  static Value entry(std::string_view key, Value value);
  static Value shapeOf(const Shape &shape);

  // Turns an empty word into a number whose text is in the arena.
  void setNumber(int64_t value, Arena &arena);

  bool isWord(std::string_view word) const { return kind == Kind::Word && text == word; }
  // Returns the value as an integer; nullopt if it isn't one.
  std::optional<int64_t> integer() const;
  // Returns the integers of a list; nullopt if the list has other items.
  std::optional<std::vector<int64_t>> integers() const;
  // Returns a string's contents without escapes, or a word's text.
  std::string contents() const;
  // Returns the value of a list's entry with this key, or null.
  const Value *find(std::string_view key) const;
  Value *find(std::string_view key);

  // Change a list. The separators between the list's items keep their form.
  void append(Value item);
  void erase(size_t index);

  std::string str() const;
  void print(std::string &out) const;

  Kind kind = Kind::Word;
  char bracket = 0;     // opening bracket of a list, quote of a string, `=` or `:` of an entry
  bool comma = false;   // a comma precedes this item of a list
  bool percent = false; // a name is written with `%`
  bool indexComments = false; // every fifth item of a list has a comment `/*index=5*/`
  bool commaAtEnd = false;    // a comma follows the last item of a list
  Gap before;                 // white space before the value, after its comma
  Gap beforeClose; // white space before a list's closing bracket, or an entry's `=` or `:`
  Text text;
  List<Value> items;
  Referent referent; // for kinds Name and Shape; empty if the module has no object of this name
  // A comment before this item, such as `/*i0=0*/`. Allocated separately, since few values have one
  // and large constants have a value per number.
  std::unique_ptr<Comment> comment;

  Shape *shape() const { return referent.shape(); }
  Computation *computation() const { return referent.computation(); }
  Instruction *instruction() const { return referent.instruction(); }
};
static_assert(sizeof(Value) == 64, "a value should fill one cache line");

struct Dimension {
  int64_t size = 0; // the bound if dynamic; -1 if unbounded (`?`)
  bool dynamic = false;
  bool operator==(const Dimension &) const = default;
};

// A layout property after the dimension order, such as `T(8,128)(2,1)`.
struct LayoutSuffix {
  std::string name;      // `T` tiles, `S` memory space, `E` element bits, `L`, `SC`, `#` …
  List<Value> arguments; // the lists in parentheses after the name
};

struct Layout {
  List<int64_t> minorToMajor; // the fastest dimension first
  List<LayoutSuffix> suffixes;

  const LayoutSuffix *find(std::string_view name) const;
  // Returns the tile sizes, empty if the layout isn't tiled. -1 (`*` in the text) means that the
  // tile combines this dimension with the next.
  std::vector<std::vector<int64_t>> tiles() const;
  void setTiles(const std::vector<std::vector<int64_t>> &tiles);
  int64_t memorySpace() const; // 0 if the layout has none
  void setMemorySpace(int64_t space);
  void print(std::string &out) const;
};

struct Shape {
  enum class Kind : uint8_t {
    Array,  // also `token[]` and `opaque[]`
    Tuple,  // `(f32[], s32[2]{0})`
    Buffer, // `b(f32[4]{0})`; its only element is the shape of its content
    Absent, // the text has no shape for the instruction; XLA infers it
  };

  Kind kind = Kind::Array;
  bool indexComments = false; // every fifth tuple element has a comment `/*index=5*/`
  Text element;               // HLO's name of the element type, even if Drumlin doesn't know it
  List<Dimension> dimensions;
  std::optional<Layout> layout;
  List<Shape> elements;

  std::optional<ElementType> elementType() const { return elementTypeFromHloName(element); }
  // Returns the shape's text. Computations' signatures print shapes without layouts.
  std::string str(bool withLayout = true) const;
  void print(std::string &out, bool withLayout = true) const;
  // Whether all arrays in the shape have an element type, and all layouts list each dimension once.
  bool isWellFormed() const;
  // Whether both shapes print the same text.
  bool printsAs(const Shape &other) const;
};

inline bool isArray(const Shape &shape) { return shape.kind == Shape::Kind::Array; }

} // namespace drumlin::hlo
