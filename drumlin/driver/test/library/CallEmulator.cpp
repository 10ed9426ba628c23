#include "CallEmulator.h"

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/NumericCompare.h"
#include "drumlin/target/LibraryTable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace drumlin {

namespace {
class Emulator {
public:
  Emulator(const LibraryCall &call, const std::vector<Tensor> &inputs,
           const std::vector<Tensor> &outputs)
      : call(call), inputs(inputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      made.emplace(i, Tensor(outputs[i].type(), outputs[i].shape()));
    }
  }

  std::optional<std::map<size_t, Tensor>> run() {
    bool isTransposed =
        call.a.pointer.starts_with("prepared") || call.b.pointer.starts_with("prepared");
    if (isTransposed) {
      return std::nullopt;
    }
    int64_t k = call.transposesA ? call.a.rows : call.a.columns;
    double alpha = valuesOf(call.alpha).front(), beta = valuesOf(call.beta).front();
    double scaleD = call.scaleD ? valuesOf(call.scaleD->pointer).front() : 1;
    Scales ofA = scales(call.scaleA, k), ofB = scales(call.scaleB, k);
    const std::vector<double> &valuesOfA = valuesOf(call.a.pointer);
    const std::vector<double> &valuesOfB = valuesOf(call.b.pointer);
    double amax = 0;
    std::map<int64_t, double> gradients; // the gradients of the bias, by index
    for (int64_t batch = 0; batch < call.d.batchCount; ++batch) {
      beginBatch(gradients);
      for (int64_t column = 0; column < call.d.columns; ++column) {
        for (int64_t row = 0; row < call.d.rows; ++row) {
          double sum = 0;
          for (int64_t depth = 0; depth < k; ++depth) {
            sum += read(call.a, valuesOfA, batch, call.transposesA ? depth : row,
                        call.transposesA ? row : depth) *
                   read(call.b, valuesOfB, batch, call.transposesB ? column : depth,
                        call.transposesB ? depth : column) *
                   ofA.at(row, depth) * ofB.at(column, depth);
          }
          sum *= alpha;
          sum += beta == 0 ? 0 : beta * read(call.c, valuesOf(call.c.pointer), batch, row, column);
          if (call.bias) {
            sum += valuesOf(
                call.bias->pointer)[static_cast<size_t>(row + batch * call.bias->batchStride)];
          }
          double result = activated(sum, batch, row, column);
          if (partsOf(call.epilogue).biasGradient == BiasGradient::OfResult) {
            gradients[row + batch * call.biasGradient->batchStride] += result;
          }
          amax = std::max(amax, std::abs(result));
          write(call.d, batch, row, column, result * scaleD);
        }
      }
    }
    addUpOperand(k, gradients);
    for (auto [element, sum] : gradients) {
      store(made.at(outputOf(call.biasGradient->pointer)), element, sum);
    }
    std::map<size_t, Tensor> written;
    take(call.d.pointer, written);
    if (call.biasGradient) {
      take(call.biasGradient->pointer, written);
    }
    if (call.aux && call.aux->pointer.starts_with("output")) {
      take(call.aux->pointer, written);
    }
    if (!call.amaxD.empty()) {
      store(made.at(outputOf(call.amaxD)), 0, amax);
      take(call.amaxD, written);
    }
    return written;
  }

private:
  // Begins the next matrix of a batch. If the sums of all matrices are written to the same memory
  // (batch stride 0), only the last matrix's sums remain.
  void beginBatch(std::map<int64_t, double> &gradients) const {
    if (call.biasGradient && call.biasGradient->batchStride == 0) {
      gradients.clear();
    }
  }

  // Sums op(A) or op(B) along k, for the gradient of a bias.
  void addUpOperand(int64_t k, std::map<int64_t, double> &gradients) {
    BiasGradient which = partsOf(call.epilogue).biasGradient;
    if (which != BiasGradient::OfA && which != BiasGradient::OfB) {
      return;
    }
    bool isA = which == BiasGradient::OfA;
    const LibraryMatrix &matrix = isA ? call.a : call.b;
    const std::vector<double> &values = valuesOf(matrix.pointer);
    bool depthIsRow = isA ? call.transposesA : !call.transposesB;
    for (int64_t batch = 0; batch < call.d.batchCount; ++batch) {
      beginBatch(gradients);
      for (int64_t free = 0; free < (isA ? call.d.rows : call.d.columns); ++free) {
        for (int64_t depth = 0; depth < k; ++depth) {
          gradients[free + batch * call.biasGradient->batchStride] +=
              read(matrix, values, batch, depthIsRow ? depth : free, depthIsRow ? free : depth);
        }
      }
    }
  }

