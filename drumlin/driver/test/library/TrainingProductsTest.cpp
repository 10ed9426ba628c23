// Compares training steps with the interpreter. The libraries' calls compute the values that a
// forward dot passes to its gradient, and the gradients of biases.
#include "CallEmulator.h"
#include "ProductProgram.h"

#include "drumlin/target/LibraryTable.h"

#include <gtest/gtest.h>
#include <set>

namespace drumlin {

static std::multiset<std::string> epiloguesOf(const PlannedProgram &planned,
                                              const GpuTarget &target) {
  std::multiset<std::string> found;
  for (const LibraryKernel &kernel : planned.kernels) {
    if (kernel.call) {
      found.emplace(*epilogueName(target, kernel.call->epilogue));
    }
  }
  return found;
}

// Returns the epilogues that the tables imply for the five dots of the training step with this
// name. gfx950 has no gelu epilogue that adds a bias and also writes the gelu's input. cuBLASLt has
// no relu gradient as programs define it, and no epilogue that computes a gradient and also sums
// this gradient.
static std::multiset<std::string> expectedOf(const std::string &name, const GpuTarget &target) {
  bool isRelu = name.starts_with("relu");
  bool isPulledBack = name.find("vjp") != std::string::npos; // these steps have no second bias
  bool isCublas = target.library == GpuLibrary::CublasLt;
  bool hasGradient = !isRelu || !isCublas;
  LibraryEpilogue sumOfOperand = name.find("outputs_first") == std::string::npos
                                     ? LibraryEpilogue::BiasGradA
                                     : LibraryEpilogue::BiasGradB;
  std::multiset<LibraryEpilogue> all = {
      isRelu                    ? LibraryEpilogue::ReluBias
      : target.name == "gfx950" ? LibraryEpilogue::Bias
                                : LibraryEpilogue::GeluAuxBias,
      isPulledBack ? LibraryEpilogue::Default : LibraryEpilogue::Bias,
      !hasGradient ? LibraryEpilogue::Default
      : isCublas   ? LibraryEpilogue::GeluGrad
      : isRelu     ? LibraryEpilogue::ReluGradBiasGrad
                   : LibraryEpilogue::GeluGradBiasGrad,
      isCublas ? sumOfOperand : LibraryEpilogue::Default,
      isPulledBack ? LibraryEpilogue::Default : sumOfOperand,
  };
  std::multiset<std::string> names;
  for (LibraryEpilogue each : all) {
    names.emplace(*epilogueName(target, each));
  }
  return names;
}

TEST(TrainingProductsTest, StepsAsJaxWritesThem) {
  std::map<std::string, std::string> programs = programsIn(DRUMLIN_TRAINING);
  for (const auto &[name, text] : programs) {
    SCOPED_TRACE(name);
    for (const GpuTarget &target : gpuTargets()) {
      SCOPED_TRACE(target.name);
      PlannedProgram planned(text, target);
      EXPECT_EQ(planned.reasons(), "");
      EXPECT_EQ(epiloguesOf(planned, target), expectedOf(name, target));
      // The results of steps in bf16 differ too much after two layers, since a step rounds where a
      // call doesn't.
      EXPECT_TRUE(!name.ends_with("float32") ||
                  holdsToTheProgram(planned.program, target, text, {1e-4}));
    }
  }
  EXPECT_EQ(programs.size(), 16u);
}

namespace {
// A relu between two dots, and the gradient of a bias after the second.
struct ReluStep {
  std::string positive = "GT, %z, %zero", selected = "%d, %zero";
  std::string bias = R"(
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.reduce(%r init: %none) applies stablehlo.add across dimensions = [0] : (tensor<64x48xf32>, tensor<f32>) -> tensor<48xf32>
)";
  std::string results = "%h, %r, %b",
              types = "tensor<64x48xf32>, tensor<64x48xf32>, tensor<48xf32>";

  std::string text() const {
    return R"(
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %v: tensor<48x48xf32>) -> ()" +
           types + R"() {
  %zero = stablehlo.constant dense<0.0> : tensor<64x48xf32>
  %z = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %h = stablehlo.maximum %z, %zero : tensor<64x48xf32>
  %p = stablehlo.compare )" +
           positive + R"( : (tensor<64x48xf32>, tensor<64x48xf32>) -> tensor<64x48xi1>
  %d = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<64x48xf32>, tensor<48x48xf32>) -> tensor<64x48xf32>
  %r = stablehlo.select %p, )" +
           selected + R"( : tensor<64x48xi1>, tensor<64x48xf32>
)" + bias + "  return " +
           results + " : " + types + "\n}";
  }
};
} // namespace

