// An HLO module, as XLA prints it. A module owns its computations, and a computation owns its
// instructions. Operands, calls and names in attributes are pointers, so that assigning to `name`
// renames an instruction or a computation. `Editor` adds and removes instructions and computations,
// and refuses changes that would leave a module without a valid text. Pointers stay valid when a
// module is moved. Printed signatures and operands take their shapes from the instructions;
// attributes that repeat a shape, such as `entry_computation_layout`, don't.
#pragma once

#include "drumlin/hlo/Value.h"

#include <new>

namespace drumlin::hlo {

struct Attribute {
  Text name;
  Value value;
};

// The original text of a part of a module. It is kept only if the printer's text differs, for
// example because of comments or unusual white space. The part is printed with its original text
// until it changes.
struct Spelling {
  std::string printed; // the printer's text of the part when it was read
  std::string read;    // the original text, from the end of the previous part on
};

const Value *findAttribute(const List<Attribute> &attributes, std::string_view name);
Value *findAttribute(List<Attribute> &attributes, std::string_view name);
// Removes an attribute. Returns whether the list had it.
bool removeAttribute(List<Attribute> &attributes, std::string_view name);

struct Operand {
  // The operand, not owned. An operand is in the same computation as its user and never depends on
  // the user, but may come after the user in the list of instructions.
  Instruction *instruction = nullptr;
  bool percent = true;
  bool withShape = false;            // older texts print each operand's shape
  std::unique_ptr<Shape> otherShape; // the printed shape; null if it is the instruction's shape
};

struct Instruction {
  std::string name; // without `%`; empty for an inline instruction
  Shape shape;
  std::string opcode;
  List<Operand> operands;
  // The value in the parentheses of a constant or a parameter, which have no operands: the elements
  // of the constant, or the number of the parameter.
  std::optional<Value> literal;
  List<Attribute> attributes; // in order
  bool isRoot = false;        // marked `ROOT`
  bool isInline = false;      // written as an operand of its only user: no name, no attributes
  // Whether the text uses this instruction as an operand without defining it. The operand `p#1`
  // implies a tuple element. If the text is a single instruction, its operands imply parameters.
  bool isImplied = false;
  bool isNameless = false; // has no name in a text that is a single instruction
  bool percent = true;
  bool indexComments = false; // every fifth operand has a comment `/*index=5*/`
  bool shapeInferred = false; // the text has no shape; inferShapes() set it
  uint8_t indent = 2;
  uint8_t blankLines = 0; // blank lines before the instruction
  size_t offset = 0;      // byte offset of the name in the text that was read
  std::unique_ptr<Spelling> spelling;

  // Whether an arena owns the instruction's memory. A copy of an instruction doesn't inherit this
  // property.
  class Memory {
  public:
    Memory() = default;
    Memory(const Memory &) {}
    Memory &operator=(const Memory &) { return *this; }

  private:
    friend Instruction;
    bool isBorrowed = false; // from an arena
  } memory;

  // Allocates arena memory for `count` instructions, which makeAt() constructs one at a time. They
  // are owned by unique_ptr like other instructions.
  static Instruction *allocate(size_t count, Arena &arena) {
    return arena.allocate<Instruction>(count);
  }
  static std::unique_ptr<Instruction> makeAt(Instruction *place) {
    std::unique_ptr<Instruction> made(::new (place) Instruction);
    made->memory.isBorrowed = true;
    return made;
  }
  void operator delete(Instruction *instruction, std::destroying_delete_t) {
    bool isBorrowed = instruction->memory.isBorrowed;
    instruction->~Instruction();
    if (!isBorrowed) {
      ::operator delete(instruction);
    }
  }

  const Value *find(std::string_view attribute) const {
    return findAttribute(attributes, attribute);
  }
  Value *find(std::string_view attribute) { return findAttribute(attributes, attribute); }
  bool remove(std::string_view attribute) { return removeAttribute(attributes, attribute); }
  // Returns the attribute `metadata`, or null.
  const Value *metadata() const { return find("metadata"); }
  // Returns the computations that the instruction's attributes name, in order.
  std::vector<Computation *> calledComputations() const;
  // Returns a parameter's number; nullopt for other instructions.
  std::optional<int64_t> parameterNumber() const;
};

// A parameter in a computation's signature: `name: shape`.
struct SignatureParameter {
  Instruction *parameter = nullptr;  // gives the printed name; may be null
  std::string name;                  // the printed name if `parameter` is null
  std::unique_ptr<Shape> otherShape; // printed instead of the parameter's shape; has no layout
};

struct Computation {
  std::string name; // without `%`; empty for inline computations and in texts for fingerprints
  std::vector<std::unique_ptr<Instruction>> instructions;
  List<Attribute> attributes; // after the closing brace: `execution_thread="host"`
  bool isEntry = false;
  bool isInline = false; // written in its caller's attribute; listed before its caller
  bool isBare = false;   // read from a text that is only the root instruction
  bool percent = true;
  bool hasSignature = false;
  bool signatureColons = true;    // a `:` follows each parameter's name in the signature
  bool signatureComments = false; // every fifth parameter has a comment `/*index=5*/`
  std::vector<SignatureParameter> signature;
  std::unique_ptr<Shape> otherResult; // printed instead of the root's shape; has no layout
  uint8_t indent = 0;
  uint8_t blankLines = 1; // blank lines before the computation
  // The original texts up to the opening brace, and from the closing brace on.
  std::unique_ptr<Spelling> openSpelling, closeSpelling;

  // Returns the instruction marked `ROOT`, else the last one, as in XLA; null if empty.
  Instruction *root() const;
  // Whether the computation is printed as its root alone: all other instructions are implied or
  // inline.
  bool printsBare() const;
  // Returns the instruction with this name, or null.
  Instruction *find(std::string_view instruction) const;
};

// One of the tables that describe stack frames, such as `FileNames`.
struct FrameTable {
  struct Row {
    int64_t id = 0;
    Value value; // a string, or a record of numbers
  };
  std::string name;
  std::vector<Row> rows;
  uint8_t blankLines = 1; // blank lines before the table
  std::unique_ptr<Spelling> spelling;
};

struct Module {
  Module() = default;
  Module(Module &&) = default;
  // Destroys this module's current content before its arena, which holds the content's memory.
  Module &operator=(Module &&from) noexcept {
    if (this != &from) {
      std::destroy_at(this);
      new (this) Module(std::move(from));
    }
    return *this;
  }

  // The memory of the objects that the readers create.
  std::unique_ptr<Arena> arena = std::make_unique<Arena>();
  std::string name;           // empty in texts for fingerprints
  Gap before;                 // white space before the header
  bool percent = false;       // a `%` precedes the name
  bool colon = false;         // a `:` follows the name, in older texts
  bool hasHeader = true;      // false if the text begins with a computation
  List<Attribute> attributes; // the header's attributes, in order
  std::vector<FrameTable> frameTables;
  std::vector<std::unique_ptr<Computation>> computations;
  uint8_t lineBreaksAtEnd = 1;
  std::unique_ptr<Spelling> headSpelling, endSpelling;

  // Returns the computation marked `ENTRY`, else the last one; null if there is none.
  Computation *entry() const;
  Computation *find(std::string_view computation) const;
};

} // namespace drumlin::hlo
