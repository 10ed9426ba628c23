#include "drumlin/listing/HloListing.h"

#include "drumlin/listing/ElementSummary.h"
#include "drumlin/listing/JsonText.h"
#include "drumlin/listing/Names.h"

#include <unordered_map>

namespace drumlin::listing {

// Collects the numbers and words of a literal in order. Complex numbers, which are lists in
// parentheses, count as one element. The parser limits the recursion's depth.
static void collectElements(const hlo::Value &value, ElementSummary &summary) {
  using Kind = hlo::Value::Kind;
  if (value.kind == Kind::Number || value.kind == Kind::Word) {
    summary.add(value.text);
    return;
  }
  for (const hlo::Value &item : value.items) {
    bool isComplex = item.kind == Kind::List && item.bracket == '(';
    isComplex || item.items.empty() ? summary.add(item.str()) : collectElements(item, summary);
  }
}

std::string literalText(const hlo::Value &literal) {
  ElementSummary summary;
  collectElements(literal, summary);
  std::string text = summary.count() > ElementSummary::maxShown ? summary.text() : literal.str();
  // The outer parentheses belong to the instruction, not to the literal.
  bool hasParentheses = text.size() >= 2 && text.front() == '(' && text.back() == ')';
  return hasParentheses ? text.substr(1, text.size() - 2) : text;
}

static Shape shapeOf(const hlo::Shape &from) {
  Shape shape;
  shape.element = from.element;
  shape.isTuple = from.kind != hlo::Shape::Kind::Array;
  for (const hlo::Dimension &dimension : from.dimensions) {
    shape.dimensions.push_back(dimension.dynamic ? -1 : dimension.size);
  }
  if (from.layout) {
    from.layout->print(shape.layout);
  }
  for (const hlo::Shape &element : from.elements) {
    shape.elements.push_back(shapeOf(element));
  }
  return shape;
}

// Resolves the ids of stack frames to source positions.
class FrameReader {
public:
  explicit FrameReader(const hlo::Module &module) {
    for (const hlo::FrameTable &table : module.frameTables) {
      for (const hlo::FrameTable::Row &row : table.rows) {
        rows[table.name][row.id] = &row.value;
      }
    }
  }

  // Returns a frame's source position, such as `model.py:12`; empty if the tables don't have the
  // frame.
  std::string place(int64_t frame) const {
    std::optional<int64_t> location = number(find("StackFrames", frame), "file_location_id");
    const hlo::Value *row = location ? find("FileLocations", *location) : nullptr;
    std::optional<int64_t> file = number(row, "file_name_id"), line = number(row, "line");
    const hlo::Value *name = file ? find("FileNames", *file) : nullptr;
    return name && line ? name->contents() + ":" + std::to_string(*line) : std::string();
  }

private:
  const hlo::Value *find(const std::string &table, int64_t id) const {
    auto found = rows.find(table);
    if (found == rows.end()) {
      return nullptr;
    }
    auto row = found->second.find(id);
    return row == found->second.end() ? nullptr : row->second;
  }
  static std::optional<int64_t> number(const hlo::Value *row, std::string_view key) {
    const hlo::Value *value = row ? row->find(key) : nullptr;
    return value ? value->integer() : std::nullopt;
  }

  std::unordered_map<std::string, std::unordered_map<int64_t, const hlo::Value *>> rows;
};

// Removes the comments that state the index of every fifth element of a tuple. They don't help
// human readers.
static void dropIndexComments(hlo::Shape &shape) {
  shape.indexComments = false;
  for (hlo::Shape &element : shape.elements) {
    dropIndexComments(element);
  }
}

static void dropIndexComments(hlo::Value &value) {
  value.indexComments = false;
  if (value.shape()) {
    dropIndexComments(*value.shape());
  }
  for (hlo::Value &item : value.items) {
    dropIndexComments(item);
  }
}

class HloLister {
public:
  HloLister(hlo::Module &from, const HloListingOptions &options)
      : from(from), options(options), frames(from) {}

