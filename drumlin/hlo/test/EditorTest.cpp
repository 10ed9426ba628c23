// Tests that each edit either gives a module whose text parses to the same module, or fails and
// leaves the module unchanged.
#include "drumlin/hlo/Editor.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <gtest/gtest.h>

namespace drumlin::hlo {

namespace {
class HloEditor : public testing::Test {
protected:
  void read(std::string_view text) {
    Result<Module> parsed = parse(text, "m.hlo");
    ASSERT_TRUE(parsed) << parsed.error().str();
    module = std::move(*parsed);
  }
  Computation &entry() { return *module.entry(); }
  Instruction &at(std::string_view name) { return *entry().find(name); }
  // Checks that parsing and printing the module's text changes nothing. Returns the lines of the
  // entry.
  std::string body() {
    std::string text = print(module);
    Result<Module> again = parse(text, "again.hlo");
    EXPECT_TRUE(again) << (again ? "" : again.error().str());
    EXPECT_EQ(again ? print(*again) : "", text);
    std::string lines;
    printBody(entry(), lines);
    return lines;
  }
  template <typename T>
  void expectError(const Result<T> &result, DiagnosticCode code, std::string_view place,
                   std::string_view message) {
    ASSERT_FALSE(result);
    EXPECT_EQ(info(result.error().code).id, info(code).id);
    EXPECT_EQ(result.error().location, place);
    EXPECT_EQ(result.error().message, message);
    EXPECT_EQ(print(module), before) << "a refused change must change nothing";
  }
  void remember() { before = print(module); }

  Module module;
  Removed removed;
  Editor editor{module, removed};
  std::string before;
};
} // namespace

static constexpr std::string_view text =
    R"(HloModule m, entry_computation_layout={(f32[4]{0}, f32[4]{0})->f32[4]{0}}

%twice (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %add = f32[4]{0} add(%p, %p)
}

ENTRY %main (a: f32[4], b: f32[4]) -> f32[4] {
  %a = f32[4]{0} parameter(0)
  %b = f32[4]{0} parameter(1)
  %c = f32[4]{0} call(%a), to_apply=%twice
  ROOT %r = f32[4]{0} add(%c, %b)
}
)";

// A new instruction is at the requested position, or after its operands if they come later.
TEST_F(HloEditor, Inserts) {
  read(text);
  Result<Instruction *> last = editor.insert(entry(), "%n = f32[4]{0} negate(%r)");
  ASSERT_TRUE(last) << last.error().str();
  ASSERT_TRUE(
      editor.insert(entry(), "  %s = f32[4]{0} sine(%a), metadata={op_name=\"s\"}\n", *last));
  ASSERT_TRUE(editor.insert(entry(), "%t = f32[4]{0} tanh(%c)", &at("b")));
  EXPECT_EQ(body(), R"({
  %a = f32[4]{0} parameter(0)
  %c = f32[4]{0} call(%a), to_apply=%twice
  %t = f32[4]{0} tanh(%c)
  %b = f32[4]{0} parameter(1)
  ROOT %r = f32[4]{0} add(%c, %b)
  %s = f32[4]{0} sine(%a), metadata={op_name="s"}
  %n = f32[4]{0} negate(%r)
})");
  EXPECT_EQ(entry().root()->name, "r");
}

