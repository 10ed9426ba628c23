// Declares options and arguments of commands as the table of options (OptionTable.h) has them, and
// binds them to the fields that their values go to.
#pragma once

#include "commands/OptionTable.h"

#include <CLI/CLI.hpp>

#include <cassert>
#include <concepts>
#include <initializer_list>
#include <optional>

namespace drumlin::cli {

// Gives a new option what the row says of it: help, checks, how often it is given, the fallback.
CLI::Option *applyRow(CLI::Option *option, const OptionRow &row);
// An error's text; empty for one of the words.
std::string checkWord(const std::string &word, const std::vector<std::string> &words);

// The option of this long name. A flag turns the field to what it isn't before; where the table has
// a fallback, the field becomes that.
template <typename Field>
CLI::Option *addOption(CLI::App &app, std::string_view name, Field &field) {
  const OptionRow &row = optionOf(app.get_name(), name);
  if constexpr (std::same_as<Field, bool>) {
    assert(row.type == OptionType::Flag);
    return applyRow(app.add_flag((field ? "!" : "") + std::string(row.name), field), row);
  } else {
    return applyRow(app.add_option(std::string(row.name), field), row);
  }
}

// One of the row's words, which stand for these values in this order.
template <typename Field, typename Value>
CLI::Option *addChoice(CLI::App &app, std::string_view name, Field &field,
                       std::initializer_list<Value> values) {
  const OptionRow &row = optionOf(app.get_name(), name);
  std::vector<std::string> words = wordsOf(row);
  assert(words.size() == values.size());
  auto take = [&field, words, values = std::vector<Value>(values)](const std::string &word) {
    field = values[static_cast<size_t>(std::ranges::find(words, word) - words.begin())];
  };
  CLI::Option *option = app.add_option_function<std::string>(std::string(row.name), take);
  option->run_callback_for_default();
  option->check([words](const std::string &word) { return checkWord(word, words); });
  return applyRow(option, row);
}

} // namespace drumlin::cli
