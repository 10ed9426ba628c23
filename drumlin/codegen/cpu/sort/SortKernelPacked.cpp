#include "drumlin/codegen/cpu/sort/SortKernelPacked.h"

#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin::codegen {

// Maximum length of rows that are sorted by insertion. For such rows, clearing and summing the
// counts of a radix sort would take longer.
static constexpr int64_t insertionCount = 32;
// The least length of rows that are sorted with digits of 11 bits. Such digits save one pass for
// 32-bit keys and two passes for 64-bit keys. This outweighs the larger arrays of counts, which
// still fit into L1.
static constexpr int64_t wideDigitCount = 32 * 1024;

PackedSort::PackedSort(KernelFrame &frame, unsigned keyBits, const SizeExpression &maxCount)
    : frame(frame), keyWidth(keyBits), maxCount(maxCount) {
  bool manyElements = !isNarrowCount(maxCount);
  bool wide = keyBits > 32 || manyElements;
  word = frame.builder.getIntNTy(wide ? 128 : 64);
  position = frame.builder.getIntNTy(wide ? 64 : 32);
  counter = frame.builder.getIntNTy(manyElements ? 64 : 32);
  // Rows of unknown length may be short, so narrow digits are used, whose counts are cleared
  // faster.
  digitBits = keyBits > 16 && maxCount.constant().value_or(0) >= wideDigitCount ? 11 : 8;
}

SizeExpression PackedSort::bufferBytes() const { return maxCount.roundedUpTo(lanes) * wordBytes(); }

int64_t PackedSort::countBytes() const {
  return passes() * buckets() * static_cast<int64_t>(counter->getBitWidth() / 8);
}

Value *PackedSort::emitWordAddress(Value *words, Value *index) {
  return frame.builder.CreateInBoundsGEP(word, words, index);
}

void PackedSort::emitStoreWords(Value *words, Value *index, Value *keys, Value *positions) {
  IRBuilder<> &b = frame.builder;
  auto *i64s = FixedVectorType::get(b.getInt64Ty(), lanes);
  Value *wideKeys = b.CreateZExt(keys, i64s);
  Value *address = emitWordAddress(words, index);
  if (word->getBitWidth() == 64) {
    Value *upper = b.CreateShl(wideKeys, ConstantInt::get(i64s, 32));
    b.CreateAlignedStore(b.CreateOr(upper, positions), address, Align(8));
    return;
  }
  // In memory, the lower half of a word precedes the upper half.
  SmallVector<int> interleaved;
  for (int lane = 0; lane < static_cast<int>(lanes); ++lane) {
    interleaved.push_back(lane);
    interleaved.push_back(lane + static_cast<int>(lanes));
  }
  b.CreateAlignedStore(b.CreateShuffleVector(positions, wideKeys, interleaved), address, Align(8));
}

Value *PackedSort::emitLoadPosition(Value *words, Value *index) {
  IRBuilder<> &b = frame.builder;
  Value *half = b.CreateAlignedLoad(position, emitWordAddress(words, index), Align(8));
  return b.CreateZExt(half, b.getInt64Ty());
}

Value *PackedSort::emitLoadKey(Value *words, Value *index) {
  IRBuilder<> &b = frame.builder;
  Value *address = emitWordAddress(words, index);
  Value *upper =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, static_cast<uint64_t>(wordBytes()) / 2);
  return b.CreateTrunc(b.CreateAlignedLoad(position, upper, Align(4)), b.getIntNTy(keyWidth));
}

Value *PackedSort::emitDigit(IRBuilder<> &b, Value *wordValue, unsigned pass) {
  unsigned shift = position->getBitWidth() + pass * digitBits;
  Value *digit =
      b.CreateTrunc(b.CreateLShr(wordValue, ConstantInt::get(word, shift)), b.getInt64Ty());
  return b.CreateAnd(digit, b.getInt64(static_cast<uint64_t>(buckets() - 1)));
}

