#include "drumlin/target/Numerics.h"

#include "drumlin/support/diagnostics/OptionErrors.h"

#include <algorithm>
#include <array>

namespace drumlin {

static constexpr RelaxationInfo relaxations[] = {
#define DRUMLIN_RELAXATION(Name, name, isDefault, meaning)                                         \
  {Relaxation::Name, name, isDefault, meaning},
#include "drumlin/target/Relaxations.def"
};

std::span<const RelaxationInfo> allRelaxations() { return relaxations; }

const RelaxationInfo &info(Relaxation relaxation) {
  return relaxations[static_cast<size_t>(relaxation)];
}

std::span<const std::string_view> numericsWords() {
  static constexpr auto words = [] {
    std::array<std::string_view, std::size(relaxations) + 2> made = {"default", "strict"};
    std::ranges::transform(relaxations, made.begin() + 2, &RelaxationInfo::name);
    return made;
  }();
  return words;
}

std::vector<std::string_view> Numerics::names() const {
  std::vector<std::string_view> made;
  for (const RelaxationInfo &each : relaxations) {
    if (allows(each.relaxation)) {
      made.push_back(each.name);
    }
  }
  return made;
}

static std::string joined(std::span<const std::string_view> words, const char *between) {
  std::string text;
  for (std::string_view word : words) {
    text += (text.empty() ? "" : between) + std::string(word);
  }
  return text;
}

std::string Numerics::str() const {
  return *this == Strict ? "strict" : *this == Default ? "default" : joined(names(), ",");
}

static const RelaxationInfo *findRelaxation(std::string_view name) {
  auto found = std::ranges::find(relaxations, name, &RelaxationInfo::name);
  return found == std::end(relaxations) ? nullptr : found;
}

Result<Numerics> numericsFromText(std::string_view text) {
  Numerics numerics = Numerics::Strict;
  for (bool isLast = false; !isLast;) {
    size_t end = text.find(',');
    isLast = end == std::string_view::npos;
    std::string_view word = text.substr(0, end);
    text = isLast ? std::string_view() : text.substr(end + 1);
    const RelaxationInfo *found = findRelaxation(word);
    if (found) {
      numerics = numerics.with({found->relaxation});
    } else if (word == "default") {
      numerics = numerics.with(Numerics::Default);
    } else if (word != "strict") {
      return diagnose(errors::CommandLineInvalid, "`" + std::string(word) + "` isn't a relaxation",
                      "--numerics",
                      "use " + joined(numericsWords(), ", ") +
                          ", or several of them, comma-separated");
    }
  }
  return numerics;
}

} // namespace drumlin
