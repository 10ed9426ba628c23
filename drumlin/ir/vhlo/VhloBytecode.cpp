// Reads and writes the types and attributes in bytecode: a code, then fields. The input may be
// arbitrary. Sizes and kinds are checked before they are passed to MLIR's constructors, which trust
// their arguments. Source of the codes and fields: openxla/stablehlo,
// stablehlo/dialect/VhloBytecode.cpp.
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/ir/vhlo/VhloDialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin::vhlo {

namespace {
// Codes of attributes; enums and scalar types have the codes of their tables.
enum AttributeCode : uint64_t {
  arrayCode = 1,
  booleanCode = 2,
  dictionaryCode = 6,
  floatCode = 8,
  integerCode = 9,
  outputOperandAliasCode = 10,
  stringCode = 14,
  tensorCode = 15,
  typeCode = 17,
  typeExtensionsCode = 18,
  resultAccuracyCode = 20,
  subAxisInfoCode = 21,
  axisRefCode = 22,
  replicaGroupMeshAxesCode = 23,
  meshAxisCode = 24,
  meshCode = 25,
};

enum TypeCode : uint64_t {
  complexCode = 1,
  functionCode = 8,
  tensorTypeCode = 20,
  encodedTensorTypeCode = 21,
  tupleCode = 23,
  quantizedCode = 24,
  unrankedTensorCode = 25,
  quantizedPerAxisCode = 30,
  bufferCode = 41,
  futureCode = 42,
};

class VhloBytecode : public BytecodeDialectInterface {
public:
  explicit VhloBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  Attribute readAttribute(DialectBytecodeReader &reader) const override;
  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &writer) const override;
  Type readType(DialectBytecodeReader &reader) const override;
  LogicalResult writeType(Type type, DialectBytecodeWriter &writer) const override;
};
} // namespace

//===-- fields --------------------------------------------------------------------------------===//

template <typename T, typename ReadItem>
static LogicalResult readItems(DialectBytecodeReader &reader, SmallVectorImpl<T> &items,
                               ReadItem readItem) {
  // The list grows as items are read. MLIR's own `readList` would reserve memory for any count in
  // the input, which may be arbitrarily large.
  uint64_t count = 0;
  if (failed(reader.readVarInt(count))) {
    return failure();
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (failed(readItem(items.emplace_back()))) {
      return failure();
    }
  }
  return success();
}

static LogicalResult readNumbers(DialectBytecodeReader &reader, SmallVectorImpl<int64_t> &numbers) {
  return readItems(reader, numbers, [&](int64_t &item) { return reader.readSignedVarInt(item); });
}

static LogicalResult readTypes(DialectBytecodeReader &reader, SmallVectorImpl<Type> &types) {
  return readItems(reader, types, [&](Type &item) { return reader.readType(item); });
}

static FailureOr<APFloat> readDouble(DialectBytecodeReader &reader) {
  return reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
}

static LogicalResult readOptional(DialectBytecodeReader &reader, Attribute &attribute) {
  uint64_t isPresent = 0;
  if (failed(reader.readVarInt(isPresent))) {
    return failure();
  }
  return isPresent != 0 ? reader.readAttribute(attribute) : success();
}

static void writeOptional(DialectBytecodeWriter &writer, Attribute attribute) {
  writer.writeVarInt(attribute != nullptr);
  if (attribute) {
    writer.writeAttribute(attribute);
  }
}

static FloatType floatTypeOf(Type type) {
  auto scalar = dyn_cast<ScalarType>(type);
  return scalar ? dyn_cast_or_null<FloatType>(scalarToBuiltin(scalar.getKind(), type.getContext()))
                : FloatType();
}

//===-- elements of tensors -------------------------------------------------------------------===//

