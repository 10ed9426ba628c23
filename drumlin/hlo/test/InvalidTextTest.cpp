// Tests that errors in texts have a location, and that no text crashes the parser.
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <gtest/gtest.h>

namespace drumlin::hlo {

static void expectError(const std::string &text, DiagnosticCode code, const std::string &place,
                        const std::string &message) {
  Result<Module> module = parse(text, "m.hlo");
  ASSERT_FALSE(module) << text;
  EXPECT_EQ(module.error().code, code) << text;
  EXPECT_EQ(module.error().location, place) << text;
  EXPECT_NE(module.error().message.find(message), std::string::npos) << module.error().message;
}

TEST(HloInvalidText, UnclosedBrackets) {
  expectError("HloModule m\n\nENTRY %e {\n  %x = f32[] parameter(0)\n", errors::SyntaxInvalid,
              "m.hlo:3:10", "not closed");
  expectError("HloModule m, a={1, {2}\n", errors::SyntaxInvalid, "m.hlo:1:16", "not closed");
  expectError("HloModule m, a=\"b\n", errors::SyntaxInvalid, "m.hlo:1:16", "not closed");
  expectError("HloModule m, backend_config={1 \"}\n", errors::SyntaxInvalid, "m.hlo:1:32",
              "not closed");
  expectError("HloModule m, a={1)\n", errors::SyntaxInvalid, "m.hlo:1:18", "expected a value");
}

TEST(HloInvalidText, UnknownNames) {
  auto expect = [](const std::string &text, const std::string &place, const std::string &message) {
    expectError(text, errors::HloNameUnknown, place, message);
  };
  expect("ENTRY %e {\n  %x = f32[] negate(%y)\n}\n", "m.hlo:2:21", "is named `y`");
  expect("ENTRY %e {\n  %x = f32[] call(), to_apply=%f\n}\n", "m.hlo:2:31",
         "no computation is named `f`");
  expect("ENTRY e {\n  x = f32[] constant(1), control-predecessors={y}\n}\n", "m.hlo:2:48",
         "is named `y`");
  // A computation can't name the instructions of other computations, including its caller's.
  expect("f {\n  y = f32[] constant(1)\n}\n\ne {\n  x = f32[] negate(y)\n}\n", "m.hlo:6:20",
         "is named `y`");
  expect("e {\n  y = f32[] constant(1)\n  x = f32[] call(), to_apply={ a = f32[] negate(y) }\n}\n",
         "m.hlo:3:49", "is named `y`");
}

// A definition may follow its uses, but cycles are invalid.
TEST(HloInvalidText, Cycles) {
  auto expect = [](const std::string &text, const std::string &place, const std::string &message) {
    expectError(text, errors::HloCycle, place, message);
  };
  expect("ENTRY %e {\n  %x = f32[] negate(%x)\n}\n", "m.hlo:2:21",
         "instruction `x` depends on its own result");
  // `w` and `u` are connected to the cycle, but not on it.
  expect("e {\n  u = f32[] add(v, x)\n  v = f32[] constant(1)\n  x = f32[] add(v, y)\n"
         "  y = f32[] negate(z)\n  z = f32[] add(w, x)\n  w = f32[] negate(v)\n}\n",
         "m.hlo:4:20", "instruction `y`");
  expect("e {\n  x = f32[] constant(1), control-predecessors={y}\n"
         "  y = f32[] negate(x)\n}\n",
         "m.hlo:2:48", "instruction `y`");
  expect("f {\n  x = f32[] call(), to_apply=f\n}\n", "m.hlo:2:30", "computation `f` calls itself");
  expect("f {\n  x = f32[] call(), to_apply={ y = f32[] call(), to_apply=g }\n}\n\n"
         "g {\n  x = f32[] call(), to_apply=f\n}\n",
         "m.hlo:2:59", "computation `g` calls itself");
}

// A long chain of operands, each after its user, is no cycle.
TEST(HloInvalidText, LongChains) {
  std::string text = "e {\n  x0 = f32[] constant(1)\n";
  std::string back = "f {\n";
  for (int i = 1; i < 100000; ++i) {
    text += "  x" + std::to_string(i) + " = f32[] negate(x" + std::to_string(i - 1) + ")\n";
    back += "  y" + std::to_string(i) + " = f32[] negate(y" + std::to_string(i + 1) + ")\n";
  }
  Result<Module> module = parse(text + "}\n\n" + back + "  y100000 = f32[] constant(1)\n}\n", "m");
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(print(*module), text + "}\n\n" + back + "  y100000 = f32[] constant(1)\n}\n");
}

TEST(HloInvalidText, NamesThatAreTaken) {
  expectError("ENTRY %e {\n  %x = f32[] constant(1)\n  %x = f32[] constant(2)\n}\n",
              errors::HloNameTaken, "m.hlo:3:3", "a second instruction `x`");
  expectError("%e {\n  %x = f32[] constant(1)\n}\n\n%e {\n  %x = f32[] constant(1)\n}\n",
              errors::HloNameTaken, "m.hlo:5:1", "a second computation `e`");
}

TEST(HloInvalidText, Structure) {
  auto expect = [](const std::string &text, const std::string &place, const std::string &message) {
    expectError(text, errors::SyntaxInvalid, place, message);
  };
  expect("", "m.hlo:1:1", "expected a computation");
  expect("HloModule \n", "m.hlo:2:1", "name of the module");
  expect("%e {\n}\n", "m.hlo:2:1", "expected an instruction");
  expect("%e {\n  %x f32[] constant(1)\n}\n", "m.hlo:2:6", "expected `=`");
  expect("%e {\n  %x = f32[2] (1)\n}\n", "m.hlo:2:15", "expected an opcode");
  expect("%e {\n  %x = (f32[2], 3) tuple()\n}\n", "m.hlo:2:18", "expected a shape");
  expect("%e {\n  %x = f32[2,y] constant(1)\n}\n", "m.hlo:2:14", "expected a dimension");
  expect("%e {\n  %x = f32[99999999999999999999] constant(1)\n}\n", "m.hlo:2:12", "64-bit integer");
  expect("%e {\n  %x = f32[2]{0:T} constant(1)\n}\n", "m.hlo:2:18", "property of the layout");
  expect("%e {\n  %x = f32[2] %y\n}\n", "m.hlo:2:15", "expected an opcode");
  expect("%e {\n  %x = f32[] constant(1), =3\n}\n", "m.hlo:2:27", "an attribute's name");
  expect("%e {\n  ROOT %x = f32[] constant(1)\n  ROOT %y = f32[] constant(1)\n}\n", "m.hlo:3:3",
         "a second `ROOT`");
  expect("%e {\n  %x = f32[] constant(1), slice={[0:2:a]}\n}\n", "m.hlo:2:39", "expected");
}

TEST(HloInvalidText, Nesting) {
  for (const std::string bracket : {"{", "(", "["}) {
    std::string open;
    for (int i = 0; i < 100000; ++i) {
      open += bracket;
    }
    expectError("HloModule m, a=" + open, errors::NestingTooDeep, "m.hlo:1:216",
                "more than 200 nested brackets");
    expectError("%e {\n  %x = f32[] constant(" + open, errors::NestingTooDeep, "m.hlo:2:222",
                "more than 200 nested brackets");
  }
  expectError("%e {\n%x = " + std::string(100000, '('), errors::NestingTooDeep, "m.hlo:2:206",
              "more than 200 nested brackets");
  std::string bodies = "e { x = f32[] call(), to_apply=", operands = "e { x = f32[] add(";
  for (int i = 0; i < 1000; ++i) {
    bodies += "{ x = f32[] call(), to_apply=";
    operands += "add(";
  }
  expectError(bodies, errors::NestingTooDeep, "m.hlo:1:5832", "more than 200 nested brackets");
  expectError(operands, errors::NestingTooDeep, "m.hlo:1:822", "more than 200 nested brackets");
  // The caller can set the limit; nesting up to it is accepted.
  Result<Module> module =
      parse("%e {\n  %x = f32[] constant({{1}})\n}", "m.hlo", {.maxNesting = 3});
  EXPECT_TRUE(module);
  module = parse("%e {\n  %x = f32[] constant({{1}})\n}", "m.hlo", {.maxNesting = 2});
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, errors::NestingTooDeep);
}

