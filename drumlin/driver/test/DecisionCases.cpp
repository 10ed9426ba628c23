#include "drumlin/transforms/Reasons.h"

#include "DecisionCases.h"

namespace drumlin {

static std::string function(std::string_view body) { return "func.func @main" + std::string(body); }

static std::string sumsOfSegments(const std::string &count) {
  std::string sums = "tensor<" + count + "xf32>";
  return function("(%x: " + sums + ", %i: tensor<5000x1xi32>, %u: tensor<5000xf32>) -> " + sums +
                  R"( {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : ()" + sums +
                  ", tensor<5000x1xi32>, tensor<5000xf32>) -> " + sums + "\n  return %0 : " + sums +
                  "\n}");
}

// Returns a program that sums the logarithms of a square matrix's row sums.
static std::string sumOfLogs(const std::string &size) {
  std::string row = "tensor<" + size + "xf32>", rows = "tensor<" + size + "x" + size + "xf32>";
  return function(
      "(%x: " + rows + ") -> tensor<f32> {\n" +
      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n" +
      "  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (" +
      rows + ", tensor<f32>) -> " + row + "\n  %l = stablehlo.log %s : " + row +
      "\n  %t = stablehlo.reduce(%l init: %z) applies stablehlo.add across dimensions = [0] : (" +
      row + ", tensor<f32>) -> tensor<f32>\n  return %t : tensor<f32>\n}");
}

static std::string squaredProduct(const std::string &requirement) {
  return R"(
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {drumlin.require = ")" +
         requirement + R"("} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
})";
}

static std::string plainProduct(const std::string &lhs, const std::string &rhs,
                                const std::string &result) {
  std::string x = "tensor<" + lhs + ">", y = "tensor<" + rhs + ">", made = "tensor<" + result + ">";
  return function("(%x: " + x + ", %y: " + y + ") -> " + made +
                  " {\n  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (" + x +
                  ", " + y + ") -> " + made + "\n  return %0 : " + made + "\n}\n");
}

static std::string productWithAlgorithm() {
  std::string text = plainProduct("4x4xf32", "4x4xf32", "4x4xf32");
  size_t types = text.find(" : (tensor");
  return text.insert(types, ", algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, "
                            "accumulation_type = f32, lhs_component_count = 1, "
                            "rhs_component_count = 1, num_primitive_operations = 1, "
                            "allow_imprecise_accumulation = false>");
}

// Returns a quantized dot whose operands have this scale.
static std::string quantizedProduct(const std::string &scale) {
  std::string type = "tensor<4x4x!quant.uniform<i8:f32, " + scale + ":3>>";
  std::string weight = "tensor<4x4x!quant.uniform<i8:f32, " + scale + ">>";
  return function("(%x: " + type + ", %y: " + weight + ") -> " + type +
                  " {\n  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (" +
                  type + ", " + weight + ") -> " + type + "\n  return %0 : " + type + "\n}\n");
}

// Returns a dot with a bound weight. `place`: the attribute that says where the weight is stored.
static std::string productByWeight(const std::string &place) {
  std::string text = plainProduct("80x64xf32", "64x96xf32", "80x96xf32");
  return text.insert(text.find(" {\n"), " attributes {plan.weights = [\"w\"]" + place + "}");
}

// Returns a program that divides rows by their root mean squares and multiplies them by weights.
static std::string normedProduct() {
  return function(R"((%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.multiply %x, %x : tensor<8x16xf32>
  %q = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %r = stablehlo.rsqrt %q : tensor<8xf32>
  %b = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %n = stablehlo.multiply %x, %b : tensor<8x16xf32>
  %d = stablehlo.dot_general %n, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
})");
}

// Returns the sum of a product and `addend`. The addend `%p` is the product itself.
static std::string sumOfProduct(const std::string &type, const std::string &addend) {
  std::string x = "tensor<4x" + type + ">";
  return function("(%x: " + x + ", %y: " + x + ") -> " + x +
                  " {\n  %p = stablehlo.multiply %x, %y : " + x + "\n  %s = stablehlo.add %p, " +
                  addend + " : " + x + "\n  return %s : " + x + "\n}\n");
}

// Returns a dot with a scaled operand and `columns` columns. `more` is appended to the dot's line.
static std::string scaledProduct(const std::string &type, const std::string &columns,
                                 const std::string &returned = "", const std::string &more = "") {
  std::string x = "tensor<16x64x" + type + ">", y = "tensor<64x" + columns + "x" + type + ">",
              made = "tensor<16x" + columns + "x" + type + ">";
  std::string others = returned.empty() ? "" : ", " + x;
  return function("(%x: " + x + ", %y: " + y + ") -> (" + made + others +
                  ") {\n  %c = stablehlo.constant dense<0.3> : " + x +
                  "\n  %a = stablehlo.multiply %x, %c : " + x +
                  "\n  %d = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0]" + more +
                  " : (" + x + ", " + y + ") -> " + made + "\n  return %d" + returned + " : " +
                  made + others + "\n}\n");
}

// Returns a program that contains one of the dots below, which all have the same shape.
static std::string around(std::string_view body, std::string_view results, std::string_view types) {
  return "func.func @main(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>, %s: tensor<f32>, %v: "
         "tensor<8xf32>) -> (" +
         std::string(types) + ") {\n" + std::string(body) + "  return " + std::string(results) +
         " : " + std::string(types) + "\n}\n";
}

static constexpr const char *dot = "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x "
                                   "[0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> "
                                   "tensor<8x4xf32>\n";
static constexpr const char *dotOfA = "  %d = stablehlo.dot_general %a, %y, contracting_dims = [1] "
                                      "x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> "
                                      "tensor<8x4xf32>\n";
static constexpr const char *low = "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n";

// Returns a dot with few rows and columns and a contracting dimension of this size.
static std::string longDot(const std::string &size) {
  return plainProduct("8x" + size + "xf32", size + "x8xf32", "8x8xf32");
}

// Returns a program that converts a value from one layout to another.
static std::string laidOut(const std::string &from, const std::string &fromShape,
                           const std::string &to, const std::string &toShape,
                           const std::string &operation) {
  std::string fromType = "tensor<" + fromShape + "xf32>", toType = "tensor<" + toShape + "xf32>";
  return "func.func @main(%x: " + fromType + " {mhlo.layout_mode = \"" + from + "\"}) -> (" +
         toType + " {mhlo.layout_mode = \"" + to + "\"}) {\n" + operation + " : (" + fromType +
         ") -> " + toType + "\n  return %r : " + toType + "\n}\n";
}

// Returns a dot with a weight in the shape of checkpoints, [n, k].
static std::string acrossPartitions(const std::string &attributes) {
  return function("(%x: tensor<8x64xbf16>, %w: tensor<32x64xbf16>" + attributes +
                  ") -> tensor<8x32xbf16> {\n  %d = stablehlo.dot_general %x, %w, "
                  "contracting_dims = [1] x [1] : (tensor<8x64xbf16>, tensor<32x64xbf16>) -> "
                  "tensor<8x32xbf16>\n  return %d : tensor<8x32xbf16>\n}\n");
}

// Returns a chain of `length` pointwise operations. A long chain has more operations than a kernel
// may contain.
static std::string longChain(int length) {
  std::string text =
      "(%x: tensor<64xf32>) -> tensor<64xf32> {\n  %0 = stablehlo.abs %x : tensor<64xf32>\n";
  for (int i = 1; i < length; ++i) {
    text += "  %" + std::to_string(i) + " = stablehlo.add %" + std::to_string(i - 1) +
            ", %x : tensor<64xf32>\n";
  }
  return function(text + "  return %" + std::to_string(length - 1) + " : tensor<64xf32>\n}\n");
}

static std::string table(int count) {
  std::string values;
  for (int i = 0; i < count; ++i) {
    values += (i ? ", " : "") + std::to_string(i);
  }
  std::string type = "tensor<" + std::to_string(count) + "xi32>";
  return function("() -> " + type + " {\n  %0 = stablehlo.constant dense<[" + values +
                  "]> : " + type + "\n  %1 = stablehlo.multiply %0, %0 : " + type +
                  "\n  return %1 : " + type + "\n}\n");
}

