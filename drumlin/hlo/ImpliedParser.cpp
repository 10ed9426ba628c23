// Parses texts that are a single instruction, and creates implied instructions, such as the tuple
// element `p#1`: an operand names them, but the text doesn't define them.
#include "drumlin/hlo/ModuleParser.h"
#include "drumlin/hlo/OperandRules.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

namespace drumlin::hlo {

//===-- one instruction -----------------------------------------------------------------------===//

// Whether the text begins with `name = shape opcode(`, `name = opcode(` or `shape opcode(`. Without
// a shape, the opcode must be one of XLA's, since texts in other languages may begin in the same
// way.
bool ModuleParser::beginsBareInstruction() {
  lexer.skipSpace();
  for (std::string_view word : {"HloModule", "ENTRY"}) {
    if (lexer.startsWith(word)) {
      return false;
    }
  }
  bool isNamed = values.atInstruction();
  if (isNamed) {
    if (lexer.atKeyword("ROOT")) {
      lexer.advance(4);
      lexer.skipSpace();
    }
    lexer.take("%");
    if (lexer.takeAtom().empty() || !lexer.take("=")) {
      return false;
    }
    lexer.skipSpace();
  }
  bool hasShape = values.atShape();
  if (!hasShape && !isNamed) {
    return false;
  }
  if (Shape shape; hasShape && !values.parseShape(shape)) {
    return false;
  }
  lexer.skipSpace();
  std::string_view opcode = lexer.takeAtom();
  lexer.skipSpace();
  return !opcode.empty() && lexer.peek() == '(' && (hasShape || checkOpcode(opcode, {}));
}

bool ModuleParser::parseBareInstruction() {
  module.hasHeader = false;
  endPart();
  auto entry = std::make_unique<Computation>();
  entry->name = "_";
  entry->isEntry = entry->isBare = true;
  entry->percent = false;
  Gap before = lexer.skipSpace().gap;
  if (!parseInstruction(*entry) || !names.finish(*entry)) {
    return false;
  }
  endPart();
  entry->root()->blankLines = before.lines;
  entry->root()->indent = static_cast<uint8_t>(std::min<unsigned>(before.spaces, UINT8_MAX));
  nameElements(*entry);
  module.lineBreaksAtEnd = lexer.skipSpace().gap.lines;
  if (!lexer.atEnd()) {
    return lexer.fail("expected the end of the text after one instruction, not " + lexer.seen() +
                      "; put several into a computation, as in `ENTRY main { … }`");
  }
  endPart();
  module.computations.push_back(std::move(entry));
  return names.finish(module);
}

//===-- implied instructions ------------------------------------------------------------------===//

Instruction *ModuleParser::addImplied(std::unique_ptr<Instruction> implied,
                                      Computation &computation, size_t offset) {
  implied->isImplied = true;
  implied->offset = offset;
  if (!names.add(*implied, computation, offset)) {
    return nullptr;
  }
  return computation.instructions.emplace_back(std::move(implied)).get();
}

// Adds a parameter for an operand, with the shape that precedes the operand in the text. As in XLA,
// parameters are numbered from left to right, and a parameter without a name is named by its
// number.
Instruction *ModuleParser::impliedParameter(std::string_view name, const Shape &shape,
                                            Computation &computation, size_t offset) {
  int64_t number = std::count_if(
      computation.instructions.begin(), computation.instructions.end(),
      [](const std::unique_ptr<Instruction> &each) { return each->opcode == "parameter"; });
  auto parameter = std::make_unique<Instruction>();
  parameter->isNameless = name.empty();
  parameter->name = name.empty() ? "_" + std::to_string(number) : std::string(name);
  parameter->shape = shape;
  parameter->opcode = "parameter";
  List<Value> items;
  items.push_back(Value::number(number));
  parameter->literal = Value::list('(', std::move(items));
  return addImplied(std::move(parameter), computation, offset);
}

// Returns the get-tuple-element that a name such as `p#1#0` denotes (element 0 of element 1 of
// `p`), and creates it at its first use. Returns null if the name isn't of this form, and after an
// error.
Instruction *ModuleParser::element(std::string_view name, Computation &computation, size_t offset) {
  if (Instruction *known = names.findInstruction(name)) {
    return known;
  }
  size_t mark = name.rfind('#');
  if (mark == std::string_view::npos) {
    return nullptr;
  }
  std::string_view digits = name.substr(mark + 1);
  int64_t index = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  Instruction *tuple = element(name.substr(0, mark), computation, offset);
  if (!tuple || error != std::errc() || end != digits.data() + digits.size()) {
    return nullptr;
  }
  bool isKnown = tuple->shape.kind != Shape::Kind::Absent;
  if (isKnown && (tuple->shape.kind != Shape::Kind::Tuple || index < 0 ||
                  static_cast<size_t>(index) >= tuple->shape.elements.size())) {
    lexer.fail(errors::SyntaxInvalid,
               "`" + tuple->name + "` of shape `" + tuple->shape.str() + "` has no element " +
                   std::to_string(index),
               offset);
    return nullptr;
  }
  auto taken = std::make_unique<Instruction>();
  taken->name = name;
  taken->opcode = "get-tuple-element";
  if (isKnown) {
    taken->shape = tuple->shape.elements[static_cast<size_t>(index)];
  } else {
    taken->shape.kind = Shape::Kind::Absent;
  }
  taken->operands.emplace_back().instruction = tuple;
  Attribute &attribute = taken->attributes.emplace_back();
  attribute.name = "index";
  attribute.value = Value::number(index);
  ++elementCount;
  return addImplied(std::move(taken), computation, offset);
}

// Parses an operand: `%x`, `f32[] x` or `p#1`. If the text is a single instruction, an operand can
// also be only a shape: `f32[]`.
bool ModuleParser::parseNamedOperand(Instruction &instruction, std::unique_ptr<Shape> shape,
                                     Computation &computation) {
  Operand &operand = instruction.operands.back();
  size_t begin = lexer.offset();
  std::string_view name;
  bool isNameless = computation.isBare && shape && (lexer.peek() == ',' || lexer.peek() == ')');
  if (!isNameless && !takeName(operand.percent, name, "an operand")) {
    return false;
  }
  bool isElement = name.find('#') != std::string_view::npos;
  Instruction *named = isElement ? element(name, computation, begin) : nullptr;
  if (computation.isBare && !named && (isNameless || !names.findInstruction(name))) {
    if (!shape || isElement) {
      return lexer.fail(errors::HloNameUnknown,
                        "`" + std::string(name) +
                            "` has no shape before its name, which a single instruction needs",
                        begin);
    }
    named = impliedParameter(name, *shape, computation, begin);
    if (!named) {
      return false;
    }
  }
  operand.otherShape = std::move(shape);
  names.resolveOperand(instruction, named ? std::string_view(named->name) : name, begin);
  return true;
}

// Replaces the `#` in the names of implied tuple elements, since an instruction's name in HLO text
// can't have a `#`.
void ModuleParser::nameElements(Computation &computation) {
  if (elementCount == 0) {
    return;
  }
  std::unordered_set<std::string> taken;
  for (const std::unique_ptr<Instruction> &each : computation.instructions) {
    taken.insert(each->name);
  }
  for (const std::unique_ptr<Instruction> &each : computation.instructions) {
    if (each->isImplied && each->opcode == "get-tuple-element") {
      std::replace(each->name.begin(), each->name.end(), '#', '_');
      while (!taken.insert(each->name).second) {
        each->name += "_";
      }
    }
  }
}

} // namespace drumlin::hlo
