// A list of attributes that is being made, with the values that its text would have.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/proto/Shapes.h"

#include <optional>
#include <string>
#include <string_view>

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

// A string in quotes, with C's escapes.
void printQuoted(std::string_view text, std::string &out);
// Sets a value to such a string.
void setQuoted(std::string_view contents, Value &value, Arena &arena);

} // namespace drumlin::hlo
