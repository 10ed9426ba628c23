#include "drumlin/target/EngineOperators.h"

#include <algorithm>

namespace drumlin {

enum class Page : uint8_t {
#define ENGINE_PAGE(Name, title, edition) Name,
#include "drumlin/target/EngineOperators.def"
};

static constexpr EnginePage pages[] = {
#define ENGINE_PAGE(Name, title, edition) {title, edition},
#include "drumlin/target/EngineOperators.def"
};

std::span<const EnginePage> enginePages() { return pages; }

static PublishedNote noteOf(Page page, std::string_view text) {
  return {text, &pages[static_cast<size_t>(page)]};
}

// Sets of engine generations.
enum Engines : uint8_t { V2 = 1, V3 = 2, Any = V2 | V3 };

static bool isOf(const TensorEngine &engine, Engines engines) {
  Engines own = engine.generation == EngineGeneration::NeuronCoreV2 ? V2 : V3;
  return (own & engines) != 0;
}

namespace {
struct OperatorRow {
  std::string_view instruction;
  PublishedState state;
  std::string_view listedAs;
  Page page;
  std::string_view text;
};
struct RestrictionRow {
  Engines engines;
  std::string_view instruction;
  Page page;
  std::string_view text;
  EngineCheck check;
};
struct TypesRow {
  Engines engines;
  std::string_view instructions, types; // names, separated by spaces
  PublishedType answer;
  Page page;
  std::string_view text;
};
} // namespace

static constexpr OperatorRow operators[] = {
#define ENGINE_LISTED(instruction, names)                                                          \
  {instruction, PublishedState::Listed, names, Page::List, ""},
#define ENGINE_DESCRIBED(instruction, page, text)                                                  \
  {instruction, PublishedState::Described, "", Page::page, text},
#define ENGINE_REFUSED(instruction, page, text)                                                    \
  {instruction, PublishedState::Refused, "", Page::page, text},
#include "drumlin/target/EngineOperators.def"
};

static constexpr RestrictionRow restrictions[] = {
#define ENGINE_RESTRICTION(engines, instruction, page, check, text)                                \
  {engines, instruction, Page::page, text, EngineCheck::check},
#include "drumlin/target/EngineOperators.def"
};

static constexpr TypesRow typeRows[] = {
#define ENGINE_TYPES(engines, instructions, types, answer, page, text)                             \
  {engines, instructions, types, PublishedType::answer, Page::page, text},
#include "drumlin/target/EngineOperators.def"
};

static std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

static bool hasWord(std::string_view text, std::string_view word) {
  std::vector<std::string_view> words = wordsOf(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view stateName(PublishedState state) {
  switch (state) {
  case PublishedState::Listed:
    return "listed";
  case PublishedState::Described:
    return "described";
  case PublishedState::Refused:
    return "refused";
  case PublishedState::Unlisted:
    return "not listed";
  }
  return "";
}

std::string_view typeAnswerName(PublishedType answer) {
  switch (answer) {
  case PublishedType::Taken:
    return "taken";
  case PublishedType::Converted:
    return "converted";
  case PublishedType::Refused:
    return "refused";
  case PublishedType::Unnamed:
    return "not named";
  }
  return "";
}

PublishedOperator publishedOperator(const TensorEngine &engine, std::string_view instruction) {
  PublishedOperator found;
  for (const OperatorRow &row : operators) {
    if (row.instruction == instruction) {
      found.state = row.state;
      found.listedAs = row.listedAs;
      found.basis = noteOf(row.page, row.text);
    }
  }
  for (const RestrictionRow &row : restrictions) {
    if (row.instruction == instruction && isOf(engine, row.engines)) {
      found.restrictions.push_back(noteOf(row.page, row.text));
      found.restrictions.back().check = row.check;
    }
  }
  return found;
}

PublishedTypeAnswer publishedType(const TensorEngine &engine, std::string_view instruction,
                                  ElementType type) {
  for (bool isOwn : {true, false}) {
    for (const TypesRow &row : typeRows) {
      bool isAbout = isOwn ? !instruction.empty() && hasWord(row.instructions, instruction)
                           : row.instructions.empty();
      if (isAbout && isOf(engine, row.engines) && hasWord(row.types, name(type))) {
        return {row.answer, noteOf(row.page, row.text), isOwn};
      }
    }
  }
  return {};
}

PublishedNote publishedShapes() {
  return noteOf(Page::Errors, "every dimension is static (NCC_EMOD025)");
}

std::vector<std::string_view> publishedInstructions() {
  std::vector<std::string_view> all;
  for (const OperatorRow &row : operators) {
    all.push_back(row.instruction);
  }
  for (const RestrictionRow &row : restrictions) {
    all.push_back(row.instruction);
  }
  for (const TypesRow &row : typeRows) {
    std::vector<std::string_view> words = wordsOf(row.instructions);
    all.insert(all.end(), words.begin(), words.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

} // namespace drumlin