// A new root changes the result in the signature and the entry layout; a new parameter is added.
TEST_F(HloEditor, RootsAndParameters) {
  read(text);
  ASSERT_TRUE(editor.insert(entry(), "%d = s32[2,3]{0,1} parameter(2)"));
  ASSERT_TRUE(editor.insert(entry(), "ROOT %n = (f32[4]{0}, s32[2,3]{0,1}) tuple(%r, %d)"));
  EXPECT_EQ(body(), R"({
  %a = f32[4]{0} parameter(0)
  %b = f32[4]{0} parameter(1)
  %c = f32[4]{0} call(%a), to_apply=%twice
  %r = f32[4]{0} add(%c, %b)
  %d = s32[2,3]{0,1} parameter(2)
  ROOT %n = (f32[4]{0}, s32[2,3]{0,1}) tuple(%r, %d)
})");
  std::string all = print(module);
  EXPECT_NE(all.find("(a: f32[4], b: f32[4], d: s32[2,3]) -> (f32[4], s32[2,3]) {"), all.npos)
      << all;
  EXPECT_NE(all.find("={(f32[4]{0}, f32[4]{0}, s32[2,3]{0,1})->(f32[4]{0}, s32[2,3]{0,1})}\n"),
            all.npos)
      << all;
  // Removing the first parameter renumbers the others.
  ASSERT_TRUE(editor.replaceUses(entry(), at("a"), at("b")));
  ASSERT_TRUE(editor.remove(entry(), at("a")));
  ASSERT_TRUE(editor.setRoot(entry(), at("c")));
  EXPECT_EQ(body(), R"({
  %b = f32[4]{0} parameter(0)
  ROOT %c = f32[4]{0} call(%b), to_apply=%twice
  %r = f32[4]{0} add(%c, %b)
  %d = s32[2,3]{0,1} parameter(1)
  %n = (f32[4]{0}, s32[2,3]{0,1}) tuple(%r, %d)
})");
  EXPECT_NE(print(module).find("={(f32[4]{0}, s32[2,3]{0,1})->f32[4]{0}}\n"), std::string::npos);
}

// An entry layout that differed from the entry is kept.
TEST_F(HloEditor, OwnEntryLayouts) {
  std::string other(text);
  other.replace(other.find("f32"), 3, "bf16");
  read(other);
  ASSERT_TRUE(editor.setRoot(entry(), at("c")));
  EXPECT_TRUE(print(module).starts_with(other.substr(0, other.find('\n'))));
}

// The replacement uses the replaced instruction, and still uses it after the edit.
TEST_F(HloEditor, ReplacesUses) {
  read(text);
  Result<Instruction *> wrapped = editor.insert(entry(), "%n = f32[4]{0} negate(%c)");
  ASSERT_TRUE(wrapped);
  ASSERT_TRUE(editor.setAttribute(entry(), at("b"), "control-predecessors", "{%c}"));
  ASSERT_TRUE(editor.replaceUses(entry(), at("c"), **wrapped));
  ASSERT_TRUE(editor.replaceUses(entry(), at("r"), at("b")));
  EXPECT_EQ(body(), R"({
  %a = f32[4]{0} parameter(0)
  %c = f32[4]{0} call(%a), to_apply=%twice
  %n = f32[4]{0} negate(%c)
  ROOT %b = f32[4]{0} parameter(1), control-predecessors={%n}
  %r = f32[4]{0} add(%n, %b)
})");
  ASSERT_TRUE(editor.setOpcode(at("r"), "custom-call"));
  ASSERT_TRUE(editor.setOperands(entry(), at("r"), {&at("a"), &at("a"), &at("b")}));
  ASSERT_TRUE(editor.setAttribute(entry(), at("r"), "custom_call_target", "\"t\""));
  EXPECT_NE(body().find(R"(%r = f32[4]{0} custom-call(%a, %a, %b), custom_call_target="t")"),
            std::string::npos);
}

// Operands that were printed with shapes keep them after an edit. The printed shapes are the
// instructions' current shapes.
TEST_F(HloEditor, Shapes) {
  read(R"(HloModule m

ENTRY %main (a: f32[4,8], b: f32[2]) -> (f32[4,8], f32[2]) {
  %a = f32[4,8]{1,0} parameter(0)
  %b = f32[2]{0} parameter(1)
  ROOT %t = (f32[4,8]{1,0}, f32[2]{0}) tuple(f32[4,8]{1,0} %a, f32[2]{0} %b)
}
)");
  Result<Shape> shape = parseShape("f32[4,8]{0,1:T(8,128)S(1)}", "s");
  ASSERT_TRUE(shape);
  ASSERT_TRUE(editor.setShape(entry(), at("a"), *shape));
  Shape tuple = at("t").shape;
  tuple.elements[0].layout.reset();
  tuple.elements.insert(tuple.elements.begin(), tuple.elements[1]);
  tuple.elements[2] = tuple.elements[1];
  ASSERT_TRUE(editor.setShape(entry(), at("t"), tuple));
  ASSERT_TRUE(editor.setOperands(entry(), at("t"), {&at("b"), &at("a"), &at("a")}));
  EXPECT_EQ(body(), R"({
  %a = f32[4,8]{0,1:T(8,128)S(1)} parameter(0)
  %b = f32[2]{0} parameter(1)
  ROOT %t = (f32[2]{0}, f32[4,8], f32[4,8]) tuple(f32[2]{0} %b, f32[4,8]{0,1:T(8,128)S(1)} %a, f32[4,8]{0,1:T(8,128)S(1)} %a)
})");
  shape->layout->minorToMajor = {0, 0};
  remember();
  expectError(editor.setShape(entry(), at("a"), *shape), errors::SyntaxInvalid, "%a in %main",
              "`f32[4,8]{0,0:T(8,128)S(1)}` is not a shape whose layouts list each dimension once");
}

