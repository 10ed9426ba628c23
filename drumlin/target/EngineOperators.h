// What the vendor of the tensor engines states about its compiler (EngineOperators.def): which HLO
// instructions the compiler accepts, with which restrictions, and on which element types. These are
// published statements, not observations of an engine.
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
  Refused,   // a page says that it is not accepted
  Unlisted,  // no page names the instruction
};
std::string_view stateName(PublishedState state); // `not listed`

// The test of whether a program's operation violates a restriction
// (drumlin/driver/EngineVerdicts.h). Each check except the first three refuses operations that lack
// the property that the enumerator names.
enum class EngineCheck : uint8_t {
  None,    // no test: another row covers the restriction, or a later page withdrew it
  Loses,   // every operation of the instruction loses precision
  MayFail, // may fail at run time, unless constants rule it out
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
  // For Described and Refused: the statement that describes or refuses the instruction.
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
  Unnamed, // no page names the type
};
std::string_view typeAnswerName(PublishedType answer); // `not named`

struct PublishedTypeAnswer {
  PublishedType answer = PublishedType::Unnamed;
  PublishedNote note; // `note.page` is null if no row is about the type
  // Whether the answer is from a row that names this instruction, not from a row for all
  // instructions.
  bool isOwn = false;
};

PublishedOperator publishedOperator(const TensorEngine &engine, std::string_view instruction);
// Returns the published answer to whether an accepted instruction takes an element type. If
// `instruction` is empty, returns the answer that holds for all instructions without rows of their
// own.
PublishedTypeAnswer publishedType(const TensorEngine &engine, std::string_view instruction,
                                  ElementType type);
// Returns the vendor's statement about shapes.
PublishedNote publishedShapes();

// Return all instructions and all pages that rows name; for tests and notes.
std::vector<std::string_view> publishedInstructions();
std::span<const EnginePage> enginePages();

} // namespace drumlin