// Whether `blob` has one element or all elements of a static tensor in MLIR's own layout, and the
// product of the tensor's sizes does not exceed 64 bits.
static bool isWhole(RankedTensorType type, ArrayRef<char> blob) {
  int64_t elements = 1;
  for (int64_t size : type.getShape()) {
    if (size < 0 || llvm::MulOverflow(elements, size, elements)) {
      return false;
    }
  }
  int64_t bits = 0;
  bool isSplat = false;
  // In MLIR's layout, a boolean takes one bit, and any other element of fewer than eight bits takes
  // one byte.
  return !llvm::MulOverflow(elements, int64_t(128), bits) &&
         DenseElementsAttr::isValidRawBuffer(type, blob, isSplat);
}

static Attribute readTensor(DialectBytecodeReader &reader) {
  Type type;
  ArrayRef<char> blob;
  if (failed(reader.readType(type)) || failed(reader.readBlob(blob))) {
    return {};
  }
  RankedTensorType builtin = tensorToBuiltin(type);
  if (!builtin || !builtin.hasStaticShape()) {
    reader.emitError() << "expected a tensor of static shape, got " << type;
    return {};
  }
  // Producers with newer MLIR versions write a byte for each boolean.
  SmallVector<char> packed;
  bool isBoolean = builtin.getElementType().isInteger(1);
  if (isBoolean && !isWhole(builtin, blob) &&
      blob.size() == static_cast<uint64_t>(builtin.getNumElements())) {
    packed.resize(llvm::divideCeil(blob.size(), 8));
    for (auto [index, byte] : llvm::enumerate(blob)) {
      packed[index / 8] |= (byte != 0) << (index % 8);
    }
    blob = packed;
  }
  if (!isWhole(builtin, blob)) {
    reader.emitError() << "expected the elements of " << builtin << ", got " << blob.size()
                       << " bytes";
    return {};
  }
  // If HeldElements allows it, the elements are used in place in the artifact, without a copy.
  if (HeldElements *held = HeldElements::of(reader.getContext());
      held && held->readsInPlace && HeldElements::canHold(builtin, blob.size())) {
    return held->holdInPlace(builtin, blob);
  }
  return TensorV1Attr::get(reader.getContext(), type,
                           DenseElementsAttr::getFromRawBuffer(builtin, blob));
}

//===-- attributes ----------------------------------------------------------------------------===//

static Attribute readEnum(DialectBytecodeReader &reader, const EnumInfo &info) {
  uint64_t value = 0;
  if (failed(reader.readVarInt(value))) {
    return {};
  }
  if (!info.hasCase(value)) {
    reader.emitError() << "unknown value of `" << info.mnemonic << "`: " << value;
    return {};
  }
  return EnumAttr::get(reader.getContext(), info.kind, value);
}

static Attribute readBoolean(DialectBytecodeReader &reader) {
  uint64_t value = 0;
  if (failed(reader.readVarInt(value))) {
    return {};
  }
  if (value > 1) {
    reader.emitError() << "expected 0 or 1, got " << value;
    return {};
  }
  return BooleanV1Attr::get(reader.getContext(), value != 0);
}

static Attribute readArray(DialectBytecodeReader &reader) {
  SmallVector<Attribute> items;
  if (failed(
          readItems(reader, items, [&](Attribute &item) { return reader.readAttribute(item); }))) {
    return {};
  }
  return ArrayV1Attr::get(reader.getContext(), items);
}

static Attribute readDictionary(DialectBytecodeReader &reader) {
  SmallVector<std::pair<Attribute, Attribute>> entries;
  if (failed(readItems(reader, entries, [&](std::pair<Attribute, Attribute> &entry) {
        return failure(failed(reader.readAttribute(entry.first)) ||
                       failed(reader.readAttribute(entry.second)));
      }))) {
    return {};
  }
  return DictionaryV1Attr::get(reader.getContext(), entries);
}