  Module list() {
    module.keyword = from.hasHeader ? "HloModule" : "";
    module.name = from.name;
    nameAll();
    for (hlo::Attribute &attribute : from.attributes) {
      dropIndexComments(attribute.value);
      addAttribute(attribute, module.attributes);
    }
    for (const hlo::FrameTable &table : from.frameTables) {
      module.metadata.push_back({table.name, rowsText(table)});
    }
    for (const std::unique_ptr<hlo::Computation> &computation : from.computations) {
      for (const std::unique_ptr<hlo::Instruction> &instruction : computation->instructions) {
        fill(*instruction, *instructions[instruction.get()]);
      }
    }
    linkUsers(module);
    return std::move(module);
  }

private:
  // Creates all computations and instructions. Also gives the HLO module the short names, so that
  // printed attributes use them.
  void nameAll() {
    std::vector<std::string_view> computationNames, instructionNames;
    for (const std::unique_ptr<hlo::Computation> &computation : from.computations) {
      computationNames.push_back(computation->name);
      for (const std::unique_ptr<hlo::Instruction> &instruction : computation->instructions) {
        instructionNames.push_back(instruction->name);
      }
    }
    std::vector<std::string> shortComputations = shortNames(computationNames);
    std::vector<std::string> shortInstructions = shortNames(instructionNames);
    size_t nextComputation = 0, nextInstruction = 0;
    for (const std::unique_ptr<hlo::Computation> &computation : from.computations) {
      Computation &made = *module.computations.emplace_back(std::make_unique<Computation>());
      computations[computation.get()] = &made;
      made.keyword = computation->isEntry ? "ENTRY" : "";
      made.isEntry = computation->isEntry;
      rename(computation->name, shortComputations[nextComputation++], made.name, made.fullName);
      for (const std::unique_ptr<hlo::Instruction> &instruction : computation->instructions) {
        dropIndexComments(instruction->shape);
        Instruction &entry = *made.instructions.emplace_back(std::make_unique<Instruction>());
        instructions[instruction.get()] = &entry;
        rename(instruction->name, shortInstructions[nextInstruction++], entry.name, entry.fullName);
      }
      if (const hlo::Instruction *root = computation->root()) {
        made.resultType = root->shape.str();
      }
      for (const hlo::Attribute &attribute : computation->attributes) {
        addAttribute(attribute, made.attributes);
      }
    }
  }

  void rename(std::string &name, std::string &shortName, std::string &made,
              std::string &full) const {
    full = name;
    made = options.shortNames ? shortName : name;
    name = made;
  }

  static std::string rowsText(const hlo::FrameTable &table) {
    std::string text;
    for (const hlo::FrameTable::Row &row : table.rows) {
      text += (text.empty() ? "" : "\n") + std::to_string(row.id) + " " + row.value.str();
    }
    return text;
  }

  static void addAttribute(const hlo::Attribute &attribute, std::vector<Attribute> &attributes) {
    // Older HLO texts have the JSON in a string.
    std::string contents = attribute.value.kind == hlo::Value::Kind::String
                               ? attribute.value.contents()
                               : attribute.value.str();
    bool isJson = attribute.name == "backend_config" && isJsonBlock(contents);
    attributes.push_back({attribute.name.str(), isJson ? contents : attribute.value.str(), isJson});
  }

  void fill(const hlo::Instruction &instruction, Instruction &made) {
    made.type = instruction.shape.str();
    made.shape = shapeOf(instruction.shape);
    made.opcode = instruction.opcode;
    made.isRoot = instruction.isRoot;
    for (const hlo::Operand &operand : instruction.operands) {
      made.operands.push_back({instructions[operand.instruction]});
    }
    if (instruction.literal) {
      made.argument = literalText(*instruction.literal);
    }
    for (hlo::Computation *called : instruction.calledComputations()) {
      made.calls.push_back(computations[called]);
    }
    for (const hlo::Attribute &attribute : instruction.attributes) {
      bool isMetadata = attribute.name == "metadata";
      addAttribute(attribute, isMetadata ? made.metadata : made.attributes);
    }
    if (const hlo::Value *metadata = instruction.metadata()) {
      made.source = sourceOf(*metadata);
    }
  }

  static std::string textOf(const hlo::Value &metadata, std::string_view key) {
    const hlo::Value *value = metadata.find(key);
    return value ? value->contents() : std::string();
  }

  size_t sourceOf(const hlo::Value &metadata) {
    Source source;
    source.scope = textOf(metadata, "op_name");
    source.place = textOf(metadata, "source_file");
    std::string line = textOf(metadata, "source_line");
    if (!line.empty()) {
      source.place += (source.place.empty() ? "line " : ":") + line;
    }
    const hlo::Value *frame = metadata.find("stack_frame_id");
    std::optional<int64_t> id = frame ? frame->integer() : std::nullopt;
    if (source.place.empty() && id) {
      source.place = frames.place(*id);
    }
    if (source == Source()) {
      return 0;
    }
    size_t &number = sourceNumbers[source.scope + '\n' + source.place];
    if (number == 0) {
      module.sources.push_back(std::move(source));
      number = module.sources.size();
    }
    return number;
  }

  hlo::Module &from;
  HloListingOptions options;
  FrameReader frames;
  Module module;
  std::unordered_map<const hlo::Computation *, Computation *> computations;
  std::unordered_map<const hlo::Instruction *, Instruction *> instructions;
  std::unordered_map<std::string, size_t> sourceNumbers;
};

Module listHlo(hlo::Module module, const HloListingOptions &options) {
  return HloLister(module, options).list();
}

} // namespace drumlin::listing
