// Tests texts of a single instruction, and operands that name tuple elements.
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <gtest/gtest.h>

namespace drumlin::hlo {

static Module parsed(const std::string &text) {
  Result<Module> module = parse(text, "m.hlo");
  EXPECT_TRUE(module) << module.error().str();
  return module ? std::move(*module) : Module();
}

static void expectRefused(const std::string &text, DiagnosticCode code, const std::string &words,
                          const std::string &place) {
  Result<Module> module = parse(text, "m.hlo");
  ASSERT_FALSE(module) << text;
  EXPECT_EQ(info(module.error().code).name, info(code).name) << module.error().str();
  EXPECT_NE(module.error().message.find(words), std::string::npos) << module.error().str();
  EXPECT_EQ(module.error().location, "m.hlo:" + place);
}

// Returns the parameters of the entry as `name: shape`, ordered by number.
static std::vector<std::string> parametersOf(const Module &module) {
  std::vector<std::string> parameters;
  for (const std::unique_ptr<Instruction> &each : module.entry()->instructions) {
    if (each->opcode == "parameter") {
      EXPECT_EQ(each->parameterNumber(), static_cast<int64_t>(parameters.size()));
      parameters.push_back(each->name + ": " + each->shape.str());
    }
  }
  return parameters;
}

TEST(HloOneInstruction, OperandsAreParameters) {
  const std::pair<const char *, std::vector<std::string>> texts[] = {
      {"r = s32[3]{0} add(s32[3]{0} b, s32[3]{0} a)", {"b: s32[3]{0}", "a: s32[3]{0}"}},
      {"ROOT %r = s32[3]{0} multiply(s32[3]{0} %a, s32[3]{0} %a), metadata={op_name=\"x\"}\n",
       {"a: s32[3]{0}"}},
      {"s32[3]{0} subtract(s32[3]{0}, s32[3]{0})", {"_0: s32[3]{0}", "_1: s32[3]{0}"}},
      {"\n  // a note\n  (u8[2], token[]) tuple( u8[2] a , token[])\n\n",
       {"a: u8[2]", "_1: token[]"}},
      {"%r = maximum(f32[2] %a, f32[2] exponential(f32[2] %b))", {"a: f32[2]", "b: f32[2]"}},
      {"f64[] call(f64[2,2]{1,0}), to_apply=\n{\n  p = f64[2,2]{1,0} parameter(0)\n  z = f64[] "
       "constant(0)\n  ROOT s = f64[] reduce(p, z), dimensions={0,1}, to_apply={\n    x = f64[] "
       "parameter(0)\n    y = f64[] parameter(1)\n    ROOT t = f64[] add(x, y)\n  }\n}",
       {"_0: f64[2,2]{1,0}"}},
      {"k = pred[] constant(true)", {}},
  };
  for (const auto &[text, parameters] : texts) {
    EXPECT_TRUE(isHloText(text)) << text;
    Module module = parsed(text);
    EXPECT_EQ(print(module), text);
    ASSERT_TRUE(module.entry()) << text;
    EXPECT_EQ(parametersOf(module), parameters) << text;
    EXPECT_FALSE(inferShapes(module)) << text;
    EXPECT_EQ(print(module), text);
  }
}

TEST(HloOneInstruction, ChangesShow) {
  Module module = parsed("f32[2] add(f32[2], f32[2] a)");
  module.entry()->instructions[1]->name = "b";
  EXPECT_EQ(print(module), "f32[2] add(f32[2], f32[2] b)");
  // After a second instruction is added, the module is printed as a computation, in which all
  // instructions have names.
  auto negated = std::make_unique<Instruction>();
  negated->name = "n";
  negated->opcode = "negate";
  negated->shape = module.entry()->root()->shape;
  negated->operands.emplace_back().instruction = module.entry()->root();
  module.entry()->instructions.push_back(std::move(negated));
  std::string text = print(module);
  EXPECT_NE(text.find("ENTRY _ {"), std::string::npos) << text;
  EXPECT_NE(text.find("%_0 = f32[2] parameter(0)"), std::string::npos) << text;
  EXPECT_NE(text.find("%_ = f32[2] add(f32[2] %_0, f32[2] b)"), std::string::npos) << text;
  parsed(text);
}

TEST(HloOneInstruction, Refused) {
  expectRefused("r = f32[2] negate(a)", errors::HloNameUnknown, "has no shape", "1:19");
  expectRefused("r = f32[2] negate(f32[2] a)\ns = f32[2] negate(r)\n", errors::SyntaxInvalid,
                "put several into a computation", "2:1");
  expectRefused("f32[2] map(f32[2]), to_apply=f", errors::HloNameUnknown,
                "no computation is named `f`", "1:30");
  // In a computation, operands need names.
  expectRefused("ENTRY e {\n  a = f32[] parameter(0)\n  b = f32[] negate(f32[])\n}",
                errors::SyntaxInvalid, "the name of an operand", "3:25");
  for (const char *text : {"%0 = arith.constant 1 : i32", "#l = loc(\"a\")", "x = 3", "a = b(c)",
                           "#map = affine_map<(d0) -> (d0)>", "(a)", "f32[2]"}) {
    EXPECT_FALSE(isHloText(text)) << text;
  }
}

TEST(HloElements, AreInstructionsOfTheirOwn) {
  std::string text = "HloModule m\n\nENTRY e {\n  p = (s32[2], (f32[], pred[3])) parameter(0)\n"
                     "  a = s32[2] negate(s32[2] %p#0)\n  b = pred[3] not(p#1#1)\n"
                     "  c = s32[2] add(a, p#0)\n"
                     "  ROOT t = ((f32[], pred[3]), pred[3], s32[2]) tuple(p#1, b, c)\n}\n";
  Module module = parsed(text);
  EXPECT_EQ(print(module), text);
  std::vector<std::string> elements;
  for (const std::unique_ptr<Instruction> &each : module.entry()->instructions) {
    if (each->isImplied) {
      elements.push_back(each->name + ": " + each->shape.str());
    }
  }
  EXPECT_EQ(elements,
            (std::vector<std::string>{"p_0: s32[2]", "p_1: (f32[], pred[3])", "p_1_1: pred[3]"}));
  // Renaming the tuple renames its elements.
  module.entry()->instructions[0]->name = "q";
  text = print(module);
  EXPECT_NE(text.find("not(q#1#1)"), std::string::npos) << text;
  EXPECT_NE(text.find("add(a, q#0)"), std::string::npos) << text;
}

TEST(HloElements, OfTuplesWhoseShapeIsLeftOut) {
  std::string text = "ENTRY e {\n  a = f32[2] parameter(0)\n  a_ = f32[2] negate(a)\n"
                     "  t_0 = tuple(a_, a)\n  t = tuple(t_0, a)\n  ROOT r = negate(t#0#1)\n}";
  Module module = parsed(text);
  std::optional<UnknownShape> unknown = inferShapes(module);
  EXPECT_FALSE(unknown) << unknown->reason;
  EXPECT_EQ(module.entry()->root()->shape.str(), "f32[2]");
  EXPECT_EQ(print(module), text);
  // Names that are already in use don't change.
  EXPECT_EQ(module.entry()->find("t_0")->opcode, "tuple");
  EXPECT_TRUE(module.entry()->find("t_0_"));
}

TEST(HloElements, Refused) {
  std::string before = "ENTRY e {\n  p = (s32[], s32[]) parameter(0)\n  ROOT r = s32[] negate(";
  expectRefused(before + "p#2)\n}", errors::SyntaxInvalid, "has no element 2", "3:25");
  expectRefused(before + "p#-1)\n}", errors::SyntaxInvalid, "has no element -1", "3:25");
  expectRefused(before + "p#1#0)\n}", errors::SyntaxInvalid, "has no element 0", "3:25");
  expectRefused(before + "q#0)\n}", errors::HloNameUnknown, "named `q#0`", "3:25");
  expectRefused(before + "p#x)\n}", errors::HloNameUnknown, "named `p#x`", "3:25");
}

} // namespace drumlin::hlo
