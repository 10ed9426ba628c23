#include "drumlin/import/hlo/Opcodes.h"
#include "drumlin/import/hlo/Windows.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin::hlo {

// The attribute of an enum, from the word that HLO has for it.
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

// `operand_precision={highest,highest}`. Null where there is none.
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

// `dot_bf16_bf16_f32_x3`: the types of the operands and of the sum, then how many products of such
// numbers one product takes. Any type of 8 bits is named `any_f8`, which is f8E5M2 here. Null where
// there is none.
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

void emitDot(Emitter &emitter, llvm::StringRef) {
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
  emitter.finish("stablehlo.dot_general", {emitter.array(0), emitter.array(1)}, attributes);
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
// Where one part of `b01f_01io->b01f` has its two letters and its spatial dimensions.
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
  emitter.finish("stablehlo.convolution", {emitter.array(0), emitter.array(1)}, attributes);
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
