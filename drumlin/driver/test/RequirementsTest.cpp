// Tests requirements. For every clause, one program meets it and another program violates it;
// violations are reported in the program's terms. For each rule or pass that satisfies a
// requirement, turning it off violates the requirement.
#include "TestProgram.h"

#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/transforms/requirements/Requirement.h"

#include <gtest/gtest.h>
#include <set>

namespace drumlin {

// Returns a dot with a scaled operand, a bias and an activation, each written as separate
// operations.
static std::string program(std::string_view activation, std::string_view attributes = "") {
  return R"(
#mlp = loc("jit(step)/mlp/dot_general")
module attributes {)" +
         std::string(attributes) + R"(} {
func.func @main(%x: tensor<64x256xf8E4M3FN>, %w: tensor<256x128xf8E4M3FN>, %s: tensor<f32>, %b: tensor<128xf32>, %z: tensor<64x128xf32>) -> tensor<64x128xbf16> {
  %0 = stablehlo.convert %x : (tensor<64x256xf8E4M3FN>) -> tensor<64x256xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<64x256xf32>
  %3 = stablehlo.convert %w : (tensor<256x128xf8E4M3FN>) -> tensor<256x128xf32>
  %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32> loc(#mlp)
  %5 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %v = stablehlo.add %4, %5 : tensor<64x128xf32>
)" + std::string(activation) +
         R"(
  %o = stablehlo.convert %a : (tensor<64x128xf32>) -> tensor<64x128xbf16>
  return %o : tensor<64x128xbf16>
}
})";
}

static constexpr const char *relu = R"(
  %c = stablehlo.constant dense<0.0> : tensor<64x128xf32>
  %a = stablehlo.maximum %v, %c : tensor<64x128xf32>)";

static Status runWith(const std::string &text, std::vector<std::string> requirements,
                      std::vector<std::string> disabled = {}) {
  TestProgram test(text);
  EXPECT_TRUE(test.module) << text;
  CompileOptions options;
  options.requirements = std::move(requirements);
  options.disabledPasses = std::move(disabled);
  return test.run(options);
}

static void expectUnmet(const Status &status, DiagnosticCode code, std::string_view seen) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, code) << status.error().str();
  EXPECT_NE(status.error().message.find(seen), std::string::npos) << status.error().str();
}

struct ClauseCase {
  const char *met;
  const char *unmet;
  const char *seen; // part of the message
};

// Both operands of the second dot are converted in memory, since other operations read them.
static constexpr const char *moved = R"(
func.func @main(%x: tensor<256x512xbf16>, %w: tensor<512x512xbf16>) -> (tensor<512x512xf32>, tensor<256x512xf32>, tensor<512x512xf32>) {
  %k = stablehlo.optimization_barrier %w : tensor<512x512xbf16>
  %t = stablehlo.transpose %k, dims = [1, 0] : (tensor<512x512xbf16>) -> tensor<512x512xbf16>
  %u = stablehlo.convert %t : (tensor<512x512xbf16>) -> tensor<512x512xf32>
  %b = stablehlo.optimization_barrier %u : tensor<512x512xf32>
  %f = stablehlo.convert %x : (tensor<256x512xbf16>) -> tensor<256x512xf32>
  %e = stablehlo.exponential %f : tensor<256x512xf32>
  %d = stablehlo.dot_general %e, %b, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x512xf32>) -> tensor<256x512xf32>
  return %b, %d, %u : tensor<512x512xf32>, tensor<256x512xf32>, tensor<512x512xf32>
})";

// The value between the dots is as large as the result; a smaller value would be stored in the
// result's memory.
static constexpr const char *squared = R"(
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
})";

