// Tests reductions, windows, scatters and sorts whose bodies no kernel applies directly: bodies
// with loops, branches around loops, and tensors. They are compared with the interpreter, which
// calls the body once per element.
#include "KernelCheck.h"

#include "drumlin/ir/plan/Entry.h"

using namespace drumlin;

namespace {
// Computes %r from %a and %b, scalars of type T.
struct Body {
  const char *name, *text;
};
} // namespace

static const std::vector<Body> bodies = {
    // The greatest common divisor; for non-integers, Euclid's algorithm.
    {"loop", R"(
    %zero = stablehlo.constant dense<ZERO> : tensor<T>
    %e:3 = stablehlo.while(%x = %a, %y = %b, %n = %zero_steps) : tensor<T>, tensor<T>, tensor<i32>
      cond {
        %goes_on = stablehlo.compare NE, %y, %zero : (tensor<T>, tensor<T>) -> tensor<i1>
        %few = stablehlo.compare LT, %n, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %both = stablehlo.and %goes_on, %few : tensor<i1>
        stablehlo.return %both : tensor<i1>
      } do {
        %rest = stablehlo.remainder %x, %y : tensor<T>
        %next = stablehlo.add %n, %one_step : tensor<i32>
        stablehlo.return %y, %rest, %next : tensor<T>, tensor<T>, tensor<i32>
      }
    %r = stablehlo.add %e#0, %e#1 : tensor<T>
)"},
    // A loop that only some elements may enter: for other elements, it would not terminate.
    {"loop in a branch", R"(
    %equal = stablehlo.compare EQ, %a, %a : (tensor<T>, tensor<T>) -> tensor<i1>
    %differ = stablehlo.compare NE, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>
    %r = "stablehlo.if"(%differ) ({
      %e:2 = stablehlo.while(%x = %a, %n = %zero_steps) : tensor<T>, tensor<i32>
        cond {
          %same = stablehlo.compare EQ, %x, %b : (tensor<T>, tensor<T>) -> tensor<i1>
          %few = stablehlo.compare LT, %n, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %both = stablehlo.or %same, %few : tensor<i1>
          stablehlo.return %both : tensor<i1>
        } do {
          %sum = stablehlo.add %x, %a : tensor<T>
          %next = stablehlo.add %n, %one_step : tensor<i32>
          stablehlo.return %sum, %next : tensor<T>, tensor<i32>
        }
      stablehlo.return %e#0 : tensor<T>
    }, {
      stablehlo.return %b : tensor<T>
    }) : (tensor<i1>) -> tensor<T>
)"},
    // Sums the differences of a list and its reverse, with operations on tensors.
    {"tensors", R"(
    %zero = stablehlo.constant dense<ZERO> : tensor<T>
    %u = stablehlo.reshape %a : (tensor<T>) -> tensor<1xT>
    %v = stablehlo.reshape %b : (tensor<T>) -> tensor<1xT>
    %list = stablehlo.concatenate %u, %v, %v, dim = 0 : (tensor<1xT>, tensor<1xT>, tensor<1xT>) -> tensor<3xT>
    %turned = stablehlo.reverse %list, dims = [0] : tensor<3xT>
    %products = stablehlo.subtract %list, %turned : tensor<3xT>
    %sum = stablehlo.reduce(%products init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xT>, tensor<T>) -> tensor<T>
    %r = stablehlo.add %sum, %b : tensor<T>
)"},
};

namespace {
// An operation on %operand, whose shape is `shape`. BODY in the operation's text is replaced by a
// body.
struct Use {
  const char *name;
  Shape shape;
  // `operands` declares further operands, %indices and %updates. T is the element type.
  std::string operands, operation, results;
};
} // namespace

static const std::string combining =
    "({\n  ^bb0(%a: tensor<T>, %b: tensor<T>):BODY    stablehlo.return %r : tensor<T>\n  })";
static const std::string comparing =
    "({\n  ^bb0(%a: tensor<T>, %b: tensor<T>):BODY"
    "    %c = stablehlo.compare LT, %r, %b : (tensor<T>, tensor<T>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n  })";

