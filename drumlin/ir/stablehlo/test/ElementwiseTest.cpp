// Tests every elementwise operation of StableHLO and CHLO: its text is unchanged after parsing and
// printing, and it rejects types that differ.
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/test/ElementwiseUses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace drumlin;
using namespace drumlin::stablehlo;
using namespace mlir;

static MLIRContext &dialects() {
  static MLIRContext context;
  context.loadDialect<StablehloDialect, chlo::ChloDialect, func::FuncDialect>();
  return context;
}

static std::string print(ModuleOp module, OpPrintingFlags flags = {}) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, flags);
  return text;
}

namespace drumlin::stablehlo {
static void PrintTo(const ElementwiseUse &use, std::ostream *stream) { *stream << use.operation; }
} // namespace drumlin::stablehlo

namespace {
class ElementwiseOperation : public testing::TestWithParam<ElementwiseUse> {
protected:
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    error.clear();
    return parseProgram(dialects(), text, error);
  }
  // Returns the error for a use of the operation in which one operand or result has the type
  // `other`: operand number `place`, or the result if `place` is the number of operands. All other
  // values have the type `type`.
  std::string errorWith(const std::string &type, size_t place, const std::string &other) {
    std::vector<std::string> types(GetParam().operands + 1, type);
    types[place] = other;
    std::string operands = llvm::join(ArrayRef(types).drop_back(), ", ");
    std::string values = GetParam().operands == 2 ? "%0, %1" : "%0";
    std::string text = "\"builtin.module\"() ({\n";
    for (size_t i = 0; i < GetParam().operands; ++i) {
      text +=
          "%" + std::to_string(i) + " = builtin.unrealized_conversion_cast to " + types[i] + "\n";
    }
    text += "%2 = \"" + GetParam().operation + "\"(" + values + ") : (" + operands + ") -> " +
            types.back() + "\n}) : () -> ()\n";
    EXPECT_FALSE(parse(text)) << text;
    return error;
  }

  std::string error;
};
} // namespace

TEST_P(ElementwiseOperation, PrintsAsItWasRead) {
  ASSERT_FALSE(GetParam().elementTypes.empty());
  for (const std::string &type : GetParam().elementTypes) {
    std::string text = GetParam().program(type);
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << text << error;
    EXPECT_EQ(print(*module), text);
    OwningOpRef<ModuleOp> again = parse(print(*module, OpPrintingFlags().printGenericOpForm()));
    ASSERT_TRUE(again) << error;
    EXPECT_EQ(print(*again), text);
  }
}

// The constraint c1 of each operation.
TEST_P(ElementwiseOperation, RefusesTypesThatDiffer) {
  const std::vector<std::string> &types = GetParam().elementTypes;
  ASSERT_GE(types.size(), 2u);
  for (size_t i = 0; i < types.size(); ++i) {
    std::string type = "tensor<2x" + types[i] + ">";
    std::string otherElement = "tensor<2x" + types[(i + 1) % types.size()] + ">";
    std::string otherShape = "tensor<3x" + types[i] + ">";
    for (const std::string &other : {otherElement, otherShape}) {
      for (size_t place = 0; place <= GetParam().operands; ++place) {
        EXPECT_TRUE(StringRef(errorWith(type, place, other))
                        .ends_with("(" + GetParam().mnemonic() + "_c1)"))
            << type << ", " << other << ": " << error;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementwiseOperation, testing::ValuesIn(elementwiseUses(dialects())),
                         [](const testing::TestParamInfo<ElementwiseUse> &info) {
                           std::string name = info.param.operation;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });
