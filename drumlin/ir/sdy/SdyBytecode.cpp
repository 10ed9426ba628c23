// The dialect's attributes in bytecode. They are written as text, which bytecode allows.
// Source of the codes and fields for reading: openxla/shardy, shardy/dialect/sdy/ir/bytecode.td.
#include "drumlin/ir/sdy/SdyDialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;

namespace drumlin::sdy {

namespace {
// Reads the fields of one attribute. After the first field that cannot be read, all further fields
// are empty.
class FieldReader {
public:
  explicit FieldReader(DialectBytecodeReader &reader) : reader(reader) {}

  StringRef string() {
    StringRef text;
    return checked(hasFailed ? failure() : reader.readString(text), text);
  }
  int64_t number() {
    int64_t value = 0;
    return checked(hasFailed ? failure() : reader.readSignedVarInt(value), value);
  }
  bool flag() {
    bool value = false;
    return checked(hasFailed ? failure() : reader.readBool(value), value);
  }
  std::optional<uint64_t> optionalNumber() {
    uint64_t value = 0;
    bool isThere = false;
    LogicalResult result = hasFailed ? failure() : reader.readVarIntWithFlag(value, isThere);
    return checked(result, isThere) ? std::optional(value) : std::nullopt;
  }
  template <typename Attr> Attr attribute() {
    Attribute value;
    auto made =
        dyn_cast_or_null<Attr>(checked(hasFailed ? failure() : reader.readAttribute(value), value));
    hasFailed |= !made;
    return made;
  }
  template <typename Attr> Attr optionalAttribute() {
    Attribute value;
    Attribute read = checked(hasFailed ? failure() : reader.readOptionalAttribute(value), value);
    auto made = dyn_cast_or_null<Attr>(read);
    hasFailed |= read && !made;
    return made;
  }
  template <typename Attr> SmallVector<Attr> list() {
    SmallVector<Attr> made;
    for (uint64_t left = count(); left != 0 && !hasFailed; --left) {
      if (auto part = attribute<Attr>()) {
        made.push_back(part);
      }
    }
    return made;
  }
  SmallVector<int64_t> numbers() {
    SmallVector<int64_t> made;
    for (uint64_t left = count(); left != 0 && !hasFailed; --left) {
      made.push_back(number());
    }
    return made;
  }
  void refuse() { hasFailed = true; }

  bool failed() const { return hasFailed; }

private:
  template <typename T> T checked(LogicalResult result, T value) {
    hasFailed |= mlir::failed(result);
    return hasFailed ? T() : value;
  }
  uint64_t count() {
    uint64_t value = 0;
    return checked(hasFailed ? failure() : reader.readVarInt(value), value);
  }

