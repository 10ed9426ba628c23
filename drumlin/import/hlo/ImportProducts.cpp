#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/import/hlo/ImportWindows.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin::hlo {

// Reads an enumeration attribute from its HLO word.
template <typename EnumAttr, typename Enum>
static EnumAttr enumOf(Emitter &emitter, llvm::StringRef name,
                       std::optional<Enum> (*parse)(StringRef), const std::string &expected,
                       const std::string &otherwise = {}) {
  std::string word = emitter.word(name);
  std::optional<Enum> value = parse(word.empty() ? StringRef(otherwise) : StringRef(word));
  if (!value) {
    emitter.failAttribute(name, expected);
    return {};
  }
  return EnumAttr::get(emitter.context(), *value);
}

//===-- dot -----------------------------------------------------------------------------------===//

// Reads `operand_precision={highest,highest}`. Null if the attribute is missing.
template <typename PrecisionAttr, typename Precision>
static ArrayAttr readPrecision(Emitter &emitter, std::optional<Precision> (*parse)(StringRef)) {
  const Value *value = emitter.attribute("operand_precision");
  SmallVector<mlir::Attribute> precisions;
  for (const Value &item : value ? value->items : List<Value>()) {
    auto precision = parse(StringRef(item.text).upper());
    if (!precision) {
      emitter.failAttribute("operand_precision", "`default`, `high` or `highest` for each operand");
      return {};
    }
    precisions.push_back(PrecisionAttr::get(emitter.context(), *precision));
  }
  return precisions.empty() ? ArrayAttr() : emitter.ops().getArrayAttr(precisions);
}

static ArrayAttr readPrecision(Emitter &emitter) {
  return readPrecision<stablehlo::PrecisionAttr>(emitter, stablehlo::symbolizePrecision);
}

// Reads an algorithm such as `dot_bf16_bf16_f32_x3`: the types of both operands and the
// accumulator, then the number of dots of these types that together compute one dot. `any_f8` is
// any 8-bit type, represented as f8E5M2. Null if the attribute is missing.
static stablehlo::DotAlgorithmAttr readAlgorithm(Emitter &emitter) {
  std::string word = emitter.word("algorithm");
  if (word.empty()) {
    return {};
  }
  MLIRContext *context = emitter.context();
  StringRef rest = word;
  auto takeType = [&]() -> Type {
    if (rest.consume_front("_any_f8")) {
      return Float8E5M2Type::get(context);
    }
    if (rest.consume_front("_bf16")) {
      return BFloat16Type::get(context);
    }
    if (rest.consume_front("_f16")) {
      return Float16Type::get(context);
    }
    if (rest.consume_front("_tf32")) {
      return FloatTF32Type::get(context);
    }
    if (rest.consume_front("_f32")) {
      return Float32Type::get(context);
    }
    if (rest.consume_front("_f64")) {
      return Float64Type::get(context);
    }
    return {};
  };
  bool isDot = rest.consume_front("dot");
  Type lhs = takeType(), rhs = takeType(), accumulation = takeType();
  bool isFast = rest.consume_front("_fast_accum");
  int64_t operations = 1;
  if (rest.consume_front("_x") && rest.consumeInteger(10, operations)) {
    operations = 0;
  }
  if (!isDot || !lhs || !rhs || !accumulation || !rest.empty() || operations < 1) {
    emitter.failAttribute("algorithm", "an algorithm such as `dot_bf16_bf16_f32`");
    return {};
  }
  return stablehlo::DotAlgorithmAttr::get(context, lhs, rhs, accumulation, 1, 1, operations,
                                          isFast);
}

namespace {
// The operands of a dot or convolution in the same element type, as StableHLO requires, and the
// type of its result.
struct ProductOperands {
  mlir::Value lhs, rhs;
  RankedTensorType result;
};
} // namespace