static constexpr std::string_view program =
    R"(HloModule m, is_scheduled=true, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

FileNames
1 "a.py"

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, f32[] %b), metadata={op_name="x/\"y" line=3}
}, execution_thread="host"

ENTRY %main (x: f32[4]) -> f32[<=4] {
  %x = f32[4]{0:T(8)S(1)} parameter(0), sharding={devices=[2]<=[2]}
  %c = f32[] constant(-nan)
  %t = (f32[4]{0}, token[]) tuple(%x, /*index=1*/%l)
  %l = call(add(%c, f32[] %x)), to_apply={ ROOT %m = f32[] map(), calls=%sum }
  ROOT %r = f32[<=4]{0} reduce(%x, %c), to_apply=%sum, slice={[0:2:1]}, backend_config={"a":[1,{}]}
}
)";

// A truncated text gives an error with a location, or a module whose printed text parses.
TEST(HloInvalidText, TruncatedAnywhere) {
  for (size_t size = 0; size < program.size(); ++size) {
    Result<Module> module = parse(std::string_view(program).substr(0, size), "m.hlo");
    if (module) {
      EXPECT_TRUE(parse(print(*module), "again.hlo")) << program.substr(0, size);
    } else {
      EXPECT_TRUE(module.error().location.starts_with("m.hlo:")) << module.error().str();
    }
  }
}

TEST(HloInvalidText, ChangedAnywhere) {
  for (size_t at = 0; at < program.size(); ++at) {
    for (char c : std::string_view("{}()[]<>=,:\"%-/* \nx0\0\xff", 22)) {
      std::string text(program);
      text[at] = c;
      Result<Module> module = parse(text, "m.hlo");
      if (module) {
        std::string printed = print(*module);
        Result<Module> again = parse(printed, "again.hlo");
        ASSERT_TRUE(again) << again.error().str() << text;
        EXPECT_EQ(print(*again), printed);
      } else {
        EXPECT_TRUE(module.error().location.starts_with("m.hlo:")) << module.error().str();
      }
    }
  }
}

TEST(HloInvalidText, WhatHloBeginsWith) {
  for (std::string_view text : {"HloModule m\n", "\n  HloModule m, a=1",
                                "\n// a\n/* b */ ENTRY %e {", "%f (a: f32[]) -> f32[] {\n"}) {
    EXPECT_TRUE(isHloText(text)) << text;
  }
  for (std::string_view text : {"", " \n", "module {", "HloModules", "/* ENTRY e {",
                                "%0 = \"op\"() : () -> ()\n", "ML\xefR"}) {
    EXPECT_FALSE(isHloText(text)) << text;
  }
}

} // namespace drumlin::hlo