// Programs that differ in one property from the epilogue of a training step must not be planned as
// this epilogue.
TEST(TrainingProductsTest, NearMisses) {
  using enum LibraryEpilogue;
  struct Case {
    const char *name;
    ReluStep step;
    std::multiset<LibraryEpilogue> cublas, hipblas;
  };
  // hipBLASLt's relu gradient reads the relu's result. cuBLASLt's relu gradient reads bits. The bit
  // of an input of 0 is 1, but in the programs, the gradient at 0 is 0.
  const std::multiset<LibraryEpilogue> whole = {Relu, ReluGradBiasGrad}, noSum = {Relu, ReluGrad};
  const std::multiset<LibraryEpilogue> onlyRelu = {Relu, Default};
  Case all[] = {
      {"as it is", {}, onlyRelu, whole},
      {"the other way round", {.positive = "LT, %zero, %z"}, onlyRelu, whole},
      {"of the relu's result", {.positive = "GT, %h, %zero"}, onlyRelu, whole},
      {"as torch writes it",
       {.positive = "LE, %h, %zero", .selected = "%zero, %d"},
       onlyRelu,
       whole},
      {"where the relu's result is 0",
       {.positive = "LE, %h, %zero"},
       {Relu, Default},
       {Relu, Default}},
      {"1 where the value is 0",
       {.positive = "GE, %z, %zero"},
       {Default, Default},
       {ReluAux, Default}},
      {"the caller wants the mask",
       {.results = "%h, %r, %b, %p",
        .types = "tensor<64x48xf32>, tensor<64x48xf32>, tensor<48xf32>, tensor<64x48xi1>"},
       onlyRelu,
       onlyRelu},
      {"a sum of each row",
       {.bias = R"(
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.reduce(%r init: %none) applies stablehlo.add across dimensions = [1] : (tensor<64x48xf32>, tensor<f32>) -> tensor<64xf32>
)",
        .types = "tensor<64x48xf32>, tensor<64x48xf32>, tensor<64xf32>"},
       onlyRelu,
       noSum},
      {"the largest",
       {.bias = R"(
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %b = stablehlo.reduce(%r init: %none) applies stablehlo.maximum across dimensions = [0] : (tensor<64x48xf32>, tensor<f32>) -> tensor<48xf32>
)"},
       onlyRelu,
       noSum},
      {"a sum that begins with 1",
       {.bias = R"(
  %none = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.reduce(%r init: %none) applies stablehlo.add across dimensions = [0] : (tensor<64x48xf32>, tensor<f32>) -> tensor<48xf32>
)"},
       onlyRelu,
       noSum},
      {"a sum of squares",
       {.bias = R"(
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.multiply %r, %r : tensor<64x48xf32>
  %b = stablehlo.reduce(%q init: %none) applies stablehlo.add across dimensions = [0] : (tensor<64x48xf32>, tensor<f32>) -> tensor<48xf32>
)"},
       onlyRelu,
       noSum},
  };
  for (const Case &each : all) {
    SCOPED_TRACE(each.name);
    std::string text = each.step.text();
    for (const GpuTarget &target : gpuTargets()) {
      SCOPED_TRACE(target.name);
      PlannedProgram planned(text, target);
      EXPECT_EQ(planned.reasons(), "");
      std::multiset<std::string> expected;
      bool isCublas = target.library == GpuLibrary::CublasLt;
      for (LibraryEpilogue epilogue : isCublas ? each.cublas : each.hipblas) {
        expected.emplace(*epilogueName(target, epilogue));
      }
      EXPECT_EQ(epiloguesOf(planned, target), expected);
      EXPECT_TRUE(holdsToTheProgram(planned.program, target, text, {1e-5, /*withIntegers=*/true}));
    }
  }
}