// Reads the operands. If their element types differ, converts them to the widest of the operands'
// and the result's types, in which XLA computes.
static std::optional<ProductOperands> productOperands(Emitter &emitter) {
  ProductOperands operands = {emitter.array(0), emitter.array(1), {}};
  SmallVector<Type> types = emitter.resultTypes();
  operands.result =
      types.size() == 1 ? dyn_cast<RankedTensorType>(types.front()) : RankedTensorType();
  if (!emitter.failed() && !operands.result) {
    emitter.fail(errors::ProgramInvalid,
                 "`" + emitter.instruction().opcode + "` must have a single array as its result");
  }
  if (emitter.failed()) {
    return std::nullopt;
  }
  const Instruction &product = emitter.instruction();
  std::string_view lhs = product.operands[0].instruction->shape.element,
                   rhs = product.operands[1].instruction->shape.element;
  if (lhs != rhs) {
    std::string_view widest = widerElement(widerElement(lhs, rhs), product.shape.element);
    Type element = toMlirType(*elementTypeFromHloName(widest), emitter.context());
    operands = {emitter.converted(operands.lhs, element), emitter.converted(operands.rhs, element),
                operands.result.clone(element)};
  }
  return operands;
}

// Finishes with an operation on the operands, converted to the instruction's type.
static void finishProduct(Emitter &emitter, StringRef operation, const ProductOperands &operands,
                          ArrayRef<NamedAttribute> attributes) {
  SmallVector<Type> types = emitter.resultTypes();
  Operation *made =
      emitter.create(operation, {operands.lhs, operands.rhs}, operands.result, attributes);
  if (made) {
    emitter.finish(emitter.converted(made->getResult(0), getElementTypeOrSelf(types.front())));
  }
}

// Reads the attributes of `dot` and `scaled-dot`.
static SmallVector<NamedAttribute> dotAttributes(Emitter &emitter) {
  auto dimensions = stablehlo::DotDimensionNumbersAttr::get(
      emitter.context(), emitter.integers("lhs_batch_dims"), emitter.integers("rhs_batch_dims"),
      emitter.integers("lhs_contracting_dims"), emitter.integers("rhs_contracting_dims"));
  SmallVector<NamedAttribute> attributes = {emitter.named("dot_dimension_numbers", dimensions)};
  ArrayAttr precision = readPrecision(emitter);
  stablehlo::DotAlgorithmAttr algorithm = readAlgorithm(emitter);
  if (precision) {
    attributes.push_back(emitter.named("precision_config", precision));
  }
  if (algorithm) {
    attributes.push_back(emitter.named("algorithm", algorithm));
  }
  return attributes;
}

void emitDot(Emitter &emitter, llvm::StringRef) {
  SmallVector<NamedAttribute> attributes = dotAttributes(emitter);
  if (std::optional<ProductOperands> operands = productOperands(emitter)) {
    finishProduct(emitter, "stablehlo.dot_general", *operands, attributes);
  }
}

// Returns the type in which XLA computes with numbers of types `a` and `b` in a scaled dot: the
// wider type, but at least bf16. If the types differ and have the same width, XLA uses f32.
static Type scaledType(Type a, Type b) {
  unsigned widthA = a.getIntOrFloatBitWidth(), widthB = b.getIntOrFloatBitWidth();
  if (widthA < 16 && widthB < 16) {
    return BFloat16Type::get(a.getContext());
  }
  return a == b ? a : widthA == widthB ? Float32Type::get(a.getContext()) : widthA > widthB ? a : b;
}