static Attribute readFloat(DialectBytecodeReader &reader) {
  Type type;
  if (failed(reader.readType(type))) {
    return {};
  }
  FloatType floatType = floatTypeOf(type);
  if (!floatType) {
    reader.emitError() << "expected a floating-point type, got " << type;
    return {};
  }
  FailureOr<APFloat> value = reader.readAPFloatWithKnownSemantics(floatType.getFloatSemantics());
  return failed(value) ? Attribute() : FloatV1Attr::get(reader.getContext(), type, *value);
}

static Attribute readInteger(DialectBytecodeReader &reader) {
  Type type;
  if (failed(reader.readType(type))) {
    return {};
  }
  auto scalar = dyn_cast<ScalarType>(type);
  unsigned bits = scalar ? scalarInfo(scalar.getKind()).integerBits : 0;
  if (bits == 0) {
    reader.emitError() << "expected an integer type, got " << type;
    return {};
  }
  FailureOr<APInt> value = reader.readAPIntWithKnownWidth(bits);
  return failed(value) ? Attribute() : IntegerV1Attr::get(reader.getContext(), type, *value);
}

static Attribute readOutputOperandAlias(DialectBytecodeReader &reader) {
  SmallVector<int64_t> output, operand;
  int64_t index = 0;
  if (failed(readNumbers(reader, output)) || failed(reader.readSignedVarInt(index)) ||
      failed(readNumbers(reader, operand))) {
    return {};
  }
  return OutputOperandAliasV1Attr::get(reader.getContext(), output, index, operand);
}

static Attribute readResultAccuracy(DialectBytecodeReader &reader) {
  FailureOr<APFloat> atol = readDouble(reader);
  if (failed(atol)) {
    return {};
  }
  FailureOr<APFloat> rtol = readDouble(reader);
  int64_t ulps = 0;
  Attribute mode;
  if (failed(rtol) || failed(reader.readSignedVarInt(ulps)) || failed(reader.readAttribute(mode))) {
    return {};
  }
  return ResultAccuracyV1Attr::get(reader.getContext(), *atol, *rtol, ulps, mode);
}

static Attribute readMeshAttribute(DialectBytecodeReader &reader, uint64_t code) {
  MLIRContext *context = reader.getContext();
  Attribute first, second;
  int64_t preSize = 0, size = 0;
  switch (code) {
  case subAxisInfoCode:
    return failed(reader.readSignedVarInt(preSize)) || failed(reader.readSignedVarInt(size))
               ? Attribute()
               : SubAxisInfoV1Attr::get(context, preSize, size);
  case axisRefCode:
    return failed(reader.readAttribute(first)) || failed(readOptional(reader, second))
               ? Attribute()
               : AxisRefV1Attr::get(context, first, second);
  case replicaGroupMeshAxesCode:
    return failed(reader.readAttribute(first)) || failed(reader.readAttribute(second))
               ? Attribute()
               : ReplicaGroupMeshAxesV1Attr::get(context, first, second);
  case meshAxisCode:
    return failed(reader.readAttribute(first)) || failed(reader.readSignedVarInt(size))
               ? Attribute()
               : MeshAxisV1Attr::get(context, first, size);
  default:
    return failed(reader.readAttribute(first)) || failed(reader.readOptionalAttribute(second))
               ? Attribute()
               : MeshV1Attr::get(context, first, second);
  }
}

