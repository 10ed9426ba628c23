// Declares options and arguments of commands from the table of options (OptionTable.h), and binds
// them to the fields that receive their values.
#pragma once

#include "commands/OptionTable.h"

#include <cassert>
#include <functional>
#include <initializer_list>

// Declaring options doesn't need CLI11's headers, which take seconds to compile.
namespace CLI {
class App;
class Option;
} // namespace CLI

namespace drumlin::cli {

CLI::App *addSubcommand(CLI::App &app, const char *name, const char *meaning);

// Adds the option with this long name. If the option is a flag, giving it inverts the field's
// initial value. Otherwise, the field is first set to the table's default, if there is one.
// CommandOptions.cpp instantiates this template for each type of field.
template <typename Field>
CLI::Option *addOption(CLI::App &app, std::string_view name, Field &field);

// Adds an option whose value is one of the row's `count` words; `take` receives the index of the
// given word.
CLI::Option *addWords(CLI::App &app, std::string_view name, size_t count,
                      std::function<void(size_t)> take);

// Adds an option whose value is one of the row's words. The words stand for `values`, in the same
// order.
template <typename Field, typename Value>
CLI::Option *addChoice(CLI::App &app, std::string_view name, Field &field,
                       std::initializer_list<Value> values) {
  return addWords(app, name, values.size(),
                  [&field, values = std::vector<Value>(values)](size_t i) { field = values[i]; });
}

// Forbids the options of the list if `option` is given.
void exclude(CLI::Option *option, std::initializer_list<CLI::Option *> others);

} // namespace drumlin::cli