TEST(Requirements, EveryClauseIsMetAndMissed) {
  const std::vector<std::pair<std::string, ClauseCase>> cases = {
      {program(relu),
       {"dot: fused(scale_lhs, bias, relu, convert)", "dot: fused(scale_rhs)",
        "its kernel fuses convert_lhs, scale_lhs, convert_rhs, bias, relu, "
        "convert"}},
      {program(relu),
       {"dot_general: fused(stablehlo.add)", "dot: fused(exponential)", "`exponential`"}},
      {program(relu), {"dot: kernel(gemm)", "dot: kernel(loop, sort)", "kind `gemm`"}},
      {program(relu),
       {"dot: dtype(lhs=f8E4M3FN, rhs=f8E4M3FN, out=bf16)", "dot: dtype(lhs=f32)",
        "`lhs` is of f8E4M3FN"}},
      {program(relu), {"dot: dtype(out=bf16)", "dot: dtype(out=f32)", "`out` is of bf16"}},
      {program(relu), {"dot: max_kernels(1)", "dot: max_kernels(0)", "there are 1 kernels"}},
      {moved,
       {"dot: no_transpose(lhs)", "dot: no_transpose(rhs)",
        "1048576 bytes is transposed in memory"}},
      {moved, {"dot: no_upcast(lhs)", "dot: no_upcast", "1048576 bytes is widened in memory"}},
      {moved,
       {"dot: max_transpose_bytes(1048576)", "dot: max_transpose_bytes(1048575)",
        "1048576 transposed"}},
      {moved, {"dot: max_temp_bytes(1572864)", "dot: max_temp_bytes(1572863)", "1572864 bytes"}},
      {program(relu),
       {"program: no_transpose no_upcast", "program: max_kernels(0)", "there are 1 kernels"}},
      {moved, {"program: max_kernels(3)", "program: no_transpose", "is transposed in memory"}},
      {moved, {"program: max_kernels(3)", "program: no_upcast", "is widened in memory"}},
      {moved,
       {"program: max_transpose_bytes(1048576)", "program: max_transpose_bytes(0)",
        "1048576 transposed"}},
      {squared,
       {"program: max_temp_bytes(16384)", "program: max_temp_bytes(16383)", "bytes in the arena"}},
  };
  std::set<std::pair<bool, ClauseKind>> tried;
  for (const auto &[text, test] : cases) {
    SCOPED_TRACE(test.unmet);
    Status met = runWith(text, {test.met});
    EXPECT_TRUE(met) << met.error().str();
    expectUnmet(runWith(text, {test.unmet}), errors::RequirementUnmet, test.seen);
    Result<Requirement> parsed = parseRequirement(test.unmet);
    ASSERT_TRUE(parsed);
    tried.emplace(parsed->isForProgram(), parsed->clauses.front().kind);
  }
  for (const ClauseInfo &clause : allClauses()) {
    EXPECT_EQ(clause.forOperations, tried.contains({false, clause.kind})) << clause.name;
    EXPECT_EQ(clause.forProgram, tried.contains({true, clause.kind})) << clause.name;
  }
}

// A limit that contains sizes known only at run time must hold for all sizes.
TEST(Requirements, LimitsAreExpressionsOverSizes) {
  static constexpr const char *sized = R"(
func.func @main(%x: tensor<?x64xf32>, %w: tensor<64x128xf32>, %v: tensor<128x32xf32>) -> tensor<?x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x128xf32>) -> tensor<?x128xf32>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] : (tensor<?x128xf32>, tensor<128x32xf32>) -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
})";
  EXPECT_TRUE(
      runWith(sized, {"program: max_temp_bytes(512 * arg0_0)", "dot: max_temp_bytes(512*arg0_0)",
                      "program: max_temp_bytes(512 * max(arg0_0, 8) + 512 * arg0_0)"}));
  for (const char *unmet :
       {"program: max_temp_bytes(511 * arg0_0)", "dot: max_temp_bytes(511 * arg0_0)",
        "program: max_temp_bytes(1000000000)", "program: max_temp_bytes(512 * arg0_0 - 1)"}) {
    expectUnmet(runWith(sized, {unmet}), errors::RequirementUnmet, "there are 512 * arg0_0 bytes");
  }
  expectUnmet(runWith(sized, {"program: max_temp_bytes(512 * y)"}), errors::RequirementUnmet,
              "`y` is no dynamic size of the program");
}

