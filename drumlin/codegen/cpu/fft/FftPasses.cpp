#include "drumlin/codegen/cpu/fft/FftPasses.h"

#include "drumlin/ir/plan/heroes/FftProblem.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin::codegen {

FftPasses::FftPasses(KernelFrame &frame, ComplexCode &code, FftTables &tables, Type *element,
                     unsigned perElement, unsigned registerLanes)
    : e(frame.emitter), b(frame.builder), code(code), tables(tables), element(element),
      perElement(perElement), registerLanes(registerLanes) {}

//===- memory -----------------------------------------------------------------===//

Type *FftPasses::registerType(unsigned count) {
  unsigned lanes = count * perElement;
  return lanes == 1 ? element : FixedVectorType::get(element, lanes);
}

Value *FftPasses::address(Value *base, Value *position) {
  return b.CreateInBoundsGEP(registerType(1), base, position);
}

static Align alignOf(Type *element) { return Align(element->isDoubleTy() ? 8 : 4); }

Complex FftPasses::load(const LineBuffer &from, Value *position, unsigned count) {
  auto part = [&](Value *base) {
    return b.CreateAlignedLoad(registerType(count), address(base, position), alignOf(element));
  };
  return {part(from.real), part(from.imaginary)};
}

void FftPasses::store(const LineBuffer &to, Value *position, unsigned count, Complex value) {
  (void)count;
  b.CreateAlignedStore(value.real, address(to.real, position), alignOf(element));
  b.CreateAlignedStore(value.imaginary, address(to.imaginary, position), alignOf(element));
}

Complex FftPasses::loadTable(GlobalVariable *table, int64_t size, Value *position, unsigned count) {
  auto part = [&](Value *at) -> Value * {
    Value *from = b.CreateInBoundsGEP(element, table, at);
    if (perElement > 1) {
      return b.CreateVectorSplat(perElement, b.CreateAlignedLoad(element, from, alignOf(element)));
    }
    return b.CreateAlignedLoad(registerType(count), from, alignOf(element));
  };
  return {part(position), part(b.CreateAdd(position, b.getInt64(static_cast<uint64_t>(size))))};
}

Complex FftPasses::reversed(Complex value) {
  auto *vector = dyn_cast<FixedVectorType>(value.real->getType());
  if (!vector || perElement > 1) {
    return value;
  }
  SmallVector<int> order;
  for (unsigned lane = vector->getNumElements(); lane-- > 0;) {
    order.push_back(static_cast<int>(lane));
  }
  return {b.CreateShuffleVector(value.real, order), b.CreateShuffleVector(value.imaginary, order)};
}

unsigned FftPasses::widthFor(int64_t size) const {
  if (perElement > 1) {
    return 1;
  }
  auto fitting = static_cast<unsigned>(bit_floor(static_cast<uint64_t>(size)));
  return std::min(registerLanes, std::max(fitting, 1u));
}

void FftPasses::forEach(int64_t size, function_ref<void(Value *, unsigned)> body) {
  if (size == 0) {
    return;
  }
  unsigned count = widthFor(size);
  if (size == count) {
    body(b.getInt64(0), count);
    return;
  }
  Value *last = b.getInt64(static_cast<uint64_t>(size - count));
  e.emitLoop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(size)), count, [&](Value *position) {
    // A last register that would be partial begins earlier, so that it is full and overlaps the
    // previous one.
    bool isWhole = size % count == 0;
    body(isWhole ? position : b.CreateBinaryIntrinsic(Intrinsic::smin, position, last), count);
  });
}

//===- passes -----------------------------------------------------------------===//

// The least prime number of elements that is transformed in a loop. Straight-line code grows with
// the square of the number of elements. From this number on, a loop is smaller and also runs
// faster, since straight-line code would spill registers.
static constexpr int64_t leastPrimeInLoop = 11;

Value *FftPasses::loadForAll(GlobalVariable *table, Value *position, unsigned count) {
  Value *address = b.CreateInBoundsGEP(element, table, position);
  Value *loaded = b.CreateAlignedLoad(element, address, alignOf(element));
  unsigned lanes = count * perElement;
  return lanes == 1 ? loaded : b.CreateVectorSplat(lanes, loaded);
}

