// Tests that the text of a changed module shows the change everywhere.
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"

#include <gtest/gtest.h>

namespace drumlin::hlo {

static Module parsed(std::string_view text) {
  Result<Module> module = parse(text, "m.hlo");
  EXPECT_TRUE(module) << (module ? "" : module.error().str());
  return module ? std::move(*module) : Module();
}

static constexpr std::string_view before = R"(HloModule m

%double (p: f32[4,8]) -> f32[4,8] {
  %p = f32[4,8]{1,0} parameter(0)
  ROOT %add = f32[4,8]{1,0} add(f32[4,8]{1,0} %p, f32[4,8]{1,0} %p), metadata={op_name="twice"}
}

ENTRY %main (x: f32[4,8]) -> f32[4,8] {
  %x = f32[4,8]{1,0} parameter(0)
  ROOT %call = f32[4,8]{1,0} call(f32[4,8]{1,0} %x), to_apply=%double, control-predecessors={%x}
}
)";

static constexpr std::string_view after = R"(HloModule m

%twofold (input: f32[4,8]) -> f32[4,8] {
  %input = f32[4,8]{1,0} parameter(0)
  ROOT %add = f32[4,8]{1,0} add(f32[4,8]{1,0} %input, f32[4,8]{1,0} %input)
}

ENTRY %main (y: f32[4,8]) -> f32[4,8] {
  %y = f32[4,8]{0,1:S(1)} parameter(0)
  ROOT %call = f32[4,8]{1,0} call(f32[4,8]{0,1:S(1)} %y), to_apply=%twofold, control-predecessors={%y}
}
)";

TEST(HloEdit, NamesAttributesAndLayouts) {
  Module module = parsed(before);
  Computation &callee = *module.find("double");
  callee.name = "twofold";
  callee.find("p")->name = "input";
  EXPECT_TRUE(callee.root()->remove("metadata"));
  EXPECT_FALSE(callee.root()->remove("metadata"));
  Instruction &argument = *module.entry()->find("x");
  argument.name = "y";
  argument.shape.layout->minorToMajor = {0, 1};
  argument.shape.layout->setMemorySpace(1);
  EXPECT_EQ(print(module), after);
  EXPECT_EQ(print(parsed(after)), after);
}

// Moving a module doesn't move its parts.
TEST(HloEdit, MovedModule) {
  Module module = parsed(before);
  Module moved = std::move(module);
  moved.entry()->root()->operands[0].instruction->name = "z";
  EXPECT_NE(print(moved).find("call(f32[4,8]{1,0} %z)"), std::string::npos);
}

TEST(HloEdit, NewAttributes) {
  Module module = parsed(before);
  Instruction &root = *module.entry()->root();
  root.attributes.push_back(
      {"frontend_attributes", Value::list('{', {Value::entry("note", Value::string("a \"b\""))})});
  root.attributes.push_back(
      {"dims", Value::list('{', {Value::number(1), Value::number(-2)}, /*spaced=*/true)});
  root.attributes.push_back({"layout", Value::shapeOf(root.shape)});
  std::string text = print(module);
  EXPECT_NE(
      text.find(R"(, frontend_attributes={note="a \"b\""}, dims={1, -2}, layout=f32[4,8]{1,0})"),
      std::string::npos)
      << text;
  EXPECT_EQ(print(parsed(text)), text);
}

// Inline computations and instructions can be found and changed like others.
TEST(HloEdit, InlineParts) {
  Module module = parsed(R"(HloModule m

ENTRY e {
  %x = f32[] parameter(0)
  ROOT %r = f32[] call(f32[] negate(%x)), to_apply={
    %y = f32[] parameter(0)
  }
}
)");
  ASSERT_EQ(module.computations.size(), 2U);
  Computation &callee = *module.computations[0];
  Instruction &root = *module.entry()->root();
  EXPECT_TRUE(callee.isInline);
  EXPECT_EQ(root.calledComputations(), std::vector<Computation *>{&callee});
  ASSERT_EQ(module.entry()->instructions.size(), 3U);
  Instruction &operand = *module.entry()->instructions[1];
  EXPECT_EQ(root.operands[0].instruction, &operand);
  EXPECT_TRUE(operand.isInline);
  EXPECT_EQ(operand.operands[0].instruction, module.entry()->find("x"));
  operand.opcode = "abs";
  module.entry()->find("x")->name = "z";
  callee.root()->name = "w";
  EXPECT_EQ(print(module), R"(HloModule m

ENTRY e {
  %z = f32[] parameter(0)
  ROOT %r = f32[] call(f32[] abs(%z)), to_apply={
    %w = f32[] parameter(0)
  }
}
)");
  // The computation and the instruction are printed separately once they have names.
  callee.isInline = operand.isInline = callee.percent = operand.percent = false;
  callee.name = "f";
  callee.indent = 0;
  operand.name = "a";
  EXPECT_EQ(print(module), R"(HloModule m

f {
    %w = f32[] parameter(0)
}

ENTRY e {
  %z = f32[] parameter(0)
  a = f32[] abs(%z)
  ROOT %r = f32[] call(a), to_apply=f
}
)");
}

