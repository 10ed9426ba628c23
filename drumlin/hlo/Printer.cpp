#include "drumlin/hlo/Printer.h"

#include <vector>

namespace drumlin::hlo {

//===-- values and shapes ---------------------------------------------------------------------===//

static void print(const Gap &gap, std::string &out) {
  out.append(gap.lines, '\n');
  out.append(gap.spaces, ' ');
}

static char closing(char bracket) { return bracket == '{' ? '}' : bracket == '(' ? ')' : ']'; }

static void printItem(const Value &item, std::string &out) {
  print(item.before, out);
  if (item.comment && !item.comment->text.empty()) {
    out.append("/*").append(item.comment->text).append("*/");
    print(item.comment->after, out);
  }
  item.print(out);
}

void Value::print(std::string &out) const {
  switch (kind) {
  case Kind::Word:
  case Kind::Number:
  case Kind::Mark:
    out += text;
    return;
  case Kind::String:
    out += bracket;
    out += text;
    out += bracket;
    return;
  case Kind::Name:
    if (computation() && computation()->isInline) {
      printBody(*computation(), out);
      return;
    }
    if (percent) {
      out += '%';
    }
    out += computation()   ? std::string_view(computation()->name)
           : instruction() ? std::string_view(instruction()->name)
                           : text.view();
    return;
  case Kind::List:
    out += bracket;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != 0 && items[i].comma) {
        out += ',';
      }
      if (indexComments && i != 0 && i % 5 == 0) {
        hlo::print(items[i].before, out);
        out.append("/*index=").append(std::to_string(i)).append("*/");
        if (items[i].comment) {
          hlo::print(items[i].comment->after, out);
        }
        items[i].print(out);
      } else {
        printItem(items[i], out);
      }
    }
    if (commaAtEnd) {
      out += ',';
    }
    hlo::print(beforeClose, out);
    out += closing(bracket);
    return;
  case Kind::Entry:
  case Kind::Range:
  case Kind::Sequence:
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != 0 && kind != Kind::Sequence) {
        hlo::print(beforeClose, out);
        out += kind == Kind::Entry ? bracket : ':';
      }
      if (i != 0) {
        hlo::print(items[i].before, out);
      }
      items[i].print(out);
    }
    return;
  case Kind::Shape:
    shape()->print(out);
    return;
  }
}

void Layout::print(std::string &out) const {
  out += '{';
  for (size_t i = 0; i < minorToMajor.size(); ++i) {
    if (i != 0) {
      out += ',';
    }
    out += std::to_string(minorToMajor[i]);
  }
  if (!suffixes.empty()) {
    out += ':';
  }
  for (const LayoutSuffix &suffix : suffixes) {
    out += suffix.name;
    for (const Value &argument : suffix.arguments) {
      argument.print(out);
    }
  }
  out += '}';
}

void Shape::print(std::string &out, bool withLayout) const {
  if (kind == Kind::Absent) {
    return;
  }
  if (kind != Kind::Array) {
    out += kind == Kind::Buffer ? "b(" : "(";
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i != 0) {
        out += ", ";
      }
      if (indexComments && i != 0 && i % 5 == 0) {
        out.append("/*index=").append(std::to_string(i)).append("*/");
      }
      elements[i].print(out, withLayout);
    }
    out += ')';
    return;
  }
  out += element;
  out += '[';
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (i != 0) {
      out += ',';
    }
    if (dimensions[i].dynamic && dimensions[i].size >= 0) {
      out += "<=";
    }
    out += dimensions[i].size < 0 ? "?" : std::to_string(dimensions[i].size);
  }
  out += ']';
  if (withLayout && layout) {
    layout->print(out);
  }
}

//===-- modules -------------------------------------------------------------------------------===//

static void printName(bool percent, std::string_view name, std::string &out) {
  if (percent) {
    out += '%';
  }
  out += name;
}

