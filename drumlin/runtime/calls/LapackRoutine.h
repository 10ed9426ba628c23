// Calls of LAPACK's Fortran routines from C++.
#pragma once

#include "drumlin/runtime/calls/LapackLibrary.h"
#include "drumlin/runtime/calls/MatrixCall.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace drumlin {

template <typename T> struct LapackType;
template <> struct LapackType<float> {
  using Real = float;
  static constexpr ElementType element = ElementType::F32, real = ElementType::F32,
                               complex = ElementType::C64;
  static constexpr char letter = 's';
};
template <> struct LapackType<double> {
  using Real = double;
  static constexpr ElementType element = ElementType::F64, real = ElementType::F64,
                               complex = ElementType::C128;
  static constexpr char letter = 'd';
};
template <> struct LapackType<std::complex<float>> {
  using Real = float;
  static constexpr ElementType element = ElementType::C64, real = ElementType::F32,
                               complex = ElementType::C64;
  static constexpr char letter = 'c';
};
template <> struct LapackType<std::complex<double>> {
  using Real = double;
  static constexpr ElementType element = ElementType::C128, real = ElementType::F64,
                               complex = ElementType::C128;
  static constexpr char letter = 'z';
};

template <typename T> using RealOf = typename LapackType<T>::Real;
template <typename T> inline constexpr bool isComplexNumber = !std::is_same_v<T, RealOf<T>>;

// A LAPACK routine. Callers pass the arguments that precede INFO, numbers and letters by value and
// arrays by pointer; the call returns INFO. The Fortran routine itself takes all arguments by
// address, and then the lengths of the letters, by gfortran's convention. A library that doesn't
// expect the lengths ignores them.
class LapackRoutine {
public:
  explicit LapackRoutine(void *address) : address(address) {}

  template <typename... Arguments> int operator()(Arguments... arguments) const {
    int info = 0;
    call(lettersOf<Arguments...>(), addressOf(arguments)..., &info);
    return info;
  }
  // Calls a routine of the BLAS, which has no INFO.
  template <typename... Arguments> void callWithoutInfo(Arguments... arguments) const {
    call(lettersOf<Arguments...>(), addressOf(arguments)...);
  }

private:
  template <typename... Arguments>
  using lettersOf = std::make_index_sequence<(std::is_same_v<Arguments, char> + ... + 0)>;

  template <typename T> static T *addressOf(T &value) { return &value; }
  template <typename T> static T *addressOf(T *&array) { return array; }

  template <size_t... Lengths, typename... Pointers>
  void call(std::index_sequence<Lengths...>, Pointers... pointers) const {
    reinterpret_cast<void (*)(Pointers..., decltype(static_cast<void>(Lengths), size_t())...)>(
        address)(pointers..., (static_cast<void>(Lengths), size_t(1))...);
  }

  void *address;
};

// Returns the routine for type T: `getrf` for float is SGETRF.
template <typename T> Result<LapackRoutine> lapackRoutine(const std::string &name) {
  Result<const LapackLibrary *> library = LapackLibrary::get();
  if (!library) {
    return library.error();
  }
  Result<void *> address = (*library)->routine(LapackType<T>::letter + name);
  return address ? Result<LapackRoutine>(LapackRoutine(*address)) : address.error();
}

// Returns the routine for type T; for complex types, the one named `complexName`.
template <typename T>
Result<LapackRoutine> lapackRoutine(const char *realName, const char *complexName) {
  return lapackRoutine<T>(std::string(isComplexNumber<T> ? complexName : realName));
}

// Returns a leading dimension, which must be at least 1.
inline int leading(int rows) { return rows > 1 ? rows : 1; }

inline constexpr const char *workspaceTooLarge =
    "the workspace is too large for LAPACK's integers of 32 bits";

// Memory for a routine's computation. Allocated from the heap, which reuses the pages of earlier
// calls.
template <typename T> class Workspace {
public:
  static Result<Workspace> allocate(int64_t elements) {
    Workspace made;
    if (elements <= std::numeric_limits<int64_t>::max() / static_cast<int64_t>(2 * sizeof(T))) {
      constexpr size_t alignment = AlignedMemory::alignment;
      size_t bytes = static_cast<size_t>(elements > 1 ? elements : 1) * sizeof(T) +
                     AlignedMemory::readableBehind;
      made.memory.reset(
          std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
    }
    if (!made.memory) {
      return diagnose(errors::OutOfMemory, "no memory for LAPACK's workspace of " +
                                               std::to_string(elements) + " elements");
    }
    made.count = static_cast<int>(elements);
    return made;
  }
  // Allocates the size that a routine's workspace query returned as its first element. From 2^24
  // on, float can't represent each integer, so the next larger float is used.
  static Result<Workspace> allocateAsked(T answer) {
    double size = static_cast<double>(std::real(answer));
    if (std::is_same_v<RealOf<T>, float> && size >= 0x1p24) {
      size = static_cast<double>(
          std::nextafter(static_cast<float>(size), std::numeric_limits<float>::infinity()));
    }
    if (!(size >= 0 && size <= std::numeric_limits<int>::max())) {
      return diagnose(errors::HostCallFailed, workspaceTooLarge);
    }
    return allocate(static_cast<int64_t>(size));
  }

  T *data() { return static_cast<T *>(memory.get()); }
  int size() const { return count; }

private:
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory;
  int count = 0;
};

template <typename T> ExpectedValue of(std::initializer_list<int64_t> shape) {
  return {LapackType<T>::element, shape};
}
inline ExpectedValue integers(std::initializer_list<int64_t> shape) {
  return {ElementType::SI32, shape};
}

// Checks INFO of a workspace query. No argument should be refused, since all were checked before.
inline Status checkAsked(const MatrixCall &call, int info) {
  return info == 0 ? Status(Done())
                   : Status(call.fail("LAPACK refuses argument " + std::to_string(-info)));
}

// Calls a routine for each matrix of the batch, with the workspace that it requires:
// `compute(index, work, size)` returns INFO, which `store(index, info)` receives.
template <typename T, typename Compute, typename Store>
Status forEach(const MatrixCall &call, Compute compute, Store store) {
  if (call.batch() == 0) {
    return Done();
  }
  T answer{};
  if (Status status = checkAsked(call, compute(0, &answer, -1)); !status) {
    return status;
  }
  Result<Workspace<T>> work = Workspace<T>::allocateAsked(answer);
  if (!work) {
    return work.error();
  }
  for (int64_t i = 0; i < call.batch(); ++i) {
    store(i, compute(i, work->data(), work->size()));
  }
  return Done();
}

} // namespace drumlin
