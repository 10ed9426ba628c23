// Tests loops whose results are smaller than their operand and overwrite the beginning of the
// operand's memory. Native code is compared with the interpreter.
#include "drumlin/codegen/cpu/test/KernelCheck.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/target/TargetNames.h"

using namespace drumlin;

namespace {
struct Body {
  Shape in, out;
  std::string text; // computes %r from %a
};

// Returns a program with the body between two other kernels. The body's operand is therefore dead
// after the body, and neither its operand nor its result is an argument or a result of the program.
std::string program(const Body &body, ElementType from, ElementType to) {
  auto reversed = [](const std::string &of, const Shape &shape, ElementType type) {
    std::vector<int64_t> dims(shape.size());
    std::iota(dims.begin(), dims.end(), 0);
    return " = stablehlo.reverse " + of + ", dims = [" + list(dims) +
           "] : " + tensorType(shape, type) + "\n";
  };
  std::string in = tensorType(body.in, from), out = tensorType(body.out, to);
  return "func.func @main(%x: " + in + ") -> " + out + " {\n  %t" + reversed("%x", body.in, from) +
         "  %a = stablehlo.optimization_barrier %t : " + in + "\n" + body.text +
         "  %b = stablehlo.optimization_barrier %r : " + out + "\n  %y" +
         reversed("%b", body.out, to) + "  return %y : " + out + "\n}\n";
}

// Returns how many kernels of the compiled program have a result at the beginning of a larger
// operand's memory.
int64_t countOverwriting(const std::string &text, const std::string &target) {
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(text, "test.mlir", context);
  EXPECT_TRUE(module);
  CompileOptions options;
  options.target = *targetFromName(target);
  PhaseResult result;
  EXPECT_TRUE(runPhases(**module, options, result));
  int64_t count = 0;
  (*module)->walk([&](plan::LaunchOp launch) {
    for (mlir::OpResult made : launch->getOpResults()) {
      plan::BufferAttr written = bufferOf(made);
      count += llvm::any_of(launch->getOperands(), [&](mlir::Value operand) {
        plan::BufferAttr read = bufferOf(operand);
        return read.getKind() == written.getKind() && read.getIndex() == written.getIndex() &&
               read.getOffset() == written.getOffset() && read.getSize() > written.getSize();
      });
    }
  });
  return count;
}

void checkOverwriting(const Body &body, ElementType from, ElementType to, uint64_t seed,
                      Values values = Values::Special, int64_t kernels = 1) {
  std::string text = program(body, from, to);
  SCOPED_TRACE(text);
  for (const std::string &target : everyTarget) {
    EXPECT_EQ(countOverwriting(text, target), kernels) << target;
  }
  check(text, {drawTensor(from, body.in, values, seed)}, everyTarget);
}

// Returns a number below all drawn numbers; for a type of few bits, the type's least number.
std::string leastOf(ElementType type) {
  return isBoolean(type)                                        ? "false"
         : isUnsigned(type)                                     ? "0"
         : type == ElementType::SI4 || type == ElementType::SI2 ? "-2"
         : isFloat(type)                                        ? "-4.0"
                                                                : "-100";
}

Body pooled(const Shape &in, const std::vector<int64_t> &window,
            const std::vector<int64_t> &strides, const std::vector<int64_t> &behind,
            ElementType type) {
  Body body{in, in, ""};
  std::string padding;
  for (size_t d = 0; d < in.size(); ++d) {
    body.out[d] = (in[d] + behind[d] - window[d]) / strides[d] + 1;
    padding += (d == 0 ? "[0, " : ", [0, ") + std::to_string(behind[d]) + "]";
  }
  std::string scalar = tensorType({}, type);
  body.text = "  %i = stablehlo.constant dense<" + leastOf(type) + "> : " + scalar +
              "\n  %r = \"stablehlo.reduce_window\"(%a, %i) <{window_dimensions = array<i64: " +
              list(window) + ">, window_strides = array<i64: " + list(strides) +
              ">, padding = dense<[" + padding + "]> : tensor<" + std::to_string(in.size()) +
              "x2xi64>}> ({\n  ^bb0(%p: " + scalar + ", %q: " + scalar +
              "):\n    %m = stablehlo.maximum %p, %q : " + scalar +
              "\n    stablehlo.return %m : " + scalar + "\n  }) : (" + tensorType(in, type) + ", " +
              scalar + ") -> " + tensorType(body.out, type) + "\n";
  return body;
}

Body reduced(const Shape &in, const std::vector<int64_t> &dimensions, ElementType type) {
  Body body{in, {}, ""};
  for (size_t d = 0; d < in.size(); ++d) {
    if (std::ranges::find(dimensions, static_cast<int64_t>(d)) == dimensions.end()) {
      body.out.push_back(in[d]);
    }
  }
  std::string scalar = tensorType({}, type);
  body.text = "  %i = stablehlo.constant dense<" + leastOf(type) + "> : " + scalar +
              "\n  %r = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions "
              "= [" +
              list(dimensions) + "] : (" + tensorType(in, type) + ", " + scalar + ") -> " +
              tensorType(body.out, type) + "\n";
  return body;
}

Body sliced(const Shape &in, const std::vector<int64_t> &first, const std::vector<int64_t> &strides,
            ElementType type) {
  Body body{in, in, ""};
  std::string ranges;
  for (size_t d = 0; d < in.size(); ++d) {
    body.out[d] = (in[d] - first[d] + strides[d] - 1) / strides[d];
    ranges += (d == 0 ? "" : ", ") + std::to_string(first[d]) + ":" + std::to_string(in[d]) + ":" +
              std::to_string(strides[d]);
  }
  body.text = "  %r = stablehlo.slice %a [" + ranges + "] : (" + tensorType(in, type) + ") -> " +
              tensorType(body.out, type) + "\n";
  return body;
}

std::vector<ElementType> typesAndNarrowOnes() {
  std::vector<ElementType> types = nativeTypes;
  types.insert(types.end(), {ElementType::SI4, ElementType::UI4, ElementType::F4E2M1FN});
  return types;
}
} // namespace