Attribute VhloBytecode::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code))) {
    return {};
  }
  if (const EnumInfo *info = enumInfo(code)) {
    return readEnum(reader, *info);
  }
  StringRef string;
  Type type;
  SmallVector<int64_t> bounds;
  switch (code) {
  case arrayCode:
    return readArray(reader);
  case booleanCode:
    return readBoolean(reader);
  case dictionaryCode:
    return readDictionary(reader);
  case floatCode:
    return readFloat(reader);
  case integerCode:
    return readInteger(reader);
  case outputOperandAliasCode:
    return readOutputOperandAlias(reader);
  case stringCode:
    return failed(reader.readString(string)) ? Attribute()
                                             : StringV1Attr::get(getContext(), string);
  case tensorCode:
    return readTensor(reader);
  case typeCode:
    return failed(reader.readType(type)) ? Attribute() : TypeV1Attr::get(getContext(), type);
  case typeExtensionsCode:
    return failed(readNumbers(reader, bounds)) ? Attribute()
                                               : TypeExtensionsV1Attr::get(getContext(), bounds);
  case resultAccuracyCode:
    return readResultAccuracy(reader);
  case subAxisInfoCode:
  case axisRefCode:
  case replicaGroupMeshAxesCode:
  case meshAxisCode:
  case meshCode:
    return readMeshAttribute(reader, code);
  default:
    reader.emitError() << "unknown attribute of `vhlo`, code " << code;
    return {};
  }
}

// Writes a mesh attribute; fails for other attributes.
static LogicalResult writeMeshAttribute(Attribute attribute, DialectBytecodeWriter &writer) {
  return TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](SubAxisInfoV1Attr value) {
        writer.writeVarInt(subAxisInfoCode);
        writer.writeSignedVarInt(value.getPreSize());
        writer.writeSignedVarInt(value.getSize());
        return success();
      })
      .Case([&](AxisRefV1Attr value) {
        writer.writeVarInt(axisRefCode);
        writer.writeAttribute(value.getName());
        writeOptional(writer, value.getSubAxisInfo());
        return success();
      })
      .Case([&](ReplicaGroupMeshAxesV1Attr value) {
        writer.writeVarInt(replicaGroupMeshAxesCode);
        writer.writeAttribute(value.getMesh());
        writer.writeAttribute(value.getAxes());
        return success();
      })
      .Case([&](MeshAxisV1Attr value) {
        writer.writeVarInt(meshAxisCode);
        writer.writeAttribute(value.getName());
        writer.writeSignedVarInt(value.getSize());
        return success();
      })
      .Case([&](MeshV1Attr value) {
        writer.writeVarInt(meshCode);
        writer.writeAttribute(value.getAxes());
        writer.writeOptionalAttribute(value.getDeviceIds());
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

LogicalResult VhloBytecode::writeAttribute(Attribute attribute,
                                           DialectBytecodeWriter &writer) const {
  return TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](EnumAttr value) {
        writer.writeVarInt(static_cast<uint64_t>(value.getKind()));
        writer.writeVarInt(value.getValue());
        return success();
      })
      .Case([&](ArrayV1Attr value) {
        writer.writeVarInt(arrayCode);
        writer.writeAttributes(value.getValue());
        return success();
      })
      .Case([&](BooleanV1Attr value) {
        writer.writeVarInt(booleanCode);
        writer.writeVarInt(value.getValue());
        return success();
      })
      .Case([&](DictionaryV1Attr value) {
        writer.writeVarInt(dictionaryCode);
        writer.writeList(value.getValue(), [&](auto entry) {
          writer.writeAttribute(entry.first);
          writer.writeAttribute(entry.second);
        });
        return success();
      })
      .Case([&](FloatV1Attr value) {
        writer.writeVarInt(floatCode);
        writer.writeType(value.getType());
        writer.writeAPFloatWithKnownSemantics(value.getValue());
        return success();
      })
      .Case([&](IntegerV1Attr value) {
        writer.writeVarInt(integerCode);
        writer.writeType(value.getType());
        writer.writeAPIntWithKnownWidth(value.getValue());
        return success();
      })
      .Case([&](OutputOperandAliasV1Attr value) {
        writer.writeVarInt(outputOperandAliasCode);
        writer.writeSignedVarInts(value.getOutputTupleIndices());
        writer.writeSignedVarInt(value.getOperandIndex());
        writer.writeSignedVarInts(value.getOperandTupleIndices());
        return success();
      })
      .Case([&](StringV1Attr value) {
        writer.writeVarInt(stringCode);
        writer.writeOwnedString(value.getValue());
        return success();
      })
      .Case([&](TensorV1Attr value) {
        writer.writeVarInt(tensorCode);
        writer.writeType(value.getType());
        writer.writeOwnedBlob(value.getData().getRawData());
        return success();
      })
      .Case([&](TypeV1Attr value) {
        writer.writeVarInt(typeCode);
        writer.writeType(value.getValue());
        return success();
      })
      .Case([&](TypeExtensionsV1Attr value) {
        writer.writeVarInt(typeExtensionsCode);
        writer.writeSignedVarInts(value.getBounds());
        return success();
      })
      .Case([&](ResultAccuracyV1Attr value) {
        writer.writeVarInt(resultAccuracyCode);
        writer.writeAPFloatWithKnownSemantics(value.getAtol());
        writer.writeAPFloatWithKnownSemantics(value.getRtol());
        writer.writeSignedVarInt(value.getUlps());
        writer.writeAttribute(value.getMode());
        return success();
      })
      .Default([&](Attribute other) { return writeMeshAttribute(other, writer); });
}

