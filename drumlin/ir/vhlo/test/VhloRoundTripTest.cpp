// Tests that every operation, type and attribute is unchanged after a round trip through bytecode
// and text.
#include "drumlin/ir/vhlo/VhloDialect.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace drumlin;
using namespace mlir;

namespace {
class VhloRoundTrip : public testing::Test {
protected:
  VhloRoundTrip() { context.loadDialect<vhlo::VhloDialect>(); }

  Type scalar(vhlo::ScalarKind kind) { return vhlo::ScalarType::get(&context, kind); }
  Attribute string(StringRef text) { return vhlo::StringV1Attr::get(&context, text); }

  // Returns the text of the module after a round trip through bytecode of version `version`; an
  // empty text if the bytecode cannot be read.
  std::string throughBytecode(ModuleOp module, int version) {
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    BytecodeWriterConfig config("test");
    config.setDesiredBytecodeVersion(version);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(module, stream, config)));
    OwningOpRef<ModuleOp> read = parseSourceString<ModuleOp>(bytes, &context);
    return read ? print(*read) : "";
  }
  std::string throughText(ModuleOp module) {
    OwningOpRef<ModuleOp> read = parseSourceString<ModuleOp>(print(module), &context);
    return read ? print(*read) : "";
  }
  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().enableDebugInfo(false).printGenericOpForm());
    return text;
  }
  void expectSame(Attribute attribute) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    (*module)->setAttr("test.value", attribute);
    std::string expected = print(*module);
    EXPECT_EQ(throughBytecode(*module, 6), expected);
    if (!llvm::StringRef(expected).contains("quant_v1")) {
      EXPECT_EQ(throughText(*module), expected);
    }
  }
  void expectSame(Type type) { expectSame(vhlo::TypeV1Attr::get(&context, type)); }

  MLIRContext context;
};
} // namespace

TEST_F(VhloRoundTrip, EveryOperation) {
  for (const vhlo::OperationVersion &row : vhlo::allOperations()) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    Location loc = builder.getUnknownLoc();
    Type f32 = scalar(vhlo::ScalarKind::F32);
    SmallVector<Value> operands;
    for (unsigned i = 0; i < row.operands.least + row.operands.isVariadic; ++i) {
      OperationState token(loc, "vhlo.create_token_v1", {}, {f32});
      operands.push_back(builder.create(token)->getResult(0));
    }
    SmallVector<Type> results(row.results.least + row.results.isVariadic, f32);
    OperationState state(loc, row.name, operands, results);
    for (unsigned i = 0; i < row.regions.least + row.regions.isVariadic; ++i) {
      state.addRegion();
    }
    for (const std::string &name : row.attributes) {
      state.addAttribute(name, string(name));
    }
    state.addAttribute("test.other", string("discardable"));
    Operation *op = builder.create(state);
    EXPECT_TRUE(succeeded(verify(op))) << row.name;
    EXPECT_EQ(vhlo::inherentAttributes(op).size(), row.attributes.size()) << row.name;
    EXPECT_EQ(op->getDiscardableAttrDictionary().size(), 1u) << row.name;
    std::string expected = print(*module);
    EXPECT_EQ(throughText(*module), expected);
    // Bytecode up to version 4 stores the attributes of an operation as one dictionary. From
    // version 6 on, it stores them as a list, in the order of the operation's table row.
    for (int version : {0, 1, 3, 4, 6}) {
      EXPECT_EQ(throughBytecode(*module, version), expected) << row.name << " " << version;
    }
  }
}

TEST_F(VhloRoundTrip, EveryScalarType) {
  unsigned count = 0;
  for (uint64_t code = 0; code < 64; ++code) {
    if (const vhlo::ScalarInfo *info = vhlo::scalarInfo(code)) {
      expectSame(scalar(info->kind));
      ++count;
      if (Type builtin = vhlo::scalarToBuiltin(info->kind, &context)) {
        EXPECT_EQ(vhlo::scalarFromBuiltin(builtin), info->kind);
      }
    }
  }
  EXPECT_EQ(count, 33u);
}

