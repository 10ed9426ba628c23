// The value of an attribute in HLO text: a tree of words, numbers, strings, names, lists and
// shapes. One grammar covers all attributes, so that those of later versions of XLA are read as
// well. What the printers of XLA vary (a space after a comma, a space inside of a brace) is kept in
// each value, so that a tree that nobody has changed prints the text that it was read from.
//
// A shape is one of these values: element types by their HLO names, dimensions that may be dynamic,
// layouts with tiles and a memory space, tuples. A layout's tiles are in turn lists of values.
// Printer.cpp has the print() of all of them, as names print what they stand for.
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
  uint16_t spaces = 0; // after the last line break
  bool operator==(const Gap &) const = default;
};

struct Comment {
  std::string text; // without the marks; empty where its list's `indexComments` says it
  Gap after;
};

// What a value is about: a shape, which it owns, or what a name stands for, which it doesn't. One
// pointer, since values are many.
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
  // Of null, nothing.
  void set(Computation *computation) { assign(computation, aComputation); }
  void set(Instruction *instruction) { assign(instruction, anInstruction); }

  // Null where it is something else.
  Shape *shape() const { return get<Shape>(aShape); }
  Computation *computation() const { return get<Computation>(aComputation); }
  Instruction *instruction() const { return get<Instruction>(anInstruction); }

private:
  // In the low bits, which pointers leave free.
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
    Word,     // `kLoop`, `true`, `b01f_01io`, `1_1x1_1`, `...`; braces around what is no list
    Number,   // `-1.5e-05`; `text` is its spelling
    String,   // `text` is its spelling between the quotes
    Name,     // `%add.1`: of a computation or an instruction; printed with its present name, or
              // with its instructions where the computation is an inline one
    Mark,     // `->`, `<=`, `:` between the values of a sequence
    List,     // `{…}`, `(…)`, `[…]`; `bracket` is its opening one
    Entry,    // `key=value` or `key:value` in a list: two items
    Range,    // `0:2:1`: its items
    Sequence, // values that no comma separates: `[2,2]<=[4]T(1,0)`
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
  // Quotes, backslashes and line breaks get escaped.
  static Value string(std::string_view contents);
  // Items after the first are preceded by a comma and, if asked for, a space.
  static Value list(char bracket, List<Value> items, bool spaced = false);
  static Value entry(std::string_view key, Value value);
  static Value shapeOf(const Shape &shape);

  // Makes a number of an empty word; its text lies in the arena.
  void setNumber(int64_t value, Arena &arena);

  bool isWord(std::string_view word) const { return kind == Kind::Word && text == word; }
  // Nothing where the value is no such number.
  std::optional<int64_t> integer() const;
  // The integers of a list; nothing where it holds anything else.
  std::optional<std::vector<int64_t>> integers() const;
  // A string's contents without escapes; a word's text.
  std::string contents() const;
  // The value of a list's entry with this key; null where there is none.
  const Value *find(std::string_view key) const;
  Value *find(std::string_view key);

  // Changes a list, whose items stay separated as they were.
  void append(Value item);
  void erase(size_t index);

  std::string str() const;
  void print(std::string &out) const;

  Kind kind = Kind::Word;
  char bracket = 0;           // of a list; of a string its quote; of an entry `=` or `:`
  bool comma = false;         // one stands before this item of a list
  bool percent = false;       // a name is written with its `%`
  bool indexComments = false; // a list numbers each fifth item: `/*index=5*/`
  bool commaAtEnd = false;    // after the last item of a list
  Gap before;                 // after the comma
  Gap beforeClose;            // of a list; of an entry, before its `=` or `:`
  Text text;
  List<Value> items;
  Referent referent; // of kind Name or Shape; a name of nothing in this module has none
  // Before this item: `/*i0=0*/`. Large constants have a value for each number, so that what few
  // values have is kept apart.
  std::unique_ptr<Comment> comment;

  Shape *shape() const { return referent.shape(); }
  Computation *computation() const { return referent.computation(); }
  Instruction *instruction() const { return referent.instruction(); }
};
static_assert(sizeof(Value) == 64, "as many bytes as a line of a cache");

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

inline bool isArray(const Shape &shape) { return shape.kind == Shape::Kind::Array; }

} // namespace drumlin::hlo