static void printAttributes(const List<Attribute> &attributes, std::string &out) {
  for (const Attribute &attribute : attributes) {
    out.append(", ").append(attribute.name).append("=");
    print(attribute.value.before, out);
    attribute.value.print(out);
  }
}

// Whether the printed text consists of a single instruction. If so, instructions and operands that
// had no name in the original text are printed without a name.
enum class Alone : uint8_t { No, Yes };

// Prints an instruction's shape, opcode and operands.
static void printCall(const Instruction &instruction, Alone alone, std::string &out);

// Prints an instruction's name, or, for an implied tuple element, the tuple's name and the index:
// `%p#1`.
static void printReference(bool percent, const Instruction &named, std::string &out) {
  const Value *index = named.isImplied ? named.find("index") : nullptr;
  if (!index) {
    printName(percent, named.name, out);
    return;
  }
  printReference(percent, *named.operands[0].instruction, out);
  out += '#';
  index->print(out);
}

static void printOperand(const Operand &operand, Alone alone, std::string &out) {
  if (operand.instruction->isInline) {
    printCall(*operand.instruction, alone, out);
    return;
  }
  bool isNameless = alone == Alone::Yes && operand.instruction->isNameless;
  if (operand.withShape) {
    (operand.otherShape ? *operand.otherShape : operand.instruction->shape).print(out);
    out += isNameless ? "" : " ";
  }
  if (!isNameless) {
    printReference(operand.percent, *operand.instruction, out);
  }
}

static void printCall(const Instruction &instruction, Alone alone, std::string &out) {
  if (instruction.shape.kind != Shape::Kind::Absent && !instruction.shapeInferred) {
    instruction.shape.print(out);
    out += ' ';
  }
  out += instruction.opcode;
  if (instruction.literal) {
    instruction.literal->print(out);
  } else {
    out += '(';
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      if (i != 0) {
        out += ", ";
      }
      if (instruction.indexComments && i != 0 && i % 5 == 0) {
        out.append("/*index=").append(std::to_string(i)).append("*/");
      }
      printOperand(instruction.operands[i], alone, out);
    }
    out += ')';
  }
}

static void print(const Instruction &instruction, Alone alone, std::string &out) {
  if (instruction.isRoot) {
    out += "ROOT ";
  }
  if (alone == Alone::No || !instruction.isNameless) {
    printName(instruction.percent, instruction.name, out);
    out += " = ";
  }
  printCall(instruction, alone, out);
  printAttributes(instruction.attributes, out);
}

void print(const Instruction &instruction, std::string &out) { print(instruction, Alone::No, out); }

// Whether an instruction is printed on a line of its own when its whole computation is printed.
static bool isPrinted(const Instruction &instruction) {
  bool isElement = instruction.isImplied && instruction.find("index");
  return !instruction.isInline && !isElement;
}

static void printSignature(const Computation &computation, std::string &out) {
  out += '(';
  for (size_t i = 0; i < computation.signature.size(); ++i) {
    const SignatureParameter &parameter = computation.signature[i];
    if (i != 0) {
      out += ", ";
    }
    if (computation.signatureComments && i != 0 && i % 5 == 0) {
      out.append("/*index=").append(std::to_string(i)).append("*/");
    }
    out += parameter.parameter ? parameter.parameter->name : parameter.name;
    out += computation.signatureColons ? ": " : " ";
    if (parameter.otherShape) {
      parameter.otherShape->print(out);
    } else {
      parameter.parameter->shape.print(out, /*withLayout=*/false);
    }
  }
  out += ") -> ";
  if (computation.otherResult) {
    computation.otherResult->print(out);
  } else {
    computation.root()->shape.print(out, /*withLayout=*/false);
  }
  out += ' ';
}

static void printOpening(const Computation &computation, std::string &out) {
  out.append(computation.indent, ' ');
  if (computation.isEntry) {
    out += "ENTRY ";
  }
  printName(computation.percent, computation.name, out);
  if (!computation.name.empty()) {
    out += ' ';
  }
  if (computation.hasSignature) {
    printSignature(computation, out);
  }
  out += '{';
}