// A library sums each matrix of a batch separately.
TEST(TrainingProductsTest, BatchesHaveSumsOfTheirOwn) {
  for (auto [along, sums, epilogue] :
       {std::tuple("1", "tensor<4x48xf32>", LibraryEpilogue::ReluGradBiasGrad),
        {"0, 1", "tensor<48xf32>", LibraryEpilogue::ReluGrad}}) {
    SCOPED_TRACE(along);
    std::string type = sums;
    const std::string text = R"(
func.func @main(%x: tensor<4x16x32xf32>, %w: tensor<4x32x48xf32>, %v: tensor<4x48x48xf32>) -> (tensor<4x16x48xf32>, tensor<4x16x48xf32>, )" +
                             type + R"() {
  %zero = stablehlo.constant dense<0.0> : tensor<4x16x48xf32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x16x32xf32>, tensor<4x32x48xf32>) -> tensor<4x16x48xf32>
  %h = stablehlo.maximum %z, %zero : tensor<4x16x48xf32>
  %p = stablehlo.compare GT, %z, %zero : (tensor<4x16x48xf32>, tensor<4x16x48xf32>) -> tensor<4x16x48xi1>
  %d = stablehlo.dot_general %h, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x16x48xf32>, tensor<4x48x48xf32>) -> tensor<4x16x48xf32>
  %r = stablehlo.select %p, %d, %zero : tensor<4x16x48xi1>, tensor<4x16x48xf32>
  %b = stablehlo.reduce(%r init: %none) applies stablehlo.add across dimensions = [)" +
                             along + "] : (tensor<4x16x48xf32>, tensor<f32>) -> " + type + R"(
  return %h, %r, %b : tensor<4x16x48xf32>, tensor<4x16x48xf32>, )" +
                             type + "\n}";
    for (const GpuTarget &target : gpuTargets()) {
      SCOPED_TRACE(target.name);
      PlannedProgram planned(text, target);
      EXPECT_EQ(planned.reasons(), "") << text;
      std::multiset<std::string> expected;
      bool isCublas = target.library == GpuLibrary::CublasLt;
      for (LibraryEpilogue each :
           {LibraryEpilogue::Relu, isCublas ? LibraryEpilogue::Default : epilogue}) {
        expected.emplace(*epilogueName(target, each));
      }
      EXPECT_EQ(epiloguesOf(planned, target), expected);
      EXPECT_TRUE(holdsToTheProgram(planned.program, target, text, {1e-5, /*withIntegers=*/true}));
    }
  }
}

// A factor that is computed by another dot isn't a derivative, so the multiplication isn't fused
// into that dot. Both dots are calls.
TEST(TrainingProductsTest, AGateIsNoGradient) {
  const std::string text = R"(
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %v: tensor<32x48xf32>) -> (tensor<64x48xf32>, tensor<64x48xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<64x48xf32>
  %z = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %d = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %h = stablehlo.maximum %z, %zero : tensor<64x48xf32>
  %g = stablehlo.multiply %h, %d : tensor<64x48xf32>
  return %h, %g : tensor<64x48xf32>, tensor<64x48xf32>
})";
  for (const GpuTarget &target : gpuTargets()) {
    SCOPED_TRACE(target.name);
    PlannedProgram planned(text, target);
    EXPECT_EQ(planned.reasons(), "");
    std::set<std::string> names;
    for (LibraryEpilogue each : {LibraryEpilogue::Default, LibraryEpilogue::Relu}) {
      names.emplace(*epilogueName(target, each));
    }
    for (const std::string &each : epiloguesOf(planned, target)) {
      EXPECT_TRUE(names.contains(each)) << each;
    }
    EXPECT_TRUE(holdsToTheProgram(planned.program, target, text, {0, /*withIntegers=*/true}));
  }
}

// A dot that depends on the sum can't compute it.
TEST(TrainingProductsTest, ASumThatTheProductReads) {
  const std::string text = R"(
func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x48xf32>) -> (tensor<32x48xf32>, tensor<48xf32>) {
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.reduce(%y init: %none) applies stablehlo.add across dimensions = [0] : (tensor<64x48xf32>, tensor<f32>) -> tensor<48xf32>
  %d = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<64x32xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<48xf32>) -> tensor<32x48xf32>
  %r = stablehlo.add %d, %0 : tensor<32x48xf32>
  return %r, %b : tensor<32x48xf32>, tensor<48xf32>
})";
  for (const GpuTarget &target : gpuTargets()) {
    SCOPED_TRACE(target.name);
    PlannedProgram planned(text, target);
    EXPECT_EQ(planned.reasons(), "");
    std::multiset<std::string> expected = {
        std::string(*epilogueName(target, LibraryEpilogue::Bias))};
    EXPECT_EQ(epiloguesOf(planned, target), expected);
    EXPECT_TRUE(holdsToTheProgram(planned.program, target, text, {0, /*withIntegers=*/true}));
  }
}

} // namespace drumlin
