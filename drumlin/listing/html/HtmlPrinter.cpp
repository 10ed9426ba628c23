#include "drumlin/listing/html/HtmlPrinter.h"

#include "drumlin/listing/html/PageFiles.h"
#include "drumlin/support/json/JsonStream.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <unordered_map>

namespace drumlin::listing {

static std::string utf8(const std::string &text) {
  return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
}

// Writes a program as JSON that refers to computations and instructions by number and omits default
// values. drumlin/listing/html/Program.js reads it.
class PageData {
public:
  PageData(JsonStream &json, const Module &module) : json(json), module(module) {}

  void print() {
    for (const std::unique_ptr<Computation> &computation : module.computations) {
      number(*computation);
    }
    json.object([&] {
      printText("keyword", module.keyword);
      printText("name", module.name);
      printText("sigil", module.sigil);
      printAttributes("attributes", module.attributes);
      json.attributeArray("sources", [&] {
        for (const Source &source : module.sources) {
          json.array([&] {
            json.value(utf8(source.scope));
            json.value(utf8(source.place));
          });
        }
      });
      json.attributeArray("computations", [&] {
        for (const Computation *computation : computations) {
          print(*computation);
        }
      });
      json.attributeArray("types", [&] {
        for (const std::string *type : types) {
          json.value(utf8(*type));
        }
      });
    });
  }

private:
  // Numbers a computation and its regions, which follow it. The program readers limit the depth.
  void number(const Computation &computation) {
    numberOf[&computation] = computations.size();
    computations.push_back(&computation);
    for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
      numberOfInstruction[instruction.get()] = numberOfInstruction.size();
    }
    for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
      for (const std::unique_ptr<Computation> &region : instruction->regions) {
        number(*region);
      }
    }
  }

  void printText(const char *key, const std::string &text) {
    if (!text.empty()) {
      json.attribute(key, utf8(text));
    }
  }

  void printAttributes(const char *key, const std::vector<Attribute> &attributes) {
    if (attributes.empty()) {
      return;
    }
    json.attributeArray(key, [&] {
      for (const Attribute &attribute : attributes) {
        json.array([&] {
          json.value(utf8(attribute.name));
          json.value(utf8(attribute.text));
          if (attribute.isJson) {
            json.value(1);
          }
        });
      }
    });
  }

  void print(const Computation &computation) {
    json.object([&] {
      printText("name", computation.name);
      printText("keyword", computation.keyword);
      printText("result", computation.resultType);
      printAttributes("attributes", computation.attributes);
      if (computation.isEntry) {
        json.attribute("entry", 1);
      }
      if (computation.isRegion) {
        json.attribute("region", 1);
      }
      json.attributeArray("instructions", [&] {
        for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
          print(*instruction);
        }
      });
    });
  }

  void print(const Instruction &instruction) {
    json.object([&] {
      printText("name", instruction.name);
      if (instruction.fullName != instruction.name) {
        printText("full", instruction.fullName);
      }
      if (!instruction.type.empty()) {
        json.attribute("type", typeNumber(instruction.type));
      }
      printText("opcode", instruction.opcode);
      printText("argument", instruction.argument);
      printText("expression", instruction.expression);
      printOperands(instruction);
      printAttributes("attributes", instruction.attributes);
      printAttributes("notes", instruction.notes);
      if (!instruction.calls.empty()) {
        json.attributeArray("calls", [&] {
          for (const Computation *called : instruction.calls) {
            json.value(numberOf.at(called));
          }
        });
      }
      if (!instruction.regions.empty()) {
        json.attributeArray("regions", [&] {
          for (const std::unique_ptr<Computation> &region : instruction.regions) {
            json.value(numberOf.at(region.get()));
          }
        });
      }
      if (instruction.source != 0) {
        json.attribute("source", instruction.source);
      }
      if (instruction.results > 1) {
        json.attribute("results", instruction.results);
      }
      if (instruction.isRoot) {
        json.attribute("root", 1);
      }
    });
  }

  // Writes each operand as a number, or as a number and a result index.
  void printOperands(const Instruction &instruction) {
    if (instruction.operands.empty()) {
      return;
    }
    json.attributeArray("operands", [&] {
      for (const Operand &operand : instruction.operands) {
        size_t number = numberOfInstruction.at(operand.instruction);
        if (operand.result < 0) {
          json.value(number);
        } else {
          json.array([&] {
            json.value(number);
            json.value(operand.result);
          });
        }
      }
    });
  }

  size_t typeNumber(const std::string &type) {
    auto [found, isNew] = typeNumbers.try_emplace(type, types.size());
    if (isNew) {
      types.push_back(&type);
    }
    return found->second;
  }

  JsonStream &json;
  const Module &module;
  std::vector<const Computation *> computations;
  std::unordered_map<const Computation *, size_t> numberOf;
  std::unordered_map<const Instruction *, size_t> numberOfInstruction;
  std::unordered_map<std::string, size_t> typeNumbers;
  std::vector<const std::string *> types;
};

// Returns JSON for a script element. `<` only occurs in strings, where it can be escaped.
static std::string dataOf(const Module &module, const Module *against) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream);
  json.array([&] {
    PageData(json, module).print();
    if (against) {
      PageData(json, *against).print();
    }
  });
  std::string escaped;
  for (char c : text) {
    c == '<' ? escaped += "\\u003c" : escaped += c;
  }
  return escaped;
}

static std::string escapedText(const std::string &text) {
  std::string escaped;
  for (char c : text) {
    if (c == '<' || c == '&') {
      escaped += c == '<' ? "&lt;" : "&amp;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string htmlOf(const Module &module, const Module *against) {
  std::string name = module.name.empty() ? "program" : module.name;
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  // The page must not load anything, whatever the program's text contains.
  page += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; script-src 'unsafe-inline'\">\n";
  page.append("<title>").append(escapedText(utf8(name)));
  page.append("</title>\n<style>\n").append(pageStyle());
  page +=
      "</style>\n</head>\n<body>\n<noscript>This page needs JavaScript; `drumlin print` without "
      "`--html` prints the program as text.</noscript>\n"
      "<script type=\"application/json\" id=\"data\">";
  page.append(dataOf(module, against)).append("</script>\n<script>\n\"use strict\";\n");
  return page.append(pageScript()).append("</script>\n</body>\n</html>\n");
}

} // namespace drumlin::listing