TEST(Requirements, PatternsSayWhatTheyAreAbout) {
  for (const char *met : {"dot@*mlp*: fused(relu)", "stablehlo.dot_general@jit(step)*: fused(relu)",
                          "d*@*: fused(relu)", "dot@*:11:*: fused(relu)"}) {
    Status status = runWith(program(relu), {met});
    // The last requirement names a line of the program's text. It doesn't match, since the dot has
    // its own location.
    EXPECT_EQ(static_cast<bool>(status),
              std::string_view(met).find(":11:") == std::string_view::npos)
        << met;
  }
  for (const char *unused : {"dot@*attention*: fused(relu)", "convolution: kernel(gemm)"}) {
    expectUnmet(runWith(program(relu), {unused}), errors::RequirementUnused, "none matches");
  }
}

TEST(Requirements, AreReadFromAttributes) {
  EXPECT_TRUE(runWith(program(relu, "drumlin.require = [\"dot: fused(bias)\"]"), {}));
  expectUnmet(
      runWith(program(relu, "drumlin.require = [\"dot: fused(bias)\", \"dot: fused(tanh)\"]"), {}),
      errors::RequirementUnmet, "`tanh`");
  expectUnmet(runWith(program(relu, "drumlin.require = 3 : i32"), {}), errors::RequirementInvalid,
              "a value that is no string");
  std::string own = program(relu);
  size_t place = own.find(", contracting_dims = [1] x [0]");
  own.insert(place + std::string_view(", contracting_dims = [1] x [0]").size(),
             " {mhlo.frontend_attributes = {drumlin_require = \"fused(bias) kernel(loop)\"}}");
  expectUnmet(runWith(own, {}), errors::RequirementUnmet, "kind `gemm`");
}

// Returns a chain of two elementwise operations, each with the given attributes.
static std::string chainWith(const std::string &first, const std::string &second) {
  auto attributes = [](const std::string &text) {
    return text.empty() ? "" : " {mhlo.frontend_attributes = {" + text + "}}";
  };
  return R"(
func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.negate %x)" +
         attributes(first) + R"( : tensor<64x128xf32>
  %1 = stablehlo.exponential %0)" +
         attributes(second) + R"( : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
})";
}

TEST(Requirements, FrameworksAskForGroups) {
  const std::string must = "MUST_FUSE = \"1\"", limit = "FUSE_LIMIT = \"true\"";
  EXPECT_TRUE(runWith(chainWith(must, must), {"program: max_kernels(1)"}));
  expectUnmet(
      runWith(chainWith(must, must), {}, {"loop-fuse-producer"}), errors::RequirementUnmet,
      "`MUST_FUSE = \"1\"` is not met: `stablehlo.exponential` isn't computed by the kernel "
      "of `stablehlo.negate`");
  // The kernel that computes a group may contain further operations, and different groups may be in
  // different kernels.
  EXPECT_TRUE(runWith(chainWith(must, ""), {"program: max_kernels(1)"}));
  EXPECT_TRUE(runWith(chainWith(must, "MUST_FUSE = \"2\""), {}, {"loop-fuse-producer"}));
  // No kernel contains both operations with the attribute FUSE_LIMIT and operations without it.
  EXPECT_TRUE(runWith(chainWith(limit, limit), {"program: max_kernels(1)"}));
  EXPECT_TRUE(runWith(chainWith("FUSE_LIMIT = \"false\"", ""), {"program: max_kernels(1)"}));
  for (const auto &[first, second] : {std::pair(limit, std::string()), {std::string(), limit}}) {
    expectUnmet(runWith(chainWith(first, second), {"program: max_kernels(1)"}),
                errors::RequirementUnmet, "there are 2 kernels");
  }
  expectUnmet(runWith(chainWith(must, must + ", " + limit), {}), errors::RequirementUnmet,
              "MUST_FUSE");
  std::string group = "scheduling_group = ";
  EXPECT_TRUE(runWith(chainWith(group + "\"a\"", group + "\"a\""), {"program: max_kernels(1)"}));
  expectUnmet(runWith(chainWith(group + "\"a\"", group + "\"b\""), {"program: max_kernels(1)"}),
              errors::RequirementUnmet, "there are 2 kernels");
}

