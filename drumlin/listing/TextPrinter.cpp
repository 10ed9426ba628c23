#include "drumlin/listing/TextPrinter.h"

#include "drumlin/listing/JsonText.h"
#include "drumlin/listing/LongText.h"
#include "drumlin/support/Colours.h"

#include <algorithm>
#include <optional>

namespace drumlin::listing {

// Maximum column widths; longer names and types exceed their column.
static constexpr size_t maxNameColumn = 28, maxTypeColumn = 36;
static constexpr size_t maxShortJson = 72; // maximum length of JSON on an instruction's line
static constexpr size_t blockIndent = 4;   // indentation of an instruction's attributes and regions

std::string nameOf(const Operand &operand) {
  std::string text = "%" + operand.instruction->name;
  return operand.result < 0 ? text : text + "#" + std::to_string(operand.result);
}

// Returns the number of characters that a terminal shows: the bytes that begin a character.
static size_t widthOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

class TextPrinter {
public:
  TextPrinter(const Module &module, const Selection &selection, const TextOptions &options)
      : module(module), selection(selection), options(options),
        isPrinted(module.sources.size() + 1) {}

  std::string print() {
    printHeader();
    for (const std::unique_ptr<Computation> &computation : module.computations) {
      size_t selected = selection.countIn(*computation);
      bool isSaid = computation->isFolded || computation->isNamed;
      if (!isSaid && (selected > 0 || selection.isEverything())) {
        out += '\n';
        print(*computation, 0, selected);
      }
    }
    if (!options.metadata) {
      printSources();
    }
    return std::move(out);
  }

private:
  void paint(std::string_view text, Colour colour) {
    out += coloured(text, colour, options.colours);
  }

  // Prints a text padded to a column's width. The padding isn't coloured.
  void pad(std::string_view text, size_t width, std::optional<Colour> colour = std::nullopt) {
    out += coloured(text, colour.value_or(Colour::Bold), colour && options.colours);
    size_t shown = widthOf(text);
    out.append(shown < width ? width - shown : 0, ' ');
  }

  void printHeader() {
    if (!module.keyword.empty()) {
      paint(module.keyword, Colour::Bold);
      out.append(module.name.empty() ? "" : " ").append(module.name);
      out += '\n';
    }
    for (const Attribute &attribute : module.attributes) {
      out.append(2, ' ');
      if (!printTable(attribute, 4)) {
        printAttribute(attribute, 2);
        out += '\n';
      }
    }
    if (options.metadata) {
      for (const Attribute &table : module.metadata) {
        out.append("\n").append(table.name).append("\n").append(table.text).append("\n");
      }
    }
  }

  // Prints an attribute as a table if it is too long for a line. Returns whether a table was
  // printed.
  bool printTable(const Attribute &attribute, size_t indent) {
    bool isLong = !attribute.isJson && attribute.text.size() > maxHeader;
    std::string table = isLong ? tableOf(attribute.text, indent) : std::string();
    out += table.empty() ? table : attribute.name + " =\n" + table;
    return !table.empty();
  }

  void printAttribute(const Attribute &attribute, size_t indent) {
    if (attribute.isJson) {
      out.append(attribute.name).append(" = ").append(indentedJson(attribute.text, indent));
    } else {
      out.append(attribute.name).append(attribute.text.empty() ? "" : "=").append(attribute.text);
    }
  }

  void print(const Computation &computation, size_t indent, size_t selected) {
    out.append(indent, ' ');
    if (!computation.keyword.empty()) {
      paint(computation.keyword, Colour::Bold);
      out += ' ';
    }
    paint((computation.isRegion ? "" : module.sigil) + computation.name, Colour::Cyan);
    if (!computation.resultType.empty()) {
      out.append(" -> ").append(cutType(computation.resultType));
    }
    std::vector<const Attribute *> tables;
    for (const Attribute &attribute : computation.attributes) {
      if (attribute.text.size() > maxHeader && !tableOf(attribute.text, 0).empty()) {
        tables.push_back(&attribute);
        continue;
      }
      out += ", ";
      printAttribute(attribute, indent);
    }
    out += " {";
    size_t all = Selection().countIn(computation);
    if (!selection.isEverything() && selected < all) {
      paint("  // " + std::to_string(selected) + " of " + std::to_string(all), Colour::Faint);
    }
    out += '\n';
    for (const Attribute *attribute : tables) {
      out.append(indent + 2, ' ');
      printTable(*attribute, indent + 4);
    }
    printInstructions(computation, indent + 2);
    out.append(indent, ' ');
    out += "}\n";
  }

  static std::string leftSide(const Instruction &instruction) {
    std::string text = instruction.isRoot ? "ROOT " : "";
    if (!instruction.name.empty()) {
      text += "%" + instruction.name;
      text += instruction.results > 1 ? ":" + std::to_string(instruction.results) : "";
    }
    return text;
  }