TEST_F(HloEditor, Literals) {
  read("HloModule m\n\nENTRY e {\n  ROOT c = f32[2]{0} constant({1, 2})\n}\n");
  ASSERT_TRUE(editor.setLiteral(at("c"), "({3, 4.5})"));
  EXPECT_EQ(body(), "{\n  ROOT c = f32[2]{0} constant({3, 4.5})\n}");
  remember();
  expectError(editor.setLiteral(at("c"), "{3}"), errors::SyntaxInvalid, "<literal>:1:1",
              "expected `(` before a constant's elements, not `{`");
  expectError(editor.setLiteral(at("c"), "(3) 4"), errors::SyntaxInvalid, "<literal>:1:5",
              "expected the end of the text, not `4`");
}

// An inline instruction gets a separate line when it gets another user or an attribute.
TEST_F(HloEditor, InlineOperands) {
  read("HloModule m\n\nENTRY e {\n  %x = f32[] parameter(0)\n  %y = f32[] add(f32[] negate(f32[] "
       "abs(%x)), %x)\n  ROOT %r = f32[] sine(f32[] cosine(%x))\n}\n");
  Instruction *negate = at("y").operands[0].instruction;
  ASSERT_TRUE(editor.setOperands(entry(), at("r"), {negate}));
  EXPECT_EQ(body(), R"({
  %x = f32[] parameter(0)
  %negate = f32[] negate(f32[] abs(%x))
  %y = f32[] add(%negate, %x)
  %cosine = f32[] cosine(%x)
  ROOT %r = f32[] sine(%negate)
})");
  ASSERT_TRUE(editor.setAttribute(entry(), *negate->operands[0].instruction, "metadata",
                                  "{op_name=\"a\"}"));
  ASSERT_TRUE(editor.remove(entry(), at("y")));
  ASSERT_TRUE(editor.remove(entry(), at("cosine")));
  EXPECT_EQ(body(), R"({
  %x = f32[] parameter(0)
  %abs = f32[] abs(%x), metadata={op_name="a"}
  %negate = f32[] negate(%abs)
  ROOT %r = f32[] sine(%negate)
})");
  ASSERT_TRUE(editor.insert(entry(), "%z = f32[] add(f32[] abs(%x), f32[] constant(1))"));
  ASSERT_TRUE(editor.rename(entry(), *at("z").operands[0].instruction, "named"));
  EXPECT_NE(body().find("  %named = f32[] abs(%x)\n  %z = f32[] add(%named, f32[] constant(1))\n"),
            std::string::npos);
  ASSERT_TRUE(editor.remove(entry(), at("z")));
  EXPECT_EQ(removed.instructions.size(), 4U);
}

