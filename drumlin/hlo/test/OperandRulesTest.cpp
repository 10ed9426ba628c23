// Tests the operand counts and shapes that each opcode of the table accepts.
#include "drumlin/hlo/OperandRules.h"
#include "drumlin/hlo/Editor.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace drumlin::hlo {

namespace {
using Texts = std::vector<std::string>;

// An instruction with these operand shapes; `T` is replaced with element types.
struct Sample {
  Texts operands;
  std::string result, attributes = {};
};

struct Samples {
  ShapeRule rule;
  std::vector<Sample> right, wrong;
};
} // namespace

// For opcodes with a different number of operands, the list of operands is cut, or its last item is
// repeated.
static const std::vector<Samples> &allSamples() {
  static const std::vector<Samples> all = {
      {ShapeRule::Whole,
       {{{"T[2,3]"}, "T[2,3]"}, {{"T[]"}, "T[]"}, {{"(T[2], T[0])"}, "(T[2], T[0])"}},
       {{{"T[2,3]"}, "T[3,2]"}, {{"T[2]"}, "T[]"}, {{"(T[2], T[])"}, "(T[2])"}}},
      {ShapeRule::Elementwise,
       {{{"T[2,3]", "T[2,3]"}, "T[2,3]"},
        {{"T[]", "T[]"}, "T[]"},
        {{"T[0]", "T[0]"}, "T[0]"},
        {{"T[<=4]", "T[<=4]"}, "T[<=4]"}},
       {{{"T[2,3]", "T[2,3]"}, "T[2,4]"},
        {{"T[2]", "T[2]"}, "T[2,1]"},
        {{"T[1]", "T[1]"}, "T[]"},
        {{"T[2]", "T[2]"}, "u32[2]"},
        {{"(T[2])", "(T[2])"}, "T[2]"}}},
      {ShapeRule::Conversion,
       {{{"T[2,3]", "T[2,3]"}, "T[2,3]"}, {{"T[2,3]", "T[2,3]"}, "u32[2,3]"}},
       {{{"T[2,3]", "T[2,3]"}, "T[2]"}, {{"T[1]", "T[1]"}, "T[]"}}},
      {ShapeRule::Predicate,
       {{{"T[2,3]", "T[2,3]"}, "pred[2,3]"}, {{"T[]", "T[]"}, "pred[]"}},
       {{{"T[2,3]", "T[2,3]"}, "pred[2]"}, {{"T[2]", "T[2]"}, "u32[2]"}}},
      {ShapeRule::Select,
       {{{"pred[2]", "T[2]", "T[2]"}, "T[2]"}, {{"pred[]", "T[2]", "T[2]"}, "T[2]"}},
       {{{"pred[3]", "T[2]", "T[2]"}, "T[2]"},
        {{"u32[2]", "T[2]", "T[2]"}, "T[2]"},
        {{"pred[2]", "T[2]", "T[3]"}, "T[2]"},
        {{"pred[2]", "T[2]", "u32[2]"}, "T[2]"}}},
      {ShapeRule::Clamp,
       {{{"T[]", "T[2]", "T[]"}, "T[2]"}, {{"T[2]", "T[2]", "T[2]"}, "T[2]"}},
       {{{"T[3]", "T[2]", "T[]"}, "T[2]"},
        {{"T[]", "T[2]", "u32[]"}, "T[2]"},
        {{"T[]", "T[]", "T[]"}, "T[2]"}}},
      {ShapeRule::Tuple,
       {{{"T[2]", "s32[]"}, "(T[2], s32[])"}, {{}, "()"}, {{"(T[])"}, "((T[]))"}},
       {{{"T[2]"}, "T[2]"}, {{"T[2]", "T[]"}, "(T[2])"}, {{"T[2]"}, "(T[3])"}}},
      {ShapeRule::Element,
       {{{"(T[2], s32[])"}, "T[2]", ", index=0"}, {{"(T[2], s32[])"}, "s32[]", ", index=1"}},
       {{{"(T[2], s32[])"}, "T[2]", ", index=1"},
        {{"(T[2])"}, "T[2]", ", index=1"},
        {{"(T[2])"}, "T[2]"},
        {{"T[2]"}, "T[2]", ", index=0"}}},
      {ShapeRule::Reshape,
       {{{"T[2,3]"}, "T[6]"}, {{"T[1]"}, "T[]"}, {{"T[0,3]"}, "T[7,0]"}, {{"T[<=4]"}, "T[2]"}},
       {{{"T[2,3]"}, "T[5]"}, {{"T[2]"}, "u32[2]"}, {{"(T[2])"}, "T[2]"}}},
      {ShapeRule::Broadcast,
       {{{"T[]"}, "T[2,3]", ", dimensions={}"},
        {{"T[3]"}, "T[2,3]", ", dimensions={1}"},
        {{"T[]"}, "T[2]"}},
       {{{"T[3]"}, "T[2,3]", ", dimensions={0}"},
        {{"T[3]"}, "T[3]"},
        {{"T[3]"}, "T[2,3]", ", dimensions={2}"},
        {{"T[3]"}, "u32[3]", ", dimensions={0}"},
        {{"T[3]"}, "T[3]", ", dimensions={}"}}},
      {ShapeRule::Transpose,
       {{{"T[2,3]"}, "T[3,2]", ", dimensions={1,0}"},
        {{"T[]"}, "T[]", ", dimensions={}"},
        {{"T[2,3,4]"}, "T[4,2,3]", ", dimensions={2,0,1}"}},
       {{{"T[2,3]"}, "T[2,3]", ", dimensions={1,0}"},
        {{"T[2,3]"}, "T[3,2]"},
        {{"T[2,2]"}, "T[2,2]", ", dimensions={0,0}"},
        {{"T[2,3,4]"}, "T[3,4,2]", ", dimensions={2,0,1}"}}},
      {ShapeRule::Concatenate,
       {{{"T[2,3]", "T[4,3]"}, "T[6,3]", ", dimensions={0}"},
        {{"T[2]"}, "T[2]", ", dimensions={0}"}},
       {{{"T[2,3]", "T[4,3]"}, "T[7,3]", ", dimensions={0}"},
        {{"T[2,3]", "T[2,4]"}, "T[4,3]", ", dimensions={0}"},
        {{"T[2]", "T[2]"}, "T[4]", ", dimensions={1}"},
        {{"T[2]", "u32[2]"}, "T[4]", ", dimensions={0}"},
        {{"T[2]", "T[2]"}, "T[4]"}}},
      {ShapeRule::Slice,
       {{{"T[8]"}, "T[3]", ", slice={[1:7:2]}"},
        {{"T[4,5]"}, "T[2,5]", ", slice={[1:3], [0:5]}"},
        {{"T[]"}, "T[]", ", slice={}"},
        {{"T[3]"}, "T[0]", ", slice={[3:3]}"}},
       {{{"T[8]"}, "T[4]", ", slice={[1:7:2]}"},
        {{"T[4]"}, "T[5]", ", slice={[0:5]}"},
        {{"T[4]"}, "T[4]"},
        {{"T[4]"}, "u32[2]", ", slice={[0:2]}"},
        {{"T[4]"}, "T[2]", ", slice={[2:0]}"}}},
      {ShapeRule::DynamicSlice,
       {{{"T[8,3]", "s32[]", "s32[]"}, "T[2,3]", ", dynamic_slice_sizes={2,3}"}},
       {{{"T[8,3]", "s32[]", "s32[]"}, "T[2,2]", ", dynamic_slice_sizes={2,3}"},
        {{"T[8]", "s32[]"}, "T[9]", ", dynamic_slice_sizes={9}"},
        {{"T[8]", "s32[]"}, "u32[2]", ", dynamic_slice_sizes={2}"},
        {{"T[8]", "s32[]"}, "T[2]"}}},
      {ShapeRule::DynamicUpdate,
       {{{"T[8]", "T[2]", "s32[]"}, "T[8]"}},
       {{{"T[8]", "T[9]", "s32[]"}, "T[8]"},
        {{"T[8]", "T[2]", "s32[]"}, "T[2]"},
        {{"T[8]", "T[2,1]", "s32[]"}, "T[8]"},
        {{"T[8]", "u32[2]", "s32[]"}, "T[8]"}}},
      {ShapeRule::Dot,
       {{{"T[2,3]", "T[3,4]"}, "T[2,4]", ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
        {{"T[5,2,3]", "T[3,5]"},
         "T[5,2]",
         ", lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, "
         "rhs_contracting_dims={0}"},
        {{"T[2]", "T[3]"}, "T[2,3]", ", lhs_contracting_dims={}, rhs_contracting_dims={}"}},
       {{{"T[2,3]", "T[3,4]"}, "T[4,2]", ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
        {{"T[2,3]", "T[4,3]"}, "T[2,3]", ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
        {{"T[2,3]", "T[3,4]"}, "T[2,4]", ", lhs_contracting_dims={2}, rhs_contracting_dims={0}"},
        {{"T[2,3]", "T[3,4]"}, "T[2,4]", ", lhs_contracting_dims={1}"}}},
      {ShapeRule::Reduce,
       {{{"T[2,3]", "T[]"}, "T[2]", ", dimensions={1}"},
        {{"T[2]", "s32[2]", "T[]", "s32[]"}, "(T[], s32[])", ", dimensions={0}"}},
       {{{"T[2,3]", "T[]"}, "T[3]", ", dimensions={1}"},
        {{"T[2]", "T[1]"}, "T[]", ", dimensions={0}"},
        {{"T[2]", "T[]"}, "T[]", ", dimensions={1}"},
        {{"T[2]", "T[3]", "T[]", "T[]"}, "(T[], T[])", ", dimensions={0}"},
        {{"T[2]", "T[]", "T[]"}, "T[]", ", dimensions={0}"}}},
  };
  return all;
}

static std::string withType(std::string text, std::string_view type) {
  for (size_t at = 0; (at = text.find("T[", at)) != text.npos; at += type.size()) {
    text.replace(at, 1, type);
  }
  return text;
}

// Inserts an instruction `%new` whose operands are parameters of the sample's shapes.
static Result<Instruction *> insert(Module &module, const Sample &sample, std::string_view opcode,
                                    std::string_view type) {
  std::string text = "HloModule m\n\nENTRY %e {\n", operands;
  for (size_t i = 0; i < sample.operands.size(); ++i) {
    std::string number = std::to_string(i);
    text += "  %p" + number + " = " + withType(sample.operands[i], type) + " parameter(" + number +
            ")\n";
    operands += (i == 0 ? "%p" : ", %p") + number;
  }
  Result<Module> read = parse(text + "  ROOT %r = s32[] constant(1)\n}\n", "m.hlo");
  EXPECT_TRUE(read) << read.error().str() << text;
  module = std::move(*read);
  Removed removed;
  return Editor(module, removed)
      .insert(*module.entry(), "%new = " + withType(sample.result, type) + " " +
                                   std::string(opcode) + "(" + operands + ")" + sample.attributes);
}

// Returns the sample with the number of operands that the opcode takes.
static Sample fitted(Sample sample, const OperandRule &rule) {
  if (rule.most != OperandRule::any && sample.operands.size() > rule.most) {
    sample.operands.resize(rule.most);
  }
  while (sample.operands.size() < rule.least) {
    sample.operands.push_back(sample.operands.back());
  }
  return sample;
}

TEST(HloOperandRules, ShapesOfEachOpcode) {
  std::set<ShapeRule> seen;
  for (const OperandRule &rule : operandRules()) {
    const auto &all = allSamples();
    auto samples = std::find_if(all.begin(), all.end(),
                                [&](const auto &each) { return each.rule == rule.shapes; });
    ASSERT_EQ(samples == all.end(), rule.shapes == ShapeRule::Free) << rule.opcode;
    if (samples == all.end()) {
      EXPECT_EQ(equationOf(rule.shapes), "");
      continue;
    }
    seen.insert(rule.shapes);
    for (std::string_view type : {"f32", "bf16", "f8e4m3fn", "s4", "s64", "pred", "c64"}) {
      Module module;
      for (const Sample &sample : samples->right) {
        Result<Instruction *> made = insert(module, fitted(sample, rule), rule.opcode, type);
        EXPECT_TRUE(made) << made.error().str();
      }
      for (const Sample &sample : samples->wrong) {
        Result<Instruction *> made = insert(module, fitted(sample, rule), rule.opcode, type);
        ASSERT_FALSE(made) << print(module);
        EXPECT_EQ(made.error().code, errors::ProgramInvalid) << rule.opcode;
        EXPECT_EQ(made.error().location, "%new in %e");
        EXPECT_EQ(made.error().remedy, equationOf(rule.shapes));
        EXPECT_EQ(module.entry()->find("new"), nullptr);
      }
    }
  }
  EXPECT_EQ(seen.size(), allSamples().size());
}

// Gives each opcode one operand too few and one too many.
TEST(HloOperandRules, CountsOfEachOpcode) {
  size_t refused = 0;
  for (const OperandRule &rule : operandRules()) {
    if (rule.opcode == "parameter" || rule.opcode == "constant") {
      continue; // have a number or elements in parentheses, not operands
    }
    for (int count : {rule.least - 1, rule.most + 1}) {
      if (count < 0 || count > UINT8_MAX) {
        continue;
      }
      Module module;
      Sample sample{Texts(static_cast<size_t>(count), "f32[]"), "f32[]"};
      Result<Instruction *> made = insert(module, sample, rule.opcode, "f32");
      ASSERT_FALSE(made) << print(module);
      EXPECT_EQ(made.error().code, errors::ProgramInvalid);
      EXPECT_NE(made.error().message.find(", not " + std::to_string(count)), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, operandRules().size());
}

TEST(HloOperandRules, OpcodesThatThereArent) {
  for (auto [opcode, near] :
       {std::pair<std::string_view, std::string_view>{"multipl", "`multiply`"},
        {"get_tuple_element", "`get-tuple-element`"},
        {"exp", "`exponential`"},
        {"sub", "`subtract`"},
        {"ad", "`add`"},
        {"mystery-start", "`"}}) {
    Status status = checkOpcode(opcode, "%new in %e");
    ASSERT_FALSE(status) << opcode;
    EXPECT_EQ(status.error().code, errors::HloNameUnknown);
    EXPECT_EQ(status.error().location, "%new in %e");
    EXPECT_NE(status.error().remedy.find(near), std::string::npos) << status.error().remedy;
    Module module;
    Result<Instruction *> made = insert(module, {{"f32[2]"}, "f32[2]"}, opcode, "f32");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, status.error().message);
  }
  for (const OperandRule &rule : operandRules()) {
    EXPECT_TRUE(checkOpcode(rule.opcode, ""));
  }
  EXPECT_TRUE(checkOpcode("fusion-start", ""));
  EXPECT_TRUE(checkOpcode("custom-call-done", ""));
}

// All programs that XLA compiled are accepted.
TEST(HloOperandRules, Models) {
  size_t count = 0;
  std::set<std::string> opcodes;
  for (const auto &folder : std::filesystem::directory_iterator(
           std::filesystem::path(DRUMLIN_SOURCE_DIR) / "test" / "models")) {
    std::ifstream file(folder.path() / "optimized.hlo", std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    Result<Module> module = parse(text.str(), folder.path().string());
    if (!module) {
      continue; // not every model has XLA's text
    }
    for (const auto &computation : module->computations) {
      for (const auto &instruction : computation->instructions) {
        Status opcode = checkOpcode(instruction->opcode, instruction->name);
        EXPECT_TRUE(opcode) << opcode.error().str();
        Status operands = checkOperands(*instruction, instruction->name);
        EXPECT_TRUE(operands) << operands.error().str();
        opcodes.insert(instruction->opcode);
        ++count;
      }
    }
  }
  EXPECT_GT(count, 5000U);
  EXPECT_GT(opcodes.size(), 40U);
}

// Operands may mix float types, as XLA's passes produce.
TEST(HloOperandRules, FloatsMix) {
  Module module;
  EXPECT_TRUE(insert(module, {{"f32[2]", "bf16[2]"}, "f32[2]"}, "add", "f32"));
  EXPECT_FALSE(insert(module, {{"f32[2]", "s32[2]"}, "f32[2]"}, "add", "f32"));
}

// Edits of operands, opcodes and uses are checked too; an instruction that is already invalid may
// stay invalid.
TEST(HloOperandRules, Changes) {
  Result<Module> module = parse(R"(HloModule m

ENTRY %e (a: f32[2], b: f32[3], c: s32[2]) -> f32[2] {
  %a = f32[2]{0} parameter(0)
  %b = f32[3]{0} parameter(1)
  %c = s32[2]{0} parameter(2)
  %odd = f32[7]{0} negate(%a)
  %strange = f32[2]{0} no-such-opcode(%a, %a)
  ROOT %r = f32[2]{0} add(%a, %a)
}
)",
                                "m.hlo");
  ASSERT_TRUE(module);
  Removed removed;
  Editor editor(*module, removed);
  Computation &entry = *module->entry();
  auto at = [&](std::string_view name) { return entry.find(name); };
  std::string before = print(*module);
  for (const Status &status :
       {editor.setOperands(entry, *at("r"), {at("a")}),
        editor.setOperands(entry, *at("r"), {at("a"), at("b")}),
        editor.setOperands(entry, *at("r"), {at("c"), at("a")}),
        editor.replaceUses(entry, *at("a"), *at("b")), editor.setOpcode(*at("r"), "ad")}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(print(*module), before);
  }
  EXPECT_FALSE(editor.add("%f (p: f32[2]) -> f32[3] {\n  %p = f32[2]{0} parameter(0)\n"
                          "  ROOT %q = f32[3]{0} negate(%p)\n}"));
  EXPECT_FALSE(editor.insert(entry, "%n = f32[2]{0} negate(f32[3]{0} negate(%a))"));
  EXPECT_EQ(print(*module), before);
  EXPECT_TRUE(editor.setOperands(entry, *at("strange"), {at("b")}));
  EXPECT_TRUE(editor.setOpcode(*at("r"), "multiply"));
  // The shape must be changed before the operands.
  Shape shape = at("b")->shape;
  EXPECT_TRUE(editor.setShape(entry, *at("r"), shape));
  EXPECT_TRUE(editor.setOperands(entry, *at("r"), {at("b"), at("b")}));
  EXPECT_TRUE(editor.replaceUses(entry, *at("a"), *at("b"))); // `odd` was invalid before
}

} // namespace drumlin::hlo
