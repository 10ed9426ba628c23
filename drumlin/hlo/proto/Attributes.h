// The fields of an instruction as the attributes of text, in XLA's order.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/proto/Shapes.h"

namespace drumlin::hlo {

// Attributes that are being read, each with the value that its text would have.
class AttributeList {
public:
  // The values lie in the arena.
  explicit AttributeList(Arena &arena) : arena(arena) {}

  // An attribute with a value that is yet to be set.
  Value &add(std::string_view name);
  void word(std::string_view name, std::string_view value);
  void number(std::string_view name, int64_t value) { add(name).setNumber(value, arena); }
  // Where it is true.
  void flag(std::string_view name, bool value) {
    if (value) {
      word(name, "true");
    }
  }
  template <typename Numbers> void numbers(std::string_view name, const Numbers &values) {
    add(name) = numberList('{', values, arena);
  }
  // Where there are any.
  template <typename Numbers> void someNumbers(std::string_view name, const Numbers &values) {
    if (!values.empty()) {
      numbers(name, values);
    }
  }
  void quoted(std::string_view name, std::string_view contents);
  // A value in the spelling of text, whose grammar reads it.
  void text(std::string_view name, std::string_view spelling);

  // The name of the first attribute that isn't one that text has.
  const std::optional<std::string> &firstWrong() const { return wrong; }
  List<Attribute> take() { return items.moveTo(arena); }

  Arena &arena;

private:
  List<Attribute> items; // its memory is used again
  std::optional<std::string> wrong;
};

// What an attribute needs to know beside its instruction's own fields.
struct AttributeContext {
  // Shape of the first operand; null where there is none.
  const Shape *firstOperand = nullptr;
};

// The fields of an opcode's own.
void printFields(const proto::HloInstructionProto &message, const AttributeContext &context,
                 AttributeList &out);
// The fields that any opcode may have; called computations are printed between.
void printSharedFields(const proto::HloInstructionProto &message, AttributeList &out);
void printOrigin(const proto::OriginalValueProto &origin, const proto::ShapeProto &shape,
                 std::string &out);
void printSharding(const proto::OpSharding &sharding, std::string &out);
void printFrontendAttributes(const proto::FrontendAttributes &attributes, std::string &out);
// The value of a new entry, behind a space, of a list that is being filled: `a=1 b=2`.
Value &addEntry(std::string_view name, List<Value> &items, Arena &arena);
// `{op_name="f" source_line=3}`; without items where the message says nothing.
Value metadataValue(const proto::OpMetadata &metadata, Arena &arena);
void printMetadata(const proto::OpMetadata &metadata, std::string &out);
void printBackendConfig(std::string_view config, AttributeList &out);

// `{1,2}`
template <typename Numbers> void printNumbers(const Numbers &numbers, std::string &out) {
  out += '{';
  bool isFirst = true;
  for (auto number : numbers) {
    out += isFirst ? "" : ",";
    out += std::to_string(number);
    isFirst = false;
  }
  out += '}';
}

// A string in quotes, with C's escapes.
void printQuoted(std::string_view text, std::string &out);

} // namespace drumlin::hlo
