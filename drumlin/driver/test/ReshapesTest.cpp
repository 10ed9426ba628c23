// Reshapes between kernels stay free, whatever stands around them: in the program of a report, with
// each kernel that its dot can have, and in random programs of reshapes, transposes and dots; and a
// pass that takes this back is named.
#include "TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/tuner/KernelTuning.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/NumericCompare.h"
#include "drumlin/transforms/Contracts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace drumlin {

static std::vector<Tensor> randomArguments(mlir::ModuleOp module, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Tensor> arguments;
  for (mlir::Type type : entryFunction(module).getArgumentTypes()) {
    auto tensorType = mlir::cast<mlir::RankedTensorType>(type);
    ElementType element = elementTypeOf(tensorType.getElementType());
    Tensor tensor(element, Shape(tensorType.getShape()));
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      double value = number(random);
      encodeRun(element, &value, tensor.data() + i * storageBytes(element), 1);
    }
    arguments.push_back(std::move(tensor));
  }
  return arguments;
}

// Compiles a module, made into its plan up to `startFrom`, and runs it.
static std::vector<Tensor> compileAndRun(mlir::ModuleOp module, const std::string &startFrom,
                                         std::span<const Tensor> arguments) {
  CompileOptions options;
  options.useCache = false;
  options.startFrom = startFrom;
  Result<Compilation> compilation = compile(module, "reshapes", options);
  if (!compilation) {
    ADD_FAILURE() << compilation.error().str();
    return {};
  }
  LoadOptions load;
  load.threads = 1;
  std::span<const char> bytes(compilation->image);
  auto executable = Executable::loadFromMemory(std::as_bytes(bytes), "reshapes", load);
  if (!executable) {
    ADD_FAILURE() << executable.error().str();
    return {};
  }
  Result<std::vector<Tensor>> results = (*executable)->call(arguments);
  if (!results) {
    ADD_FAILURE() << results.error().str();
    return {};
  }
  return *results;
}

static void expectClose(const std::vector<Tensor> &got, const std::vector<Tensor> &expected,
                        double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CompareOptions options;
    options.relativeTolerance = tolerance;
    Result<Comparison> comparison = compare(got[i], expected[i], options);
    ASSERT_TRUE(comparison) << comparison.error().str();
    EXPECT_TRUE(comparison->matches) << "result " << i << ": " << comparison->str();
  }
}

// The reported dot of grouped-query attention; its result may go on through a reshape to something
// that wants it in the order {2, 3, 1, 0}: the tokens fastest.
static std::string reportedProgram(const char *consumer, const char *result) {
  return R"(
func.func @main(%q: tensor<2x1x32x4x128xf16>, %v: tensor<4x2x1x128x128xf16>, %w: tensor<2x32x16xf16>) -> )" +
         std::string(result) + R"( {
  %0 = stablehlo.dot_general %q, %v, batching_dims = [0, 1] x [1, 2], contracting_dims = [3, 4] x [0, 3] : (tensor<2x1x32x4x128xf16>, tensor<4x2x1x128x128xf16>) -> tensor<2x1x32x128xf16>
)" + consumer +
         "  return %r : " + result + "\n}\n";
}

struct Consumer {
  const char *operations, *result;
};

static constexpr Consumer consumers[] = {
    {"  %r = stablehlo.convert %0 : tensor<2x1x32x128xf16>\n", "tensor<2x1x32x128xf16>"},
    {R"(  %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2] : (tensor<2x1x32x128xf16>) -> tensor<2x1x128x32xf16>
  %r = stablehlo.reshape %1 : (tensor<2x1x128x32xf16>) -> tensor<256x32xf16>
)",
     "tensor<256x32xf16>"},
    {R"(  %1 = stablehlo.reshape %0 : (tensor<2x1x32x128xf16>) -> tensor<2x32x128xf16>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<2x32x128xf16>) -> tensor<2x128x32xf16>
  %r = stablehlo.dot_general %2, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x128x32xf16>, tensor<2x32x16xf16>) -> tensor<2x128x16xf16>
)",
     "tensor<2x128x16xf16>"},
    {R"(  %1 = stablehlo.reshape %0 : (tensor<2x1x32x128xf16>) -> tensor<64x128xf16>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x128xf16>) -> tensor<128x64xf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f16>
  %r = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<128x64xf16>, tensor<f16>) -> tensor<128xf16>
)",
     "tensor<128xf16>"},
};

