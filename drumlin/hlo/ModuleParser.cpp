#include "drumlin/hlo/ModuleParser.h"

#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>
#include <utility>

namespace drumlin::hlo {

// Returns the number of blank lines between two parts of the text. The line break that ends the
// first part doesn't count.
static uint8_t blankLines(const Gap &gap) { return gap.lines > 0 ? gap.lines - 1 : 0; }

static uint8_t indentOf(const Gap &gap) {
  return static_cast<uint8_t>(std::min<unsigned>(gap.spaces, UINT8_MAX));
}

bool ModuleParser::takeName(bool &percent, std::string_view &name, std::string_view what) {
  percent = lexer.peek() == '%';
  if (percent) {
    lexer.advance();
  }
  name = lexer.takeAtom();
  return !name.empty() ||
         lexer.fail("expected the name of " + std::string(what) + ", not " + lexer.seen());
}

bool ModuleParser::takeName(bool &percent, std::string &name, std::string_view what) {
  std::string_view view;
  bool found = takeName(percent, view, what);
  name = view;
  return found;
}

// Parses a computation's name, which is missing in the texts that XLA fingerprints.
bool ModuleParser::takeComputationName(Computation &computation) {
  computation.percent = lexer.peek() == '%';
  char next = lexer.peek(computation.percent);
  if (next != '(' && next != '{') {
    return takeName(computation.percent, computation.name, "a computation");
  }
  lexer.advance(computation.percent);
  return true;
}

// Whether a frame table such as `FileNames` begins here, with a word that is alone on its line.
bool ModuleParser::atFrameTable() {
  size_t begin = lexer.offset();
  bool named = !lexer.takeAtom().empty();
  Gap gap = lexer.skipSpace().gap;
  bool found = named && gap.lines != 0 && lexer.peek() != '{';
  lexer.setOffset(begin);
  return found;
}

bool ModuleParser::parseFrameTable(FrameTable &table) {
  table.name = lexer.takeAtom();
  for (;;) {
    size_t end = lexer.offset();
    Gap gap = lexer.skipSpace().gap;
    if (gap.lines != 1 || lexer.peek() < '0' || lexer.peek() > '9') {
      lexer.setOffset(end);
      return true;
    }
    FrameTable::Row &row = table.rows.emplace_back();
    if (!lexer.takeInteger(row.id) || !values.parseAttributeValue(row.value, NameKind::Any)) {
      return false;
    }
  }
}

bool ModuleParser::parseHeader() {
  size_t begin = lexer.offset();
  module.before = lexer.skipSpace().gap;
  module.hasHeader = lexer.startsWith("HloModule");
  if (!module.hasHeader) {
    lexer.setOffset(begin);
    return true;
  }
  lexer.take("HloModule");
  lexer.skipSpace();
  module.percent = lexer.take("%");
  module.name = lexer.takeAtom();
  if (!module.name.empty()) {
    module.colon = lexer.take(":");
  } else if (lexer.peek() != ',') {
    return lexer.fail("expected the name of the module, not " + lexer.seen());
  }
  return values.parseAttributes(module.attributes);
}

bool ModuleParser::parseModule() {
  if (!parseHeader()) {
    return false;
  }
  endPart();
  Gap gap;
  bool hasEntry = false;
  for (;;) {
    gap = lexer.skipSpace().gap;
    if (lexer.atEnd()) {
      break;
    }
    bool first = !module.hasHeader && module.frameTables.empty() && module.computations.empty();
    uint8_t blank = first ? gap.lines : blankLines(gap);
    if (module.computations.empty() && atFrameTable()) {
      FrameTable &table = module.frameTables.emplace_back();
      table.blankLines = blank;
      if (!parseFrameTable(table)) {
        return false;
      }
      endPart();
      continue;
    }
    auto computation = std::make_unique<Computation>();
    computation->blankLines = blank;
    computation->indent = indentOf(gap);
    size_t begin = lexer.offset();
    if (!parseComputation(*computation)) {
      return false;
    }
    if (computation->isEntry && std::exchange(hasEntry, true)) {
      return lexer.fail(errors::SyntaxInvalid, "a second `ENTRY` in a module", begin);
    }
    endPart();
    module.computations.push_back(std::move(computation));
  }
  endPart();
  module.lineBreaksAtEnd = gap.lines;
  if (module.computations.empty()) {
    return lexer.fail("expected a computation, not " + lexer.seen());
  }
  return names.finish(module);
}

// Whether two shapes print the same text if layouts are left out, as in signatures.
static bool samePrintWithoutLayout(const Shape &a, const Shape &b) {
  return a.str() == b.str(/*withLayout=*/false);
}

bool ModuleParser::parseSignature(Computation &computation, Shape &result) {
  computation.hasSignature = true;
  if (!lexer.take(")")) {
    do {
      Space space = lexer.skipSpace();
      computation.signatureComments |= space.comment.starts_with("index=");
      SignatureParameter &parameter = computation.signature.emplace_back();
      bool percent = false;
      parameter.otherShape = std::make_unique<Shape>();
      if (!takeName(percent, parameter.name, "a parameter")) {
        return false;
      }
      computation.signatureColons = lexer.take(":");
      lexer.skipSpace();
      if (!values.parseShape(*parameter.otherShape)) {
        return false;
      }
    } while (lexer.take(","));
    if (!lexer.expect(")", "after the parameters of a computation")) {
      return false;
    }
  }
  if (!lexer.expect("->", "after the parameters of a computation")) {
    return false;
  }
  lexer.skipSpace();
  return values.parseShape(result);
}

// Links a signature's parameters to their instructions. Shapes that only repeat an instruction's
// shape are dropped, so that the printed signature follows changes of the instruction.
void ModuleParser::linkSignature(Computation &computation, Shape &result) {
  for (SignatureParameter &parameter : computation.signature) {
    int64_t number = &parameter - computation.signature.data();
    Instruction *instruction = names.findInstruction(parameter.name);
    if (instruction && instruction->parameterNumber() == number) {
      parameter.parameter = instruction;
      if (samePrintWithoutLayout(*parameter.otherShape, instruction->shape)) {
        parameter.otherShape.reset();
      }
    }
  }
  if (!samePrintWithoutLayout(result, computation.root()->shape)) {
    computation.otherResult = std::make_unique<Shape>(std::move(result));
  }
}

bool ModuleParser::parseComputation(Computation &computation) {
  if (lexer.atKeyword("ENTRY")) {
    computation.isEntry = true;
    lexer.advance(5);
    lexer.skipSpace();
  }
  size_t begin = lexer.offset();
  if (!takeComputationName(computation)) {
    return false;
  }
  Shape result;
  if (lexer.take("(") && !parseSignature(computation, result)) {
    return false;
  }
  return parseBody(computation, &result) && names.add(computation, begin) &&
         values.parseAttributes(computation.attributes);
}

// Parses the instructions in braces. `result`: the signature's result shape, used if the
// computation has a signature.
bool ModuleParser::parseBody(Computation &computation, Shape *result) {
  lexer.skipSpace();
  size_t begin = lexer.offset();
  if (!lexer.expect("{", "before a computation's instructions")) {
    return false;
  }
  endPart();
  NameResolver::Scope outer = std::exchange(names.scope, {});
  for (;;) {
    Gap gap = lexer.skipSpace().gap;
    if (lexer.peek() == '}') {
      if (computation.isInline) {
        computation.indent = indentOf(gap);
      }
      break;
    }
    if (lexer.atEnd()) {
      return lexer.fail(errors::SyntaxInvalid, "a computation that is not closed", begin);
    }
    if (!parseInstruction(computation)) {
      return false;
    }
    endPart();
    Instruction &instruction = *computation.instructions.back();
    instruction.blankLines = blankLines(gap);
    instruction.indent = indentOf(gap);
  }
  if (computation.instructions.empty()) {
    return lexer.fail("expected an instruction, not " + lexer.seen());
  }
  lexer.advance();
  if (!names.finish(computation)) {
    return false;
  }
  if (computation.hasSignature) {
    linkSignature(computation, *result);
  }
  names.scope = std::move(outer);
  nameElements(computation);
  return true;
}

Computation *ModuleParser::parseInlineComputation() {
  if (!values.enter()) {
    return nullptr;
  }
  auto computation = std::make_unique<Computation>();
  computation->isInline = true;
  ++inlineDepth;
  if (!parseBody(*computation, nullptr)) {
    return nullptr;
  }
  --inlineDepth;
  values.leave();
  return module.computations.emplace_back(std::move(computation)).get();
}

// Parses an operand: `%x`, `f32[] %x`, or an inline instruction.
bool ModuleParser::parseOperand(Instruction &instruction, Computation &computation) {
  Operand &operand = instruction.operands.emplace_back();
  std::unique_ptr<Shape> shape;
  operand.withShape = values.atShape();
  if (operand.withShape) {
    shape = std::make_unique<Shape>();
    if (!values.parseShape(*shape)) {
      return false;
    }
    lexer.skipSpace();
  }
  size_t begin = lexer.offset();
  std::string_view name = lexer.peek() == '%' ? std::string_view() : lexer.takeAtom();
  if (name.empty() || lexer.peek() != '(') {
    lexer.setOffset(begin);
    return parseNamedOperand(instruction, std::move(shape), computation);
  }
  operand.percent = false;
  auto written = std::make_unique<Instruction>();
  written->isInline = true;
  written->opcode = name;
  if (shape) {
    written->shape = std::move(*shape);
  } else {
    written->shape.kind = Shape::Kind::Absent;
  }
  operand.withShape = false;
  operand.instruction = written.get();
  if (!values.enter() || !parseOperands(*written, computation)) {
    return false;
  }
  values.leave();
  computation.instructions.push_back(std::move(written));
  return true;
}

bool ModuleParser::parseOperands(Instruction &instruction, Computation &computation) {
  if (instruction.opcode == "constant" || instruction.opcode == "parameter") {
    return values.parseList(instruction.literal.emplace());
  }
  lexer.advance();
  if (lexer.take(")")) {
    return true;
  }
  do {
    Space space = lexer.skipSpace();
    instruction.indexComments |= space.comment.starts_with("index=");
    if (!parseOperand(instruction, computation)) {
      return false;
    }
  } while (lexer.take(","));
  return lexer.expect(")", "after an instruction's operands");
}

bool ModuleParser::parseInstruction(Computation &computation) {
  auto owner = std::make_unique<Instruction>();
  Instruction &instruction = *owner;
  size_t begin = lexer.offset();
  if (lexer.atKeyword("ROOT")) {
    if (names.scope.hasRoot) {
      return lexer.fail("a second `ROOT` in computation `" + computation.name + "`");
    }
    names.scope.hasRoot = instruction.isRoot = true;
    lexer.advance(4);
    lexer.skipSpace();
    begin = lexer.offset();
  }
  instruction.offset = begin;
  instruction.isNameless = computation.isBare && !values.atInstruction();
  if (instruction.isNameless) {
    instruction.name = computation.name;
  } else if (!takeName(instruction.percent, instruction.name, "an instruction") ||
             !lexer.expect("=", "after an instruction's name")) {
    return false;
  }
  lexer.skipSpace();
  if (!values.atShape()) {
    instruction.shape.kind = Shape::Kind::Absent;
  } else if (!values.parseShape(instruction.shape)) {
    return false;
  }
  lexer.skipSpace();
  instruction.opcode = lexer.takeAtom();
  lexer.skipSpace();
  if (instruction.opcode.empty() || lexer.peek() != '(') {
    return lexer.fail("expected an opcode and its operands in parentheses, not " + lexer.seen());
  }
  names.scope.user = &instruction;
  if (!parseOperands(instruction, computation) || !values.parseAttributes(instruction.attributes) ||
      !names.add(instruction, computation, begin)) {
    return false;
  }
  computation.instructions.push_back(std::move(owner));
  return true;
}

} // namespace drumlin::hlo
