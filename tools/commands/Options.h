// Declares options and arguments of commands as the table of options (OptionTable.h) has them, and
// binds them to the fields that their values go to.
#pragma once

#include "commands/OptionTable.h"

#include <cassert>
#include <functional>
#include <initializer_list>

// Few files read CLI11's headers, which take seconds: declaring options needs no more than these.
namespace CLI {
class App;
class Option;
} // namespace CLI

namespace drumlin::cli {

CLI::App *addSubcommand(CLI::App &app, const char *name, const char *meaning);

// The option of this long name. A flag turns the field to what it isn't before; where the table has
// a fallback, the field becomes that.
// Options.cpp has it for each type of field.
template <typename Field>
CLI::Option *addOption(CLI::App &app, std::string_view name, Field &field);

// One of the row's words, of which there are so many; `take` gets its place among them.
CLI::Option *addWords(CLI::App &app, std::string_view name, size_t count,
                      std::function<void(size_t)> take);

// One of the row's words, which stand for these values in this order.
template <typename Field, typename Value>
CLI::Option *addChoice(CLI::App &app, std::string_view name, Field &field,
                       std::initializer_list<Value> values) {
  return addWords(app, name, values.size(),
                  [&field, values = std::vector<Value>(values)](size_t i) { field = values[i]; });
}

// Where the option is given, none of the others may be.
void exclude(CLI::Option *option, std::initializer_list<CLI::Option *> others);

} // namespace drumlin::cli