//===-- types ---------------------------------------------------------------------------------===//

static Type readTensorType(DialectBytecodeReader &reader, bool hasEncoding) {
  Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if ((hasEncoding && failed(reader.readAttribute(encoding))) ||
      failed(readNumbers(reader, shape)) || failed(reader.readType(element))) {
    return {};
  }
  return TensorV1Type::get(reader.getContext(), shape, element, encoding);
}

static Type readQuantized(DialectBytecodeReader &reader, bool isPerAxis) {
  uint64_t flags = 0;
  Type storage, expressed;
  std::optional<uint64_t> dimension;
  SmallVector<uint64_t> scales;
  SmallVector<int64_t> zeroPoints;
  int64_t min = 0, max = 0;
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
      failed(reader.readType(expressed))) {
    return {};
  }
  auto readScale = [&](uint64_t &bits) -> LogicalResult {
    FailureOr<APFloat> scale = readDouble(reader);
    if (failed(scale)) {
      return failure();
    }
    bits = scale->bitcastToAPInt().getZExtValue();
    return success();
  };
  if (!isPerAxis) {
    if (failed(readScale(scales.emplace_back())) ||
        failed(reader.readSignedVarInt(zeroPoints.emplace_back())) ||
        failed(reader.readSignedVarInt(min)) || failed(reader.readSignedVarInt(max))) {
      return {};
    }
  } else {
    if (failed(reader.readVarInt(dimension.emplace())) || failed(reader.readSignedVarInt(min)) ||
        failed(reader.readSignedVarInt(max)) || failed(readItems(reader, scales, readScale)) ||
        failed(readNumbers(reader, zeroPoints))) {
      return {};
    }
  }
  return QuantizedV1Type::get(reader.getContext(), flags, storage, expressed, dimension, scales,
                              zeroPoints, min, max);
}

Type VhloBytecode::readType(DialectBytecodeReader &reader) const {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code))) {
    return {};
  }
  if (const ScalarInfo *scalar = scalarInfo(code)) {
    return ScalarType::get(getContext(), scalar->kind);
  }
  Type element;
  SmallVector<Type> types, others;
  SmallVector<int64_t> shape;
  switch (code) {
  case complexCode:
    return failed(reader.readType(element)) ? Type() : ComplexV1Type::get(getContext(), element);
  case functionCode:
    return failed(readTypes(reader, types)) || failed(readTypes(reader, others))
               ? Type()
               : FunctionV1Type::get(getContext(), types, others);
  case tensorTypeCode:
  case encodedTensorTypeCode:
    return readTensorType(reader, code == encodedTensorTypeCode);
  case tupleCode:
    return failed(readTypes(reader, types)) ? Type() : TupleV1Type::get(getContext(), types);
  case futureCode:
    return failed(readTypes(reader, types)) ? Type() : FutureV1Type::get(getContext(), types);
  case quantizedCode:
  case quantizedPerAxisCode:
    return readQuantized(reader, code == quantizedPerAxisCode);
  case unrankedTensorCode:
    return failed(reader.readType(element)) ? Type()
                                            : UnrankedTensorV1Type::get(getContext(), element);
  case bufferCode:
    return failed(readNumbers(reader, shape)) || failed(reader.readType(element))
               ? Type()
               : BufferV1Type::get(getContext(), shape, element);
  default:
    reader.emitError() << "unknown type of `vhlo`, code " << code;
    return {};
  }
}

