// Writes a spelling as a program, in the form in which JAX would print it.
#include "Spelling.h"

#include "drumlin/driver/test/ProgramText.h"

namespace drumlin {

using Shape = std::vector<int64_t>;

static constexpr std::array<const char *, 10> narrowTypes = {
    "f8E4M3FN", "f8E5M2",        "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3",
    "f8E3M4",   "f8E4M3B11FNUZ", "f4E2M1FN",   "f6E2M3FN",   "f6E3M2FN"};
static constexpr std::array<const char *, 3> wideTypes = {"bf16", "f16", "f32"};
static constexpr std::array<const char *, 5> outputTypes = {"f8E4M3FN", "f8E5M2", "bf16", "f16",
                                                            "f32"};

static std::string typeText(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape) {
    text += std::to_string(size) + "x";
  }
  return text + element + ">";
}

static std::string listText(const Shape &numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  }
  return "[" + text + "]";
}

static int64_t elementsOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  return count;
}

namespace {
struct Value {
  std::string name;
  Shape shape;
  std::string element;
  std::string type() const { return typeText(shape, element); }
};

// Writes a function operation by operation.
class Writer {
public:
  Value argument(Shape shape, std::string element) {
    Value value{"%arg" + std::to_string(argumentCount++), std::move(shape), std::move(element)};
    arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + value.type();
    return value;
  }
  Value unary(const char *operation, const Value &x) {
    return line(std::string(operation) + " " + x.name + " : " + x.type(), x.shape, x.element);
  }
  Value binary(const char *operation, const Value &x, const Value &y) {
    return line(std::string("stablehlo.") + operation + " " + x.name + ", " + y.name + " : " +
                    x.type(),
                x.shape, x.element);
  }
  Value convert(const Value &x, const std::string &element) {
    if (x.element == element) {
      return x;
    }
    return from("stablehlo.convert " + x.name, x, x.shape, element);
  }
  Value reshape(const Value &x, const Shape &shape) {
    return x.shape == shape ? x : from("stablehlo.reshape " + x.name, x, shape, x.element);
  }
  Value transpose(const Value &x, const Shape &order) {
    Shape shape;
    for (int64_t dimension : order) {
      shape.push_back(x.shape[static_cast<size_t>(dimension)]);
    }
    return from("stablehlo.transpose " + x.name + ", dims = " + listText(order), x, shape,
                x.element);
  }
  Value broadcast(const Value &x, const Shape &dims, const Shape &shape) {
    return from("stablehlo.broadcast_in_dim " + x.name + ", dims = " + listText(dims), x, shape,
                x.element);
  }
  Value constant(const std::string &number, const Shape &shape, const std::string &element) {
    Value scalar =
        line("stablehlo.constant dense<" + number + "> : " + typeText({}, element), {}, element);
    return shape.empty() ? scalar : broadcast(scalar, {}, shape);
  }
  Value line(const std::string &text, Shape shape, std::string element) {
    Value value{"%" + std::to_string(count++), std::move(shape), std::move(element)};
    body += "  " + value.name + " = " + text + "\n";
    return value;
  }
  std::string function(const std::vector<Value> &results) const {
    return mainFunction(arguments, body, results);
  }

private:
  Value from(const std::string &text, const Value &x, const Shape &shape,
             const std::string &element) {
    return line(text + " : (" + x.type() + ") -> " + typeText(shape, element), shape, element);
  }
  std::string arguments, body;
  int argumentCount = 0, count = 0;
};

// One operand. Its batch dimensions come first, then the free and the contracting dimension in
// either order.
struct Operand {
  Value value;
  size_t batch = 0;
  bool contractingFirst = false;
  int64_t contracting() const { return static_cast<int64_t>(batch) + (contractingFirst ? 0 : 1); }
  int64_t free() const { return static_cast<int64_t>(batch) + (contractingFirst ? 1 : 0); }
  int64_t sizeOf(int64_t dimension) const { return value.shape[static_cast<size_t>(dimension)]; }
};

class ScaledDotWriter {
public:
  explicit ScaledDotWriter(const Spelling &spelling) : spelling(spelling) {
    wide = wideTypes[spelling.level(Factor::Wide)];
  }

