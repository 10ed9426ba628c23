#include "commands/OtherOptions.h"

#include <algorithm>
#include <string>

namespace drumlin::cli {

namespace {
enum class OtherCompiler { Iree, Neuron, Xla };

struct Answer {
  OtherCompiler compiler;
  std::string_view beginning, text;
};
} // namespace

static constexpr Answer answers[] = {
#define OTHER_OPTION(compiler, beginning, answer) {OtherCompiler::compiler, beginning, answer},
#include "commands/OtherOptions.def"
#undef OTHER_OPTION
};

static constexpr std::string_view xlaOptions[] = {
#define XLA_OPTION(name, kind, count, values) "--" #name,
#include "drumlin/pjrt/XlaOptions.def"
#undef XLA_OPTION
};

static constexpr std::string_view ireeOptions[] = {
#define IREE_OPTION(name) "--" name,
#include "commands/IreeOptions.def"
#undef IREE_OPTION
};

static bool isOption(OtherCompiler compiler, std::string_view option) {
  switch (compiler) {
  case OtherCompiler::Iree:
    return std::ranges::find(ireeOptions, option) != std::end(ireeOptions);
  case OtherCompiler::Xla:
    return std::ranges::find(xlaOptions, option) != std::end(xlaOptions);
  case OtherCompiler::Neuron:
    return std::ranges::any_of(answers, [&](const Answer &each) {
      bool isFamily = each.beginning.ends_with("-");
      return each.compiler == compiler &&
             (isFamily ? option.starts_with(each.beginning) : option == each.beginning);
    });
  }
  return false;
}

static std::string_view nameOf(OtherCompiler compiler) {
  return compiler == OtherCompiler::Iree     ? "iree-compile"
         : compiler == OtherCompiler::Neuron ? "neuronx-cc"
                                             : "XLA";
}

std::optional<std::string> answerToOtherOption(std::string_view option) {
  const Answer *longest = nullptr;
  for (const Answer &each : answers) {
    if (option.starts_with(each.beginning) && isOption(each.compiler, option) &&
        (!longest || each.beginning.size() > longest->beginning.size())) {
      longest = &each;
    }
  }
  if (!longest) {
    return std::nullopt;
  }
  return "an option of " + std::string(nameOf(longest->compiler)) +
         "; here: " + std::string(longest->text);
}

} // namespace drumlin::cli