TEST(ReshapesTest, TheReportedProgramWithEachKernelThatItCanHave) {
  Result<CpuTarget> target = cpuTargetFromName("native");
  ASSERT_TRUE(target);
  size_t forced = 0;
  for (const Consumer &consumer : consumers) {
    std::string text = reportedProgram(consumer.operations, consumer.result);
    SCOPED_TRACE(text);
    TestProgram program(text);
    ASSERT_TRUE(program.module);
    std::vector<Tensor> arguments = randomArguments(*program.module, 3);
    Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    Status status = program.run();
    ASSERT_TRUE(status) << status.error().str();
    mlir::OwningOpRef<mlir::ModuleOp> placed = program.module->clone();
    std::vector<Tensor> usual = compileAndRun(*placed, "buffers", arguments);
    expectClose(usual, *expected, 2e-2);
    std::vector<plan::KernelOp> kernels;
    program.module->walk([&](plan::KernelOp kernel) {
      if (kernel.getKind() == plan::KernelKind::gemm) {
        kernels.push_back(kernel);
      }
    });
    EXPECT_FALSE(kernels.empty());
    for (plan::KernelOp kernel : kernels) {
      Result<std::vector<std::string>> schedules = schedulesOf(kernel, *target);
      ASSERT_TRUE(schedules) << schedules.error().str();
      for (const std::string &schedule : *schedules) {
        SCOPED_TRACE(schedule);
        mlir::OwningOpRef<mlir::ModuleOp> copy = program.module->clone();
        copy->lookupSymbol<plan::KernelOp>(kernel.getSymName())
            ->setAttr("plan.schedule", mlir::StringAttr::get(&program.context, schedule));
        std::vector<Tensor> got = compileAndRun(*copy, "buffers", arguments);
        ASSERT_EQ(got.size(), usual.size());
        for (size_t i = 0; i < got.size(); ++i) {
          std::span<const std::byte> a(got[i].data(), static_cast<size_t>(got[i].bytes()));
          std::span<const std::byte> b(usual[i].data(), static_cast<size_t>(usual[i].bytes()));
          EXPECT_TRUE(std::ranges::equal(a, b)) << "other bits";
        }
        ++forced;
      }
    }
  }
  EXPECT_GT(forced, 10u);
}

namespace {
// A random program of reshapes, transposes and dots on tensors of rank up to 6.
class Walk {
public:
  explicit Walk(uint64_t seed) : random(seed) {}

  std::string program(int steps) {
    values.push_back(argument(randomShape(64 + below(400))));
    values.push_back(argument(randomShape(64 + below(400))));
    for (int step = 0; step < steps; ++step) {
      Value from = values[below(static_cast<int64_t>(values.size()))];
      switch (below(5)) {
      case 0:
      case 1:
        reshape(from);
        break;
      case 2:
      case 3:
        transpose(from);
        break;
      default:
        dot(from);
        break;
      }
    }
    // What is made last, and something on the way, are results.
    std::vector<Value> results = {values.back(), values[values.size() / 2]};
    std::string names, types;
    for (const Value &result : results) {
      names += (names.empty() ? "" : ", ") + result.name;
      types += (types.empty() ? "" : ", ") + result.type();
    }
    return "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body + "  return " +
           names + " : " + types + "\n}\n";
  }

private:
  using Shape = std::vector<int64_t>;
  struct Value {
    std::string name;
    Shape shape;
    std::string type() const {
      std::string text = "tensor<";
      for (int64_t size : shape) {
        text += std::to_string(size) + "x";
      }
      return text + "f32>";
    }
    int64_t elements() const {
      return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    }
  };
  static constexpr size_t highestRank = 6;
  static constexpr int64_t mostElements = 4096;