  std::string write() {
    int64_t batch = spelling.level(Factor::Batch);
    Shape batchShape = batch == 0 ? Shape{} : batch == 1 ? Shape{3} : Shape{2, 3};
    bool blocks = spelling.as<ScaleKind>(Factor::LhsScale) == ScaleKind::Block128x128;
    int64_t m = blocks ? 128 : 17;
    int64_t n = spelling.as<ScaleKind>(Factor::RhsScale) == ScaleKind::Block128x128 ? 128 : 40;
    Between between = spelling.as<Between>(Factor::Between);
    Shape lhsBatch = between == Between::Broadcast ? Shape(batchShape.begin() + 1, batchShape.end())
                                                   : batchShape;
    Operand lhs = operand(Factor::LhsType, Factor::LhsScale, lhsBatch, m,
                          spelling.level(Factor::LhsOrder) == 1);
    Value dequantized = lhs.value;
    Operand rhs = operand(Factor::RhsType, Factor::RhsScale, batchShape, n,
                          spelling.level(Factor::RhsOrder) == 0);
    move(between, lhs, rhs, batchShape);
    Value sums = dot(lhs, rhs, between == Between::Reshape, batchShape, m, n);
    Value moved = moveResult(sums, batch);
    std::vector<Value> results;
    epilogue(moved, batchShape, m, n, results);
    Extra extra = spelling.as<Extra>(Factor::Extra);
    if (extra == Extra::Sums) {
      results.push_back(sums);
    } else if (extra == Extra::Dequantized) {
      results.push_back(dequantized);
    }
    return w.function(results);
  }

private:
  static constexpr int64_t depth = 256;

  Value combine(const Value &x, const Value &scale) {
    return w.binary(spelling.level(Factor::ScaleOperation) == 0 ? "multiply" : "divide", x, scale);
  }

  // Broadcasts the scale to the operand's shape, and converts it before or after the broadcast.
  Value spread(Value scale, const Shape &dims, const Shape &shape) {
    if (spelling.level(Factor::ScaleSpelling) == 0) {
      return w.broadcast(w.convert(scale, wide), dims, shape);
    }
    return w.convert(w.broadcast(scale, dims, shape), wide);
  }

  // Applies block scales along the contracting dimension, and along the free dimension if
  // `freeBlock` isn't 1.
  Value scaledByBlocks(const Operand &given, const Value &x, int64_t depthBlock, int64_t freeBlock,
                       const std::string &scaleType) {
    Shape scaleShape, blockShape, dims;
    for (size_t i = 0; i < x.shape.size(); ++i) {
      int64_t block = static_cast<int64_t>(i) == given.contracting() ? depthBlock
                      : static_cast<int64_t>(i) == given.free()      ? freeBlock
                                                                     : 1;
      scaleShape.push_back(x.shape[i] / block);
      dims.push_back(static_cast<int64_t>(blockShape.size()));
      blockShape.push_back(x.shape[i] / block);
      if (block != 1) {
        blockShape.push_back(block);
      }
    }
    Value scale = spread(w.argument(scaleShape, scaleType), dims, blockShape);
    // Depending on the spelling, either the scales are broadcast to the operand's shape, or the
    // operand is reshaped into blocks.
    if (spelling.level(Factor::ScaleSpelling) == 0) {
      return combine(x, w.reshape(scale, x.shape));
    }
    return w.reshape(combine(w.reshape(x, blockShape), scale), x.shape);
  }

