// Tests, for each published restriction of a tensor engine, that an operation that violates it is
// refused and that an operation that satisfies it is accepted.
#include "../TestProgram.h"

#include "drumlin/driver/EngineVerdicts.h"

#include "gtest/gtest.h"

#include <set>

namespace drumlin {

namespace {
struct Judged {
  EngineCheck check;
  const char *instruction;
  // The bodies of two functions of %x: tensor<8x16xf32>, %i: tensor<i32>, %n: tensor<4xi32>, %y:
  // tensor<f32>. The engine accepts `taken` and gives a verdict on `other`.
  std::string taken, other;
  const char *reason; // reason of the verdict on `other`
  EngineAnswer answer = EngineAnswer::Refused;
};
} // namespace

static std::string program(const std::string &body) {
  return "func.func @main(%x: tensor<8x16xf32>, %k: tensor<8x16xi32>, %i: tensor<i32>, %n: "
         "tensor<4xi32>, %y: tensor<f32>) {\n  %c = stablehlo.constant dense<1> : tensor<i32>\n  "
         "%z = "
         "stablehlo.constant dense<0.0> : tensor<f32>\n  %u = stablehlo.constant dense<0.0> : "
         "tensor<2x2xf32>\n" +
         body + "  return\n}\n";
}

static std::string convolution(const std::string &window) {
  return "  %a = stablehlo.constant dense<0.0> : tensor<1x8x8x2xf32>\n  %b = stablehlo.constant "
         "dense<0.0> : tensor<3x3x2x2xf32>\n  %r = stablehlo.convolution(%a, %b) dim_numbers = "
         "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {" +
         window +
         "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
         "(tensor<1x8x8x2xf32>, tensor<3x3x2x2xf32>) -> ";
}

static std::string gather(const std::string &indices, const std::string &numbers,
                          const std::string &sizes, const std::string &result) {
  return "  %r = \"stablehlo.gather\"(%x, " + indices +
         ") {dimension_numbers = #stablehlo.gather<" + numbers +
         ">, indices_are_sorted = false, slice_sizes = array<i64: " + sizes +
         ">} : (tensor<8x16xf32>, tensor<4xi32>) -> tensor<" + result + "xf32>\n";
}

static const char *rows = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
                          "index_vector_dim = 1";

static std::string scatter(const std::string &indices, const std::string &type,
                           const std::string &body) {
  std::string operand = type == "f32" ? "%x" : "%k", scalar = "tensor<" + type + ">";
  return "  %v = stablehlo.constant dense<0" + std::string(type == "f32" ? ".0" : "") +
         "> : tensor<4x16x" + type + ">\n  %r = \"stablehlo.scatter\"(" + operand + ", " + indices +
         ", %v) ({\n  ^bb0(%p: " + scalar + ", %q: " + scalar + "):\n" + body +
         "  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
         "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
         "indices_are_sorted = false, unique_indices = false} : (tensor<8x16x" +
         type + ">, tensor<4xi32>, tensor<4x16x" + type + ">) -> tensor<8x16x" + type + ">\n";
}

static std::string reduce(const std::string &operation, const std::string &init = "%z") {
  return "  %r = stablehlo.reduce(%x init: " + init + ") applies stablehlo." + operation +
         " across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>\n";
}

static std::string sort(const std::string &direction) {
  return "  %r = \"stablehlo.sort\"(%x) ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %o = "
         "stablehlo.compare " +
         direction +
         ", %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %o "
         ": tensor<i1>\n  }) {dimension = 1 : i64, is_stable = true} : "
         "(tensor<8x16xf32>) -> tensor<8x16xf32>\n";
}

static std::string window(const std::string &dilations) {
  return "  %r = \"stablehlo.reduce_window\"(%x, %z) ({\n  ^bb0(%p: tensor<f32>, %q: "
         "tensor<f32>):\n"
         "    %o = stablehlo.add %p, %q : tensor<f32>\n    stablehlo.return %o : tensor<f32>\n  }) "
         "{window_dimensions = array<i64: 2, 2>" +
         dilations + "} : (tensor<8x16xf32>, tensor<f32>) -> tensor<7x";
}

static std::string loop(const std::string &limit) {
  return "  %r = stablehlo.while(%s = %c) : tensor<i32>\n  cond {\n    %o = stablehlo.compare LT, "
         "%s, " +
         limit +
         " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %o : "
         "tensor<i1>\n  } do {\n    %a = stablehlo.add %s, %c : tensor<i32>\n    "
         "stablehlo.return %a : tensor<i32>\n  }\n";
}

static std::string update(const std::string &start) {
  return "  %r = stablehlo.dynamic_update_slice %x, %u, %c, " + start +
         " : (tensor<8x16xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>\n";
}

static const std::vector<Judged> &judged() {
  static const std::string iota = "  %j = stablehlo.iota dim = 0 : tensor<4xi32>\n",
                           large =
                               "  %j = stablehlo.constant dense<[0, 1, 9, 2]> : tensor<4xi32>\n",
                           replace = "    stablehlo.return %q : tensor<i32>\n",
                           add = "    %o = stablehlo.add %p, %q : tensor<i32>\n    "
                                 "stablehlo.return %o : tensor<i32>\n",
                           addFloats = "    %o = stablehlo.add %p, %q : tensor<f32>\n    "
                                       "stablehlo.return %o : tensor<f32>\n";
  static const std::vector<Judged> all = {
      {EngineCheck::Dilations, "convolution",
       convolution("lhs_dilate = [2, 2]") + "tensor<1x13x13x2xf32>\n",
       convolution("lhs_dilate = [2, 2], rhs_dilate = [2, 2]") + "tensor<1x11x11x2xf32>\n",
       "(NCC_EVRF011): both are dilated"},
      {EngineCheck::Dilations, "convolution",
       convolution("stride = [2, 2]") + "tensor<1x3x3x2xf32>\n",
       convolution("stride = [2, 2], lhs_dilate = [2, 2]") + "tensor<1x7x7x2xf32>\n",
       ": the lhs is dilated, with a stride"},
      {EngineCheck::VendorTarget, "custom-call",
       "  %r = stablehlo.custom_call @AwsNeuronGelu(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>\n",
       "  %r = stablehlo.custom_call @mine(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>\n",
       "(NCC_EVRF015): this is `mine`"},
      {EngineCheck::ConstantStarts, "dynamic-update-slice", update("%c"), update("%i"),
       "start indices are constant: that of dimension 1 is computed"},
      {EngineCheck::DisjointOffsets, "gather", gather("%n", rows, "1, 16", "4x16"),
       gather("%n", "offset_dims = [1, 2], start_index_map = [1], index_vector_dim = 1", "8, 2",
              "4x8x2"),
       ": dimension 1 is in both"},
      {EngineCheck::IotaInside, "gather", iota + gather("%j", rows, "1, 16", "4x16"),
       large + gather("%j", rows, "1, 16", "4x16"), "(NCC_EVRF056): an index is past its end"},
      {EngineCheck::MayFail, "gather", iota + gather("%j", rows, "1, 16", "4x16"),
       gather("%n", rows, "1, 16", "4x16"),
       "an index out of bounds may fail while the program runs", EngineAnswer::MayFail},
      {EngineCheck::MayFail, "scatter", iota + scatter("%j", "f32", addFloats),
       scatter("%n", "f32", addFloats), "an index out of bounds may fail while the program runs",
       EngineAnswer::MayFail},
      {EngineCheck::ScatterBody, "scatter", iota + scatter("%j", "i32", replace),
       iota + scatter("%j", "i32", add), "(NCC_EVRF016): it computes with i32"},
      {EngineCheck::ScatterBody, "scatter", iota + scatter("%j", "f32", addFloats),
       large + scatter("%j", "f32", addFloats), ": an index is past the operand's end"},
      {EngineCheck::ConstantExponent, "power",
       "  %e = stablehlo.constant dense<1.5> : tensor<8x16xf32>\n  %r = stablehlo.power %x, %e : "
       "tensor<8x16xf32>\n",
       "  %r = stablehlo.power %x, %x : tensor<8x16xf32>\n",
       "the exponent is a constant integer: it is computed"},
      {EngineCheck::KnownBody, "reduce", reduce("maximum"), reduce("add", "%y"),
       ": an initial value is computed"},
      {EngineCheck::KnownBody, "reduce", reduce("add"),
       "  %b = stablehlo.compare NE, %x, %x : (tensor<8x16xf32>, tensor<8x16xf32>) -> "
       "tensor<8x16xi1>\n  %l = stablehlo.constant dense<false> : tensor<i1>\n  %r = "
       "stablehlo.reduce(%b init: %l) applies stablehlo.or across dimensions = [1] : "
       "(tensor<8x16xi1>, tensor<i1>) -> tensor<8xi1>\n",
       ": this is another body"},
      {EngineCheck::OneOperand, "reduce", reduce("add"),
       "  %r:2 = stablehlo.reduce(%x init: %z), (%x init: %z) across dimensions = [1] : "
       "(tensor<8x16xf32>, tensor<8x16xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, "
       "tensor<8xf32>)\n  reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<f32>, %q: "
       "tensor<f32>) "
       "{\n    %o = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %o, %p : tensor<f32>, "
       "tensor<f32>\n  }\n",
       "one operand: it has 2"},
      {EngineCheck::PlainWindow, "reduce-window", window("") + "15xf32>\n",
       window(", base_dilations = array<i64: 1, 2>") + "30xf32>\n", ": the base is dilated"},
      {EngineCheck::PlainWindow, "reduce-window", window("") + "15xf32>\n",
       window(", window_dilations = array<i64: 1, 2>") + "14xf32>\n", ": the window is dilated"},
      {EngineCheck::Uniform, "rng",
       "  %s = stablehlo.constant dense<4> : tensor<1xi64>\n  %r = stablehlo.rng %z, %z, %s, "
       "distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>\n",
       "  %s = stablehlo.constant dense<4> : tensor<1xi64>\n  %r = stablehlo.rng %z, %z, %s, "
       "distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>\n",
       "distribution = UNIFORM: it is NORMAL"},
      {EngineCheck::DefaultAlgorithm, "rng-bit-generator",
       "  %s = stablehlo.constant dense<4> : tensor<2xui32>\n  %r, %t = "
       "stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui32>) -> (tensor<2xui32>, "
       "tensor<4xui32>)\n",
       "  %s = stablehlo.constant dense<4> : tensor<2xui64>\n  %r, %t = "
       "stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> "
       "(tensor<2xui64>, tensor<4xui32>)\n",
       "(NCC_EVRF006): this is another algorithm"},
      {EngineCheck::Loses, "rng-bit-generator", "",
       "  %s = stablehlo.constant dense<4> : tensor<2xui32>\n  %r, %t = "
       "stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui32>) -> (tensor<2xui32>, "
       "tensor<4xui32>)\n",
       "32 bits of the seed are used since 2.9.0.16", EngineAnswer::Loses},
      {EngineCheck::OrderComparator, "sort", sort("GT"), sort("NE"),
       ": this is another comparator"},
      {EngineCheck::KnownTripCount, "while",
       "  %l = stablehlo.constant dense<9> : tensor<i32>\n" + loop("%l"), loop("%i"),
       "known at compile time: it depends on computed values"},
  };
  return all;
}

// Judges the operation of that name.
static std::vector<EngineVerdict> verdictsOf(const std::string &body,
                                             std::string_view instruction) {
  TestProgram made(program(body));
  EXPECT_TRUE(made.module) << program(body);
  if (!made.module) {
    return {};
  }
  std::string mnemonic(instruction);
  std::replace(mnemonic.begin(), mnemonic.end(), '-', '_');
  std::vector<EngineVerdict> verdicts;
  made.module->walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() == "stablehlo." + mnemonic) {
      verdicts = engineVerdicts(op, instruction, *findTensorEngine("inf2"));
    }
  });
  return verdicts;
}

