// What the vendor of the tensor engines says that its compiler takes (EngineOperators.def): by the
// names of HLO's instructions, with restrictions, by element type. It is what is published, and not
// what an engine was seen to do.
#pragma once

#include "drumlin/target/TensorEngine.h"

#include <span>
#include <string_view>
#include <vector>

namespace drumlin {

struct EnginePage {
  std::string_view title, edition;
};

enum class PublishedState : uint8_t {
  Listed,    // in the list of supported operators
  Described, // not in the list; another page says that it is taken
  Refused,   // a page says that it isn't taken
  Unlisted,  // no page names it
};
std::string_view stateName(PublishedState state); // `not listed`

// How a program's operation is judged by a restriction (drumlin/driver/EngineVerdicts.h): all but
// the first three ask for what they are named after, and refuse others.
enum class EngineCheck : uint8_t {
  None,    // another row says it, or a later page has taken it back
  Loses,   // every operation is taken so
  MayFail, // while the program runs, unless constants keep it from that
  ConstantExponent,
  ConstantStarts,
  DefaultAlgorithm,
  Dilations,
  DisjointOffsets,
  IotaInside,
  KnownBody,
  KnownTripCount,
  OneOperand,
  OrderComparator,
  PlainWindow,
  ScatterBody,
  Uniform,
  VendorTarget,
};

struct PublishedNote {
  std::string_view text;
  const EnginePage *page = nullptr;
  EngineCheck check = EngineCheck::None;
};

struct PublishedOperator {
  PublishedState state = PublishedState::Unlisted;
  std::string_view listedAs; // the list's names, separated by spaces
  // Which page describes or refuses it, for those two states.
  PublishedNote basis;
  std::vector<PublishedNote> restrictions;

  bool isTaken() const {
    return state == PublishedState::Listed || state == PublishedState::Described;
  }
};

enum class PublishedType : uint8_t {
  Taken,
  Converted, // computed in another type, as the note says
  Refused,
  Unnamed, // no page names it
};
std::string_view typeAnswerName(PublishedType answer); // `not named`

struct PublishedTypeAnswer {
  PublishedType answer = PublishedType::Unnamed;
  PublishedNote note; // its page is null where no row is about the type
  // Whether it is an answer of the instruction's own, and not that of all.
  bool isOwn = false;
};

PublishedOperator publishedOperator(const TensorEngine &engine, std::string_view instruction);
// For an instruction that is taken; for none, what holds of all that have no answer of their own.
PublishedTypeAnswer publishedType(const TensorEngine &engine, std::string_view instruction,
                                  ElementType type);
// What is said of all shapes.
PublishedNote publishedShapes();

// For tests and notes: every instruction and every page that a row names.
std::vector<std::string_view> publishedInstructions();
std::span<const EnginePage> enginePages();

} // namespace drumlin