static const std::vector<Use> uses = {
    {"reduce",
     {5, 7},
     "",
     "\"stablehlo.reduce\"(%operand, %init) <{dimensions = array<i64: 1>}> " + combining +
         " : (tensor<5x7xT>, tensor<T>) -> tensor<5xT>",
     "tensor<5xT>"},
    {"reduce to a scalar",
     {3, 4},
     "",
     "\"stablehlo.reduce\"(%operand, %init) <{dimensions = array<i64: 1, 0>}> " + combining +
         " : (tensor<3x4xT>, tensor<T>) -> tensor<T>",
     "tensor<T>"},
    {"reduce in the middle",
     {2, 3, 2, 2},
     "",
     "\"stablehlo.reduce\"(%operand, %init) <{dimensions = array<i64: 2, 0>}> " + combining +
         " : (tensor<2x3x2x2xT>, tensor<T>) -> tensor<3x2xT>",
     "tensor<3x2xT>"},
    {"reduce nothing",
     {5, 0},
     "",
     "\"stablehlo.reduce\"(%operand, %init) <{dimensions = array<i64: 1>}> " + combining +
         " : (tensor<5x0xT>, tensor<T>) -> tensor<5xT>",
     "tensor<5xT>"},
    {"reduce to nothing",
     {0, 5},
     "",
     "\"stablehlo.reduce\"(%operand, %init) <{dimensions = array<i64: 1>}> " + combining +
         " : (tensor<0x5xT>, tensor<T>) -> tensor<0xT>",
     "tensor<0xT>"},
    {"reduce_window",
     {6, 5},
     "",
     "\"stablehlo.reduce_window\"(%operand, %init) <{window_dimensions = array<i64: 2, 3>}> " +
         combining + " : (tensor<6x5xT>, tensor<T>) -> tensor<5x3xT>",
     "tensor<5x3xT>"},
    {"reduce_window with everything",
     {4, 5},
     "",
     "\"stablehlo.reduce_window\"(%operand, %init) <{window_dimensions = array<i64: 2, 3>, "
     "window_strides = array<i64: 3, 1>, base_dilations = array<i64: 2, 1>, window_dilations = "
     "array<i64: 1, 2>, padding = dense<[[1, 2], [0, 1]]> : tensor<2x2xi64>}> " +
         combining + " : (tensor<4x5xT>, tensor<T>) -> tensor<3x2xT>",
     "tensor<3x2xT>"},
    {"scatter of rows",
     {5, 3},
     ", %indices: tensor<4x1xi32>, %updates: tensor<4x3xT>",
     "\"stablehlo.scatter\"(%operand, %indices, %updates) <{scatter_dimension_numbers = "
     "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> " +
         combining + " : (tensor<5x3xT>, tensor<4x1xi32>, tensor<4x3xT>) -> tensor<5x3xT>",
     "tensor<5x3xT>"},
    {"scatter of batches",
     {2, 5, 4},
     ", %indices: tensor<3x2xi32>, %updates: tensor<2x3x2xT>",
     "\"stablehlo.scatter\"(%operand, %indices, %updates) <{scatter_dimension_numbers = "
     "#stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], input_batching_dims "
     "= [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], "
     "index_vector_dim = 2>}> " +
         combining + " : (tensor<2x5x4xT>, tensor<3x2xi32>, tensor<2x3x2xT>) -> tensor<2x5x4xT>",
     "tensor<2x5x4xT>"},
    {"select_and_scatter",
     {6, 5},
     ", %updates: tensor<3x2xT>",
     "\"stablehlo.select_and_scatter\"(%operand, %updates, %init) <{window_dimensions = array<i64: "
     "2, 3>, window_strides = array<i64: 2, 2>, padding = dense<[[0, 0], [0, 0]]> : "
     "tensor<2x2xi64>}> " +
         comparing.substr(0, comparing.size() - 1) + ", " + combining.substr(1) +
         " : (tensor<6x5xT>, tensor<3x2xT>, tensor<T>) -> tensor<6x5xT>",
     "tensor<6x5xT>"},
    {"select_and_scatter with padding",
     {4},
     ", %updates: tensor<6xT>",
     "\"stablehlo.select_and_scatter\"(%operand, %updates, %init) <{window_dimensions = array<i64: "
     "2>, window_strides = array<i64: 1>, padding = dense<[[2, 1]]> : tensor<1x2xi64>}> " +
         comparing.substr(0, comparing.size() - 1) + ", " + combining.substr(1) +
         " : (tensor<4xT>, tensor<6xT>, tensor<T>) -> tensor<4xT>",
     "tensor<4xT>"},
    {"all_reduce",
     {4},
     "",
     "\"stablehlo.all_reduce\"(%operand) <{replica_groups = dense<0> : tensor<1x1xi64>}> " +
         combining + " : (tensor<4xT>) -> tensor<4xT>",
     "tensor<4xT>"},
    {"map",
     {4, 3},
     ", %updates: tensor<4x3xT>",
     "\"stablehlo.map\"(%operand, %updates) <{dimensions = array<i64: 0, 1>}> " + combining +
         " : (tensor<4x3xT>, tensor<4x3xT>) -> tensor<4x3xT>",
     "tensor<4x3xT>"},
};

static const std::vector<ElementType> types = {ElementType::SI32, ElementType::UI8,
                                               ElementType::SI64, ElementType::F32,
                                               ElementType::BF16, ElementType::F64};