void FftPasses::transformInLoop(ArrayRef<Complex> x, function_ref<void(Value *, Complex)> store) {
  auto *vector = dyn_cast<FixedVectorType>(x[0].real->getType());
  unsigned count = vector ? vector->getNumElements() / perElement : 1;
  uint64_t n = x.size(), half = n / 2;
  GlobalVariable *table = tables.primeRoots(static_cast<int64_t>(n));
  ComplexCode::Halves halves = code.halvesOf(x);
  store(b.getInt64(0), halves.total);
  e.emitLoop(b.getInt64(0), b.getInt64(half), 1, [&](Value *before) {
    Value *row = b.CreateMul(before, b.getInt64(2 * half));
    auto [low, high] = code.mirroredResults(halves, [&](size_t k) -> Complex {
      return {loadForAll(table, b.CreateAdd(row, b.getInt64(2 * k - 2)), count),
              loadForAll(table, b.CreateAdd(row, b.getInt64(2 * k - 1)), count)};
    });
    store(b.CreateAdd(before, b.getInt64(1)), low);
    store(b.CreateSub(b.getInt64(n - 1), before), high);
  });
}

void FftPasses::emit(ArrayRef<int64_t> factors, const LineBuffer &first, const LineBuffer &second,
                     Read read, Write write) {
  if (factors.empty()) {
    write(b.getInt64(0), 1, read(b.getInt64(0), 1));
    return;
  }
  int64_t rest = 1;
  for (int64_t factor : factors) {
    rest *= factor;
  }
  Pass pass{0, rest, 1};
  LineBuffer from = second, to = first;
  for (auto [number, factor] : enumerate(factors)) {
    pass.radix = factor;
    pass.m /= factor;
    auto readBuffer = [&](Value *position, unsigned count) { return load(from, position, count); };
    auto writeBuffer = [&](Value *position, unsigned count, Complex value) {
      store(to, position, count, value);
    };
    bool isFirst = number == 0, isLast = number + 1 == factors.size();
    Read input = isFirst ? read : Read(readBuffer);
    unsigned count = widthFor(pass.m * pass.done);
    auto done = static_cast<uint64_t>(pass.done);
    if (!isLast && perElement == 1 && isPowerOf2_64(done) && pass.done < count) {
      emitByLanes(pass, count, input, to);
    } else {
      emitPass(pass, input, isLast ? write : Write(writeBuffer));
    }
    pass.done *= factor;
    std::swap(from, to);
  }
}

void FftPasses::emitPass(const Pass &pass, Read read, Write write) {
  auto number = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  GlobalVariable *table = pass.m > 1 ? tables.twiddlesByPosition(pass.radix, pass.m) : nullptr;
  auto atP = [&](Value *p) {
    Value *from = b.CreateMul(p, number(pass.done));
    Value *to = b.CreateMul(p, number(pass.done * pass.radix));
    Value *twiddles = b.CreateMul(p, number(2 * (pass.radix - 1)));
    forEach(pass.done, [&](Value *q, unsigned count) {
      SmallVector<Complex> x;
      Value *first = b.CreateAdd(from, q);
      for (int64_t k = 0; k < pass.radix; ++k) {
        x.push_back(read(b.CreateAdd(first, number(pass.done * pass.m * k)), count));
      }
      Value *target = b.CreateAdd(to, q);
      auto finish = [&](Value *k, Complex value) {
        auto *known = dyn_cast<ConstantInt>(k);
        if (table && !(known && known->isZero())) {
          Value *at = b.CreateAdd(twiddles, b.CreateShl(b.CreateSub(k, number(1)), number(1)));
          value = code.multiply(value, {loadForAll(table, at, count),
                                        loadForAll(table, b.CreateAdd(at, number(1)), count)});
        }
        write(b.CreateAdd(target, b.CreateMul(k, number(pass.done))), count, value);
      };
      if (pass.radix >= leastPrimeInLoop && primesOf(pass.radix).size() == 1) {
        transformInLoop(x, finish);
        return;
      }
      code.transform(x);
      for (int64_t k = 0; k < pass.radix; ++k) {
        finish(number(k), x[static_cast<size_t>(k)]);
      }
    });
  };
  if (pass.m == 1) {
    atP(b.getInt64(0));
  } else {
    e.emitLoop(b.getInt64(0), number(pass.m), 1, atP);
  }
}