const std::vector<DecisionCase> &decisionCases() {
  static const std::vector<DecisionCase> all = {
      {"ProducerWithAnotherUser", "gemm-absorb-producer", "stablehlo.add", Reason::OtherUsers,
       function(
           R"((%x: tensor<512x512xf32>, %z: tensor<512x512xf32>, %y: tensor<512x4xf32>) -> (tensor<512x4xf32>, tensor<512x512xf32>) {
  %a = stablehlo.add %x, %z : tensor<512x512xf32>
  %d = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x4xf32>) -> tensor<512x4xf32>
  return %d, %a : tensor<512x4xf32>, tensor<512x512xf32>
})"),
       function(
           R"((%x: tensor<512x512xf32>, %z: tensor<512x512xf32>, %y: tensor<512x4xf32>) -> (tensor<512x4xf32>, tensor<512x512xf32>) {
  %a = stablehlo.add %x, %z : tensor<512x512xf32>
  %k = stablehlo.optimization_barrier %x : tensor<512x512xf32>
  %b = stablehlo.add %k, %z : tensor<512x512xf32>
  %d = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x4xf32>) -> tensor<512x4xf32>
  return %d, %b : tensor<512x4xf32>, tensor<512x512xf32>
})")},
      {"RuleThatIsTurnedOff", "gemm-absorb-consumer", "stablehlo.negate", Reason::TurnedOff,
       around(std::string(dot) + "  %n = stablehlo.negate %d : tensor<8x4xf32>\n", "%n",
              "tensor<8x4xf32>"),
       around(std::string(dot) + "  %n = stablehlo.negate %d : tensor<8x4xf32>\n", "%n",
              "tensor<8x4xf32>"),
       "gemm-absorb-consumer"},
      {"OperationInTheChain", "gemm-absorb-consumer", "stablehlo.negate", Reason::NotPointwise,
       around(std::string(dot) + "  %r = stablehlo.reverse %d, dims = [0] : tensor<8x4xf32>\n"
                                 "  %n = stablehlo.negate %r : tensor<8x4xf32>\n",
              "%n", "tensor<8x4xf32>"),
       around(std::string(dot) + "  %n = stablehlo.negate %d : tensor<8x4xf32>\n"
                                 "  %r = stablehlo.reverse %n, dims = [0] : tensor<8x4xf32>\n",
              "%r", "tensor<8x4xf32>")},
      {"ReshapeOfTheResult", "gemm-absorb-consumer", "stablehlo.reshape", Reason::FreeForReaders,
       around(std::string(dot) +
                  "  %r = stablehlo.reshape %d : (tensor<8x4xf32>) -> tensor<4x8xf32>\n",
              "%r", "tensor<4x8xf32>"),
       ""},
      {"ScalarThatBoundsMany", "gemm-absorb-consumer", "stablehlo.clamp", Reason::ShapeDiffers,
       function(
           R"((%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<8xf32>, %h: tensor<f32>) -> tensor<8xf32> {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
  %c = stablehlo.clamp %d, %z, %h : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
})"),
       function(
           R"((%x: tensor<8x16xf32>, %y: tensor<16xf32>, %z: tensor<8xf32>, %h: tensor<f32>) -> tensor<8xf32> {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8xf32>
  %w = stablehlo.broadcast_in_dim %h, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %c = stablehlo.clamp %d, %z, %w : tensor<8xf32>
  return %c : tensor<8xf32>
})")},
      {"ResultInTwoOrders", "gemm-absorb-consumer", "stablehlo.subtract", Reason::TwoOrders,
       function(
           R"((%x: tensor<4x16xf32>, %y: tensor<16x4xf32>) -> tensor<4x4xf32> {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = stablehlo.subtract %d, %t : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
})"),
       function(
           R"((%x: tensor<4x16xf32>, %y: tensor<16x4xf32>) -> tensor<4x4xf32> {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = stablehlo.abs %t : tensor<4x4xf32>
  %r = stablehlo.subtract %a, %t : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
})")},
      {"OperandThatWaitsForTheKernel", "gemm-absorb-consumer", "stablehlo.subtract",
       Reason::WouldCycle,
       around(std::string(dot) + low +
                  "  %m = stablehlo.reduce(%d init: %low) applies stablehlo.maximum across "
                  "dimensions = [1] : "
                  "(tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>\n"
                  "  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<8xf32>) -> "
                  "tensor<8x4xf32>\n"
                  "  %r = stablehlo.subtract %d, %b : tensor<8x4xf32>\n",
              "%r", "tensor<8x4xf32>"),
       around(std::string(dot) + "  %b = stablehlo.broadcast_in_dim %v, dims = [0] : "
                                 "(tensor<8xf32>) -> tensor<8x4xf32>\n"
                                 "  %r = stablehlo.subtract %d, %b : tensor<8x4xf32>\n",
              "%r", "tensor<8x4xf32>")},
      {"DearValueReadManyTimes", "loop-fuse-producer", "stablehlo.exponential", Reason::Repeated,
       function(R"((%x: tensor<4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %e = stablehlo.exponential %x : tensor<4096xf32>
  %b = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
  %m = stablehlo.multiply %b, %y : tensor<4096x4096xf32>
  return %m : tensor<4096x4096xf32>
})"),
       function(R"((%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %e = stablehlo.exponential %x : tensor<4096xf32>
  %m = stablehlo.multiply %e, %y : tensor<4096xf32>
  return %m : tensor<4096xf32>
})")},
      {"ColumnsAddedUpForRows", "loop-fuse-producer", "stablehlo.reduce", Reason::TermsApart,
       function(R"((%x: tensor<64x60xf32>, %y: tensor<70x64xf32>) -> tensor<64x60xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0] : (tensor<70x64xf32>, tensor<f32>) -> tensor<64xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x60xf32>
  %m = stablehlo.multiply %b, %x : tensor<64x60xf32>
  return %m : tensor<64x60xf32>
})"),
       function(R"((%x: tensor<64x60xf32>, %y: tensor<64x70xf32>) -> tensor<64x60xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x70xf32>, tensor<f32>) -> tensor<64xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x60xf32>
  %m = stablehlo.multiply %b, %x : tensor<64x60xf32>
  return %m : tensor<64x60xf32>
})")},
      {"ManySumsOfOneResult", "loop-fuse-producer", "stablehlo.reduce", Reason::OneThread,
       sumOfLogs("512"), sumOfLogs("16")},
      {"BarrierAfterTheDot", "gemm-absorb-consumer", "stablehlo.negate", Reason::Barrier,
       around(std::string(dot) + "  %b = stablehlo.optimization_barrier %d : tensor<8x4xf32>\n"
                                 "  %n = stablehlo.negate %b : tensor<8x4xf32>\n",
              "%n", "tensor<8x4xf32>"),
       around(std::string(dot) + "  %n = stablehlo.negate %d : tensor<8x4xf32>\n", "%n",
              "tensor<8x4xf32>")},
      {"BarrierBeforeTheDot", "gemm-absorb-producer", "stablehlo.negate", Reason::Barrier,
       around("  %n = stablehlo.negate %x : tensor<8x16xf32>\n"
              "  %a = stablehlo.optimization_barrier %n : tensor<8x16xf32>\n" +
                  std::string(dotOfA),
              "%d", "tensor<8x4xf32>"),
       around("  %a = stablehlo.negate %x : tensor<8x16xf32>\n" + std::string(dotOfA), "%d",
              "tensor<8x4xf32>")},
      {"BarrierBetweenLoops", "loop-fuse-producer", "stablehlo.negate", Reason::Barrier,
       function(R"((%x: tensor<64xf32>) -> tensor<64xf32> {
  %n = stablehlo.negate %x : tensor<64xf32>
  %b = stablehlo.optimization_barrier %n : tensor<64xf32>
  %e = stablehlo.exponential %b : tensor<64xf32>
  return %e : tensor<64xf32>
})"),
       function(R"((%x: tensor<64xf32>) -> tensor<64xf32> {
  %n = stablehlo.negate %x : tensor<64xf32>
  %e = stablehlo.exponential %n : tensor<64xf32>
  return %e : tensor<64xf32>
})")},
      {"UsersOfSeveralShapes", "loop-fuse-producer", "stablehlo.exponential", Reason::OtherUsers,
       function(R"((%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<32x8xf32>) {
  %e = stablehlo.exponential %x : tensor<64x64xf32>
  %n = stablehlo.negate %e : tensor<64x64xf32>
  %s = stablehlo.slice %e [0:32, 0:8] : (tensor<64x64xf32>) -> tensor<32x8xf32>
  %a = stablehlo.abs %s : tensor<32x8xf32>
  return %n, %a : tensor<64x64xf32>, tensor<32x8xf32>
})"),
       function(R"((%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = stablehlo.exponential %x : tensor<64x64xf32>
  %n = stablehlo.negate %e : tensor<64x64xf32>
  return %n : tensor<64x64xf32>
})")},
      {"DearProducer", "gemm-absorb-producer", "stablehlo.negate", Reason::Repeated,
       around("  %a = stablehlo.exponential %x : tensor<8x16xf32>\n" + std::string(dotOfA), "%d",
              "tensor<8x4xf32>"),
       around("  %a = stablehlo.negate %x : tensor<8x16xf32>\n" + std::string(dotOfA), "%d",
              "tensor<8x4xf32>")},
      {"SliceOfWhatIsWrittenOver", "gemm-absorb-producer", "stablehlo.dynamic_slice",
       Reason::OtherUsers,
       function(
           R"((%x: tensor<8x16xf32>, %w: tensor<3x16x4xf32>, %i: tensor<i32>, %u: tensor<1x16x4xf32>) -> (tensor<8x4xf32>, tensor<3x16x4xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.dynamic_slice %w, %i, %z, %z, sizes = [1, 16, 4] : (tensor<3x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x4xf32>
  %y = stablehlo.reshape %s : (tensor<1x16x4xf32>) -> tensor<16x4xf32>
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %v = stablehlo.dynamic_update_slice %w, %u, %i, %z, %z : (tensor<3x16x4xf32>, tensor<1x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x4xf32>
  return %d, %v : tensor<8x4xf32>, tensor<3x16x4xf32>
})"),
       function(
           R"((%x: tensor<8x16xf32>, %w: tensor<3x16x4xf32>, %i: tensor<i32>) -> tensor<8x4xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.dynamic_slice %w, %i, %z, %z, sizes = [1, 16, 4] : (tensor<3x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x4xf32>
  %y = stablehlo.reshape %s : (tensor<1x16x4xf32>) -> tensor<16x4xf32>
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
})")},
      {"TransposeThatMovesTheBatch", "dot-swap-operands", "stablehlo.transpose",
       Reason::NotPointwise,
       function(R"((%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) -> tensor<8x2x4xf32> {
  %d = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  %t = stablehlo.transpose %d, dims = [1, 0, 2] : (tensor<2x8x4xf32>) -> tensor<8x2x4xf32>
  return %t : tensor<8x2x4xf32>
})"),
       function(R"((%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) -> tensor<2x4x8xf32> {
  %d = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  %t = stablehlo.transpose %d, dims = [0, 2, 1] : (tensor<2x8x4xf32>) -> tensor<2x4x8xf32>
  return %t : tensor<2x4x8xf32>
})")},
      {"DotWithAnAlgorithm", "dot-swap-operands", "stablehlo.transpose", Reason::NotPointwise,
       around(
           "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], algorithm = "
           "<lhs_precision_type = f32, "
           "rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, "
           "rhs_component_count = 1, "
           "num_primitive_operations = 1, allow_imprecise_accumulation = false> : "
           "(tensor<8x16xf32>, tensor<16x4xf32>) "
           "-> tensor<8x4xf32>\n"
           "  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>\n",
           "%t", "tensor<4x8xf32>"),
       around(std::string(dot) + "  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<8x4xf32>) "
                                 "-> tensor<4x8xf32>\n",
              "%t", "tensor<4x8xf32>")},
      {"LargeTable", "fold-constant", "stablehlo.multiply", Reason::OverBudget, table(100),
       table(3)},
      {"LongChain", "loop-fuse-producer", "stablehlo.abs", Reason::OverBudget, longChain(600),
       longChain(20)},
      {"ReductionFromAnArgument", "gemm-absorb-consumer", "stablehlo.reduce", Reason::NotConstant,
       around(std::string(dot) + "  %m = stablehlo.reduce(%d init: %s) applies stablehlo.maximum "
                                 "across dimensions = [0, 1] : "
                                 "(tensor<8x4xf32>, tensor<f32>) -> tensor<f32>\n",
              "%m", "tensor<f32>"),
       around(std::string(dot) + low +
                  "  %m = stablehlo.reduce(%d init: %low) applies stablehlo.maximum across "
                  "dimensions = [0, 1] : "
                  "(tensor<8x4xf32>, tensor<f32>) -> tensor<f32>\n",
              "%m", "tensor<f32>")},
      {"SharedDotUnderATranspose", "dot-swap-operands", "stablehlo.transpose", Reason::OtherUsers,
       around(std::string(dot) + "  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<8x4xf32>) "
                                 "-> tensor<4x8xf32>\n",
              "%t, %d", "tensor<4x8xf32>, tensor<8x4xf32>"),
       around(std::string(dot) + "  %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<8x4xf32>) "
                                 "-> tensor<4x8xf32>\n",
              "%t", "tensor<4x8xf32>")},
      {"CompositeOfAnUnknownAttribute", "recompose-operation", "stablehlo.composite",
       Reason::NotAsNamed, R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.composite "chlo.erf" %x {composite_attributes = {accuracy = 3 : i64}, decomposition = @f} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
})",
       R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.composite "chlo.erf" %x {decomposition = @f} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
})"},
      {"Recursion", "inline-call", "func.call", Reason::Recursive, R"(
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = call @f(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @f(%x: tensor<i32>) -> tensor<i32> {
  %0 = call @f(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
})",
       R"(
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = call @f(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @f(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i32>
  }
  return %0 : tensor<i32>
})"},
      {"CallersWithTwoOrders", "share-layout", "argument `0`", Reason::LayoutImposed,
       laidOut("{0,1}", "64x8", "{1,0}", "64x8", "  %r = stablehlo.reshape %x"),
       laidOut("{0,1}", "64x8", "{0,1}", "64x8", "  %r = stablehlo.reshape %x")},
      {"ReshapeAcrossAnOrder", "reshape-bitcast", "stablehlo.reshape", Reason::OrderDiffers,
       laidOut("{0,1}", "64x8", "{2,1,0}", "32x2x8", "  %r = stablehlo.reshape %x"),
       laidOut("{0,1}", "64x8", "{0,1,2}", "64x2x4", "  %r = stablehlo.reshape %x")},
      {"PrimeContraction", "split-contraction", "stablehlo.dot_general", Reason::NoEvenParts,
       longDot("131071"), longDot("131072")},
      {"MemoryOfAValueThatIsStillRead", "run-beside", "plan.launch", Reason::SharesMemory, R"(
func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %2 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %3 = stablehlo.dot_general %2, %x, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %1, %3 : tensor<256x256xf32>, tensor<256x256xf32>
})",
       ""},
      {"ScatterIntoManyElements", "widen-scatter", "stablehlo.scatter", Reason::SumsLeaveL2,
       sumsOfSegments("100000000"), sumsOfSegments("1000")},
      {"OneRowIsAGemv", "block-layout", "argument `1`", Reason::NoCheaperPanels, R"(
func.func @main(%x: tensor<1x2048xf32>, %w: tensor<2048x2048xf32> {drumlin.static}) -> tensor<1x2048xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
  return %0 : tensor<1x2048xf32>
})",
       ""},
      {"WeightInTheCallersFile", "block-layout", "argument `1`", Reason::WeightInPlace,
       productByWeight(", plan.weights_in_place"), productByWeight("")},
      {"OperandAcrossPartitions", "transpose-rhs", "stablehlo.dot_general",
       Reason::TransposedAtEachCall, acrossPartitions(""), acrossPartitions(" {drumlin.static}"),
       "", "trn1"},
      {"SixtyFourBitsInNoLibrary", "select-library-call", "stablehlo.dot_general",
       Reason::NoLibraryCall, plainProduct("4x4xi64", "4x4xi64", "4x4xi64"),
       plainProduct("4x4xf32", "4x4xf32", "4x4xf32"), "", "sm_90"},
      {"OneKernelIsRequired", "split-product", "stablehlo.dot_general", Reason::RequiredWhole,
       squaredProduct("fused(square)"), squaredProduct("kernel(gemm)"), "", "sm_90"},
      {"CastOfAnotherType",
       "auto-cast",
       "stablehlo.dot_general",
       Reason::NotF32,
       plainProduct("4x4xf64", "4x4xf64", "4x4xf64"),
       plainProduct("4x4xf32", "4x4xf32", "4x4xf32"),
       "",
       "",
       {AutoCast::Mode::MatMult, AutoCast::Type::BF16}},
      {"CastOfAProductWithAnAlgorithm",
       "auto-cast",
       "stablehlo.dot_general",
       Reason::AlgorithmAsked,
       productWithAlgorithm(),
       plainProduct("4x4xf32", "4x4xf32", "4x4xf32"),
       "",
       "",
       {AutoCast::Mode::MatMult, AutoCast::Type::BF16}},
      {"CastOfASumToFp8",
       "auto-cast",
       "stablehlo.add",
       Reason::ProductsAlone,
       function("(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.add %x, %x : "
                "tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"),
       "",
       "",
       "",
       {AutoCast::Mode::All, AutoCast::Type::Fp8E4M3}},
      {"CastOfNothing",
       "auto-cast",
       "func.return",
       Reason::NothingToCast,
       function("(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"),
       "",
       "",
       "",
       {AutoCast::Mode::All, AutoCast::Type::BF16}},
      {"NormOfATransformer",
       "gemm-absorb-producer",
       "stablehlo.multiply",
       Reason::ModelType,
       normedProduct(),
       normedProduct(),
       "",
       "",
       {},
       ModelType::Transformer},
      {"ScaleThatRounds", "integer-product", "stablehlo.dot_general", Reason::RoundsExpressed,
       quantizedProduct("0.1"), quantizedProduct("0.125")},
      {"TransformerWithoutNorms",
       "model-type",
       "func.return",
       Reason::NothingOfModelType,
       plainProduct("4x4xf32", "4x4xf32", "4x4xf32"),
       "",
       "",
       "",
       {},
       ModelType::Transformer},
      {"NoFusedMultiplyAdd",
       "contract-products",
       "stablehlo.add",
       Reason::NoFusedInstruction,
       sumOfProduct("f32", "%y"),
       "",
       "",
       "baseline",
       {},
       ModelType::Generic,
       {Relaxation::Contract}},
      {"ProductThatIsAddedToItself",
       "contract-products",
       "stablehlo.add",
       Reason::OtherUsers,
       sumOfProduct("f32", "%p"),
       sumOfProduct("f32", "%y"),
       "",
       "avx2",
       {},
       ModelType::Generic,
       {Relaxation::Contract}},
      {"SumsOfIntegers",
       "contract-products",
       "func.return",
       Reason::NothingToContract,
       sumOfProduct("i32", "%y"),
       "",
       "",
       "avx2",
       {},
       ModelType::Generic,
       {Relaxation::Contract}},
      {"ScaleOfAShortOperand",
       "factor-scales",
       "stablehlo.multiply",
       Reason::NoFewerProducts,
       scaledProduct("f32", "128"),
       "",
       "",
       "",
       {},
       ModelType::Generic,
       {Relaxation::Reassociate}},
      {"ScaleOfF16",
       "factor-scales",
       "stablehlo.multiply",
       Reason::NarrowRange,
       scaledProduct("f16", "8"),
       scaledProduct("f32", "8"),
       "",
       "",
       {},
       ModelType::Generic,
       {Relaxation::Reassociate}},
      {"ScaledOperandIsNeeded",
       "factor-scales",
       "stablehlo.multiply",
       Reason::OtherUsers,
       scaledProduct("f32", "8", ", %a"),
       scaledProduct("f32", "8"),
       "",
       "",
       {},
       ModelType::Generic,
       {Relaxation::Reassociate}},
      {"NothingIsScaled",
       "factor-scales",
       "func.return",
       Reason::NothingToFactor,
       plainProduct("4x4xf32", "4x4xf32", "4x4xf32"),
       "",
       "",
       "",
       {},
       ModelType::Generic,
       {Relaxation::Reassociate}},
  };
  return all;
}

} // namespace drumlin