// Returns an operand multiplied by its scales, each of which applies to a block of elements. A
// scalar scale operand means that there are no scales. Null after an error.
static mlir::Value scaledOperand(Emitter &emitter, size_t number) {
  auto operand = emitter.array(number), scale = emitter.array(number + 2);
  if (!operand || !scale || scale.getType().getRank() == 0) {
    return operand;
  }
  ArrayRef<int64_t> sizes = operand.getType().getShape(), counts = scale.getType().getShape();
  bool areBlocks = operand.getType().hasStaticShape() && scale.getType().hasStaticShape() &&
                   sizes.size() == counts.size();
  SmallVector<int64_t> split, places;
  for (size_t i = 0; i < sizes.size() && areBlocks; ++i) {
    areBlocks = counts[i] > 0 && sizes[i] % counts[i] == 0;
    places.push_back(static_cast<int64_t>(split.size()));
    split.append({counts[i], areBlocks ? sizes[i] / counts[i] : 0});
  }
  if (!areBlocks) {
    emitter.fail(errors::ProgramInvalid,
                 "`scaled-dot` has scales that don't divide operand " + std::to_string(number) +
                     " into blocks",
                 "give scales of the same rank whose sizes divide the operand's");
    return {};
  }
  Type element = scaledType(operand.getType().getElementType(), scale.getType().getElementType());
  mlir::Value narrow = emitter.converted(scale, element);
  Operation *repeated =
      emitter.create("stablehlo.broadcast_in_dim", {narrow}, RankedTensorType::get(split, element),
                     emitter.i64Array("broadcast_dimensions", places));
  auto type = RankedTensorType::get(sizes, element);
  Operation *whole =
      repeated ? emitter.create("stablehlo.reshape", repeated->getResults(), type) : nullptr;
  Operation *product =
      whole ? emitter.create("stablehlo.multiply",
                             {emitter.converted(operand, element), whole->getResult(0)}, type)
            : nullptr;
  return product ? product->getResult(0) : mlir::Value();
}

// Converts `scaled-dot` to dot(lhs * lhsScales, rhs * rhsScales).
void emitScaledDot(Emitter &emitter, llvm::StringRef) {
  SmallVector<NamedAttribute> attributes = dotAttributes(emitter);
  mlir::Value lhs = scaledOperand(emitter, 0), rhs = scaledOperand(emitter, 1);
  SmallVector<Type> types = emitter.resultTypes();
  auto result = types.size() == 1 ? dyn_cast<RankedTensorType>(types.front()) : RankedTensorType();
  if (emitter.failed()) {
    return;
  }
  auto isReal = [](mlir::Type type) { return getElementTypeOrSelf(type).isIntOrFloat(); };
  if (!result || !isReal(result) || !isReal(lhs.getType()) || !isReal(rhs.getType())) {
    emitter.fail(errors::ProgramInvalid, "`scaled-dot` needs arrays of real numbers");
    return;
  }
  Type element = scaledType(getElementTypeOrSelf(lhs), getElementTypeOrSelf(rhs));
  ProductOperands operands = {emitter.converted(lhs, element), emitter.converted(rhs, element),
                              result.clone(scaledType(element, result.getElementType()))};
  finishProduct(emitter, "stablehlo.dot_general", operands, attributes);
}

void emitRaggedDot(Emitter &emitter, llvm::StringRef) {
  auto dimensions = chlo::RaggedDotDimensionNumbersAttr::get(
      emitter.context(), emitter.integers("lhs_batch_dims"), emitter.integers("rhs_batch_dims"),
      emitter.integers("lhs_contracting_dims"), emitter.integers("rhs_contracting_dims"),
      emitter.integers("lhs_ragged_dims"), emitter.integers("rhs_group_dims"));
  SmallVector<NamedAttribute> attributes = {
      emitter.named("ragged_dot_dimension_numbers", dimensions)};
  if (ArrayAttr precision = readPrecision<chlo::PrecisionAttr>(emitter, chlo::symbolizePrecision)) {
    attributes.push_back(emitter.named("precision_config", precision));
  }
  emitter.finish("chlo.ragged_dot", {emitter.array(0), emitter.array(1), emitter.array(2)},
                 attributes);
}

//===-- convolution ---------------------------------------------------------------------------===//

namespace {
// The positions of the two letters and of the spatial dimensions in the labels of one operand or of
// the result, such as `b01f` in `b01f_01io->b01f`.
struct DimensionLabels {
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;
};
} // namespace

static std::optional<DimensionLabels> readLabels(StringRef text, char first, char second) {
  DimensionLabels labels;
  labels.spatial.assign(text.size() < 2 ? 0 : text.size() - 2, -1);
  for (auto [position, label] : llvm::enumerate(text)) {
    size_t spatial = static_cast<size_t>(label - '0');
    int64_t *place = label == first    ? &labels.first
                     : label == second ? &labels.second
                     : llvm::isDigit(label) && spatial < labels.spatial.size()
                         ? &labels.spatial[spatial]
                         : nullptr;
    if (!place || *place != -1) {
      return std::nullopt;
    }
    *place = static_cast<int64_t>(position);
  }
  bool isComplete = labels.first >= 0 && labels.second >= 0;
  return isComplete ? std::optional(labels) : std::nullopt;
}

