// Rewrites bitcasts between elements of different widths as shifts of one word.
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/BitcastConvertOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/OrOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/ShiftLeftOp.h"
#include "drumlin/ir/stablehlo/ShiftRightLogicalOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SPLITBITCASTSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

namespace {
class BitcastSplitter {
public:
  BitcastSplitter(OpBuilder &builder, stablehlo::BitcastConvertOp op)
      : builder(builder), loc(op.getLoc()), from(cast<RankedTensorType>(op.getOperand().getType())),
        to(cast<RankedTensorType>(op.getType())), fromBits(bitsOf(from)), toBits(bitsOf(to)) {}

  // Returns whether the types are floats, integers or Booleans with static shapes.
  bool applies() const {
    auto isPlain = [](RankedTensorType type) {
      std::optional<ElementType> element = tryElementTypeOf(type.getElementType());
      return type.hasStaticShape() && element && !isComplex(*element);
    };
    return isPlain(from) && isPlain(to) && fromBits != toBits;
  }

  Value split(Value operand) { return fromBits > toBits ? intoParts(operand) : ofParts(operand); }

private:
  static unsigned bitsOf(RankedTensorType type) {
    std::optional<ElementType> element = tryElementTypeOf(type.getElementType());
    return element ? info(*element).bits : 0;
  }
  Type word(unsigned bits) {
    return bits == 1 ? builder.getI1Type()
                     : IntegerType::get(builder.getContext(), bits, IntegerType::Unsigned);
  }
  // Returns the same bits in another type of equal width.
  Value as(Value value, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() == element) {
      return value;
    }
    return stablehlo::BitcastConvertOp::create(builder, loc, type.clone(element), value);
  }
  Value convert(Value value, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    return stablehlo::ConvertOp::create(builder, loc, type.clone(element), value);
  }
  Value number(RankedTensorType type, unsigned value) {
    return stablehlo::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, APInt(type.getElementType().getIntOrFloatBitWidth(), value)));
  }
  // Returns the bit position of each narrow element in the wide one. The first narrow element is
  // the least significant.
  Value firstBits(RankedTensorType type, unsigned partBits) {
    Value part = stablehlo::IotaOp::create(builder, loc, type,
                                           builder.getI64IntegerAttr(type.getRank() - 1));
    return stablehlo::MulOp::create(builder, loc, type, part, number(type, partBits));
  }

  // Splits each element into narrow elements: [...] ==> [..., parts]
  Value intoParts(Value operand) {
    RankedTensorType type = to.clone(word(fromBits));
    auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, from.getRank()));
    Value words = stablehlo::BroadcastInDimOp::create(
        builder, loc, type, as(operand, word(fromBits)), builder.getDenseI64ArrayAttr(dimensions));
    Value shifted =
        stablehlo::ShiftRightLogicalOp::create(builder, loc, type, words, firstBits(type, toBits));
    if (toBits == 1) {
      shifted = stablehlo::AndOp::create(builder, loc, type, shifted, number(type, 1));
    }
    return as(convert(shifted, word(toBits)), to.getElementType());
  }

  // Combines narrow elements into one element: [..., parts] ==> [...]
  Value ofParts(Value operand) {
    Type wide = word(toBits);
    RankedTensorType type = from.clone(wide);
    Value parts = convert(as(operand, word(fromBits)), wide);
    Value shifted =
        stablehlo::ShiftLeftOp::create(builder, loc, type, parts, firstBits(type, fromBits));
    auto scalar = RankedTensorType::get({}, wide);
    auto sum = stablehlo::ReduceOp::create(builder, loc, TypeRange{to.clone(wide)},
                                           ValueRange{shifted}, ValueRange{number(scalar, 0)},
                                           builder.getDenseI64ArrayAttr({from.getRank() - 1}));
    Block &body = sum.getBody().emplaceBlock();
    body.addArguments({scalar, scalar}, {loc, loc});
    OpBuilder inBody = OpBuilder::atBlockEnd(&body);
    Value either =
        stablehlo::OrOp::create(inBody, loc, scalar, body.getArgument(0), body.getArgument(1));
    stablehlo::ReturnOp::create(inBody, loc, either);
    return as(sum->getResult(0), to.getElementType());
  }

  OpBuilder &builder;
  Location loc;
  RankedTensorType from, to;
  unsigned fromBits, toBits;
};
} // namespace

struct SplitBitcastsPass : impl::SplitBitcastsPassBase<SplitBitcastsPass> {
  void runOnOperation() override {
    getOperation().walk([](stablehlo::BitcastConvertOp op) {
      OpBuilder builder(op);
      if (BitcastSplitter splitter(builder, op); splitter.applies()) {
        op.replaceAllUsesWith(splitter.split(op.getOperand()));
        op.erase();
      }
    });
  }
};

} // namespace drumlin