// Callees precede their callers. Inline callees are added and removed with their callers.
TEST_F(HloEditor, Computations) {
  read(text);
  Result<Computation *> made =
      editor.add("%f (q: f32[4]) -> f32[4] {\n  ROOT %q = f32[4]{0} parameter(0)\n}\n");
  ASSERT_TRUE(made) << made.error().str();
  Computation &twice = *module.find("twice");
  ASSERT_TRUE(editor.insert(twice, "ROOT %c = f32[4]{0} call(%add), to_apply=%f"));
  EXPECT_EQ(module.computations[0]->name, "f");
  body();
  ASSERT_TRUE(editor.rename(**made, "g"));
  ASSERT_TRUE(editor.setAttribute(entry(), at("c"), "to_apply", "g"));
  EXPECT_NE(body().find("to_apply=g\n"), std::string::npos);
  EXPECT_EQ(at("c").calledComputations(), std::vector<Computation *>{*made});
  ASSERT_TRUE(editor.remove(twice));
  EXPECT_EQ(removed.computations.size(), 1U);
  body();
  ASSERT_TRUE(
      editor.setAttribute(entry(), at("c"), "to_apply", "{\n    %h = f32[4]{0} parameter(0)\n  }"));
  ASSERT_EQ(module.computations.size(), 3U);
  EXPECT_NE(body().find("to_apply={\n    %h = f32[4]{0} parameter(0)\n  }\n"), std::string::npos);
  ASSERT_TRUE(editor.removeAttribute(at("c"), "to_apply") && editor.remove(**made));
  EXPECT_EQ(module.computations.size(), 1U);
  EXPECT_NE(body().find("call(%a)\n"), std::string::npos);
}

TEST_F(HloEditor, RefusesInstructions) {
  read(text);
  remember();
  auto insert = [&](std::string_view line) { return editor.insert(entry(), line); };
  expectError(insert("%n = f32[4]{0} add(%a, %x)"), errors::HloNameUnknown, "<instruction>:1:24",
              "no instruction of this computation is named `x`");
  expectError(insert("%r = f32[4]{0} add(%a, %b)"), errors::HloNameTaken, "<instruction>:1:1",
              "a second instruction `r` in computation `main`");
  expectError(insert("%n = f32[4]{0} add(%a, %n)"), errors::HloCycle, "<instruction>:1:24",
              "instruction `n` depends on its own result");
  expectError(insert("%n = f32[4]{0} add(%a, %b"), errors::SyntaxInvalid, "<instruction>:1:26",
              "expected `)` after an instruction's operands, not the end of the text");
  expectError(insert("%n = f32[4]{0} negate(%a)\n%o = f32[4]{0} negate(%n)"), errors::SyntaxInvalid,
              "<instruction>:2:1", "expected the end of the text, not `%`");
  expectError(insert("%n = f32[4]{0} call(%a), to_apply=%main"), errors::HloCycle, "%main",
              "computation `main` would call itself");
  expectError(insert("%n = f32[4]{0} call(%a), to_apply=%x"), errors::HloNameUnknown,
              "<instruction>:1:35", "no computation is named `x`");
  expectError(insert("%n = f32[4]{0} call(%a), to_apply={ %h = f32[] parameter(0) } ]"),
              errors::SyntaxInvalid, "<instruction>:1:63", "expected the end of the text, not `]`");
  expectError(insert("%n = f32[4]{0} parameter(3)"), errors::SyntaxInvalid, "%n in %main",
              "parameter 3 is out of order; the next number is 2");
  expectError(insert("%n = f32[4]{0} parameter()"), errors::SyntaxInvalid, "%n in %main",
              "a parameter without a number");
  expectError(insert("%n = parameter(2)"), errors::SyntaxInvalid, "%n in %main",
              "a parameter without a shape");
}

TEST_F(HloEditor, RefusesRemovals) {
  read(text);
  ASSERT_TRUE(editor.insert(entry(), "%n = f32[4]{0} negate(%a), control-predecessors={%b}"));
  ASSERT_TRUE(editor.setOperands(entry(), *entry().root(), {&at("c"), &at("c")}));
  remember();
  expectError(editor.remove(entry(), at("r")), errors::HloInUse, "%r in %main",
              "it is the root of computation `main`");
  expectError(editor.remove(entry(), at("a")), errors::HloInUse, "%a in %main", "`c` uses it");
  expectError(editor.remove(entry(), at("b")), errors::HloInUse, "%b in %main", "`n` uses it");
  expectError(editor.remove(entry()), errors::HloInUse, "%main", "it is the entry");
  expectError(editor.remove(*module.find("twice")), errors::HloInUse, "%twice",
              "`c` in `%main` calls it");
}