static stablehlo::ConvDimensionNumbersAttr readDimensionNumbers(Emitter &emitter) {
  const Value *value = emitter.attribute("dim_labels");
  std::string text = value ? value->str() : "";
  auto [operands, result] = StringRef(text).split("->");
  auto [lhs, rhs] = operands.split('_');
  auto input = readLabels(lhs, 'b', 'f'), kernel = readLabels(rhs, 'i', 'o'),
       output = readLabels(result, 'b', 'f');
  if (!input || !kernel || !output) {
    emitter.failAttribute("dim_labels", "labels such as `b01f_01io->b01f`");
    return {};
  }
  return stablehlo::ConvDimensionNumbersAttr::get(
      emitter.context(), input->first, input->second, input->spatial, kernel->first, kernel->second,
      kernel->spatial, output->first, output->second, output->spatial);
}

void emitConvolution(Emitter &emitter, llvm::StringRef) {
  OpBuilder &builder = emitter.ops();
  emitter.attribute("convolution_kind"); // selects a library function; doesn't affect the result
  stablehlo::ConvDimensionNumbersAttr dimensions = readDimensionNumbers(emitter);
  if (!dimensions) {
    return;
  }
  Window window = readWindow(emitter, dimensions.getInputSpatialDimensions().size());
  SmallVector<NamedAttribute> attributes = {
      emitter.named("window_strides", builder.getDenseI64ArrayAttr(window.strides)),
      emitter.named("padding", window.padding(builder)),
      emitter.named("lhs_dilation", builder.getDenseI64ArrayAttr(window.baseDilations)),
      emitter.named("rhs_dilation", builder.getDenseI64ArrayAttr(window.windowDilations)),
      emitter.named("window_reversal", builder.getDenseBoolArrayAttr(window.reversal)),
      emitter.named("dimension_numbers", dimensions),
      emitter.named("feature_group_count",
                    builder.getI64IntegerAttr(emitter.integer("feature_group_count", 1))),
      emitter.named("batch_group_count",
                    builder.getI64IntegerAttr(emitter.integer("batch_group_count", 1)))};
  if (ArrayAttr precision = readPrecision(emitter)) {
    attributes.push_back(emitter.named("precision_config", precision));
  }
  if (std::optional<ProductOperands> operands = productOperands(emitter)) {
    finishProduct(emitter, "stablehlo.convolution", *operands, attributes);
  }
}

//===-- linear algebra ------------------------------------------------------------------------===//

void emitCholesky(Emitter &emitter, llvm::StringRef) {
  emitter.finish("stablehlo.cholesky", {emitter.array(0)}, emitter.flag("lower"));
}

void emitTriangularSolve(Emitter &emitter, llvm::StringRef) {
  auto transpose =
      enumOf<stablehlo::TransposeAttr>(emitter, "transpose_a", stablehlo::symbolizeTranspose,
                                       "`NO_TRANSPOSE`, `TRANSPOSE` or `ADJOINT`", "NO_TRANSPOSE");
  SmallVector<NamedAttribute> attributes = {emitter.flag("left_side"), emitter.flag("lower"),
                                            emitter.flag("unit_diagonal")};
  if (transpose) {
    attributes.push_back(emitter.named("transpose_a", transpose));
  }
  emitter.finish("stablehlo.triangular_solve", {emitter.array(0), emitter.array(1)}, attributes);
}

void emitFft(Emitter &emitter, llvm::StringRef) {
  auto type = enumOf<stablehlo::FftTypeAttr>(emitter, "fft_type", stablehlo::symbolizeFftType,
                                             "`FFT`, `IFFT`, `RFFT` or `IRFFT`");
  if (!type) {
    return;
  }
  emitter.finish("stablehlo.fft", {emitter.array(0)},
                 {emitter.named("fft_type", type),
                  emitter.named("fft_length", emitter.ops().getDenseI64ArrayAttr(
                                                  emitter.integers("fft_length")))});
}

} // namespace drumlin::hlo
