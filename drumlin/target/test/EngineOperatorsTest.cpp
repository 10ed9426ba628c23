// Checks that the rows of the tensor engines' published statements are consistent.
#include "drumlin/target/EngineOperators.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>

namespace drumlin {

static std::vector<ElementType> allTypes() {
  return {
#define DRUMLIN_ELEMENT_TYPE(Name, ...) ElementType::Name,
#include "drumlin/support/ElementType.def"
  };
}

static const TensorEngine &engineOf(std::string_view name) { return *findTensorEngine(name); }

static std::vector<std::string> wordsOf(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

// The vendor's list in its published order. It has `Rev (reverse)` instead of `Rev`.
static constexpr std::string_view publishedList =
    "Abs Add Allgather Allreduce Atan2 Batchnorm Batchnormgrad Batchnorminference "
    "BitcastConvertType Broadcast BroadcastInDim Ceil Clamp Compare Concatenate Constant "
    "ConstantLiteral ConvertElementType Cos Customcall Div Dot DotGeneral DynamicUpdateSlice Eq "
    "Exp Floor Gather Ge GetTupleElement Gt Iota Le Log LogicalAnd LogicalNot Lt Max Min Mul Ne "
    "Neg Pad Pow Reduce Reshape Rev RngBitGenerator RngUniform Rsqrt Scatter Select "
    "SelectAndScatter ShiftRightLogical Sign Sin Slice Sqrt Sub Tanh Transpose Tuple";

TEST(EngineOperators, TheListIsWhole) {
  std::multiset<std::string> names;
  for (std::string_view instruction : publishedInstructions()) {
    for (const std::string &name :
         wordsOf(publishedOperator(engineOf("inf2"), instruction).listedAs)) {
      names.insert(name);
    }
  }
  std::vector<std::string> expected = wordsOf(publishedList);
  EXPECT_EQ(names, std::multiset<std::string>(expected.begin(), expected.end()));
}

// Only instructions that are accepted have restrictions or answers for types.
TEST(EngineOperators, RowsAreAboutInstructionsThatHaveAState) {
  for (const TensorEngine &engine : tensorEngines()) {
    for (std::string_view instruction : publishedInstructions()) {
      PublishedOperator published = publishedOperator(engine, instruction);
      EXPECT_NE(published.state, PublishedState::Unlisted) << instruction;
      EXPECT_NE(published.basis.page, nullptr) << instruction;
      EXPECT_EQ(published.state == PublishedState::Listed, !published.listedAs.empty())
          << instruction;
      if (!published.isTaken()) {
        EXPECT_TRUE(published.restrictions.empty()) << instruction;
        EXPECT_FALSE(published.basis.text.empty()) << instruction;
      }
      for (const PublishedNote &note : published.restrictions) {
        EXPECT_FALSE(note.text.empty()) << instruction;
      }
    }
    PublishedOperator unlisted = publishedOperator(engine, "cholesky");
    EXPECT_EQ(unlisted.state, PublishedState::Unlisted);
    EXPECT_EQ(unlisted.basis.page, nullptr);
  }
}

TEST(EngineOperators, EveryPageIsCited) {
  std::map<const EnginePage *, size_t> citations;
  for (const TensorEngine &engine : tensorEngines()) {
    for (std::string_view instruction : publishedInstructions()) {
      PublishedOperator published = publishedOperator(engine, instruction);
      ++citations[published.basis.page];
      for (const PublishedNote &note : published.restrictions) {
        ++citations[note.page];
      }
      for (ElementType type : allTypes()) {
        ++citations[publishedType(engine, instruction, type).note.page];
      }
    }
  }
  for (const EnginePage &page : enginePages()) {
    EXPECT_GT(citations[&page], 0u) << page.title;
    EXPECT_FALSE(page.edition.empty());
  }
}

TEST(EngineOperators, TypesDependOnEngineAndInstruction) {
  auto answer = [](const char *engine, const char *instruction, ElementType type) {
    return publishedType(engineOf(engine), instruction, type).answer;
  };
  for (const char *engine : {"inf2", "trn1", "trn1n", "trn2"}) {
    EXPECT_EQ(answer(engine, "add", ElementType::BF16), PublishedType::Taken);
    EXPECT_EQ(answer(engine, "add", ElementType::SI64), PublishedType::Converted);
    EXPECT_EQ(answer(engine, "add", ElementType::F8E4M3FN), PublishedType::Refused);
    EXPECT_EQ(answer(engine, "add", ElementType::F64), PublishedType::Unnamed);
    EXPECT_EQ(answer(engine, "add", ElementType::C64), PublishedType::Taken);
    EXPECT_EQ(answer(engine, "sort", ElementType::C64), PublishedType::Refused);
    EXPECT_EQ(answer(engine, "all-reduce", ElementType::SI32), PublishedType::Converted);
    EXPECT_EQ(answer(engine, "topk", ElementType::SI32), PublishedType::Refused);
  }
  EXPECT_EQ(answer("trn1", "dot", ElementType::SI8), PublishedType::Taken);
  EXPECT_EQ(answer("trn2", "dot", ElementType::SI8), PublishedType::Unnamed);
  EXPECT_NE(publishedType(engineOf("trn1"), "", ElementType::SI64).note.text,
            publishedType(engineOf("trn2"), "", ElementType::SI64).note.text);
  EXPECT_TRUE(publishedType(engineOf("trn2"), "power", ElementType::SI64).isOwn);
  EXPECT_FALSE(publishedType(engineOf("trn2"), "add", ElementType::SI64).isOwn);
}

// Each word of a row must name a type: other words would be ignored.
TEST(EngineOperators, RowsNameElementTypes) {
#define ENGINE_TYPES(engines, instructions, types, answer, page, text)                             \
  for (const std::string &word : wordsOf(types)) {                                                 \
    EXPECT_TRUE(elementTypeFromName(word)) << word;                                                \
  }
#include "drumlin/target/EngineOperators.def"
}

} // namespace drumlin
