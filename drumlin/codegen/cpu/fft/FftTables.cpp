#include "drumlin/codegen/cpu/fft/FftTables.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace drumlin::codegen {

template <typename T>
static Constant *arrayOf(LLVMContext &context, ArrayRef<RootsOfUnity::Wide> elements) {
  std::vector<T> rounded;
  for (RootsOfUnity::Wide each : elements) {
    rounded.push_back(static_cast<T>(each));
  }
  return ConstantDataArray::get(context, rounded);
}

GlobalVariable *FftTables::table(std::string name, function_ref<std::vector<Wide>()> elements) {
  name = "fft_" + name + (element->isDoubleTy() ? "_f64" : "_f32");
  auto found = made.find(name);
  if (found != made.end()) {
    return found->second;
  }
  std::vector<Wide> values = elements();
  Constant *array = element->isDoubleTy() ? arrayOf<double>(module.getContext(), values)
                                          : arrayOf<float>(module.getContext(), values);
  auto *global = new GlobalVariable(module, array->getType(), true, GlobalValue::LinkOnceODRLinkage,
                                    array, name);
  // The name determines the content, so the linker keeps one copy for all kernels of an image.
  global->setComdat(module.getOrInsertComdat(name));
  global->setVisibility(GlobalValue::HiddenVisibility);
  global->setDSOLocal(true);
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  global->setAlignment(Align(64));
  made[name] = global;
  return global;
}

GlobalVariable *FftTables::twiddlesByPosition(int64_t radix, int64_t m) {
  return table("twiddles" + std::to_string(radix) + "x" + std::to_string(m), [&] {
    RootsOfUnity roots(radix * m);
    std::vector<Wide> values;
    for (int64_t p = 0; p < m; ++p) {
      for (int64_t k = 1; k < radix; ++k) {
        RootsOfUnity::Root root = roots(p * k);
        values.insert(values.end(), {root.real, root.imaginary});
      }
    }
    return values;
  });
}

GlobalVariable *FftTables::twiddlesByResult(int64_t radix, int64_t m) {
  return table("lanes" + std::to_string(radix) + "x" + std::to_string(m), [&] {
    RootsOfUnity roots(radix * m);
    std::vector<Wide> values;
    for (int64_t k = 1; k < radix; ++k) {
      for (int64_t p = 0; p < m; ++p) {
        values.push_back(roots(p * k).real);
      }
      for (int64_t p = 0; p < m; ++p) {
        values.push_back(roots(p * k).imaginary);
      }
    }
    return values;
  });
}

GlobalVariable *FftTables::primeRoots(int64_t n) {
  return table("prime" + std::to_string(n), [&] {
    RootsOfUnity roots(n);
    std::vector<Wide> values;
    for (int64_t m = 1; 2 * m < n; ++m) {
      for (int64_t k = 1; 2 * k < n; ++k) {
        RootsOfUnity::Root root = roots(m * k);
        values.insert(values.end(), {root.real, -root.imaginary});
      }
    }
    return values;
  });
}

// Returns the real parts of all roots, then their imaginary parts.
static std::vector<RootsOfUnity::Wide> apart(ArrayRef<RootsOfUnity::Root> roots) {
  std::vector<RootsOfUnity::Wide> values;
  for (const RootsOfUnity::Root &root : roots) {
    values.push_back(root.real);
  }
  for (const RootsOfUnity::Root &root : roots) {
    values.push_back(root.imaginary);
  }
  return values;
}

GlobalVariable *FftTables::roots(int64_t n, int64_t count) {
  return table("roots" + std::to_string(n) + "to" + std::to_string(count), [&] {
    RootsOfUnity exact(n);
    std::vector<RootsOfUnity::Root> roots;
    for (int64_t k = 0; k < count; ++k) {
      roots.push_back(exact(k));
    }
    return apart(roots);
  });
}

GlobalVariable *FftTables::chirp(int64_t n) {
  return table("chirp" + std::to_string(n), [&] { return apart(drumlin::chirp(n)); });
}

GlobalVariable *FftTables::chirpTransform(int64_t n, int64_t padded) {
  return table("filter" + std::to_string(n) + "of" + std::to_string(padded),
               [&] { return apart(chirpFilter(n, padded)); });
}

} // namespace drumlin::codegen