  static size_t numberIn(const std::string &pointer) {
    return std::stoul(pointer.substr(pointer.find(' ') + 1));
  }
  static size_t outputOf(const std::string &pointer) { return numberIn(pointer); }

  void take(const std::string &pointer, std::map<size_t, Tensor> &written) {
    written.emplace(outputOf(pointer), made.at(outputOf(pointer)));
  }

  static std::vector<double> all(const Tensor &tensor) {
    std::vector<double> values(static_cast<size_t>(tensor.elements()));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = toDouble(tensor.type(), tensor.data() + i * storageBytes(tensor.type()));
    }
    return values;
  }

  static void store(Tensor &tensor, int64_t place, double value) {
    std::byte *element = tensor.data() + place * storageBytes(tensor.type());
    if (isFloat(tensor.type())) {
      encodeRun(tensor.type(), &value, element, 1);
      return;
    }
    auto number = static_cast<int64_t>(value);
    std::memcpy(element, &number, storageBytes(tensor.type())); // little endian: the low bytes
  }

  // Runs the function that the plan prints for a value, on the kernel's inputs.
  std::vector<double> valueOf(const LibraryValue &value) {
    TestProgram program(value.program);
    EXPECT_TRUE(program.module) << value.program;
    std::vector<Tensor> arguments;
    for (unsigned input : value.inputs) {
      arguments.push_back(inputs[input]);
    }
    Result<std::vector<Tensor>> results = interpret(*program.module, arguments);
    EXPECT_TRUE(results) << value.program;
    return all(results->front());
  }

  // Returns the values of a pointer or of an entry of `prepared`. The text has the form `[- ]factor
  // · factor …[, type][ for each scale of A]`. A factor is `input 2`, `value 0` or a number, or the
  // reciprocal of such a factor, as in `1 / input 2`.
  const std::vector<double> &valuesOf(const std::string &text) {
    auto found = known.find(text);
    if (found != known.end()) {
      return found->second;
    }
    std::vector<double> values = {1};
    if (text.starts_with("prepared ")) {
      values = valuesOf(call.prepared[numberIn(text)]);
      return known[text] = values;
    }
    if (text.starts_with("value ") && text.find_first_of(",·") == std::string::npos) {
      values = valueOf(call.values[numberIn(text)]);
      return known[text] = values;
    }
    std::string rest = text.substr(0, text.find(", "));
    rest = rest.substr(0, rest.find(" for each"));
    if (rest.starts_with("- ")) {
      values = {-1};
      rest = rest.substr(2);
    }
    static const std::string dot = " · ";
    while (!rest.empty()) {
      size_t end = rest.find(dot);
      std::string factor = rest.substr(0, end);
      rest = end == std::string::npos ? "" : rest.substr(end + dot.size());
      bool divides = factor.starts_with("1 / ");
      factor = divides ? factor.substr(4) : factor;
      std::vector<double> numbers = factor.starts_with("input ") ? all(inputs[numberIn(factor)])
                                    : factor.starts_with("value ")
                                        ? valuesOf(factor)
                                        : std::vector<double>{std::stod(factor)};
      if (values.size() == 1) {
        values.resize(numbers.size(), values.front());
      }
      for (size_t i = 0; i < values.size(); ++i) {
        double number = numbers[numbers.size() == 1 ? 0 : i];
        values[i] = divides ? values[i] / number : values[i] * number;
      }
    }
    return known[text] = values;
  }

  // The scales of an operand in the program's order: row-major over the blocks of the free and of
  // the contracting dimension. A call passes the same scales in the library's order, through
  // entries of `prepared`.
  struct Scales {
    std::vector<double> values;
    int64_t freeBlock = 1, depthBlock = 1, depthBlocks = 1;
    double at(int64_t free, int64_t depth) const {
      return values.size() == 1 ? values.front()
                                : values.at(static_cast<size_t>(free / freeBlock * depthBlocks +
                                                                depth / depthBlock));
    }
  };

  Scales scales(const std::optional<LibraryScale> &scale, int64_t k) {
    Scales made;
    made.values = scale ? valuesOf(scale->pointer) : std::vector<double>{1};
    ScaleMode mode = scale ? scale->mode : ScaleMode::Scalar;
    made.freeBlock = mode == ScaleMode::Square128 ? 128 : 1;
    made.depthBlock = mode == ScaleMode::Mx                                       ? 32
                      : mode == ScaleMode::Nvfp4                                  ? 16
                      : mode == ScaleMode::Row128 || mode == ScaleMode::Square128 ? 128
                                                                                  : k;
    made.depthBlocks = k / made.depthBlock;
    return made;
  }

  static int64_t placeOf(const LibraryMatrix &matrix, int64_t batch, int64_t row, int64_t column) {
    return batch * matrix.batchStride + column * matrix.ld + row;
  }

  double read(const LibraryMatrix &matrix, const std::vector<double> &values, int64_t batch,
              int64_t row, int64_t column) const {
    int64_t offset = matrix.offsetBytes * 8 / info(matrix.type).bits;
    return values.at(static_cast<size_t>(offset + placeOf(matrix, batch, row, column)));
  }

  void write(const LibraryMatrix &matrix, int64_t batch, int64_t row, int64_t column,
             double value) {
    Tensor &tensor = made.at(outputOf(matrix.pointer));
    if (isNarrow(tensor.type())) {
      double largest = largestFinite(tensor.type());
      value = std::clamp(value, -largest, largest);
    }
    store(tensor, placeOf(matrix, batch, row, column), value);
  }

  static double tanhGelu(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }

  double activated(double x, int64_t batch, int64_t row, int64_t column) {
    EpilogueParts parts = partsOf(call.epilogue);
    switch (parts.activation) {
    case EpilogueParts::None:
      return x;
    case EpilogueParts::Relu:
      if (call.aux) {
        write(*call.aux, batch, row, column, x);
      }
      return std::max(x, 0.0);
    case EpilogueParts::ReluGrad:
      return read(*call.aux, valuesOf(call.aux->pointer), batch, row, column) > 0 ? x : 0;
    case EpilogueParts::Silu:
      return x / (1 + std::exp(-x));
    case EpilogueParts::Clamp:
      return std::clamp(x, call.bounds[0], call.bounds[1]);
    case EpilogueParts::Gelu:
      if (call.aux) {
        write(*call.aux, batch, row, column, x);
      }
      return tanhGelu(x);
    case EpilogueParts::GeluGrad: {
      // Differentiates numerically, to be independent of the planner's formula.
      double z = read(*call.aux, valuesOf(call.aux->pointer), batch, row, column);
      return x * (tanhGelu(z + 1e-5) - tanhGelu(z - 1e-5)) / 2e-5;
    }
    }
    return x;
  }

  const LibraryCall &call;
  const std::vector<Tensor> &inputs;
  std::map<size_t, Tensor> made;
  std::map<std::string, std::vector<double>> known;
};
} // namespace