  Operand operand(Factor type, Factor scaleFactor, const Shape &batch, int64_t free,
                  bool contractingFirst) {
    Shape shape = batch;
    shape.push_back(contractingFirst ? depth : free);
    shape.push_back(contractingFirst ? free : depth);
    Operand made;
    made.batch = batch.size();
    made.contractingFirst = contractingFirst;
    made.value = w.convert(w.argument(shape, narrowTypes[spelling.level(type)]), wide);
    Value &x = made.value;
    switch (spelling.as<ScaleKind>(scaleFactor)) {
    case ScaleKind::None:
      break;
    case ScaleKind::Tensor:
      x = combine(x, spread(w.argument({}, "f32"), {}, shape));
      break;
    case ScaleKind::Row:
      x = combine(x, spread(w.argument({free}, "f32"), {made.free()}, shape));
      break;
    case ScaleKind::Column:
      x = combine(x, spread(w.argument({depth}, "f32"), {made.contracting()}, shape));
      break;
    case ScaleKind::Block1x128:
      x = scaledByBlocks(made, x, 128, 1, "f32");
      break;
    case ScaleKind::Block128x128:
      x = scaledByBlocks(made, x, 128, 128, "f32");
      break;
    case ScaleKind::Mx:
      x = scaledByBlocks(made, x, 32, 1, "f8E8M0FNU");
      break;
    case ScaleKind::Nvfp4:
      x = scaledByBlocks(made, x, 16, 1, "f8E4M3FN");
      x = combine(x, spread(w.argument({}, "f32"), {}, shape));
      break;
    }
    return made;
  }

  // Adds operations between the dequantized operands and the dot.
  void move(Between between, Operand &lhs, Operand &rhs, const Shape &batchShape) {
    switch (between) {
    case Between::Nothing:
    case Between::Reshape: // both contracting dimensions are split in dot()
      break;
    case Between::Transpose: {
      Shape order;
      for (size_t i = 0; i < rhs.batch; ++i) {
        order.push_back(static_cast<int64_t>(i));
      }
      order.push_back(static_cast<int64_t>(rhs.batch) + 1);
      order.push_back(static_cast<int64_t>(rhs.batch));
      rhs.value = w.transpose(rhs.value, order);
      rhs.contractingFirst = !rhs.contractingFirst;
      break;
    }
    case Between::Pad:
      for (Operand *operand : {&lhs, &rhs}) {
        Shape low(operand->value.shape.size(), 0), high = low, shape = operand->value.shape;
        high[static_cast<size_t>(operand->contracting())] = 8;
        shape[static_cast<size_t>(operand->contracting())] += 8;
        Value zero = w.constant("0.0", {}, wide);
        operand->value = w.line(
            "stablehlo.pad " + operand->value.name + ", " + zero.name + ", low = " + listText(low) +
                ", high = " + listText(high) + ", interior = " + listText(low) + " : (" +
                operand->value.type() + ", " + zero.type() + ") -> " + typeText(shape, wide),
            shape, wide);
      }
      break;
    case Between::Slice:
      for (Operand *operand : {&lhs, &rhs}) {
        Shape shape = operand->value.shape;
        std::string ranges;
        for (size_t i = 0; i < shape.size(); ++i) {
          int64_t first = static_cast<int64_t>(i) == operand->contracting() ? 16 : 0;
          ranges += (i ? ", " : "") + std::to_string(first) + ":" + std::to_string(shape[i]);
          shape[i] -= first;
        }
        operand->value = w.line("stablehlo.slice " + operand->value.name + " [" + ranges + "] : (" +
                                    operand->value.type() + ") -> " + typeText(shape, wide),
                                shape, wide);
      }
      break;
    case Between::Broadcast: {
      Shape dims, shape = batchShape;
      for (size_t i = 0; i < lhs.value.shape.size(); ++i) {
        dims.push_back(static_cast<int64_t>(i) + 1);
      }
      shape.assign(1, batchShape.front());
      shape.insert(shape.end(), lhs.value.shape.begin(), lhs.value.shape.end());
      lhs.value = w.broadcast(lhs.value, dims, shape);
      lhs.batch += 1;
      break;
    }
    }
  }

  // Splits the contracting dimension in two, so that the dot has several contracting dimensions.
  Operand split(Operand operand) {
    Shape shape = operand.value.shape;
    auto at = shape.begin() + operand.contracting();
    int64_t size = *at;
    *at = size / 16;
    shape.insert(at + 1, 16);
    operand.value = w.reshape(operand.value, shape);
    return operand;
  }