static void printLine(const Instruction &instruction, std::string &out) {
  out.append(instruction.blankLines + 1, '\n');
  out.append(instruction.indent, ' ');
  print(instruction, out);
}

static void printClosing(const Computation &computation, std::string &out) {
  out += '\n';
  out.append(computation.indent, ' ');
  out += '}';
}

void printBody(const Computation &computation, std::string &out) {
  out += '{';
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    if (isPrinted(*instruction)) {
      printLine(*instruction, out);
    }
  }
  printClosing(computation, out);
}

void print(const Computation &computation, std::string &out) {
  printOpening(computation, out);
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    if (isPrinted(*instruction)) {
      printLine(*instruction, out);
    }
  }
  printClosing(computation, out);
  printAttributes(computation.attributes, out);
}

// Ends the preceding line, if any, and adds blank lines.
static void beginPart(unsigned blankLines, std::string &out) {
  out.append(blankLines + !out.empty(), '\n');
}

static void printHead(const Module &module, std::string &out) {
  if (module.hasHeader) {
    print(module.before, out);
    out += "HloModule ";
    printName(module.percent, module.name, out);
    if (module.colon) {
      out += ':';
    }
    printAttributes(module.attributes, out);
  }
}

static void print(const FrameTable &table, std::string &out) {
  beginPart(table.blankLines, out);
  out += table.name;
  for (const FrameTable::Row &row : table.rows) {
    out += '\n';
    out += std::to_string(row.id);
    out += ' ';
    row.value.print(out);
  }
}

// Prints all parts in order. Calls `ended` after each part with the member that stores the part's
// original text.
template <typename ModuleType, typename Ended>
static void printParts(ModuleType &module, std::string &out, Ended ended) {
  printHead(module, out);
  ended(module.headSpelling);
  for (auto &table : module.frameTables) {
    print(table, out);
    ended(table.spelling);
  }
  for (auto &computation : module.computations) {
    if (computation->isInline) {
      continue;
    }
    if (computation->printsBare()) {
      Instruction &root = *computation->root();
      out.append(root.blankLines, '\n');
      out.append(root.indent, ' ');
      print(root, Alone::Yes, out);
      ended(root.spelling);
      continue;
    }
    beginPart(computation->blankLines, out);
    printOpening(*computation, out);
    ended(computation->openSpelling);
    for (auto &instruction : computation->instructions) {
      if (isPrinted(*instruction)) {
        printLine(*instruction, out);
        ended(instruction->spelling);
      }
    }
    printClosing(*computation, out);
    printAttributes(computation->attributes, out);
    ended(computation->closeSpelling);
  }
  out.append(module.lineBreaksAtEnd, '\n');
  ended(module.endSpelling);
}

std::string print(const Module &module) {
  std::string out;
  size_t begin = 0;
  printParts(module, out, [&](const std::unique_ptr<Spelling> &spelling) {
    if (spelling && std::string_view(out).substr(begin) == spelling->printed) {
      out.replace(begin, std::string::npos, spelling->read);
    }
    begin = out.size();
  });
  return out;
}

void keepSpelling(Module &module, std::string_view text, std::span<const size_t> ends) {
  std::string out;
  std::vector<std::pair<std::unique_ptr<Spelling> *, size_t>> parts;
  printParts(module, out, [&](std::unique_ptr<Spelling> &spelling) {
    parts.emplace_back(&spelling, out.size());
  });
  if (out == text || parts.size() != ends.size()) {
    return;
  }
  size_t printedBegin = 0, readBegin = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    auto [spelling, printedEnd] = parts[i];
    std::string_view printed =
        std::string_view(out).substr(printedBegin, printedEnd - printedBegin);
    std::string_view read = text.substr(readBegin, ends[i] - readBegin);
    if (printed != read) {
      *spelling = std::make_unique<Spelling>(Spelling{std::string(printed), std::string(read)});
    }
    printedBegin = printedEnd;
    readBegin = ends[i];
  }
}

} // namespace drumlin::hlo