static std::string programOf(const Use &use, const Body &body, ElementType type) {
  std::string text = "func.func @main(%operand: " + tensorType(use.shape, type) + use.operands +
                     ", %init: tensor<T>) -> " + use.results +
                     R"( {
  %zero_steps = stablehlo.constant dense<0> : tensor<i32>
  %one_step = stablehlo.constant dense<1> : tensor<i32>
  %steps = stablehlo.constant dense<5> : tensor<i32>
  %s = )" + use.operation +
                     "\n  return %s : " + use.results + "\n}\n";
  replaceAll(text, "BODY", body.text);
  replaceAll(text, "ZERO", isFloat(type) ? "0.0" : "0");
  std::string element(name(type));
  for (const char *before : {"tensor<", "x"}) {
    replaceAll(text, std::string(before) + "T>", before + element + ">");
  }
  return text;
}

static std::vector<Tensor> argumentsOf(const std::string &text) {
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(text, "test.mlir", context);
  EXPECT_TRUE(module) << text << (module ? "" : module.error().str());
  std::vector<Tensor> arguments;
  if (module) {
    for (mlir::Type type : entryFunction(**module).getArgumentTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      ElementType element = elementTypeOf(tensor.getElementType());
      arguments.push_back(
          drawTensor(element, Shape(tensor.getShape()), Values::Few, 3 + arguments.size()));
    }
  }
  return arguments;
}

TEST(SlowBodies, LoopsAndTensorsInFunctions) {
  for (const Use &use : uses) {
    for (const Body &body : bodies) {
      for (ElementType type : types) {
        SCOPED_TRACE(std::string(use.name) + ", " + body.name);
        std::string text = programOf(use, body, type);
        check(text, argumentsOf(text));
      }
    }
  }
}

// Tests stable sorts along each dimension of several operands; the comparator reads only some of
// them.
TEST(Bodies, SortsByAnyComparator) {
  for (const Shape &shape : {Shape{37}, Shape{4, 6}, Shape{2, 5, 3}, Shape{1, 3}, Shape{0, 3}}) {
    for (size_t dimension = 0; dimension < shape.size(); ++dimension) {
      std::string keys = tensorType(shape, ElementType::SI32);
      std::string values = tensorType(shape, ElementType::F32);
      // The comparator divides numbers by three and compares the quotients.
      std::string text = "func.func @main(%x: " + keys + ", %y: " + values + ") -> (" + keys +
                         ", " + values + ") {\n  %r:2 = \"stablehlo.sort\"(%x, %y) <{dimension = " +
                         std::to_string(dimension) + R"( : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %p: tensor<f32>, %q: tensor<f32>):
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %e:2 = stablehlo.while(%i = %a, %n = %zero) : tensor<i32>, tensor<i32>
      cond {
        %c = stablehlo.compare GE, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %j = stablehlo.subtract %i, %three : tensor<i32>
        %m = stablehlo.add %n, %one : tensor<i32>
        stablehlo.return %j, %m : tensor<i32>, tensor<i32>
      }
    %f = stablehlo.divide %b, %three : tensor<i32>
    %less = stablehlo.compare LT, %e#1, %f : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : ()" + keys + ", " +
                         values + ") -> (" + keys + ", " + values +
                         ")\n  return %r#0, %r#1 : " + keys + ", " + values + "\n}\n";
      Tensor numbers(ElementType::SI32, shape);
      std::mt19937_64 generator(5);
      for (int64_t i = 0; i < numbers.elements(); ++i) {
        setElement(numbers, i, static_cast<double>(generator() % 12));
      }
      check(text, {numbers, drawTensor(ElementType::F32, shape, Values::Many, 6)}, everyTarget);
    }
  }
}

// An unsigned index above the largest signed number must not be read as negative: adding a window
// offset could bring a negative index back into bounds.
TEST(Bodies, OfScattersAtHugeIndices) {
  const std::string text =
      R"(func.func @main(%x: tensor<4xi32>, %i: tensor<1x5xui64>, %u: tensor<5x3xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %true = stablehlo.constant dense<true> : tensor<i1>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %1:2 = stablehlo.while(%v = %a, %p = %true) : tensor<i32>, tensor<i1>
    cond {
      stablehlo.return %p : tensor<i1>
    } do {
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2, %false : tensor<i32>, tensor<i1>
    }
    stablehlo.return %1#0 : tensor<i32>
  }) : (tensor<4xi32>, tensor<1x5xui64>, tensor<5x3xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
})";
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  check(text, {drawTensor(ElementType::SI32, {4}, Values::Many, 1),
               tensorOf<uint64_t>(ElementType::UI64, {1, 5},
                                  {1, most, most - 1, uint64_t(1) << 63, (most >> 1) - 1}),
               drawTensor(ElementType::SI32, {5, 3}, Values::Many, 2)});
}
