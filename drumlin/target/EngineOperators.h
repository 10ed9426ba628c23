// The tensor engines' vendor's statements on what its compiler accepts (EngineOperators.def): by
// HLO instruction name, with restrictions, and by element type. These are published statements, not
// observations of an engine.
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
  Described, // not in the list, but another page says that it is accepted
  Refused,   // a page says that it isn't accepted
  Unlisted,  // no page names it
};
std::string_view stateName(PublishedState state); // `not listed`

// How a restriction is tested on a program's operation (drumlin/driver/EngineVerdicts.h): all
// checks except the first three require what their name says, and refuse other operations.
enum class EngineCheck : uint8_t {
  None,    // another row covers it, or a later page has withdrawn it
  Loses,   // applies to every such operation
  MayFail, // at run time, unless constants rule it out
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
  // The page that describes or refuses the instruction, for these two states.
  PublishedNote basis;
  std::vector<PublishedNote> restrictions;

  bool isTaken() const {
    return state == PublishedState::Listed || state == PublishedState::Described;
  }
};

enum class PublishedType : uint8_t {
  Taken,
  Converted, // computed in another type, given by the note
  Refused,
  Unnamed, // no page names it
};
std::string_view typeAnswerName(PublishedType answer); // `not named`

struct PublishedTypeAnswer {
  PublishedType answer = PublishedType::Unnamed;
  PublishedNote note; // its page is null if no row is about the type
  // Whether a row of this instruction gives the answer, not a row for all instructions.
  bool isOwn = false;
};

PublishedOperator publishedOperator(const TensorEngine &engine, std::string_view instruction);
// Returns the answer for an accepted instruction; empty: for those without rows of their own.
PublishedTypeAnswer publishedType(const TensorEngine &engine, std::string_view instruction,
                                  ElementType type);
// Returns the statement on shapes.
PublishedNote publishedShapes();

// Return all instructions and pages that a row names, for tests and notes.
std::vector<std::string_view> publishedInstructions();
std::span<const EnginePage> enginePages();

} // namespace drumlin