TEST_F(HloEditor, RefusesChanges) {
  read(text);
  remember();
  expectError(editor.setOperands(entry(), at("c"), {&at("r")}), errors::HloCycle, "%c in %main",
              "instruction `c` would depend on its own result");
  expectError(editor.setOperands(entry(), at("a"), {&at("r")}), errors::SyntaxInvalid,
              "%a in %main", "a parameter has no operands");
  Instruction &other = *module.find("twice")->find("p");
  expectError(editor.setOperands(entry(), at("r"), {&other}), errors::HloNameUnknown, "%main",
              "`p` is not an instruction of this computation");
  expectError(editor.replaceUses(entry(), at("r"), other), errors::HloNameUnknown, "%main",
              "`p` is not an instruction of this computation");
  expectError(editor.setRoot(entry(), other), errors::HloNameUnknown, "%main",
              "`p` is not an instruction of this computation");
  expectError(editor.insert(entry(), "%n = f32[4]{0} negate(%a)", &other), errors::HloNameUnknown,
              "%main", "`p` is not an instruction of this computation");
  Computation stray;
  expectError(editor.add("%f {\n  %q = f32[] parameter(0)\n}", &stray), errors::HloNameUnknown,
              "<computation>", "`` is not a computation of this module");
  expectError(editor.setAttribute(entry(), at("c"), "control-predecessors", "{%r}"),
              errors::HloCycle, "%c in %main", "instruction `c` would depend on its own result");
  expectError(editor.setAttribute(entry(), at("c"), "to_apply", "%main"), errors::HloCycle, "%main",
              "computation `main` would call itself");
  expectError(editor.setAttribute(entry(), at("c"), "to_apply", "%none"), errors::HloNameUnknown,
              "<attribute>:1:1", "no computation is named `none`");
  expectError(editor.setAttribute(entry(), at("c"), "a b", "1"), errors::SyntaxInvalid,
              "%c in %main", "`a b` is not a valid name");
  expectError(editor.setAttribute(entry(), at("c"), "note", "1, b=2"), errors::SyntaxInvalid,
              "<attribute>:1:2", "expected the end of the text, not `,`");
  expectError(editor.setOpcode(at("c"), "constant"), errors::SyntaxInvalid, "%c",
              "`call` can't become `constant`");
  expectError(editor.setOpcode(at("c"), "f(x)"), errors::SyntaxInvalid, "%c",
              "`f(x)` is not a valid opcode");
  expectError(editor.setLiteral(at("c"), "(1)"), errors::SyntaxInvalid, "%c",
              "only constants have elements");
  expectError(editor.rename(entry(), at("c"), "r"), errors::HloNameTaken, "%c in %main",
              "`r` is already the name of another instruction");
  expectError(editor.rename(entry(), "twice"), errors::HloNameTaken, "%main",
              "`twice` is already the name of another computation");
  expectError(editor.rename(entry(), "a b"), errors::SyntaxInvalid, "%main",
              "`a b` is not a valid name");
  // With a `%`, `7` is a valid name. The entry then gets its old name again.
  EXPECT_TRUE(editor.rename(entry(), "7") && editor.rename(entry(), "main"));
  expectError(editor.add("7 {\n  %q = f32[] parameter(0)\n}"), errors::SyntaxInvalid,
              "<computation>:1:1", "`7` is not a valid name");
  expectError(editor.insert(entry(), "7 = f32[] constant(1)"), errors::SyntaxInvalid, "%7 in %main",
              "`7` is not a valid name");
  expectError(editor.rename(entry(), at("c"), "//c"), errors::SyntaxInvalid, "%c in %main",
              "`//c` is not a valid name");
  expectError(editor.add("ENTRY %f {\n  %q = f32[] parameter(0)\n}"), errors::SyntaxInvalid,
              "<computation>:1:1", "a second entry");
  expectError(editor.add("%twice {\n  %q = f32[] parameter(0)\n}"), errors::HloNameTaken,
              "<computation>:1:1", "a second computation `twice`");
  expectError(editor.add("%f {\n  %q = f32[] call(), to_apply=%f\n}"), errors::HloCycle,
              "<computation>:2:31", "computation `f` calls itself");
  Module none;
  Editor empty(none, removed);
  expectError(empty.add("%f {\n  %q = f32[] parameter(0)\n}"), errors::SyntaxInvalid,
              "<computation>", "a module without computations");
}

} // namespace drumlin::hlo
