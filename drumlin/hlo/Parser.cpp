#include "drumlin/hlo/Parser.h"

#include "drumlin/hlo/ValueParser.h"

#include <algorithm>

namespace drumlin::hlo {

namespace {

class ModuleParser {
public:
  ModuleParser(std::string_view text, std::string_view fileName, const ParseOptions &options)
      : lexer(text, fileName), values(lexer, names, options.maxNesting) {}

  bool parseModule(Module &module);
  const Diagnostic &error() const { return lexer.error(); }

private:
  bool parseFrameTable(FrameTable &table);
  bool parseComputation(Computation &computation);
  bool parseSignature(Computation &computation, Shape &result);
  void linkSignature(Computation &computation, Shape &result);
  bool parseInstruction(Computation &computation);
  bool parseOperands(Instruction &instruction);
  bool parseOperand(Operand &operand);
  bool takeName(bool &percent, std::string &name, std::string_view what);
  bool atFrameTable();

  Lexer lexer;
  Names names;
  ValueParser values;
};

} // namespace

// Lines between two parts, the break after the first part left out.
static uint8_t blankLines(const Gap &gap) { return gap.lines > 0 ? gap.lines - 1 : 0; }

bool ModuleParser::takeName(bool &percent, std::string &name, std::string_view what) {
  percent = lexer.peek() == '%';
  if (percent) {
    lexer.advance();
  }
  name = lexer.takeAtom();
  return !name.empty() ||
         lexer.fail("expected the name of " + std::string(what) + ", not " + lexer.seen());
}

// `FileNames` and its like stand alone in their lines.
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

bool ModuleParser::parseModule(Module &module) {
  size_t begin = lexer.offset();
  Gap gap = lexer.skipSpace().gap;
  module.hasHeader = lexer.startsWith("HloModule");
  if (module.hasHeader) {
    lexer.take("HloModule");
    lexer.skipSpace();
    module.name = lexer.takeAtom();
    if (module.name.empty()) {
      return lexer.fail("expected the name of the module, not " + lexer.seen());
    }
    if (!values.parseAttributes(module.attributes)) {
      return false;
    }
  } else {
    lexer.setOffset(begin);
  }
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
      continue;
    }
    Computation &computation = *module.computations.emplace_back(std::make_unique<Computation>());
    computation.blankLines = blank;
    computation.indent = static_cast<uint8_t>(std::min<unsigned>(gap.spaces, UINT8_MAX));
    if (!parseComputation(computation)) {
      return false;
    }
  }
  module.lineBreaksAtEnd = gap.lines;
  return !module.computations.empty() || lexer.fail("expected a computation, not " + lexer.seen());
}

static std::string text(const std::optional<Layout> &layout) {
  std::string out;
  if (layout) {
    layout->print(out);
  }
  return out;
}

// Whether two shapes print the same text.
static bool samePrint(const Shape &a, const Shape &b) {
  return a.kind == b.kind && a.indexComments == b.indexComments && a.element == b.element &&
         a.dimensions == b.dimensions && a.layout.has_value() == b.layout.has_value() &&
         (!a.layout || (a.layout->minorToMajor == b.layout->minorToMajor &&
                        ((a.layout->suffixes.empty() && b.layout->suffixes.empty()) ||
                         text(a.layout) == text(b.layout)))) &&
         std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                    samePrint);
}

// Whether a signature's shape is what an instruction's prints without layouts.
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
      if (!takeName(percent, parameter.name, "a parameter") ||
          !lexer.expect(":", "after a parameter's name")) {
        return false;
      }
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