  void printInstructions(const Computation &computation, size_t indent) {
    size_t nameWidth = 0, typeWidth = 0;
    for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
      if (selection.reaches(*instruction) && !instruction->type.empty()) {
        size_t name = widthOf(leftSide(*instruction)), type = widthOf(instruction->type);
        nameWidth = name <= maxNameColumn ? std::max(nameWidth, name) : nameWidth;
        typeWidth = type <= maxTypeColumn ? std::max(typeWidth, type) : typeWidth;
      }
    }
    for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
      if (selection.reaches(*instruction)) {
        out.append(indent, ' ');
        std::string left = leftSide(*instruction);
        if (!instruction->type.empty()) {
          pad(left, nameWidth, Colour::Cyan);
          out += " = ";
          pad(instruction->type, typeWidth, Colour::Green);
          out += "  ";
        } else if (!left.empty()) {
          paint(left, Colour::Cyan);
          out += ' ';
        }
        printRight(*instruction, indent);
      }
    }
  }

  // Whether an attribute is printed on the instruction's line.
  static bool isShort(const Attribute &attribute, const Instruction &instruction) {
    return !attribute.isJson ||
           (instruction.shortAttributes && attribute.text.size() <= maxShortJson);
  }

  void printRight(const Instruction &instruction, size_t indent) {
    paint(instruction.opcode, Colour::Bold);
    bool isFolded = !instruction.expression.empty() && instruction.isWhole;
    if (isFolded) {
      out.append(": ").append(instruction.expression);
    } else {
      out.append("(").append(instruction.argument);
      for (size_t i = 0; i < instruction.operands.size(); ++i) {
        out.append(i == 0 ? "" : ", ").append(nameOf(instruction.operands[i]));
      }
      out += ')';
    }
    const std::vector<Attribute> &attributes = printedAttributes(instruction);
    for (const Attribute &attribute : attributes) {
      if (isShort(attribute, instruction)) {
        out.append(", ").append(attribute.name);
        out.append(attribute.text.empty() ? "" : "=").append(attribute.text);
      }
    }
    printMark(instruction, indent);
    size_t inner = indent + blockIndent;
    for (const Attribute &attribute : attributes) {
      if (!isShort(attribute, instruction)) {
        out.append(inner, ' ');
        printAttribute(attribute, inner);
        out += '\n';
      }
    }
    for (const std::unique_ptr<Computation> &region : instruction.regions) {
      size_t selected = selection.countIn(*region);
      bool isPrinted = selected > 0 || selection.isEverything();
      if (isPrinted && !region->isFolded) {
        print(*region, inner, selected);
      }
    }
  }

  // Prints an instruction's metadata or source mark, and ends the line.
  void printMark(const Instruction &instruction, size_t indent) {
    if (options.metadata) {
      for (const Attribute &attribute : instruction.metadata) {
        out += ", ";
        printAttribute(attribute, indent);
      }
    } else if (instruction.source != 0) {
      paint("  @" + std::to_string(instruction.source), Colour::Faint);
      isPrinted[instruction.source] = true;
    }
    out += '\n';
  }

  // Prints the table of the sources whose marks were printed.
  void printSources() {
    auto isNone = [](bool printed) { return !printed; };
    if (std::all_of(isPrinted.begin(), isPrinted.end(), isNone)) {
      return;
    }
    out += '\n';
    paint("sources", Colour::Bold);
    out += '\n';
    size_t markWidth = std::to_string(module.sources.size()).size() + 1, scopeWidth = 0;
    for (size_t i = 1; i < isPrinted.size(); ++i) {
      size_t width = widthOf(module.sources[i - 1].scope);
      if (isPrinted[i] && width <= maxScopeColumn) {
        scopeWidth = std::max(scopeWidth, width);
      }
    }
    for (size_t i = 1; i < isPrinted.size(); ++i) {
      if (isPrinted[i]) {
        const Source &source = module.sources[i - 1];
        out += "  ";
        pad("@" + std::to_string(i), markWidth, Colour::Faint);
        if (scopeWidth > 0 || !source.scope.empty()) {
          out += "  ";
          pad(source.scope, source.place.empty() ? 0 : scopeWidth);
        }
        out.append(source.place.empty() ? "" : "  ").append(source.place).append("\n");
      }
    }
  }

  static constexpr size_t maxScopeColumn = 72;

  const Module &module;
  const Selection &selection;
  TextOptions options;
  std::vector<bool> isPrinted; // whether each source is printed, by source number
  std::string out;
};

std::string textOf(const Module &module, const Selection &selection, const TextOptions &options) {
  return TextPrinter(module, selection, options).print();
}

} // namespace drumlin::listing
