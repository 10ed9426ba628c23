// Tests large constants whose elements stay in the bytecode's memory.
#include "drumlin/import/Import.h"
#include "drumlin/import/test/ImportContext.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/HeldElements.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include <gtest/gtest.h>

using namespace drumlin;
using namespace mlir;

// Returns the text of a constant of 17,000 numbers. The first number begins with the given
// hexadecimal digit and differs from the others.
static std::string digits(char first) {
  std::string text(2 * 4 * 17000, '0');
  for (size_t i = 0; i < text.size(); i += 8) {
    text.replace(i, 8, "0000803F");
  }
  text[0] = first;
  return "dense<\"0x" + text + "\">";
}

static std::string program() {
  std::string type = "tensor<170x100xf32>", integers = "tensor<17000xi64>";
  return "func.func @main() -> (" + type + ", " + type + ", " + type + ", " + integers + ") {\n" +
         "  %0 = stablehlo.constant " + digits('1') + " : " + type + "\n" +
         "  %1 = stablehlo.constant " + digits('2') + " : " + type + "\n" +
         "  %2 = stablehlo.custom_call @f(%0) {mhlo.backend_config = {a = " + digits('3') + " : " +
         type + "}, api_version = 4 : i32} : (" + type + ") -> " + type + "\n" +
         "  %3 = stablehlo.iota dim = 0 : " + integers + "\n" +
         "  return %0, %1, %2, %3 : " + type + ", " + type + ", " + type + ", " + integers +
         "\n}\n";
}

static std::string bytecode() {
  auto context = makeContext();
  auto module = importText(program(), "p.mlir", *context);
  EXPECT_TRUE(module) << module.error().str();
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  EXPECT_TRUE(succeeded(writeBytecodeToFile(**module, stream)));
  return bytes;
}

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

static ImportLimits holding() {
  ImportLimits limits;
  limits.holdsConstants = true;
  limits.bytesStay = true;
  return limits;
}

TEST(HeldConstants, StayInTheProgramsBytes) {
  std::string bytes = bytecode();
  auto context = makeContext();
  auto module = importText(bytes, "p.mlir", *context, holding());
  ASSERT_TRUE(module) << module.error().str();
  size_t constants = 0;
  (*module)->walk([&](stablehlo::ConstantOp op) {
    const HeldConstant *held = heldConstant(op.getValue());
    ASSERT_TRUE(held);
    EXPECT_FALSE(held->isOwned());
    const char *at = held->elements.as<char>();
    EXPECT_TRUE(std::less_equal<>()(bytes.data(), at) &&
                std::less<>()(at, bytes.data() + bytes.size()));
    ++constants;
  });
  EXPECT_EQ(constants, 2u);
  // Attributes of other operations aren't held.
  (*module)->walk([&](stablehlo::CustomCallOp op) {
    op->getAttrDictionary().walk([&](DenseResourceElementsAttr) { ADD_FAILURE(); });
  });
}

TEST(HeldConstants, PrintAsOthersDo) {
  std::string bytes = bytecode();
  auto context = makeContext(), other = makeContext();
  auto held = importText(bytes, "p.mlir", *context, holding());
  auto interned = importText(bytes, "p.mlir", *other);
  ASSERT_TRUE(held && interned);
  EXPECT_EQ(textOf(**held), textOf(**interned));
}

TEST(HeldConstants, OfTheSameElementsAreOneAttribute) {
  auto context = makeContext();
  context->loadAllAvailableDialects();
  HeldElements &held = *HeldElements::of(context.get());
  auto type = RankedTensorType::get({17000}, Float32Type::get(context.get()));
  auto tensor = [](float first) {
    Tensor made(ElementType::F32, {17000});
    made.as<float>()[0] = first;
    return made;
  };
  ElementsAttr one = held.hold(type, {tensor(1)});
  EXPECT_EQ(held.hold(type, {tensor(1)}), one);
  EXPECT_NE(held.hold(type, {tensor(2)}), one);
  auto integers = RankedTensorType::get({17000}, IntegerType::get(context.get(), 32));
  EXPECT_NE(held.hold(integers, {tensor(1)}), one);
  EXPECT_FALSE(heldConstant(DenseElementsAttr::get(type, 1.0f)));
}

// Some constants aren't held: booleans and 64-bit integers, since attributes of other operations
// have these types; complex numbers, which are split; and small constants, which are compared and
// printed often.
TEST(HeldConstants, AreLargeAndOfNumbers) {
  auto context = makeContext();
  context->loadAllAvailableDialects();
  auto canHold = [&](Type element, size_t bytes, int64_t count) {
    return HeldElements::canHold(RankedTensorType::get({count}, element), bytes);
  };
  Builder builder(context.get());
  EXPECT_TRUE(canHold(builder.getF32Type(), 80000, 20000));
  EXPECT_TRUE(canHold(builder.getBF16Type(), 80000, 40000));
  EXPECT_TRUE(canHold(builder.getI8Type(), 80000, 80000));
  EXPECT_FALSE(canHold(builder.getF32Type(), 65536, 16384));
  EXPECT_FALSE(canHold(builder.getF32Type(), 4, 20000)); // a splat
  EXPECT_FALSE(canHold(builder.getI64Type(), 80000, 10000));
  EXPECT_FALSE(canHold(builder.getI1Type(), 80000, 80000));
  EXPECT_FALSE(canHold(ComplexType::get(builder.getF32Type()), 80000, 10000));
}

TEST(HeldConstants, LaidOutOnesKnowWhatTheyWere) {
  std::string bytes = bytecode();
  auto context = makeContext();
  auto module = importText(bytes, "p.mlir", *context, holding());
  ASSERT_TRUE(module);
  stablehlo::ConstantOp op;
  (*module)->walk([&](stablehlo::ConstantOp each) { op = op ? op : each; });
  const HeldConstant *before = heldConstant(op.getValue());
  BlockedLayout layout = {{170, 100}, {}, {1, 0}};
  ElementsAttr turned = layOutConstant(op.getValue(), before->elements, layout);
  EXPECT_EQ(layOutConstant(op.getValue(), before->elements, layout), turned);
  const HeldConstant *after = heldConstant(turned);
  ASSERT_TRUE(after);
  EXPECT_TRUE(after->isOwned());
  EXPECT_EQ(after->from, before);
  EXPECT_EQ(after->elements.shape(), Shape({100, 170}));
  EXPECT_EQ(after->elements.as<float>()[1], before->elements.clone().as<float>()[100]);
  // Unused elements are freed, and their memory is reused.
  const std::byte *memory = after->elements.data();
  freeUnusedElements(turned, **module);
  EXPECT_EQ(after->elements.rank(), 0);
  ElementsAttr panels =
      layOutConstant(op.getValue(), before->elements, {{170, 100}, {10, 1}, {0, 2, 1}});
  EXPECT_EQ(heldConstant(panels)->elements.data(), memory);
  // Elements that a constant uses are kept.
  freeUnusedElements(op.getValue(), **module);
  EXPECT_EQ(heldConstant(op.getValue())->elements.elements(), 17000);
}