  int64_t below(int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  }

  // So many elements, or a few less, cut into dimensions.
  Shape randomShape(int64_t elements) {
    Shape shape;
    size_t rank = 1 + static_cast<size_t>(below(4));
    for (size_t d = 0; d < rank; ++d) {
      int64_t size = std::min<int64_t>(1 + below(8), std::max<int64_t>(elements, 1));
      shape.push_back(size);
      elements /= size;
    }
    return shape;
  }

  Value argument(Shape shape) {
    Value value{"%arg" + std::to_string(argumentCount++), std::move(shape)};
    arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + value.type();
    return value;
  }

  void line(const std::string &text, Shape shape) {
    Value value{"%v" + std::to_string(values.size()), std::move(shape)};
    body += "  " + value.name + " = " + text + " -> " + value.type() + "\n";
    values.push_back(std::move(value));
  }

  // Splits and joins dimensions at random, so that most reshapes go across the old ones.
  void reshape(const Value &from) {
    Shape primes;
    for (int64_t size : from.shape) {
      for (int64_t p = 2; p <= size; ++p) {
        for (; size % p == 0; size /= p) {
          primes.push_back(p);
        }
      }
    }
    std::shuffle(primes.begin(), primes.end(), random);
    Shape shape(1 + static_cast<size_t>(below(highestRank)), 1);
    for (int64_t prime : primes) {
      shape[static_cast<size_t>(below(static_cast<int64_t>(shape.size())))] *= prime;
    }
    line("stablehlo.reshape " + from.name + " : (" + from.type() + ")", shape);
  }