TEST_F(VhloRoundTrip, EveryOtherType) {
  Type f32 = scalar(vhlo::ScalarKind::F32), i8 = scalar(vhlo::ScalarKind::SI8);
  auto bounds = vhlo::TypeExtensionsV1Attr::get(&context, {ShapedType::kDynamic, 4});
  expectSame(vhlo::ComplexV1Type::get(&context, f32));
  expectSame(vhlo::FunctionV1Type::get(&context, {f32, i8}, {i8}));
  expectSame(vhlo::FunctionV1Type::get(&context, {}, {}));
  expectSame(vhlo::TensorV1Type::get(&context, {}, f32, Attribute()));
  expectSame(vhlo::TensorV1Type::get(&context, {2, ShapedType::kDynamic}, f32, bounds));
  expectSame(vhlo::UnrankedTensorV1Type::get(&context, f32));
  expectSame(vhlo::BufferV1Type::get(&context, {3, 4}, f32));
  expectSame(vhlo::TupleV1Type::get(&context, {f32, i8}));
  expectSame(vhlo::FutureV1Type::get(&context, {f32}));
  uint64_t half = llvm::bit_cast<uint64_t>(0.5), third = llvm::bit_cast<uint64_t>(1.0 / 3);
  expectSame(
      vhlo::QuantizedV1Type::get(&context, 1, i8, f32, std::nullopt, {half}, {-3}, -128, 127));
  expectSame(vhlo::QuantizedV1Type::get(&context, 1, i8, f32, 1, {half, third}, {0, 7}, -128, 127));
}

TEST_F(VhloRoundTrip, EveryEnum) {
  unsigned count = 0;
  for (uint64_t code = 0; code < 64; ++code) {
    const vhlo::EnumInfo *info = vhlo::enumInfo(code);
    for (uint32_t value = 0; info && value < info->cases.size(); ++value) {
      if (info->hasCase(value)) {
        expectSame(vhlo::EnumAttr::get(&context, info->kind, value));
        ++count;
      }
    }
  }
  EXPECT_EQ(count, 35u);
}

TEST_F(VhloRoundTrip, EveryOtherAttribute) {
  Attribute name = string("a \"b\"\\ \x01");
  Attribute list = vhlo::ArrayV1Attr::get(&context, {name, name});
  expectSame(name);
  expectSame(list);
  expectSame(vhlo::ArrayV1Attr::get(&context, {}));
  expectSame(vhlo::DictionaryV1Attr::get(&context, {{name, list}, {string("b"), name}}));
  expectSame(vhlo::BooleanV1Attr::get(&context, true));
  expectSame(vhlo::FloatV1Attr::get(&context, scalar(vhlo::ScalarKind::F32), APFloat(0.75f)));
  for (auto [kind, bits] : {std::pair(vhlo::ScalarKind::SI4, 4),
                            {vhlo::ScalarKind::SI64, 64},
                            {vhlo::ScalarKind::UI8, 8},
                            {vhlo::ScalarKind::Index, 64}}) {
    expectSame(vhlo::IntegerV1Attr::get(&context, scalar(kind), APInt(bits, 5)));
  }
  expectSame(vhlo::OutputOperandAliasV1Attr::get(&context, {0, 1}, 2, {}));
  expectSame(vhlo::TypeExtensionsV1Attr::get(&context, {3}));
  Attribute mode = vhlo::EnumAttr::get(&context, vhlo::EnumKind::ResultAccuracyMode, 2);
  expectSame(vhlo::ResultAccuracyV1Attr::get(&context, APFloat(0.5), APFloat(0.25), 3, mode));
  Attribute part = vhlo::SubAxisInfoV1Attr::get(&context, 2, 4);
  expectSame(part);
  expectSame(vhlo::AxisRefV1Attr::get(&context, name, Attribute()));
  expectSame(vhlo::AxisRefV1Attr::get(&context, name, part));
  expectSame(vhlo::ReplicaGroupMeshAxesV1Attr::get(&context, name, list));
  expectSame(vhlo::MeshAxisV1Attr::get(&context, name, 8));
  expectSame(vhlo::MeshV1Attr::get(&context, list, Attribute()));
  expectSame(vhlo::MeshV1Attr::get(&context, list, name));
}

// Elements of each width, both distinct and as a splat.
TEST_F(VhloRoundTrip, TensorsOfEveryElementType) {
  for (uint64_t code = 0; code < 64; ++code) {
    const vhlo::ScalarInfo *info = vhlo::scalarInfo(code);
    Type element = info ? vhlo::scalarToBuiltin(info->kind, &context) : Type();
    if (!element || !RankedTensorType::isValidElementType(element) ||
        !element.isIntOrIndexOrFloat()) {
      continue;
    }
    auto type = RankedTensorType::get({11}, element);
    auto vhloType = vhlo::TensorV1Type::get(&context, {11}, scalar(info->kind), Attribute());
    SmallVector<Attribute> values;
    for (int i = 0; i < 11; ++i) {
      values.push_back(element.isIntOrIndex()
                           ? Attribute(Builder(&context).getIntegerAttr(element, i % 2))
                           : Attribute(FloatAttr::get(element, 1 << (i % 2))));
    }
    for (ArrayRef<Attribute> some : {ArrayRef(values), ArrayRef(values).take_front(1)}) {
      expectSame(vhlo::TensorV1Attr::get(&context, vhloType, DenseElementsAttr::get(type, some)));
    }
  }
}