  Value dot(Operand lhs, Operand rhs, bool isSplit, const Shape &batchShape, int64_t m, int64_t n) {
    Shape batch, left = {lhs.contracting()}, right = {rhs.contracting()}, shape = batchShape;
    for (size_t i = 0; i < batchShape.size(); ++i) {
      batch.push_back(static_cast<int64_t>(i));
    }
    if (isSplit) {
      lhs = split(lhs);
      rhs = split(rhs);
      left.push_back(left[0] + 1);
      right.push_back(right[0] + 1);
    }
    shape.push_back(m);
    shape.push_back(n);
    std::string element = spelling.level(Factor::SumType) == 0 ? wide : "f32";
    std::string batching =
        batch.empty() ? "" : ", batching_dims = " + listText(batch) + " x " + listText(batch);
    return w.line("stablehlo.dot_general " + lhs.value.name + ", " + rhs.value.name + batching +
                      ", contracting_dims = " + listText(left) + " x " + listText(right) + " : (" +
                      lhs.value.type() + ", " + rhs.value.type() + ") -> " +
                      typeText(shape, element),
                  shape, element);
  }

  Value moveResult(const Value &sums, int64_t batch) {
    ResultMove move = spelling.as<ResultMove>(Factor::ResultMove);
    if (move == ResultMove::Reshape) {
      return w.reshape(sums, {elementsOf(sums.shape)});
    }
    if (move == ResultMove::Transpose) {
      Shape order;
      for (int64_t i = 0; i < batch; ++i) {
        order.push_back(i);
      }
      order.push_back(batch + 1);
      order.push_back(batch);
      return w.transpose(sums, order);
    }
    return sums;
  }

  // Broadcasts a vector along n to the shape of the moved result.
  Value alongColumns(const Value &vector, const Shape &batchShape, int64_t m, int64_t n,
                     const Shape &shape) {
    Shape whole = batchShape;
    int64_t batch = static_cast<int64_t>(batchShape.size());
    if (spelling.as<ResultMove>(Factor::ResultMove) == ResultMove::Transpose) {
      return w.broadcast(vector, {batch}, shape);
    }
    whole.push_back(m);
    whole.push_back(n);
    return w.reshape(w.broadcast(vector, {batch + 1}, whole), shape);
  }

  Value number(const std::string &text, const Value &like) {
    return w.constant(text, like.shape, like.element);
  }

  Value logistic(const Value &x) { return w.unary("stablehlo.logistic", x); }

  Value activated(const Value &x) {
    switch (spelling.as<Activation>(Factor::Activation)) {
    case Activation::None:
      return x;
    case Activation::Relu:
      return w.binary("maximum", x, number("0.0", x));
    case Activation::GeluTanh: {
      Value cube = w.binary("multiply", w.binary("multiply", x, x), x);
      Value inner = w.binary("add", x, w.binary("multiply", number("0.044715", x), cube));
      Value bent = w.unary("stablehlo.tanh", w.binary("multiply", number("0.797884583", x), inner));
      Value gate = w.binary("multiply", number("0.5", x), w.binary("add", number("1.0", x), bent));
      return w.binary("multiply", x, gate);
    }
    case Activation::GeluErf: {
      Value scaled = w.binary("multiply", x, number("0.707106769", x));
      Value erf = w.line("chlo.erf " + scaled.name + " : " + scaled.type() + " -> " + scaled.type(),
                         x.shape, x.element);
      Value gate = w.binary("multiply", number("0.5", x), w.binary("add", number("1.0", x), erf));
      return w.binary("multiply", x, gate);
    }
    case Activation::Silu:
      return w.binary("multiply", x, logistic(x));
    case Activation::ReluGrad: {
      Value z = w.argument(x.shape, x.element), zero = number("0.0", x);
      Value positive = w.line("stablehlo.compare GT, " + z.name + ", " + zero.name + " : (" +
                                  z.type() + ", " + z.type() + ") -> " + typeText(x.shape, "i1"),
                              x.shape, "i1");
      return w.line("stablehlo.select " + positive.name + ", " + x.name + ", " + zero.name + " : " +
                        positive.type() + ", " + x.type(),
                    x.shape, x.element);
    }
    case Activation::GeluGrad: {
      // Computes d/dz of z * logistic(1.702 z), the quick form of gelu.
      Value z = w.argument(x.shape, x.element);
      Value bent = w.binary("multiply", number("1.702", x), z);
      Value gate = logistic(bent);
      Value slope = w.binary("multiply", bent, w.binary("subtract", number("1.0", x), gate));
      Value factor = w.binary("multiply", gate, w.binary("add", number("1.0", x), slope));
      return w.binary("multiply", x, factor);
    }
    case Activation::SiluGrad: {
      Value z = w.argument(x.shape, x.element);
      Value gate = logistic(z);
      Value slope = w.binary("multiply", z, w.binary("subtract", number("1.0", x), gate));
      return w.binary("multiply", x,
                      w.binary("multiply", gate, w.binary("add", number("1.0", x), slope)));
    }
    }
    return x;
  }

