#include "drumlin/hlo/EntryLayout.h"

#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/ValueParser.h"

#include <map>

namespace drumlin::hlo {

// Returns the text of `entry_computation_layout` for an entry, with `/*index=5*/` before every
// fifth parameter if `indexComments`.
static std::string layoutOf(const Computation &entry, bool indexComments) {
  std::map<int64_t, const Instruction *> parameters;
  for (const std::unique_ptr<Instruction> &instruction : entry.instructions) {
    if (std::optional<int64_t> number = instruction->parameterNumber()) {
      parameters.emplace(*number, instruction.get());
    }
  }
  std::string text = "{(";
  size_t count = 0;
  for (const auto &[number, parameter] : parameters) {
    text += count == 0 ? "" : ", ";
    if (indexComments && count != 0 && count % 5 == 0) {
      text.append("/*index=").append(std::to_string(count)).append("*/");
    }
    ++count;
    parameter->shape.print(text);
  }
  return text + ")->" + entry.root()->shape.str() + "}";
}

static std::string withoutComments(std::string text) {
  for (size_t begin = 0; (begin = text.find("/*", begin)) != std::string::npos;) {
    size_t end = text.find("*/", begin);
    text.erase(begin, end == std::string::npos ? end : end + 2 - begin);
  }
  return text;
}

static constexpr std::string_view attribute = "entry_computation_layout";

EntryLayout::EntryLayout(Module &module) : module(module) {
  const Value *value = findAttribute(module.attributes, attribute);
  const Computation *entry = module.entry();
  follows =
      value && entry && withoutComments(value->str()) == withoutComments(layoutOf(*entry, false));
}

void EntryLayout::update() const {
  if (!follows) {
    return;
  }
  Value &value = *findAttribute(module.attributes, attribute);
  std::string text = layoutOf(*module.entry(), /*indexComments=*/true);
  Lexer lexer(text, {});
  NameResolver names(lexer);
  ValueParser values(lexer, names, ParseOptions().maxNesting, [] { return nullptr; });
  Attribute read{std::string(attribute), {}};
  // Parsing never fails here: the printed shapes of a module are always valid HLO text.
  if (values.parseAttributeValue(read)) {
    read.value.before = value.before;
    value = std::move(read.value);
  }
}

} // namespace drumlin::hlo