// Attributes of a call apply to the called function's operations, for that call only.
TEST(Requirements, FrameworksAskForGroupsOfCalls) {
  auto program = [](const char *second) {
    return R"(
func.func @main(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = call @both(%x) {mhlo.frontend_attributes = {MUST_FUSE = "one"}} : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = "stablehlo.sort"(%0) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = call @both(%1) {mhlo.frontend_attributes = {MUST_FUSE = ")" +
           std::string(second) + R"("}} : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0, %2 : tensor<64x128xf32>, tensor<64x128xf32>
}
func.func private @both(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = stablehlo.negate %x : tensor<64x128xf32>
  %1 = stablehlo.exponential %0 : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
})";
  };
  Status apart = runWith(program("two"), {});
  EXPECT_TRUE(apart) << apart.error().str();
  expectUnmet(runWith(program("one"), {}), errors::RequirementUnmet, "MUST_FUSE");
  expectUnmet(runWith(program("two"), {}, {"loop-fuse-producer"}), errors::RequirementUnmet,
              "MUST_FUSE");
}

TEST(Requirements, BadTextIsRefused) {
  for (const char *text :
       {"", "dot", "dot: ", ": fused(a)", "dot: fused", "dot: fused()", "dot: melt(a)",
        "dot: fused(a", "dot: max_kernels(1 +)", "dot: max_kernels(1, 2)", "dot: max_kernels(-1)",
        "dot: no_transpose(out)", "dot: dtype(f32)", "dot: dtype(lhs=f33)", "program: fused(a)",
        "program: kernel(gemm)", "dot: fused(a) ,"}) {
    Result<Requirement> parsed = parseRequirement(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, errors::RequirementInvalid);
  }
}