  Value scaledOutput(const Value &x) {
    OutputScale kind = spelling.as<OutputScale>(Factor::OutputScale);
    bool multiplies = kind == OutputScale::MultiplyBefore || kind == OutputScale::MultiplyAfter;
    Value scale = w.broadcast(w.convert(w.argument({}, "f32"), x.element), {}, x.shape);
    return w.binary(multiplies ? "multiply" : "divide", x, scale);
  }

  Value largest(Value x) {
    if (spelling.as<Largest>(Factor::Largest) != Largest::OfOutputWithoutAbs) {
      x = w.unary("stablehlo.abs", x);
    }
    Shape all;
    for (size_t i = 0; i < x.shape.size(); ++i) {
      all.push_back(static_cast<int64_t>(i));
    }
    Value start = w.constant("-1.0e4", {}, x.element);
    Value made = w.line("stablehlo.reduce(" + x.name + " init: " + start.name +
                            ") applies stablehlo.maximum across dimensions = " + listText(all) +
                            " : (" + x.type() + ", " + start.type() + ") -> " + start.type(),
                        {}, x.element);
    return w.convert(made, "f32");
  }

  void epilogue(Value x, const Shape &batchShape, int64_t m, int64_t n,
                std::vector<Value> &results) {
    switch (spelling.level(Factor::Bias)) {
    case 1:
      x = w.binary("add", x, alongColumns(w.argument({n}, x.element), batchShape, m, n, x.shape));
      break;
    case 2:
      x = w.binary("add", x, w.argument(x.shape, x.element));
      break;
    default:
      break;
    }
    OutputScale scale = spelling.as<OutputScale>(Factor::OutputScale);
    Largest kind = spelling.as<Largest>(Factor::Largest);
    Value beforeScale = x;
    if (scale == OutputScale::MultiplyBefore || scale == OutputScale::DivideBefore) {
      x = scaledOutput(x);
    }
    Value active = x = activated(x);
    if (spelling.level(Factor::Residual) == 1) {
      x = w.binary("add", x, w.argument(x.shape, x.element));
    }
    if (scale == OutputScale::MultiplyAfter || scale == OutputScale::DivideAfter) {
      beforeScale = x;
      x = scaledOutput(x);
    }
    Value output = x;
    std::string outputType = outputTypes[spelling.level(Factor::Output)];
    Clamp clamp = spelling.as<Clamp>(Factor::Clamp);
    if (clamp != Clamp::None) {
      // 448 and 57344 are the largest finite numbers of the two fp8 types. The other bounds are
      // close to them and round to them.
      bool isE5M2 = outputType == "f8E5M2";
      std::string limit =
          clamp == Clamp::Exact ? (isE5M2 ? "57344.0" : "448.0") : (isE5M2 ? "57000.0" : "447.0");
      Value low = number("-" + limit, x), high = number(limit, x);
      x = w.line("stablehlo.clamp " + low.name + ", " + x.name + ", " + high.name + " : " +
                     x.type(),
                 x.shape, x.element);
    }
    results.push_back(w.convert(x, outputType));
    if (kind != Largest::None) {
      results.push_back(largest(kind == Largest::BeforeScale ? beforeScale : output));
    }
    if (spelling.as<Extra>(Factor::Extra) == Extra::Activated) {
      results.push_back(active);
    }
  }

  const Spelling &spelling;
  std::string wide;
  Writer w;
};
} // namespace

std::string programOf(const Spelling &spelling) { return ScaledDotWriter(spelling).write(); }

} // namespace drumlin