std::optional<std::map<size_t, Tensor>> emulate(const LibraryCall &call,
                                                const std::vector<Tensor> &inputs,
                                                const std::vector<Tensor> &outputs) {
  return Emulator(call, inputs, outputs).run();
}

// Returns numbers near one, or small integers.
static Tensor randomTensor(mlir::Type type, std::mt19937_64 &random, bool withIntegers = false) {
  auto tensorType = mlir::cast<mlir::RankedTensorType>(type);
  ElementType element = elementTypeOf(tensorType.getElementType());
  Tensor tensor(element, Shape(tensorType.getShape()));
  std::uniform_real_distribution<double> size(0.25, 1.0);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    std::byte *place = tensor.data() + i * storageBytes(element);
    bool isNegative = random() % 2 == 0;
    if (isFloat(element)) {
      double magnitude = withIntegers ? static_cast<double>(1 + random() % 2) : size(random);
      double value = magnitude * (isNegative ? -1 : 1);
      encodeRun(element, &value, place, 1);
      continue;
    }
    auto value = static_cast<int64_t>(random() % (isBoolean(element) ? 2 : 4));
    value = isNegative && isSigned(element) ? -value : value;
    std::memcpy(place, &value, storageBytes(element)); // little endian: the low bytes
  }
  return tensor;
}

static std::vector<Tensor> emptyOutputs(plan::LibraryCallOp call) {
  std::vector<Tensor> outputs;
  for (mlir::Type type : call.getResultTypes()) {
    auto tensorType = mlir::cast<mlir::RankedTensorType>(type);
    outputs.emplace_back(elementTypeOf(tensorType.getElementType()), Shape(tensorType.getShape()));
  }
  return outputs;
}

static Tensor asF32(const Tensor &tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.elements()));
  decodeRun(tensor.type(), tensor.data(), values.data(), tensor.elements());
  Tensor made(ElementType::F32, tensor.shape());
  encodeRun(ElementType::F32, values.data(), made.data(), made.elements());
  return made;
}

// Compares a result with the expected one. A sum in a different order may round to a neighbouring
// number of a narrow type, so elements of narrow types may differ by one bit pattern. If the call
// rounds differently from the program, sums that cancel may differ by more: up to one step between
// the largest numbers.
static void expectNear(const Tensor &made, const Tensor &expected, size_t number, double tolerance,
                       bool roundsOtherwise) {
  CompareOptions options;
  options.relativeTolerance = tolerance;
  Tensor shaped = made.withShape(expected.shape());
  bool isByNumber = tolerance > 0 && isNarrow(made.type());
  if (isByNumber) {
    double pattern = std::ldexp(1.0, -static_cast<int>(info(made.type()).mantissaBits));
    options.relativeTolerance = std::max({tolerance, pattern, roundsOtherwise ? 0.125 : 0.0});
  }
  Result<Comparison> comparison = isByNumber ? compare(asF32(shaped), asF32(expected), options)
                                             : compare(shaped, expected, options);
  EXPECT_TRUE(comparison) << comparison.error().str();
  EXPECT_TRUE(comparison && comparison->matches)
      << "result " << number << ": " << comparison->str();
}