// What a signature repeats from the instructions is not kept, so that it follows their changes.
void ModuleParser::linkSignature(Computation &computation, Shape &result) {
  for (SignatureParameter &parameter : computation.signature) {
    int64_t number = &parameter - computation.signature.data();
    Instruction *instruction = values.findInstruction(parameter.name);
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
  if (lexer.startsWith("ENTRY") && (lexer.peek(5) == ' ' || lexer.peek(5) == '%')) {
    computation.isEntry = true;
    lexer.advance(5);
    lexer.skipSpace();
  }
  size_t begin = lexer.offset();
  if (!takeName(computation.percent, computation.name, "a computation")) {
    return false;
  }
  Shape result;
  if (lexer.take("(") && !parseSignature(computation, result)) {
    return false;
  }
  if (!lexer.expect("{", "before a computation's instructions")) {
    return false;
  }
  names.instructions.clear();
  for (;;) {
    Gap gap = lexer.skipSpace().gap;
    if (lexer.peek() == '}') {
      break;
    }
    if (lexer.atEnd()) {
      return lexer.fail(DiagnosticCode::SyntaxInvalid,
                        "computation `" + computation.name + "` that is not closed", begin);
    }
    if (!parseInstruction(computation)) {
      return false;
    }
    Instruction &instruction = *computation.instructions.back();
    instruction.blankLines = blankLines(gap);
    instruction.indent = static_cast<uint8_t>(std::min<unsigned>(gap.spaces, UINT8_MAX));
  }
  if (computation.instructions.empty()) {
    return lexer.fail("expected an instruction, not " + lexer.seen());
  }
  lexer.advance();
  if (computation.hasSignature) {
    linkSignature(computation, result);
  }
  if (!names.computations.emplace(computation.name, &computation).second) {
    return lexer.fail(DiagnosticCode::HloNameTaken,
                      "a second computation `" + computation.name + "`", begin);
  }
  return values.parseAttributes(computation.attributes);
}

bool ModuleParser::parseOperand(Operand &operand) {
  std::unique_ptr<Shape> shape;
  if (values.atShape()) {
    shape = std::make_unique<Shape>();
    if (!values.parseShape(*shape)) {
      return false;
    }
    lexer.skipSpace();
  }
  size_t begin = lexer.offset();
  std::string name;
  if (!takeName(operand.percent, name, "an operand")) {
    return false;
  }
  operand.instruction = values.findInstruction(name);
  if (!operand.instruction) {
    return lexer.fail(DiagnosticCode::HloNameUnknown,
                      "no instruction `" + name + "` stands before this one in its computation",
                      begin);
  }
  operand.withShape = shape != nullptr;
  if (shape && !samePrint(*shape, operand.instruction->shape)) {
    operand.otherShape = std::move(shape);
  }
  return true;
}

bool ModuleParser::parseOperands(Instruction &instruction) {
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
    if (!parseOperand(instruction.operands.emplace_back())) {
      return false;
    }
  } while (lexer.take(","));
  return lexer.expect(")", "after an instruction's operands");
}

bool ModuleParser::parseInstruction(Computation &computation) {
  Instruction &instruction =
      *computation.instructions.emplace_back(std::make_unique<Instruction>());
  size_t begin = lexer.offset();
  if (lexer.startsWith("ROOT") && (lexer.peek(4) == ' ' || lexer.peek(4) == '%')) {
    // Asked before this one is marked: the last instruction is the root while none is marked.
    if (computation.root()->isRoot) {
      return lexer.fail("a second `ROOT` in computation `" + computation.name + "`");
    }
    instruction.isRoot = true;
    lexer.advance(4);
    lexer.skipSpace();
    begin = lexer.offset();
  }
  instruction.offset = begin;
  if (!takeName(instruction.percent, instruction.name, "an instruction") ||
      !lexer.expect("=", "after an instruction's name")) {
    return false;
  }
  lexer.skipSpace();
  if (!values.parseShape(instruction.shape)) {
    return false;
  }
  lexer.skipSpace();
  instruction.opcode = lexer.takeAtom();
  if (instruction.opcode.empty() || lexer.peek() != '(') {
    return lexer.fail("expected an opcode and its operands in parentheses, not " + lexer.seen());
  }
  if (!parseOperands(instruction) || !values.parseAttributes(instruction.attributes)) {
    return false;
  }
  // Only now: neither operands nor attributes of an instruction may name it.
  if (!names.instructions.emplace(instruction.name, &instruction).second) {
    return lexer.fail(DiagnosticCode::HloNameTaken,
                      "a second instruction `" + instruction.name + "` in computation `" +
                          computation.name + "`",
                      begin);
  }
  return true;
}

Result<Module> parse(std::string_view text, std::string_view fileName,
                     const ParseOptions &options) {
  Module module;
  ModuleParser parser(text, fileName, options);
  if (!parser.parseModule(module)) {
    return parser.error();
  }
  return module;
}

} // namespace drumlin::hlo