static bool says(const std::vector<EngineVerdict> &verdicts, const Judged &each) {
  return llvm::any_of(verdicts, [&](const EngineVerdict &verdict) {
    return verdict.answer == each.answer && verdict.reason.find(each.reason) != std::string::npos;
  });
}

TEST(EngineVerdicts, OfEachRestriction) {
  for (const Judged &each : judged()) {
    SCOPED_TRACE(each.other);
    std::vector<EngineVerdict> other = verdictsOf(each.other, each.instruction);
    std::string all;
    for (const EngineVerdict &verdict : other) {
      all += verdict.reason + "\n";
    }
    EXPECT_TRUE(says(other, each)) << each.reason << " in\n" << all;
    if (!each.taken.empty()) {
      EXPECT_FALSE(says(verdictsOf(each.taken, each.instruction), each)) << each.taken;
    }
  }
}

// Every restriction in the tables has a program here.
TEST(EngineVerdicts, EveryRestrictionIsJudged) {
  std::set<std::pair<std::string_view, EngineCheck>> tried;
  for (const Judged &each : judged()) {
    tried.emplace(each.instruction, each.check);
  }
  for (const TensorEngine &engine : tensorEngines()) {
    for (std::string_view instruction : publishedInstructions()) {
      for (const PublishedNote &note : publishedOperator(engine, instruction).restrictions) {
        bool isJudged =
            note.check == EngineCheck::None || tried.contains({instruction, note.check});
        EXPECT_TRUE(isJudged) << instruction << ": " << note.text;
      }
    }
  }
}

