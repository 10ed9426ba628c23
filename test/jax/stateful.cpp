// A handler with a state: one object per call site, created when its program is loaded.
#include "xla/ffi/api/ffi.h"

#include <memory>

namespace ffi = xla::ffi;

namespace {
struct Counter {
  static ffi::TypeId id;
  static inline int alive = 0;
  int calls = 0;
  Counter() { ++alive; }
  ~Counter() { --alive; }
};
ffi::TypeId Counter::id = {};
} // namespace

static ffi::ErrorOr<std::unique_ptr<Counter>> make() { return std::make_unique<Counter>(); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(Make, make, ffi::Ffi::BindInstantiate());

static ffi::Error count(Counter *counter, ffi::ResultBuffer<ffi::S32> y) {
  *y->typed_data() = ++counter->calls;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Count, count, ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::Buffer<ffi::S32>>());

#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED ffi::TypeId *typeId() { return &Counter::id; }
EXPORTED const XLA_FFI_TypeInfo *typeInfo() {
  static const XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<Counter>();
  return &info;
}
EXPORTED int alive() { return Counter::alive; }