void PackedSort::emitInsertionSort(ElementEmitter &e, Value *data, Value *count) {
  IRBuilder<> &b = e.ir();
  Align align(8);
  auto at = [&](Value *index) { return b.CreateInBoundsGEP(word, data, index); };
  e.emitLoop(b.getInt64(1), count, 1, [&](Value *i) {
    Value *inserted = b.CreateAlignedLoad(word, at(i), align);
    auto before = [&](Value *place) {
      // The index is clamped, so that the word before the first one isn't read.
      return b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSub(place, b.getInt64(1)),
                                     b.getInt64(0));
    };
    Values place = emitWhile(
        e, {i},
        [&](ArrayRef<Value *> carried) {
          Value *previous = b.CreateAlignedLoad(word, at(before(carried[0])), align);
          return b.CreateAnd(b.CreateICmpSGT(carried[0], b.getInt64(0)),
                             b.CreateICmpULT(inserted, previous));
        },
        [&](ArrayRef<Value *> carried) -> Values {
          Value *previous = before(carried[0]);
          b.CreateAlignedStore(b.CreateAlignedLoad(word, at(previous), align), at(carried[0]),
                               align);
          return {previous};
        });
    b.CreateAlignedStore(inserted, at(place[0]), align);
  });
}

// Emits a radix sort that sorts by the least significant digit first. One traversal counts the
// digits of all passes. Passes in which all words have the same digit are skipped.
void PackedSort::emitRadixSort(ElementEmitter &e, Value *data, Value *other, Value *counts,
                               Value *count) {
  IRBuilder<> &b = e.ir();
  Align align(8);
  Align counterAlign(counter->getBitWidth() / 8);
  Value *zero = b.getInt64(0);
  auto counterOf = [&](unsigned pass, Value *digit) {
    Value *index = b.CreateAdd(digit, b.getInt64(static_cast<uint64_t>(pass * buckets())));
    return b.CreateInBoundsGEP(counter, counts, index);
  };
  b.CreateMemSet(counts, b.getInt8(0), static_cast<uint64_t>(countBytes()), counterAlign);
  e.emitLoop(zero, count, 1, [&](Value *i) {
    Value *value = b.CreateAlignedLoad(word, b.CreateInBoundsGEP(word, data, i), align);
    for (unsigned pass = 0; pass < passes(); ++pass) {
      Value *slot = counterOf(pass, emitDigit(b, value, pass));
      Value *counted = b.CreateAlignedLoad(counter, slot, counterAlign);
      b.CreateAlignedStore(b.CreateAdd(counted, ConstantInt::get(counter, 1)), slot, counterAlign);
    }
  });
  Values buffers = {data, other};
  for (unsigned pass = 0; pass < passes(); ++pass) {
    Value *first = b.CreateAlignedLoad(word, buffers[0], align);
    Value *ofFirst =
        b.CreateAlignedLoad(counter, counterOf(pass, emitDigit(b, first, pass)), counterAlign);
    Value *differs = b.CreateICmpNE(b.CreateZExt(ofFirst, b.getInt64Ty()), count);
    buffers = emitIf(e, differs, buffers, [&]() -> Values {
      e.emitLoop(zero, b.getInt64(static_cast<uint64_t>(buckets())), 1,
                 {ConstantInt::get(counter, 0)},
                 [&](Value *digit, ArrayRef<Value *> sum) -> Values {
                   Value *slot = counterOf(pass, digit);
                   Value *counted = b.CreateAlignedLoad(counter, slot, counterAlign);
                   b.CreateAlignedStore(sum[0], slot, counterAlign);
                   return {b.CreateAdd(sum[0], counted)};
                 });
      e.emitLoop(zero, count, 1, [&](Value *i) {
        Value *value = b.CreateAlignedLoad(word, b.CreateInBoundsGEP(word, buffers[0], i), align);
        Value *slot = counterOf(pass, emitDigit(b, value, pass));
        Value *place = b.CreateAlignedLoad(counter, slot, counterAlign);
        b.CreateAlignedStore(b.CreateAdd(place, ConstantInt::get(counter, 1)), slot, counterAlign);
        Value *target = b.CreateInBoundsGEP(word, buffers[1], b.CreateZExt(place, b.getInt64Ty()));
        b.CreateAlignedStore(value, target, align);
      });
      return {buffers[1], buffers[0]};
    });
  }
  b.CreateRet(buffers[0]);
}