// Activation functions in the different forms that programs use.
TEST(Requirements, FunctionsAreKnownByValue) {
  const std::vector<std::pair<const char *, std::string>> spellings = {
      {"relu", relu},
      {"relu", R"(
  %c = stablehlo.constant dense<0.0> : tensor<64x128xf32>
  %p = stablehlo.compare GT, %v, %c : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xi1>
  %a = stablehlo.select %p, %v, %c : tensor<64x128xi1>, tensor<64x128xf32>)"},
      {"silu", R"(
  %l = stablehlo.logistic %v : tensor<64x128xf32>
  %a = stablehlo.multiply %l, %v : tensor<64x128xf32>)"},
      {"silu", R"(
  %n = stablehlo.negate %v : tensor<64x128xf32>
  %e = stablehlo.exponential %n : tensor<64x128xf32>
  %one = stablehlo.constant dense<1.0> : tensor<64x128xf32>
  %d = stablehlo.add %e, %one : tensor<64x128xf32>
  %a = stablehlo.divide %v, %d : tensor<64x128xf32>)"},
      {"gelu", R"(
  %q = stablehlo.constant dense<0.707106769> : tensor<64x128xf32>
  %h = stablehlo.constant dense<0.5> : tensor<64x128xf32>
  %one = stablehlo.constant dense<1.0> : tensor<64x128xf32>
  %m = stablehlo.multiply %v, %q : tensor<64x128xf32>
  %e = chlo.erf %m : tensor<64x128xf32> -> tensor<64x128xf32>
  %p = stablehlo.add %one, %e : tensor<64x128xf32>
  %t = stablehlo.multiply %h, %v : tensor<64x128xf32>
  %a = stablehlo.multiply %t, %p : tensor<64x128xf32>)"},
      {"tanh", "  %a = stablehlo.tanh %v : tensor<64x128xf32>"},
      {"clamp", R"(
  %l = stablehlo.constant dense<-448.0> : tensor<64x128xf32>
  %h = stablehlo.constant dense<448.0> : tensor<64x128xf32>
  %m = stablehlo.minimum %v, %h : tensor<64x128xf32>
  %a = stablehlo.maximum %l, %m : tensor<64x128xf32>)"},
      {"residual", "  %a = stablehlo.subtract %v, %z : tensor<64x128xf32>"},
      {"gate", "  %a = stablehlo.multiply %z, %v : tensor<64x128xf32>"},
      {"silu", R"(
  %l = stablehlo.logistic %z : tensor<64x128xf32>
  %g = stablehlo.multiply %l, %z : tensor<64x128xf32>
  %a = stablehlo.multiply %g, %v : tensor<64x128xf32>)"},
      {"square", "  %a = stablehlo.multiply %v, %v : tensor<64x128xf32>"},
      {"pointwise", "  %a = stablehlo.atan2 %v, %z : tensor<64x128xf32>"},
  };
  for (const auto &[name, text] : spellings) {
    Status status = runWith(program(text), {"dot: fused(" + std::string(name) + ")"});
    EXPECT_TRUE(status) << status.error().str();
  }
}

// If the rule or pass that satisfies a requirement is turned off, the requirement fails.
TEST(Requirements, EveryRuleTurnedOffIsSeen) {
  struct Mutation {
    const char *off;
    std::string text;
    const char *requirement;
    DiagnosticCode code;
  };
  std::string called = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})";
  std::string constants = R"(
func.func @main() -> tensor<3xi32> {
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.multiply %0, %0 : tensor<3xi32>
  return %1 : tensor<3xi32>
})";
  std::string chain = R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.exponential %x : tensor<64xf32>
  %1 = stablehlo.negate %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
})";
  std::string sorted = R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
})";
  const std::vector<Mutation> mutations = {
      {"inline-call", called, "program: max_kernels(1)", errors::PassNeeded},
      {"inline-calls", called, "program: max_kernels(1)", errors::PassNeeded},
      {"fold-constant", constants, "program: max_kernels(0)", errors::RequirementUnmet},
      {"fold-constants", constants, "program: max_kernels(0)", errors::RequirementUnmet},
      {"gemm-absorb-consumer", program(relu), "dot: fused(bias)", errors::RequirementUnmet},
      {"gemm-absorb-producer", program(relu), "dot: fused(scale_lhs)", errors::RequirementUnmet},
      {"gemm-rewrite", program(relu), "dot: kernel(gemm)", errors::PassNeeded},
      {"hero-rewrite", sorted, "sort: kernel(sort)", errors::PassNeeded},
      {"loop-fuse-producer", chain, "exponential: fused(negate)", errors::RequirementUnmet},
      {"loop-fusion", chain, "exponential: fused(negate)", errors::PassNeeded},
      {"outline-kernels", chain, "program: max_kernels(1)", errors::PassNeeded},
      {"assign-buffers", chain, "program: max_kernels(1)", errors::PassNeeded},
  };
  for (const Mutation &mutation : mutations) {
    SCOPED_TRACE(mutation.off);
    Status met = runWith(mutation.text, {mutation.requirement});
    EXPECT_TRUE(met) << met.error().str();
    expectUnmet(runWith(mutation.text, {mutation.requirement}, {mutation.off}), mutation.code, "");
  }
  expectUnmet(runWith(chain, {}, {"melt"}), errors::UnknownPass, "`melt`");
}

} // namespace drumlin