static APFloat scaleOf(uint64_t bits) { return APFloat(llvm::bit_cast<double>(bits)); }

static void writeQuantized(QuantizedV1Type type, DialectBytecodeWriter &writer) {
  bool isPerAxis = type.getQuantizedDimension().has_value();
  writer.writeVarInt(isPerAxis ? quantizedPerAxisCode : quantizedCode);
  writer.writeVarInt(type.getFlags());
  writer.writeType(type.getStorageType());
  writer.writeType(type.getExpressedType());
  if (!isPerAxis) {
    writer.writeAPFloatWithKnownSemantics(scaleOf(type.getScales()[0]));
    writer.writeSignedVarInt(type.getZeroPoints()[0]);
    writer.writeSignedVarInt(type.getStorageTypeMin());
    writer.writeSignedVarInt(type.getStorageTypeMax());
    return;
  }
  writer.writeVarInt(*type.getQuantizedDimension());
  writer.writeSignedVarInt(type.getStorageTypeMin());
  writer.writeSignedVarInt(type.getStorageTypeMax());
  writer.writeList(type.getScales(),
                   [&](uint64_t scale) { writer.writeAPFloatWithKnownSemantics(scaleOf(scale)); });
  writer.writeSignedVarInts(type.getZeroPoints());
}

LogicalResult VhloBytecode::writeType(Type type, DialectBytecodeWriter &writer) const {
  return TypeSwitch<Type, LogicalResult>(type)
      .Case([&](ScalarType scalar) {
        writer.writeVarInt(static_cast<uint64_t>(scalar.getKind()));
        return success();
      })
      .Case([&](ComplexV1Type complex) {
        writer.writeVarInt(complexCode);
        writer.writeType(complex.getElementType());
        return success();
      })
      .Case([&](FunctionV1Type function) {
        writer.writeVarInt(functionCode);
        writer.writeTypes(function.getInputs());
        writer.writeTypes(function.getOutputs());
        return success();
      })
      .Case([&](TensorV1Type tensor) {
        writer.writeVarInt(tensor.getEncoding() ? encodedTensorTypeCode : tensorTypeCode);
        if (tensor.getEncoding()) {
          writer.writeAttribute(tensor.getEncoding());
        }
        writer.writeSignedVarInts(tensor.getShape());
        writer.writeType(tensor.getElementType());
        return success();
      })
      .Case([&](UnrankedTensorV1Type tensor) {
        writer.writeVarInt(unrankedTensorCode);
        writer.writeType(tensor.getElementType());
        return success();
      })
      .Case([&](BufferV1Type buffer) {
        writer.writeVarInt(bufferCode);
        writer.writeSignedVarInts(buffer.getShape());
        writer.writeType(buffer.getElementType());
        return success();
      })
      .Case([&](TupleV1Type tuple) {
        writer.writeVarInt(tupleCode);
        writer.writeTypes(tuple.getTypes());
        return success();
      })
      .Case([&](FutureV1Type future) {
        writer.writeVarInt(futureCode);
        writer.writeTypes(future.getTypes());
        return success();
      })
      .Case([&](QuantizedV1Type quantized) {
        writeQuantized(quantized, writer);
        return success();
      })
      .Default([](Type) { return failure(); });
}

void VhloDialect::registerBytecode() { addInterfaces<VhloBytecode>(); }

} // namespace drumlin::vhlo