void PackedSort::emitMinima(Value *data, Value *other, int64_t k) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  Align align(8);
  auto at = [&](Value *words, Value *index) { return b.CreateInBoundsGEP(word, words, index); };
  // A word that is greater than every word of the row: its lower half is greater than every
  // position.
  Constant *none = Constant::getAllOnesValue(word);
  auto *vector = FixedVectorType::get(word, lanes);
  Constant *noneOfAll = ConstantVector::getSplat(ElementCount::getFixed(lanes), none);
  Value *end = e.extent(maxCount.roundedUpTo(lanes));
  e.emitLoop(e.extent(maxCount), end, 1,
             [&](Value *i) { b.CreateAlignedStore(none, at(data, i), align); });
  e.emitLoop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(k)), 1, [&](Value *place) {
    Values least = e.emitLoop(b.getInt64(0), end, lanes, {noneOfAll},
                              [&](Value *i, ArrayRef<Value *> so) -> Values {
                                Value *words = b.CreateAlignedLoad(vector, at(data, i), align);
                                return {b.CreateBinaryIntrinsic(Intrinsic::umin, so[0], words)};
                              });
    Value *taken = b.CreateIntMinReduce(least[0], /*IsSigned=*/false);
    b.CreateAlignedStore(taken, at(other, place), align);
    // The lower half of the word is the word's index in `data`.
    Value *from = b.CreateZExt(b.CreateTrunc(taken, position), b.getInt64Ty());
    b.CreateAlignedStore(none, at(data, from), align);
  });
}

void PackedSort::emitFunction() {
  LLVMContext &context = frame.module.getContext();
  IRBuilder<> b(context);
  Type *pointer = b.getPtrTy();
  auto *type = FunctionType::get(pointer, {pointer, pointer, pointer, b.getInt64Ty()}, false);
  function = Function::Create(type, GlobalValue::InternalLinkage, frame.name + "_packed_sort",
                              frame.module);
  function->addFnAttrs(AttrBuilder(context, frame.function->getAttributes().getFnAttrs()));
  for (unsigned i = 0; i < 3; ++i) {
    function->getArg(i)->addAttr(Attribute::NoAlias);
  }
  b.SetInsertPoint(BasicBlock::Create(context, "entry", function));
  ElementEmitter e(b, frame.module, frame.emitter.targetInfo());
  Value *data = function->getArg(0), *count = function->getArg(3);
  if (std::optional<int64_t> known = maxCount.constant(); known && *known <= insertionCount) {
    emitInsertionSort(e, data, count);
    b.CreateRet(data);
    return;
  }
  BasicBlock *small = BasicBlock::Create(context, "small", function);
  BasicBlock *large = BasicBlock::Create(context, "large", function);
  b.CreateCondBr(b.CreateICmpSLE(count, b.getInt64(insertionCount)), small, large);
  b.SetInsertPoint(small);
  emitInsertionSort(e, data, count);
  b.CreateRet(data);
  b.SetInsertPoint(large);
  emitRadixSort(e, data, function->getArg(1), function->getArg(2), count);
}

Value *PackedSort::emitCall(Value *data, Value *other, Value *counts, Value *count) {
  if (!function) {
    emitFunction();
  }
  return frame.builder.CreateCall(function, {data, other, counts, count});
}

} // namespace drumlin::codegen