// The verdicts state that converted types lose precision. Refused types come first.
TEST(EngineVerdicts, OfTypes) {
  std::vector<EngineVerdict> wide = verdictsOf(
      "  %a = stablehlo.constant dense<1> : tensor<4x4xi64>\n  %r = stablehlo.dot_general "
      "%a, %a, contracting_dims = [1] x [0] : (tensor<4x4xi64>, tensor<4x4xi64>) -> "
      "tensor<4x4xi64>\n",
      "dot-general");
  std::vector<EngineVerdict> dots;
  TestProgram made(program("  %a = stablehlo.constant dense<1> : tensor<4x4xi64>\n  %r = "
                           "stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : "
                           "(tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi64>\n"));
  made.module->walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() == "stablehlo.dot_general") {
      dots = engineVerdicts(op, "dot", *findTensorEngine("inf2"));
    }
  });
  ASSERT_EQ(dots.size(), 1u);
  EXPECT_EQ(dots[0].answer, EngineAnswer::Loses);
  EXPECT_EQ(dots[0].reason, "i64 to f32, exact up to 2^24 (NCC_EVRF035)");
  ASSERT_EQ(wide.size(), 1u); // HLO has no instruction of that name
  EXPECT_EQ(wide[0].answer, EngineAnswer::Refused);
  std::vector<EngineVerdict> narrow = verdictsOf(
      "  %q = stablehlo.constant dense<1.0> : tensor<8x16xf8E4M3FN>\n  %e = stablehlo.convert %q : "
      "(tensor<8x16xf8E4M3FN>) -> tensor<8x16xf32>\n  %r = stablehlo.power %e, %x : "
      "tensor<8x16xf32>\n",
      "convert");
  ASSERT_EQ(narrow.size(), 1u);
  EXPECT_EQ(narrow[0].answer, EngineAnswer::Refused);
}

// An engine may use a type for addresses even if it doesn't support it for data.
TEST(EngineVerdicts, TypesOfIndicesDoNotCount) {
  std::string indices = "  %j = stablehlo.iota dim = 0 : tensor<4xi32>\n";
  std::string add = "    %o = stablehlo.add %p, %q : tensor<f32>\n    stablehlo.return %o : "
                    "tensor<f32>\n";
  EXPECT_TRUE(verdictsOf(indices + scatter("%j", "f32", add), "scatter").empty());
  EXPECT_TRUE(verdictsOf(update("%c"), "dynamic-update-slice").empty());
  TestProgram top(program("  %r:2 = chlo.top_k(%x, k = 2) : tensor<8x16xf32> -> "
                          "(tensor<8x2xf32>, tensor<8x2xi32>)\n"));
  ASSERT_TRUE(top.module);
  size_t said = 1;
  top.module->walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() == "chlo.top_k") {
      said = engineVerdicts(op, "topk", *findTensorEngine("inf2")).size();
    }
  });
  EXPECT_EQ(said, 0u);
}

} // namespace drumlin