TEST(SlowOverwritingLoops, EveryType) {
  for (ElementType type : typesAndNarrowOnes()) {
    // Pools a tensor with channels last, where lanes fill rows, and then one with channels first,
    // where a row has a remainder.
    checkOverwriting(pooled({2, 6, 6, 32}, {1, 2, 2, 1}, {1, 2, 2, 1}, {0, 0, 0, 0}, type), type,
                     type, 1);
    checkOverwriting(pooled({3, 5, 37}, {1, 1, 2}, {1, 1, 2}, {0, 0, 0}, type), type, type, 2);
    checkOverwriting(reduced({9, 37}, {1}, type), type, type, 3);
    checkOverwriting(reduced({9, 37}, {0}, type), type, type, 4);
    checkOverwriting(sliced({9, 70}, {1, 3}, {2, 2}, type), type, type, 5);
  }
}

TEST(OverwritingLoops, ComplexNumbers) {
  for (ElementType type : {ElementType::C64, ElementType::C128}) {
    // The real and the imaginary parts are computed by one kernel or by two kernels.
    Body body = sliced({9, 70}, {1, 3}, {2, 2}, type);
    SCOPED_TRACE(body.text);
    EXPECT_GE(countOverwriting(program(body, type, type), "native"), 1);
    check(program(body, type, type), {drawTensor(type, body.in, Values::Few, 6)}, everyTarget);
  }
}

TEST(OverwritingLoops, Windows) {
  struct Windows {
    Shape in;
    std::vector<int64_t> window, strides, behind;
  };
  const Windows cases[] = {
      // Rows shorter than a vector, rows of one vector, and rows of several vectors with a
      // remainder; ranks 1 to 5.
      {{7}, {2}, {2}, {0}},
      {{33}, {2}, {2}, {1}},
      {{100}, {3}, {2}, {0}},
      {{300}, {3}, {2}, {1}},
      {{4, 17}, {2, 1}, {2, 1}, {0, 0}},
      {{5, 50}, {1, 3}, {1, 2}, {0, 1}},
      {{6, 7, 19}, {2, 2, 1}, {1, 2, 1}, {0, 1, 0}},
      {{2, 9, 9, 5}, {1, 3, 3, 1}, {1, 2, 2, 1}, {0, 0, 1, 0}},
      {{2, 3, 4, 5, 18}, {1, 1, 2, 2, 1}, {1, 1, 2, 2, 1}, {0, 0, 0, 1, 0}},
      // Overlapping windows: consecutive results read some of the same elements.
      {{40, 16}, {3, 1}, {1, 1}, {0, 0}},
      {{4, 60}, {1, 3}, {1, 1}, {0, 0}},
      {{3, 8, 8, 24}, {1, 2, 2, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}},
  };
  std::vector<ElementType> types = {ElementType::F32, ElementType::BF16, ElementType::SI8,
                                    ElementType::F64};
  size_t turn = 0;
  for (const Windows &each : cases) {
    for (int i = 0; i < 2; ++i) {
      ElementType type = types[turn++ % types.size()];
      checkOverwriting(pooled(each.in, each.window, each.strides, each.behind, type), type, type,
                       turn);
    }
    ++turn;
  }
}

