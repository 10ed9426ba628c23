// Source of the codes and fields: openxla/stablehlo, stablehlo/dialect/StablehloBytecode.cpp.
#include "drumlin/import/bytecode/StablehloBytecode.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;

namespace drumlin {

namespace {
// The dialect's release with which a file was written. Reading doesn't depend on the release.
struct WriterVersion : DialectVersion {
  uint64_t major = 0, minor = 0, patch = 0;
};

class StablehloBytecode : public BytecodeDialectInterface {
public:
  explicit StablehloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  Type readType(DialectBytecodeReader &reader) const override;
  std::unique_ptr<DialectVersion> readVersion(DialectBytecodeReader &reader) const override;
};

// Reads an attribute's fields one after the other. After a failure, all further fields are empty.
class Fields {
public:
  explicit Fields(DialectBytecodeReader &reader) : reader(reader) {}
  bool failed() const { return hasFailed; }

  int64_t number() {
    int64_t value = 0;
    check([&] { return reader.readSignedVarInt(value); });
    return value;
  }
  SmallVector<int64_t> numbers() {
    SmallVector<int64_t> values;
    check([&] { return reader.readSignedVarInts(values); });
    return values;
  }
  Type type() {
    Type value;
    check([&] { return reader.readType(value); });
    return value;
  }
  bool flag() {
    bool value = false;
    check([&] { return reader.readBool(value); });
    return value;
  }
  StringRef string() {
    StringRef value;
    check([&] { return reader.readString(value); });
    return value;
  }
  APFloat real() {
    APFloat value(0.0);
    check([&]() -> LogicalResult {
      FailureOr<APFloat> read = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
      if (mlir::failed(read)) {
        return failure();
      }
      value = *read;
      return success();
    });
    return value;
  }
  template <typename T> T attribute() {
    T value;
    check([&] { return reader.readAttribute(value); });
    return value;
  }
  SmallVector<Attribute> attributes() {
    SmallVector<Attribute> values;
    check([&] { return reader.readAttributes(values); });
    return values;
  }

private:
  void check(llvm::function_ref<LogicalResult()> read) {
    hasFailed = hasFailed || mlir::failed(read());
  }
  DialectBytecodeReader &reader;
  bool hasFailed = false;
};
} // namespace

template <typename EnumAttr, typename Symbolize>
static Attribute readEnum(DialectBytecodeReader &reader, Symbolize symbolize) {
  uint64_t value = 0;
  if (failed(reader.readVarInt(value)) || value > std::numeric_limits<uint32_t>::max()) {
    return {};
  }
  auto symbol = symbolize(static_cast<uint32_t>(value));
  return symbol ? static_cast<Attribute>(EnumAttr::get(reader.getContext(), *symbol)) : Attribute();
}

static Attribute readMesh(Fields &fields, MLIRContext *context) {
  auto list = fields.attribute<ArrayAttr>();
  DenseIntElementsAttr ids;
  if (fields.flag()) {
    ids = fields.attribute<DenseIntElementsAttr>();
  }
  SmallVector<stablehlo::MeshAxisAttr> axes;
  for (Attribute axis : list ? list.getValue() : ArrayRef<Attribute>()) {
    axes.push_back(dyn_cast<stablehlo::MeshAxisAttr>(axis));
  }
  bool isWhole = list && llvm::all_of(axes, [](auto axis) { return axis != nullptr; });
  return isWhole ? stablehlo::MeshAttr::get(context, axes, ids) : Attribute();
}

// Reads an enumeration attribute; null for other codes.
static Attribute readEnumAttribute(uint64_t code, DialectBytecodeReader &reader) {
  using namespace stablehlo;
  switch (code) {
  case 2:
    return readEnum<ComparisonDirectionAttr>(
        reader, [](uint32_t v) { return symbolizeComparisonDirection(v); });
  case 3:
    return readEnum<ComparisonTypeAttr>(reader,
                                        [](uint32_t v) { return symbolizeComparisonType(v); });
  case 6:
    return readEnum<FftTypeAttr>(reader, [](uint32_t v) { return symbolizeFftType(v); });
  case 8:
    return readEnum<PrecisionAttr>(reader, [](uint32_t v) { return symbolizePrecision(v); });
  case 9:
    return readEnum<RngAlgorithmAttr>(reader, [](uint32_t v) { return symbolizeRngAlgorithm(v); });
  case 10:
    return readEnum<RngDistributionAttr>(reader,
                                         [](uint32_t v) { return symbolizeRngDistribution(v); });
  case 12:
    return readEnum<TransposeAttr>(reader, [](uint32_t v) { return symbolizeTranspose(v); });
  case 16:
    return readEnum<ResultAccuracyModeAttr>(
        reader, [](uint32_t v) { return symbolizeResultAccuracyMode(v); });
  default:
    return {};
  }
}

static Attribute readDimensionNumbers(uint64_t code, Fields &fields, MLIRContext *context) {
  using namespace stablehlo;
  switch (code) {
  case 4: {
    int64_t inputBatch = fields.number(), inputFeature = fields.number();
    SmallVector<int64_t> input = fields.numbers();
    int64_t kernelInput = fields.number(), kernelOutput = fields.number();
    SmallVector<int64_t> kernel = fields.numbers();
    int64_t outputBatch = fields.number(), outputFeature = fields.number();
    return ConvDimensionNumbersAttr::get(context, inputBatch, inputFeature, input, kernelInput,
                                         kernelOutput, kernel, outputBatch, outputFeature,
                                         fields.numbers());
  }
  case 5: {
    SmallVector<int64_t> lhsBatching = fields.numbers(), rhsBatching = fields.numbers();
    SmallVector<int64_t> lhsContracting = fields.numbers();
    return DotDimensionNumbersAttr::get(context, lhsBatching, rhsBatching, lhsContracting,
                                        fields.numbers());
  }
  case 7: {
    SmallVector<int64_t> offset = fields.numbers(), collapsed = fields.numbers();
    SmallVector<int64_t> operandBatching = fields.numbers(), indicesBatching = fields.numbers();
    SmallVector<int64_t> indexMap = fields.numbers();
    return GatherDimensionNumbersAttr::get(context, offset, collapsed, operandBatching,
                                           indicesBatching, indexMap, fields.number());
  }
  case 11: {
    SmallVector<int64_t> window = fields.numbers(), inserted = fields.numbers();
    SmallVector<int64_t> inputBatching = fields.numbers(), indicesBatching = fields.numbers();
    SmallVector<int64_t> toOperand = fields.numbers();
    return ScatterDimensionNumbersAttr::get(context, window, inserted, inputBatching,
                                            indicesBatching, toOperand, fields.number());
  }
  default:
    return {};
  }
}

static Attribute readMeshAttribute(uint64_t code, Fields &fields, MLIRContext *context,
                                   function_ref<InFlightDiagnostic()> emit) {
  using namespace stablehlo;
  switch (code) {
  case 18: {
    auto mesh = fields.attribute<Attribute>();
    SmallVector<Attribute> axes = fields.attributes();
    return mesh && !fields.failed() ? ReplicaGroupMeshAxesAttr::getChecked(
                                          emit, context, mesh, ArrayAttr::get(context, axes))
                                    : Attribute();
  }
  case 19: {
    int64_t before = fields.number();
    return SubAxisInfoAttr::get(context, before, fields.number());
  }
  case 20: {
    StringRef name = fields.string();
    SubAxisInfoAttr part;
    if (fields.flag()) {
      part = fields.attribute<SubAxisInfoAttr>();
    }
    return AxisRefAttr::get(context, name, part);
  }
  case 21: {
    StringRef name = fields.string();
    return MeshAxisAttr::get(context, name, fields.number());
  }
  case 22:
    return readMesh(fields, context);
  default:
    return {};
  }
}

Attribute StablehloBytecode::readAttribute(DialectBytecodeReader &reader) const {
  using namespace stablehlo;
  uint64_t code = 0;
  if (failed(reader.readVarInt(code))) {
    return {};
  }
  MLIRContext *context = getContext();
  Fields fields(reader);
  Attribute value;
  auto emit = [&] { return reader.emitError(); };
  switch (code) {
  case 1: {
    int64_t handle = fields.number();
    value = ChannelHandleAttr::get(context, handle, fields.number());
    break;
  }
  case 13:
    value = TypeExtensionsAttr::get(context, fields.numbers());
    break;
  case 14: {
    SmallVector<int64_t> output = fields.numbers();
    int64_t operand = fields.number();
    value = OutputOperandAliasAttr::get(context, output, operand, fields.numbers());
    break;
  }
  case 15: {
    Type lhs = fields.type(), rhs = fields.type(), accumulation = fields.type();
    int64_t lhsCount = fields.number(), rhsCount = fields.number(), operations = fields.number();
    bool isImprecise = fields.flag();
    if (!fields.failed()) {
      value = DotAlgorithmAttr::get(context, lhs, rhs, accumulation, lhsCount, rhsCount, operations,
                                    isImprecise);
    }
    break;
  }
  case 17: {
    APFloat atol = fields.real(), rtol = fields.real();
    int64_t ulps = fields.number();
    auto mode = fields.attribute<ResultAccuracyModeAttr>();
    value =
        mode ? ResultAccuracyAttr::getChecked(emit, context, atol, rtol, ulps, mode) : Attribute();
    break;
  }
  case 2:
  case 3:
  case 6:
  case 8:
  case 9:
  case 10:
  case 12:
  case 16:
    value = readEnumAttribute(code, reader);
    break;
  case 4:
  case 5:
  case 7:
  case 11:
    value = readDimensionNumbers(code, fields, context);
    break;
  default:
    value = readMeshAttribute(code, fields, context, emit);
    break;
  }
  if (!value || fields.failed()) {
    emit() << "malformed or unknown attribute of `stablehlo`, code " << code;
    return {};
  }
  return value;
}

Type StablehloBytecode::readType(DialectBytecodeReader &reader) const {
  uint64_t code = 0;
  SmallVector<Type> types;
  if (failed(reader.readVarInt(code))) {
    return {};
  }
  if (code == 0) {
    return stablehlo::TokenType::get(getContext());
  }
  if (code != 1 || failed(reader.readTypes(types))) {
    reader.emitError() << "malformed or unknown type of `stablehlo`, code " << code;
    return {};
  }
  return stablehlo::FutureType::getChecked([&] { return reader.emitError(); }, getContext(),
                                           ArrayRef<Type>(types));
}

std::unique_ptr<DialectVersion>
StablehloBytecode::readVersion(DialectBytecodeReader &reader) const {
  auto version = std::make_unique<WriterVersion>();
  if (failed(reader.readVarInt(version->major)) || failed(reader.readVarInt(version->minor)) ||
      failed(reader.readVarInt(version->patch))) {
    return nullptr;
  }
  return version;
}

void registerStablehloBytecode(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, stablehlo::StablehloDialect *dialect) {
    dialect->addInterfaces<StablehloBytecode>();
  });
}

} // namespace drumlin
