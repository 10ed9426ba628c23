#include "drumlin/listing/MachinePrinters.h"

#include "drumlin/support/json/JsonStream.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <unordered_map>

namespace drumlin::listing {

// Replaces invalid UTF-8 in a program's text, which JSON can't contain.
static std::string utf8(const std::string &text) {
  return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
}

class JsonPrinter {
public:
  JsonPrinter(llvm::raw_ostream &stream, const Module &module, const Selection &selection)
      : json(stream, 1), module(module), selection(selection) {}

  void print() {
    json.object([&] {
      json.attribute("module", utf8(module.name));
      json.attributeObject("attributes", [&] { printAttributes(module.attributes); });
      json.attributeArray("computations", [&] {
        for (const std::unique_ptr<Computation> &computation : module.computations) {
          if (!computation->isFolded) {
            print(*computation);
          }
        }
      });
    });
  }

private:
  void printAttributes(const std::vector<Attribute> &attributes) {
    for (const Attribute &attribute : attributes) {
      json.attributeBegin(utf8(attribute.name));
      if (attribute.isJson) {
        json.rawValue(utf8(attribute.text));
      } else {
        json.value(utf8(attribute.text));
      }
      json.attributeEnd();
    }
  }

  void print(const Computation &computation) {
    if (!selection.isEverything() && selection.countIn(computation) == 0) {
      return;
    }
    json.object([&] {
      json.attribute("name", utf8(computation.fullName));
      if (!computation.isRegion) {
        json.attribute("entry", computation.isEntry);
      }
      if (!computation.attributes.empty()) {
        json.attributeObject("attributes", [&] { printAttributes(computation.attributes); });
      }
      json.attributeArray("instructions", [&] {
        for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
          if (selection.reaches(*instruction)) {
            print(*instruction);
          }
        }
      });
    });
  }

  void print(const Shape &shape) {
    json.object([&] {
      if (shape.isTuple) {
        json.attributeArray("elements", [&] {
          for (const Shape &element : shape.elements) {
            print(element);
          }
        });
        return;
      }
      json.attribute("element", utf8(shape.element));
      json.attributeArray("dimensions", [&] {
        for (int64_t size : shape.dimensions) {
          json.value(size < 0 ? llvm::json::Value(nullptr) : llvm::json::Value(size));
        }
      });
      if (!shape.layout.empty()) {
        json.attribute("layout", utf8(shape.layout));
      }
    });
  }

  void print(const Instruction &instruction) {
    json.object([&] {
      json.attribute("name", utf8(instruction.fullName));
      json.attribute("opcode", utf8(instruction.opcode));
      if (!instruction.type.empty()) {
        json.attribute("type", utf8(instruction.type));
        json.attributeBegin("shape");
        print(instruction.shape);
        json.attributeEnd();
      }
      if (!instruction.argument.empty()) {
        json.attribute("argument", utf8(instruction.argument));
      }
      json.attributeArray("operands", [&] {
        for (const Operand &operand : instruction.operands) {
          std::string name = utf8(operand.instruction->fullName);
          json.value(operand.result < 0 ? name : name + "#" + std::to_string(operand.result));
        }
      });
      json.attributeArray("users", [&] {
        for (const Instruction *user : instruction.users) {
          json.value(utf8(user->fullName.empty() ? user->opcode : user->fullName));
        }
      });
      json.attributeObject("attributes", [&] { printAttributes(instruction.attributes); });
      printRest(instruction);
    });
  }

  void printRest(const Instruction &instruction) {
    if (!instruction.calls.empty()) {
      json.attributeArray("calls", [&] {
        for (const Computation *called : instruction.calls) {
          json.value(utf8(called->fullName));
        }
      });
    }
    if (!instruction.expression.empty()) {
      json.attribute("expression", utf8(instruction.expression));
    }
    if (instruction.isRoot) {
      json.attribute("root", true);
    }
    if (instruction.source != 0) {
      const Source &source = module.sources[instruction.source - 1];
      json.attributeObject("source", [&] {
        json.attribute("scope", utf8(source.scope));
        json.attribute("place", utf8(source.place));
      });
    }
    if (!instruction.regions.empty() && !instruction.isWhole) {
      json.attributeArray("regions", [&] {
        for (const std::unique_ptr<Computation> &region : instruction.regions) {
          print(*region);
        }
      });
    }
  }

  JsonStream json;
  const Module &module;
  const Selection &selection;
};

std::string jsonOf(const Module &module, const Selection &selection) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonPrinter(stream, module, selection).print();
  return text + "\n";
}

static std::string inQuotes(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    c == '\n' ? result += "\\n" : result += c;
  }
  return result + '"';
}

std::string graphvizOf(const Computation &computation, const Selection &selection) {
  std::string out = "digraph " + inQuotes(computation.name) + " {\n  node [shape=box];\n";
  std::unordered_map<const Instruction *, size_t> numbers;
  forEach(computation, [&](const Instruction &instruction) {
    if (!selection.has(instruction)) {
      return;
    }
    size_t number = numbers.size();
    numbers[&instruction] = number;
    std::string label = instruction.name.empty() ? "" : "%" + instruction.name + "\n";
    label += instruction.expression.empty() ? instruction.opcode : instruction.expression;
    label += instruction.argument.empty() ? "" : " " + instruction.argument;
    label += instruction.type.empty() ? "" : "\n" + instruction.type;
    out += "  n" + std::to_string(number) + " [label=" + inQuotes(label);
    out += instruction.isRoot ? ", peripheries=2];\n" : "];\n";
  });
  forEach(computation, [&](const Instruction &instruction) {
    for (const Operand &operand : instruction.operands) {
      auto from = numbers.find(operand.instruction), to = numbers.find(&instruction);
      if (from != numbers.end() && to != numbers.end()) {
        out += "  n" + std::to_string(from->second) + " -> n" + std::to_string(to->second) + ";\n";
      }
    }
  });
  return out + "}\n";
}

} // namespace drumlin::listing
