// A builder of attribute lists.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/proto/ProtoShapes.h"

#include <optional>
#include <string>
#include <string_view>

namespace drumlin::hlo {

// A list of attributes converted from a proto. Each attribute has the value that parsing its HLO
// text would give.
class AttributeList {
public:
  // Creates an empty list. The memory of its values is in the arena.
  explicit AttributeList(Arena &arena) : arena(arena) {}

  // Adds an attribute and returns its value, which the caller sets.
  Value &add(std::string_view name);
  void word(std::string_view name, std::string_view value);
  void number(std::string_view name, int64_t value) { add(name).setNumber(value, arena); }
  // Adds the attribute if the value is true.
  void flag(std::string_view name, bool value) {
    if (value) {
      word(name, "true");
    }
  }
  template <typename Numbers> void numbers(std::string_view name, const Numbers &values) {
    add(name) = numberList('{', values, arena);
  }
  // Adds the attribute unless the list is empty.
  template <typename Numbers> void someNumbers(std::string_view name, const Numbers &values) {
    if (!values.empty()) {
      numbers(name, values);
    }
  }
  void quoted(std::string_view name, std::string_view contents);
  // Adds an attribute whose value is parsed from HLO text.
  void text(std::string_view name, std::string_view spelling);

  // Returns the name of the first attribute whose text didn't parse, if any.
  const std::optional<std::string> &firstWrong() const { return wrong; }
  List<Attribute> take() { return items.moveTo(arena); }

  Arena &arena;

private:
  List<Attribute> items; // take() keeps its memory for the next list
  std::optional<std::string> wrong;
};

// Prints a string in quotes, with C's escapes.
void printQuoted(std::string_view text, std::string &out);
// Sets a value to a quoted string.
void setQuoted(std::string_view contents, Value &value, Arena &arena);

} // namespace drumlin::hlo