// Runs a plan: emulates calls from their printed form, and interprets everything else. Returns
// nullopt if a call can't be emulated.
static std::optional<std::vector<Tensor>> runPlan(mlir::ModuleOp module, const GpuTarget &target,
                                                  const std::vector<Tensor> &arguments) {
  std::vector<LibraryKernel> kernels = libraryKernels(module, target);
  auto next = kernels.begin();
  mlir::Block &body = entryFunction(module).getBody().front();
  llvm::DenseMap<mlir::Value, Tensor> values;
  for (auto [argument, tensor] : llvm::zip(body.getArguments(), arguments)) {
    values.try_emplace(argument, tensor);
  }
  InterpreterOptions options;
  options.table = &planOperations();
  for (mlir::Operation &op : body.without_terminator()) {
    std::vector<Tensor> operands;
    for (mlir::Value operand : op.getOperands()) {
      operands.push_back(values.at(operand));
    }
    auto call = mlir::dyn_cast<plan::LibraryCallOp>(op);
    bool isProduct = call || mlir::isa<plan::GemmOp>(op);
    const LibraryKernel *kernel = isProduct ? &*next++ : nullptr;
    if (!call) {
      Result<std::vector<Tensor>> made = evaluate(&op, operands, options);
      EXPECT_TRUE(made) << made.error().str();
      for (auto [result, tensor] : llvm::zip(op.getResults(), *made)) {
        values.try_emplace(result, tensor);
      }
      continue;
    }
    auto made = emulate(printedCall(*kernel, target), operands, emptyOutputs(call));
    if (!made) {
      return std::nullopt;
    }
    for (mlir::OpResult result : op.getResults()) {
      auto found = made->find(result.getResultNumber());
      if (found == made->end()) {
        ADD_FAILURE() << "the call doesn't write output " << result.getResultNumber();
        return std::nullopt;
      }
      values.try_emplace(result, found->second);
    }
  }
  std::vector<Tensor> results;
  for (mlir::Value operand : body.getTerminator()->getOperands()) {
    results.push_back(values.at(operand));
  }
  return results;
}

bool holdsToTheProgram(TestProgram &planned, const GpuTarget &target, const std::string &text,
                       const Comparing &how) {
  TestProgram program(text);
  std::mt19937_64 random(11);
  std::vector<Tensor> arguments;
  for (mlir::Type type : entryFunction(*program.module).getArgumentTypes()) {
    arguments.push_back(randomTensor(type, random, how.withIntegers));
  }
  Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
  EXPECT_TRUE(expected) << expected.error().str();
  bool roundsOtherwise = false;
  for (const LibraryKernel &kernel : libraryKernels(*planned.module, target)) {
    roundsOtherwise |= kernel.call && !kernel.call->roundings.empty();
  }
  std::vector<Tensor> given = inMemoryOrder(entryFunction(*planned.module), arguments);
  std::optional<std::vector<Tensor>> made = runPlan(*planned.module, target, given);
  if (!made) {
    return false;
  }
  for (size_t i = 0; i < expected->size(); ++i) {
    expectNear((*made)[i], (*expected)[i], i, how.tolerance, roundsOtherwise);
  }
  return true;
}

bool holdsToItsKernel(plan::LibraryCallOp call, const LibraryKernel &kernel,
                      const GpuTarget &target, double tolerance) {
  std::mt19937_64 random(12);
  std::vector<Tensor> inputs;
  for (mlir::Value input : call.getInputs()) {
    inputs.push_back(randomTensor(input.getType(), random));
  }
  InterpreterOptions options;
  options.table = &planOperations();
  Result<std::vector<Tensor>> expected = evaluate(call, inputs, options);
  EXPECT_TRUE(expected) << expected.error().str();
  auto made = emulate(printedCall(kernel, target), inputs, emptyOutputs(call));
  if (!made) {
    return false;
  }
  for (size_t i = 0; i < expected->size(); ++i) {
    auto found = made->find(i);
    if (found == made->end()) {
      ADD_FAILURE() << "the call doesn't write output " << i;
      continue;
    }
    expectNear(found->second, (*expected)[i], i, tolerance, !kernel.call->roundings.empty());
  }
  return true;
}

} // namespace drumlin