  static std::string list(const Shape &numbers) {
    std::string text;
    for (int64_t number : numbers) {
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return "[" + text + "]";
  }

  void transpose(const Value &from) {
    Shape order(from.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    Shape shape;
    for (int64_t dimension : order) {
      shape.push_back(from.shape[static_cast<size_t>(dimension)]);
    }
    line("stablehlo.transpose " + from.name + ", dims = " + list(order) + " : (" + from.type() +
             ")",
         shape);
  }

  // Each dimension of the left operand is a batch, a contracted or a free one; the right operand is
  // an argument with what the others need, its dimensions in any order.
  void dot(const Value &lhs) {
    enum Role { Batch, Contracted, Free };
    Shape lhsBatch, lhsContracted, result, free;
    std::vector<std::pair<int64_t, Role>> right; // sizes
    for (size_t d = 0; d < lhs.shape.size(); ++d) {
      auto role = static_cast<Role>(below(3));
      if (role == Batch) {
        lhsBatch.push_back(static_cast<int64_t>(d));
        result.push_back(lhs.shape[d]);
      } else if (role == Contracted) {
        lhsContracted.push_back(static_cast<int64_t>(d));
      } else {
        free.push_back(lhs.shape[d]);
      }
      if (role != Free) {
        right.emplace_back(static_cast<int64_t>(d), role);
      }
    }
    result.insert(result.end(), free.begin(), free.end());
    int64_t added = result.size() < highestRank && right.size() < highestRank ? 2 + below(5) : 0;
    if (added) {
      right.emplace_back(-1, Free);
      result.push_back(added);
    }
    int64_t elements =
        std::accumulate(result.begin(), result.end(), int64_t(1), std::multiplies<>());
    if (right.empty() || elements > mostElements) {
      return;
    }
    std::shuffle(right.begin(), right.end(), random);
    Shape shape, rhsBatch(lhsBatch.size()), rhsContracted(lhsContracted.size());
    for (auto [i, entry] : llvm::enumerate(right)) {
      auto [dimension, role] = entry;
      shape.push_back(dimension < 0 ? added : lhs.shape[static_cast<size_t>(dimension)]);
      auto place = [&](const Shape &of, Shape &in) {
        auto at = std::find(of.begin(), of.end(), dimension) - of.begin();
        in[static_cast<size_t>(at)] = static_cast<int64_t>(i);
      };
      if (role == Batch) {
        place(lhsBatch, rhsBatch);
      } else if (role == Contracted) {
        place(lhsContracted, rhsContracted);
      }
    }
    Value rhs = argument(shape);
    line("stablehlo.dot_general " + lhs.name + ", " + rhs.name +
             ", batching_dims = " + list(lhsBatch) + " x " + list(rhsBatch) +
             ", contracting_dims = " + list(lhsContracted) + " x " + list(rhsContracted) + " : (" +
             lhs.type() + ", " + rhs.type() + ")",
         result);
  }

  std::mt19937_64 random;
  std::vector<Value> values;
  std::string arguments, body;
  int argumentCount = 0;
};
} // namespace

static void walk(uint64_t first, uint64_t last) {
  size_t bitcasts = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    std::string text = Walk(seed).program(9);
    SCOPED_TRACE(text);
    TestProgram program(text);
    ASSERT_TRUE(program.module);
    std::vector<Tensor> arguments = randomArguments(*program.module, seed);
    Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    std::vector<Tensor> got = compileAndRun(*program.module, "", arguments);
    expectClose(got, *expected, 2e-5);
    // The contract held after every pass; it holds at the end.
    EXPECT_FALSE(findContract("reshapes-are-bitcasts")->check(*program.module));
    program.module->walk([&](plan::BitcastOp) { ++bitcasts; });
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(bitcasts, (last - first) / 4) << "there are hardly any reshapes between kernels";
}

TEST(ReshapesTest, SomeRandomPrograms) { walk(0, 40); }
TEST(SlowReshapesTest, ManyRandomPrograms) { walk(40, 640); }

namespace {
// Makes a reshape of the first bitcast that it finds.
class UndoABitcast : public mlir::PassWrapper<UndoABitcast, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UndoABitcast)
  mlir::StringRef getArgument() const override { return "undo-a-bitcast"; }
  void runOnOperation() override {
    plan::BitcastOp found;
    getOperation().walk([&](plan::BitcastOp bitcast) {
      found = bitcast;
      return mlir::WalkResult::interrupt();
    });
    if (!found) {
      return;
    }
    mlir::OpBuilder builder(found);
    auto reshape =
        stablehlo::ReshapeOp::create(builder, found.getLoc(), found.getType(), found.getOperand());
    found.replaceAllUsesWith(reshape.getResult());
    found.erase();
  }
};
} // namespace

// In each phase from the one on which makes bitcasts.
TEST(ReshapesTest, APassThatTakesABitcastBackIsNamed) {
  std::string text = R"(
func.func @main(%x: tensor<8x6xf32>, %w: tensor<12x5xf32>, %u: tensor<10x3xf32>) -> tensor<6xf32> {
  %0 = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<4x12xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4x12xf32>, tensor<12x5xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x5xf32>) -> tensor<2x10xf32>
  %3 = stablehlo.dot_general %2, %u, contracting_dims = [1] x [0] : (tensor<2x10xf32>, tensor<10x3xf32>) -> tensor<2x3xf32>
  %r = stablehlo.reshape %3 : (tensor<2x3xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
})";
  for (const char *phase : {"layout", "schedule", "buffers"}) {
    SCOPED_TRACE(phase);
    TestProgram program(text);
    ASSERT_TRUE(program.module);
    CompileOptions options;
    options.addedPasses.emplace_back(phase, [] { return std::make_unique<UndoABitcast>(); });
    Status status = program.run(options);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, DiagnosticCode::InternalError);
    EXPECT_NE(status.error().message.find(
                  "pass `undo-a-bitcast` broke the contract `reshapes-are-bitcasts`"),
              std::string::npos)
        << status.error().str();
  }
}

} // namespace drumlin
