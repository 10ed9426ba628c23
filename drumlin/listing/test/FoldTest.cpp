// Tests the expressions of folded fusions.
#include "drumlin/listing/fold/Fold.h"

#include "drumlin/listing/JsonText.h"
#include "drumlin/listing/MachinePrinters.h"
#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/test/ListedProgram.h"

#include <chrono>

namespace drumlin::listing {

// Returns the expression of a fusion of `x`, `w` and `b` with this body, in which %x, %w and %b are
// f32[8,8] and %c is a broadcast constant.
static std::string folded(const std::string &body, const std::string &constant = "0") {
  std::string parameters = "  %p0 = f32[8,8]{1,0} parameter(0)\n"
                           "  %p1 = f32[8,8]{1,0} parameter(1)\n"
                           "  %p2 = f32[8]{0} parameter(2)\n"
                           "  %c0 = f32[] constant(" +
                           constant + ")\n  %c = f32[8,8]{1,0} broadcast(%c0), dimensions={}\n";
  Module module = listed("%add_f32 {\n  %a = f32[] parameter(0)\n  %d = f32[] parameter(1)\n"
                         "  ROOT %s = f32[] add(%a, %d)\n}\n\n"
                         "%max_f32 {\n  %a.1 = f32[] parameter(0)\n  %d.1 = f32[] parameter(1)\n"
                         "  ROOT %m = f32[] maximum(%a.1, %d.1)\n}\n\n"
                         "%fused {\n" +
                         parameters + body +
                         "}\n\nENTRY %main {\n  %x = f32[8,8]{1,0} parameter(0)\n"
                         "  %w = f32[8,8]{1,0} parameter(1)\n  %b-1 = f32[8]{0} parameter(2)\n"
                         "  ROOT %f = f32[8,8]{1,0} fusion(%x, %w, %b-1), kind=kLoop, "
                         "calls=%fused\n}\n");
  fold(module);
  return module.entry() ? module.entry()->instructions.back()->expression : "";
}

static std::string f32(const std::string &name, const std::string &operation) {
  return "  %" + name + " = f32[8,8]{1,0} " + operation + "\n";
}

static std::string layer() {
  return f32("d", "dot(%p0, %p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}") +
         f32("bias", "broadcast(%p2), dimensions={1}") + f32("y", "add(%d, %bias)");
}

TEST(ListingFold, InfixAndPrecedence) {
  EXPECT_EQ(folded(f32("s", "subtract(%p0, %p1)") + f32("t", "subtract(%p0, %s)")), "x - (x - w)");
  EXPECT_EQ(folded(f32("s", "add(%p0, %p1)") + f32("t", "multiply(%s, %p1)")), "(x + w) * w");
  EXPECT_EQ(folded(f32("s", "multiply(%p0, %p1)") + f32("t", "divide(%p1, %s)")), "w / (x * w)");
  EXPECT_EQ(folded(f32("s", "negate(%p0)") + f32("t", "power(%s, %p1)")), "pow(-x, w)");
  EXPECT_EQ(folded(layer()), "x·w + %b-1");
}

TEST(ListingFold, KnownFunctions) {
  EXPECT_EQ(folded(layer() + f32("r", "maximum(%y, %c)")), "relu(x·w + %b-1)");
  EXPECT_EQ(folded(layer() + f32("l", "logistic(%y)") + f32("r", "multiply(%l, %y)")),
            "silu(x·w + %b-1)");
  // gelu in the form erfc(-x / sqrt 2) · x / 2.
  EXPECT_EQ(folded(layer() + f32("n", "negate(%y)") + f32("h", "multiply(%n, %c)") +
                       "  %h0 = f32[] constant(0.5)\n" +
                       f32("hb", "broadcast(%h0), dimensions={}") + f32("e", "erfc(%h)") +
                       f32("g", "multiply(%e, %hb)") + f32("r", "multiply(%g, %y)"),
                   "0.70710678"),
            "gelu_erf(x·w + %b-1)");
}

TEST(ListingFold, Transposes) {
  EXPECT_EQ(folded(f32("d", "dot(%p0, %p1), lhs_contracting_dims={0}, rhs_contracting_dims={1}")),
            "xᵀ·wᵀ");
  EXPECT_EQ(folded(f32("t", "transpose(%p0), dimensions={1,0}") + f32("s", "add(%t, %p1)")),
            "xᵀ + w");
  EXPECT_EQ(folded("  %t = f32[4,8]{1,0} slice(%p0), slice={[0:4], [0:8]}\n"), "x[0:4, 0:8]");
}

TEST(ListingFold, Reductions) {
  std::string sum = "  %s = f32[8]{0} reduce(%p0, %c0), dimensions={1}, to_apply=%add_f32\n";
  EXPECT_EQ(folded(sum), "sum[1](x)");
  EXPECT_EQ(folded(sum, "1"), "sum(1, sum[1](x))");
  EXPECT_EQ(folded("  %n = f32[] constant(-inf)\n"
                   "  %s = f32[] reduce(%p0, %n), dimensions={0,1}, to_apply=%max_f32\n"),
            "max(x)");
}

TEST(ListingFold, Softmax) {
  EXPECT_EQ(folded("  %n = f32[] constant(-inf)\n"
                   "  %m = f32[8]{0} reduce(%p0, %n), dimensions={1}, to_apply=%max_f32\n" +
                   f32("mb", "broadcast(%m), dimensions={0}") + f32("z", "subtract(%p0, %mb)") +
                   f32("e", "exponential(%z)") +
                   "  %s = f32[8]{0} reduce(%e, %c0), dimensions={1}, to_apply=%add_f32\n" +
                   f32("sb", "broadcast(%s), dimensions={0}") + f32("r", "divide(%e, %sb)")),
            "softmax(x)");
}

TEST(ListingFold, SeveralResultsAndRepeatedParts) {
  EXPECT_EQ(folded(layer() + f32("z", "subtract(%y, %p0)") + f32("q", "divide(%z, %y)") +
                   "  ROOT %r = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(%q, %z)\n"),
            "((x·w + %b-1 - x) / (x·w + %b-1), x·w + %b-1 - x)");
  EXPECT_EQ(folded(layer() + f32("z", "multiply(%y, %p0)") + f32("n", "negate(%z)") +
                   f32("r", "power(%n, %z)")),
            "pow(-t1, t1) where t1 = (x·w + %b-1) * x");
  EXPECT_EQ(folded(layer() + f32("z", "multiply(%y, %p0)") + f32("q", "subtract(%z, %p1)") +
                   f32("r", "divide(%q, %z)") + f32("u", "add(%r, %q)")),
            "(t1 - w) / t1 + (t1 - w) where t1 = (x·w + %b-1) * x");
}

// Parts that were left out have no definitions.
TEST(ListingFold, OnlyWhatIsWrittenIsDefined) {
  std::string body, last = "p0";
  for (int i = 0; i < 100; ++i) {
    std::string name = "v" + std::to_string(i), twice = "w" + std::to_string(i);
    body +=
        f32(twice, "atan2(%" + last + ", %p1)") + f32(name, "xor(%" + twice + ", %" + twice + ")");
    last = name;
  }
  std::string text = folded(body);
  EXPECT_TRUE(text.starts_with("xor(t")) << text;
  EXPECT_NE(text.find(" where …, t"), text.npos) << text;
  EXPECT_LT(text.size(), 400u) << text;
}

// A chain of any length quickly gives a readable line that includes the chain's end.
TEST(ListingFold, LongChains) {
  std::string body, last = "p0";
  for (int i = 0; i < 2000; ++i) {
    std::string name = "v" + std::to_string(i);
    body += f32(name, (i % 3 == 0 ? "maximum(%" : "subtract(%") + last + ", %p1)");
    last = name;
  }
  auto begin = std::chrono::steady_clock::now();
  std::string text = folded(body);
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(text.size(), 300u);
  EXPECT_TRUE(text.ends_with("w") || text.ends_with("w)")) << text;
  EXPECT_NE(text.find("…"), text.npos);
  EXPECT_LT(taken.count(), 2);
}

// Each instruction is a function of all previous ones.
TEST(ListingFold, LongChainsOfOneVariable) {
  std::string body, last = "p0";
  for (int i = 0; i < 2000; ++i) {
    std::string name = "v" + std::to_string(i);
    body += f32(name, i % 2 == 0 ? "tanh(%" + last + ")" : "add(%" + last + ", %c)");
    last = name;
  }
  auto begin = std::chrono::steady_clock::now();
  std::string text = folded(body, "1");
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(text.starts_with("tanh(tanh(")) << text;
  EXPECT_TRUE(text.ends_with(" + 1) + 1")) << text;
  EXPECT_LT(taken.count(), 2);
  RecordProperty("milliseconds", static_cast<int>(taken.count() * 1000));
}

TEST(ListingFold, Broadcasts) {
  std::string column = f32("r", "broadcast(%p2), dimensions={0}");
  EXPECT_EQ(folded(column + f32("s", "add(%p0, %r)")), "x + %b-1[:, None]");
  EXPECT_EQ(folded(column + f32("e", "exponential(%r)") + f32("s", "multiply(%e, %p0)")),
            "exp(%b-1[:, None]) * x");
  EXPECT_EQ(folded("  %t = f32[8,8,8]{2,1,0} broadcast(%p0), dimensions={0,2}\n"), "x[:, None, :]");
  EXPECT_EQ(folded("  %t = f32[8,8,8]{2,1,0} broadcast(%p0), dimensions={1,2}\n"), "x");
  EXPECT_EQ(folded("  %t = f32[8,8,8]{2,1,0} broadcast(%p0), dimensions={0,1}\n"), "x[:, :, None]");
}

TEST(ListingFold, RowsOfATable) {
  auto rows = [](const std::string &collapsed, const std::string &sizes) {
    return "  %i = s32[5,1]{1,0} constant({{1}, {2}, {3}, {4}, {0}})\n  %t = f32[5,8]{1,0} "
           "gather(%p0, %i), offset_dims={1}, collapsed_slice_dims={" +
           collapsed + "}, start_index_map={0}, index_vector_dim=1, slice_sizes={" + sizes + "}\n";
  };
  EXPECT_EQ(folded(rows("0", "1,8")), "x[constant[…]]");
  EXPECT_EQ(folded(rows("0", "1,4")).substr(0, 7), "gather[");
  EXPECT_EQ(folded(rows("", "1,8")).substr(0, 7), "gather[");
}

TEST(ListingFold, AttributesThatSaySomething) {
  EXPECT_EQ(folded("  %t = f32[16,8]{1,0} concatenate(%p0, %p1), dimensions={0}\n"),
            "concat[dimensions={0}](x, w)");
  EXPECT_EQ(folded("  %t = f32[9,8]{1,0} pad(%p0, %c0), padding=0_1x0_0\n"),
            "pad[padding=0_1x0_0](x, 0)");
  EXPECT_EQ(folded(f32("d", "dot(%p0, %p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
                            "algorithm=dot_bf16_bf16_f32")),
            "dot[lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
            "algorithm=dot_bf16_bf16_f32](x, w)");
  std::string window = "window={size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=2x2 rhs_dilate=3x3}, "
                       "dim_labels=b01f_01io->b01f, feature_group_count=4";
  EXPECT_EQ(folded(f32("d", "convolution(%p0, %p1), " + window)), "conv[…](x, w)");
  EXPECT_EQ(folded("  %t = f32[2]{0} constant({1, 2})\n"), "{1, 2}");
  EXPECT_EQ(folded("  %t = f32[1]{0} constant({1})\n"), "1");
  EXPECT_EQ(folded("  %t = f32[8]{0} constant({1, 2, 3, 4, 5, 6, 7, 8.25})\n"), "constant[…]");
}

// Computations that are too long for an expression are printed completely.
TEST(ListingFold, LongOnesHaveOperandsAndComputation) {
  std::string text = "%fused {\n  %p0 = f32[8]{0} parameter(0)\n  %p1 = f32[8]{0} parameter(1)\n";
  std::string last = "p0";
  for (int i = 0; i < 40; ++i) {
    std::string name = "v" + std::to_string(i);
    text += "  %" + name + " = f32[8]{0} subtract(%" + last + ", %p1)\n";
    last = name;
  }
  Module module =
      listed(text + "}\n\nENTRY %main {\n  %x = f32[8]{0} parameter(0)\n"
                    "  ROOT %f = f32[8]{0} fusion(%x, %x), kind=kLoop, calls=%fused\n}\n");
  fold(module);
  std::string printed = textOf(module);
  EXPECT_NE(printed.find("fusion(%x, %x), kind=kLoop, calls=%fused\n"), printed.npos) << printed;
  EXPECT_NE(printed.find("%v39"), printed.npos) << printed;
  // The expression is incomplete; HTML pages unfold the computation in place.
  EXPECT_NE(module.entry()->instructions.back()->expression.find("…"), std::string::npos);
}

// Functions that only reductions and sorts apply: a single operation is printed by its name, and
// equal functions are printed only once.
TEST(ListingFold, AppliedFunctions) {
  auto pairs = [](const std::string &number, const std::string &operation) {
    std::string text = "%f." + number + " {\n";
    for (int i = 0; i < 4; ++i) {
      text += "  %p" + std::to_string(i) + "." + number + " = f32[] parameter(" +
              std::to_string(i) + ")\n";
    }
    return text + "  %s." + number + " = f32[] " + operation + "(%p0." + number + ", %p2." +
           number + ")\n  %t." + number + " = f32[] add(%p1." + number + ", %p3." + number +
           ")\n  ROOT %r." + number + " = (f32[], f32[]) tuple(%s." + number + ", %t." + number +
           ")\n}\n\n";
  };
  auto two = [](const std::string &name, const std::string &operation) {
    return "%" + name + " {\n  %a." + name + " = f32[] parameter(0)\n  %b." + name +
           " = f32[] parameter(1)\n  ROOT %c." + name + " = " + operation + "\n}\n\n";
  };
  std::string reduce = ", %z), dimensions={0}, to_apply=%";
  Module module = listed(
      two("less", "pred[] compare(%a.less, %b.less), direction=LT") +
      two("minus", "f32[] subtract(%b.minus, %a.minus)") +
      two("also", "f32[] subtract(%b.also, %a.also)") + two("both", "f32[] add(%b.both, %a.both)") +
      pairs("1", "maximum") + pairs("2", "maximum") + pairs("3", "minimum") +
      "ENTRY %main {\n  %x = f32[8]{0} parameter(0)\n  %z = f32[] constant(0)\n"
      "  %q = f32[8]{0} sort(%x), dimensions={0}, to_apply=%less\n"
      "  %m = f32[] reduce(%x" +
      reduce + "minus\n  %n = f32[] reduce(%x" + reduce + "also\n  %o = f32[] reduce(%x" + reduce +
      "both\n  %w = f32[] call(%z, %z), to_apply=%both\n"
      "  %i = (f32[], f32[]) reduce(%x, %x, %z, %z), dimensions={0}, to_apply=%f.1\n"
      "  %j = (f32[], f32[]) reduce(%x, %x, %z, %z), dimensions={0}, to_apply=%f.2\n"
      "  ROOT %k = (f32[], f32[]) reduce(%x, %x, %z, %z), dimensions={0}, to_apply=%f.3\n}\n");
  fold(module);
  std::string text = textOf(module);
  EXPECT_NE(text.find("sort(%x), dimensions={0}, to_apply=compare(LT)\n"), text.npos) << text;
  EXPECT_EQ(text.find("%less"), text.npos) << text;
  // The parameters are in another order; the first of the two equal functions is printed.
  EXPECT_NE(text.find("%minus ->"), text.npos) << text;
  EXPECT_EQ(text.find("%also"), text.npos) << text;
  // `both` is also used by a `call`, so it is kept.
  EXPECT_NE(text.find("to_apply=%both\n"), text.npos) << text;
  EXPECT_NE(text.find("%f.1 ->"), text.npos) << text;
  EXPECT_EQ(text.find("%f.2"), text.npos) << text;
  EXPECT_NE(text.find("%f.3 ->"), text.npos) << text;
}

TEST(ListingFold, FoldedComputationsAreNotPrinted) {
  Module module = listed(scaledProduct);
  fold(module);
  std::string text = textOf(module);
  EXPECT_EQ(text.find("transpose_computation"), text.npos) << text;
  EXPECT_NE(text.find("fusion: Arg_1ᵀ\n"), text.npos) << text;
  EXPECT_EQ(text.find("%max_f32 ->"), text.npos);
  EXPECT_NE(text.find("reduce(%get-tuple-element.1, %low), dimensions={0,1}, to_apply=maximum\n"),
            text.npos)
      << text;
  EXPECT_NE(jsonOf(module).find("\"expression\": \"Arg_1ᵀ\""), std::string::npos);
  EXPECT_NE(graphvizOf(*module.entry()).find("Arg_1ᵀ"), std::string::npos);
}

// A computation that is also used by an instruction that isn't a fusion is kept.
TEST(ListingFold, WhatIsNamedElsewhereStays) {
  Module module = listed("%f {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
                         "  ROOT %s = f32[] add(%a, %b)\n}\n\nENTRY %main {\n"
                         "  %x = f32[8]{0} parameter(0)\n  %c = f32[] constant(0)\n"
                         "  %r = f32[] reduce(%x, %c), dimensions={0}, to_apply=%f\n"
                         "  ROOT %u = f32[] fusion(%r, %c), kind=kLoop, calls=%f\n}\n");
  fold(module);
  std::string text = textOf(module);
  EXPECT_NE(text.find("fusion: r + c\n"), text.npos) << text;
  EXPECT_NE(text.find("%f -> f32[] {\n"), text.npos) << text;
}

// Tests operations with too few operands, which the parser accepts.
TEST(ListingFold, WrongNumbersOfOperands) {
  for (std::string name :
       {"add", "divide", "convert", "reduce", "reduce-precision", "compare", "dot", "select",
        "transpose", "slice", "negate", "get-tuple-element", "tuple"}) {
    for (std::string operands : {"", "%p0", "%p0, %p1", "%p0, %p1, %p2", "%c, %c"}) {
      EXPECT_FALSE(folded(f32("v", name + "(" + operands + ")") + f32("e", "exponential(%v)") +
                          f32("r", "divide(%e, %v)") + f32("t", "divide(%v)"))
                       .empty());
    }
  }
}

// Every changed text that the parser accepts is printed in every form.
TEST(ListingFold, ChangedAnywhere) {
  for (size_t at = 0; at < scaledProduct.size(); ++at) {
    for (char c : std::string_view("{}(,=\"%0\xff")) {
      std::string text(scaledProduct);
      text[at] = c;
      Result<hlo::Module> parsed = hlo::parse(text, "m.hlo");
      if (parsed) {
        Module module = listHlo(std::move(*parsed));
        EXPECT_FALSE(textOf(module, {}, {.metadata = true}).empty());
        fold(module);
        EXPECT_FALSE(textOf(module).empty());
        EXPECT_TRUE(isJsonBlock(jsonOf(module))) << text;
        EXPECT_FALSE(graphvizOf(*module.entry()).empty());
      }
    }
  }
}

} // namespace drumlin::listing