// Emits a pass with several values of p in each register. The elements that are read for
// consecutive p are adjacent; the results for consecutive p are stored `radix` times as far apart.
void FftPasses::emitByLanes(const Pass &pass, unsigned count, Read read, const LineBuffer &to) {
  auto number = [&](int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); };
  GlobalVariable *table = tables.twiddlesByResult(pass.radix, pass.m);
  auto perP = static_cast<unsigned>(pass.done);
  unsigned chunks = count / perP;
  SmallVector<int> spread;
  for (unsigned lane = 0; lane < count; ++lane) {
    spread.push_back(static_cast<int>(lane / perP));
  }
  int64_t step = pass.m * pass.done;
  forEach(step, [&](Value *position, unsigned) {
    SmallVector<Complex> x;
    for (int64_t k = 0; k < pass.radix; ++k) {
      x.push_back(read(b.CreateAdd(position, number(step * k)), count));
    }
    code.transform(x);
    Value *p = b.CreateUDiv(position, number(pass.done));
    auto part = [&](int64_t at) {
      Value *address = b.CreateInBoundsGEP(element, table, b.CreateAdd(p, number(at)));
      Value *loaded = b.CreateAlignedLoad(registerType(chunks), address, alignOf(element));
      if (chunks == 1) {
        return b.CreateVectorSplat(count, loaded);
      }
      return chunks == count ? loaded : b.CreateShuffleVector(loaded, spread);
    };
    SmallVector<Value *> real = {x[0].real}, imaginary = {x[0].imaginary};
    for (int64_t k = 1; k < pass.radix; ++k) {
      Complex twiddle{part((2 * k - 2) * pass.m), part((2 * k - 1) * pass.m)};
      Complex value = code.multiply(x[static_cast<size_t>(k)], twiddle);
      real.push_back(value.real);
      imaginary.push_back(value.imaginary);
    }
    Value *target = b.CreateMul(position, number(pass.radix));
    storeChunks(pass, count, target, real, to.real);
    storeChunks(pass, count, target, imaginary, to.imaginary);
  });
}

// Stores the results 0 … radix - 1 of each p consecutively. Each register has results of `count` /
// `done` different p.
void FftPasses::storeChunks(const Pass &pass, unsigned count, Value *position,
                            MutableArrayRef<Value *> results, Value *to) {
  auto perP = static_cast<unsigned>(pass.done);
  auto radix = static_cast<unsigned>(pass.radix);
  unsigned chunks = count / perP;
  auto storeAt = [&](Value *value, unsigned offset) {
    b.CreateAlignedStore(value, address(to, b.CreateAdd(position, b.getInt64(offset))),
                         alignOf(element));
  };
  if (isPowerOf2_32(radix) && chunks > 2) {
    // Each step interleaves the first half of the registers with the second half.
    SmallVector<int> low, high;
    for (unsigned lane = 0; lane < count; ++lane) {
      unsigned chunk = lane / perP, inside = lane % perP;
      unsigned from = chunk / 2 * perP + inside + (chunk % 2) * count;
      low.push_back(static_cast<int>(from));
      high.push_back(static_cast<int>(from + count / 2));
    }
    for (unsigned step = 1; step < radix; step *= 2) {
      SmallVector<Value *> next;
      for (unsigned i = 0; i < radix / 2; ++i) {
        Value *x = results[i], *y = results[i + radix / 2];
        next.push_back(b.CreateShuffleVector(x, y, low));
        next.push_back(b.CreateShuffleVector(x, y, high));
      }
      llvm::copy(next, results.begin());
    }
    for (unsigned i = 0; i < radix; ++i) {
      storeAt(results[i], i * count);
    }
    return;
  }
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    SmallVector<int> taken;
    for (unsigned lane = 0; lane < perP; ++lane) {
      taken.push_back(static_cast<int>(chunk * perP + lane));
    }
    for (unsigned k = 0; k < radix; ++k) {
      Value *part = perP == 1 ? b.CreateExtractElement(results[k], uint64_t(chunk))
                              : b.CreateShuffleVector(results[k], taken);
      storeAt(part, (chunk * radix + k) * perP);
    }
  }
}

} // namespace drumlin::codegen