  DialectBytecodeReader &reader;
  bool hasFailed = false;
};

class SdyBytecode : public BytecodeDialectInterface {
public:
  explicit SdyBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  Attribute readAttribute(DialectBytecodeReader &reader) const override;
};
} // namespace

// Reads a sharding. Version 1 of the encoding has no unreduced axes. In version 2, the reduction of
// unreduced axes is a sum. Version 3 specifies the reduction.
static ShardingAttr readSharding(FieldReader &fields, MLIRContext *context, unsigned version) {
  auto mesh = fields.attribute<Attribute>();
  if (!isa_and_nonnull<FlatSymbolRefAttr, MeshAttr>(mesh)) {
    fields.refuse();
  }
  auto dimensions = fields.list<DimensionShardingAttr>();
  auto replicated = fields.list<AxisRefAttr>();
  SmallVector<AxisRefAttr> unreduced;
  std::optional<ReductionKind> reduction = ReductionKind::sum;
  if (version > 1) {
    unreduced = fields.list<AxisRefAttr>();
  }
  if (version > 2) {
    reduction = symbolizeReductionKind(static_cast<uint32_t>(fields.number()));
  }
  if (!reduction) {
    fields.refuse();
  }
  return fields.failed()
             ? ShardingAttr()
             : ShardingAttr::get(context, mesh, dimensions, replicated, unreduced, *reduction);
}

static OpShardingRuleAttr readRule(FieldReader &fields, MLIRContext *context) {
  SmallVector<int64_t> sizes = fields.numbers();
  auto operands = fields.list<TensorMappingAttr>();
  auto results = fields.list<TensorMappingAttr>();
  SmallVector<int64_t> reduction = fields.numbers(), replication = fields.numbers();
  SmallVector<int64_t> permutation = fields.numbers(), blocked = fields.numbers();
  bool isCustom = fields.flag();
  bool areNamed = llvm::all_of(llvm::concat<int64_t>(reduction, replication, permutation, blocked),
                               [](int64_t factor) { return factor >= 0; });
  return fields.failed() || !areNamed
             ? OpShardingRuleAttr()
             : OpShardingRuleAttr::get(context, sizes, operands, results, reduction, replication,
                                       permutation, blocked, isCustom);
}

Attribute SdyBytecode::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code))) {
    return {};
  }
  MLIRContext *context = getContext();
  FieldReader fields(reader);
  auto emitError = [&] { return reader.emitError(); };
  Attribute made;
  switch (code) {
  case 0:
    made = ManualAxesAttr::get(context, fields.list<StringAttr>());
    break;
  case 1: {
    StringRef name = fields.string();
    made = MeshAxisAttr::getChecked(emitError, context, name, fields.number());
    break;
  }
  case 2: {
    auto axes = fields.list<MeshAxisAttr>();
    SmallVector<int64_t> ids = fields.numbers();
    made = MeshAttr::getChecked(emitError, context, ArrayRef(axes), ArrayRef(ids));
    break;
  }
  case 3: {
    int64_t before = fields.number();
    made = SubAxisInfoAttr::getChecked(emitError, context, before, fields.number());
    break;
  }
  case 4: {
    StringRef name = fields.string();
    auto part = fields.optionalAttribute<SubAxisInfoAttr>();
    made = AxisRefAttr::get(context, name, part);
    break;
  }
  case 5: {
    auto axes = fields.list<AxisRefAttr>();
    bool isClosed = fields.flag();
    made = DimensionShardingAttr::get(context, axes, isClosed, fields.optionalNumber());
    break;
  }
  case 6:
  case 15:
  case 17:
    made = readSharding(fields, context, code == 6 ? 1 : code == 15 ? 2 : 3);
    break;
  case 7:
  case 16:
    made = ShardingPerValueAttr::get(context, fields.list<ShardingAttr>());
    break;
  case 8: {
    SmallVector<int64_t> factors = fields.numbers();
    bool areNamed = llvm::all_of(factors, [](int64_t factor) { return factor >= 0; });
    made = areNamed ? DimMappingAttr::get(context, factors) : Attribute();
    break;
  }
  case 9:
    made = TensorMappingAttr::get(context, fields.list<DimMappingAttr>());
    break;
  case 10:
    made = readRule(fields, context);
    break;
  case 11:
    made = AxisRefListAttr::get(context, fields.list<AxisRefAttr>());
    break;
  case 12:
    made = ListOfAxisRefListsAttr::get(context, fields.list<AxisRefListAttr>());
    break;
  case 13: {
    auto axes = fields.list<AxisRefAttr>();
    int64_t source = fields.number();
    made = AllToAllParamAttr::get(context, axes, source, fields.number());
    break;
  }
  case 14:
    made = AllToAllParamListAttr::get(context, fields.list<AllToAllParamAttr>());
    break;
  default:
    reader.emitError() << "unknown attribute of `sdy`, code " << code;
    return {};
  }
  if (!made || fields.failed()) {
    reader.emitError() << "malformed attribute of `sdy`, code " << code;
    return {};
  }
  return made;
}

void SdyDialect::registerBytecode() { addInterfaces<SdyBytecode>(); }

} // namespace drumlin::sdy