TEST(OverwritingLoops, Reductions) {
  // The traversals are by rows, by single results, and by columns.
  checkOverwriting(reduced({3, 4, 5, 32}, {1, 2}, ElementType::F32), ElementType::F32,
                   ElementType::F32, 1);
  checkOverwriting(reduced({40, 100}, {1}, ElementType::F32), ElementType::F32, ElementType::F32,
                   2);
  checkOverwriting(reduced({40, 3, 100}, {2}, ElementType::BF16), ElementType::BF16,
                   ElementType::BF16, 3);
  checkOverwriting(reduced({20, 100}, {0}, ElementType::SI8), ElementType::SI8, ElementType::SI8,
                   4);
  checkOverwriting(reduced({7, 6, 5}, {0, 2}, ElementType::F64), ElementType::F64, ElementType::F64,
                   5);
}

TEST(OverwritingLoops, Conversions) {
  const std::pair<ElementType, ElementType> types[] = {
      {ElementType::F64, ElementType::F32},    {ElementType::F32, ElementType::BF16},
      {ElementType::F64, ElementType::SI8},    {ElementType::SI64, ElementType::SI8},
      {ElementType::F32, ElementType::I1},     {ElementType::SI32, ElementType::SI4},
      {ElementType::F16, ElementType::UI8},    {ElementType::F32, ElementType::F8E4M3FN},
      {ElementType::BF16, ElementType::F8E5M2}};
  for (auto [from, to] : types) {
    for (int64_t length : {5, 16, 50, 1000}) {
      Body body{{length}, {length}, ""};
      body.text = "  %r = stablehlo.convert %a : (" + tensorType(body.in, from) + ") -> " +
                  tensorType(body.out, to) + "\n";
      checkOverwriting(body, from, to, static_cast<uint64_t>(length), Values::Few);
    }
  }
}

// Each element is added to the element 1 to 64 positions after it, so that vectors read elements
// that adjacent vectors write.
TEST(OverwritingLoops, FollowingElements) {
  for (int64_t distance : {1, 3, 15, 16, 17, 64}) {
    Body body{{400}, {399 - distance}, ""};
    std::string in = tensorType(body.in, ElementType::SI32),
                out = tensorType(body.out, ElementType::SI32);
    std::string length = std::to_string(body.out[0]);
    body.text = "  %c = stablehlo.slice %a [0:" + length + "] : (" + in + ") -> " + out +
                "\n  %d = stablehlo.slice %a [" + std::to_string(distance) + ":" +
                std::to_string(distance + body.out[0]) + "] : (" + in + ") -> " + out +
                "\n  %r = stablehlo.add %c, %d : " + out + "\n";
    checkOverwriting(body, ElementType::SI32, ElementType::SI32, static_cast<uint64_t>(distance),
                     Values::Many);
  }
}

// Tests overwriting in each iteration of a loop, and in a branch.
TEST(OverwritingLoops, InControlFlow) {
  const std::string text = R"(
func.func @main(%x: tensor<80xf32>, %n: tensor<i32>) -> tensor<80xf32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0.5> : tensor<f32>
  %0:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<80xf32>
  cond {
    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %p = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %t = stablehlo.reverse %v, dims = [0] : tensor<80xf32>
    %a = stablehlo.optimization_barrier %t : tensor<80xf32>
    %r = stablehlo.slice %a [0:80:2] : (tensor<80xf32>) -> tensor<40xf32>
    %b = stablehlo.optimization_barrier %r : tensor<40xf32>
    %w = "stablehlo.if"(%p) ({
      %u = stablehlo.reverse %b, dims = [0] : tensor<40xf32>
      %c = stablehlo.optimization_barrier %u : tensor<40xf32>
      %d = stablehlo.slice %c [0:40:2] : (tensor<40xf32>) -> tensor<20xf32>
      %e = stablehlo.optimization_barrier %d : tensor<20xf32>
      %f = stablehlo.reverse %e, dims = [0] : tensor<20xf32>
      %g = stablehlo.concatenate %f, %b, dim = 0 : (tensor<20xf32>, tensor<40xf32>) -> tensor<60xf32>
      stablehlo.return %g : tensor<60xf32>
    }, {
      %g = stablehlo.pad %b, %z, low = [20], high = [0], interior = [0] : (tensor<40xf32>, tensor<f32>) -> tensor<60xf32>
      stablehlo.return %g : tensor<60xf32>
    }) : (tensor<i1>) -> tensor<60xf32>
    %y = stablehlo.pad %w, %z, low = [7], high = [13], interior = [0] : (tensor<60xf32>, tensor<f32>) -> tensor<80xf32>
    stablehlo.return %j, %y : tensor<i32>, tensor<80xf32>
  }
  return %0#1 : tensor<80xf32>
}
)";
  EXPECT_GE(countOverwriting(text, "native"), 1);
  check(text, {drawTensor(ElementType::F32, {80}, Values::Many, 1),
               tensorOf<int32_t>(ElementType::SI32, {}, {5})});
}
