#include "drumlin/hlo/Printer.h"

namespace drumlin::hlo {

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

// Shape, opcode and operands.
static void printCall(const Instruction &instruction, std::string &out);

static void printOperand(const Operand &operand, std::string &out) {
  if (operand.instruction->isInline) {
    printCall(*operand.instruction, out);
    return;
  }
  if (operand.withShape) {
    (operand.otherShape ? *operand.otherShape : operand.instruction->shape).print(out);
    out += ' ';
  }
  printName(operand.percent, operand.instruction->name, out);
}

static void printCall(const Instruction &instruction, std::string &out) {
  if (instruction.shape.kind != Shape::Kind::Absent) {
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
      printOperand(instruction.operands[i], out);
    }
    out += ')';
  }
}

void print(const Instruction &instruction, std::string &out) {
  if (instruction.isRoot) {
    out += "ROOT ";
  }
  printName(instruction.percent, instruction.name, out);
  out += " = ";
  printCall(instruction, out);
  printAttributes(instruction.attributes, out);
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

void printBody(const Computation &computation, std::string &out) {
  out += "{\n";
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    if (!instruction->isInline) {
      out.append(instruction->blankLines, '\n');
      out.append(instruction->indent, ' ');
      print(*instruction, out);
      out += '\n';
    }
  }
  out.append(computation.indent, ' ');
  out += '}';
}

void print(const Computation &computation, std::string &out) {
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
  printBody(computation, out);
  printAttributes(computation.attributes, out);
}

// A line break after what is there, and blank lines.
static void beginPart(unsigned blankLines, std::string &out) {
  out.append(blankLines + !out.empty(), '\n');
}

std::string print(const Module &module) {
  std::string out;
  if (module.hasHeader) {
    print(module.before, out);
    out += "HloModule ";
    printName(module.percent, module.name, out);
    if (module.colon) {
      out += ':';
    }
    printAttributes(module.attributes, out);
  }
  for (const FrameTable &table : module.frameTables) {
    beginPart(table.blankLines, out);
    out += table.name;
    for (const FrameTable::Row &row : table.rows) {
      out += '\n';
      out += std::to_string(row.id);
      out += ' ';
      row.value.print(out);
    }
  }
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    if (!computation->isInline) {
      beginPart(computation->blankLines, out);
      print(*computation, out);
    }
  }
  out.append(module.lineBreaksAtEnd, '\n');
  return out;
}

} // namespace drumlin::hlo