// A list keeps its form while items are added and removed.
TEST(HloEdit, ItemsOfLists) {
  Module module = parsed("HloModule m, a={1, 2}, b={3}, c={x=1 y=2}, d={ {}, {0} }\n\n"
                         "%e {\n  %x = f32[] constant(1)\n}\n");
  auto list = [&](std::string_view name) -> Value & {
    return *findAttribute(module.attributes, name);
  };
  list("a").append(Value::number(7));
  list("a").erase(0);
  list("b").append(Value::number(8));
  list("c").append(Value::entry("z", Value::number(9)));
  list("d").erase(0);
  EXPECT_EQ(list("a").str(), "{2, 7}");
  EXPECT_EQ(list("b").str(), "{3,8}");
  EXPECT_EQ(list("c").str(), "{x=1 y=2 z=9}");
  EXPECT_EQ(list("d").str(), "{ {0} }");
}

// Queries of a module.
TEST(HloModel, Questions) {
  Module module = parsed(R"(HloModule m, num_partitions=2

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  %add = f32[] add(%a, %b)
}

ENTRY %main (x: bf16[<=4,?]) -> f32[] {
  %x = bf16[<=4,?]{1,0:T(8,128)(2,1)S(5)} parameter(0), metadata={op_name="a\nb" source_line=7}
  %c = f32[] constant(0)
  ROOT %r = f32[] reduce(%x, %c), dimensions={0,1}, to_apply=%sum, slice={[0:4:2]}
}
)");
  EXPECT_EQ(findAttribute(module.attributes, "num_partitions")->integer(), 2);
  // No instruction of `sum` is marked `ROOT`, so the last one is the root.
  Computation &sum = *module.find("sum");
  EXPECT_EQ(sum.root()->name, "add");
  EXPECT_EQ(sum.root()->operands[1].instruction, sum.find("b"));
  EXPECT_EQ(sum.find("b")->parameterNumber(), 1);
  EXPECT_EQ(sum.root()->parameterNumber(), std::nullopt);
  Instruction &root = *module.entry()->root();
  EXPECT_EQ(root.calledComputations(), std::vector<Computation *>{&sum});
  EXPECT_EQ(root.find("dimensions")->integers(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(root.find("slice")->integers(), std::nullopt);
  EXPECT_EQ(root.find("slice")->items[0].items[0].items[2].integer(), 2);
  EXPECT_EQ(root.metadata(), nullptr);
  Instruction &x = *module.entry()->find("x");
  EXPECT_EQ(x.metadata()->find("op_name")->contents(), "a\nb");
  EXPECT_EQ(x.metadata()->find("source_line")->integer(), 7);
  EXPECT_EQ(x.metadata()->find("source_file"), nullptr);
  EXPECT_EQ(x.shape.elementType(), ElementType::BF16);
  EXPECT_EQ(x.shape.dimensions, (List<Dimension>{{4, true}, {-1, true}}));
  EXPECT_EQ(x.shape.layout->tiles(), (std::vector<std::vector<int64_t>>{{8, 128}, {2, 1}}));
  EXPECT_EQ(x.shape.layout->memorySpace(), 5);
  x.shape.layout->setTiles({{-1, 128}});
  EXPECT_EQ(x.shape.str(), "bf16[<=4,?]{1,0:T(*,128)S(5)}");
  EXPECT_EQ(x.shape.layout->tiles(), (std::vector<std::vector<int64_t>>{{-1, 128}}));
  x.shape.layout->setTiles({});
  EXPECT_EQ(x.shape.str(), "bf16[<=4,?]{1,0:S(5)}");
}

// Each HLO name of an element type converts to an element type and back to the same name.
TEST(HloModel, ElementTypes) {
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    if (std::string_view name = hloName(type); !name.empty()) {
      EXPECT_EQ(elementTypeFromHloName(name), type);
      EXPECT_TRUE(isElementTypeWord(name)) << name;
    }
  }
  EXPECT_EQ(hloName(ElementType::F8E4M3FN), "f8e4m3fn");
  EXPECT_EQ(elementTypeFromHloName("token"), std::nullopt);
  EXPECT_FALSE(isElementTypeWord("mesh"));
}

} // namespace drumlin::hlo
