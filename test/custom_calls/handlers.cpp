// Code that test programs call. Like all code for XLA, it is compiled against the headers in
// jaxlib's package.
#include "xla/ffi/api/ffi.h"

#include <cstring>
#include <latch>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

namespace ffi = xla::ffi;

static ffi::Error scale(ffi::Buffer<ffi::F32> x, float factor, ffi::ResultBuffer<ffi::F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    y->typed_data()[i] = factor * x.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Scale, scale,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Attr<float>("factor")
                                  .Ret<ffi::Buffer<ffi::F32>>());

// Copies elements in memory order, for any type and number of values; types and sizes must match.
static ffi::Error copy(ffi::RemainingArgs from, ffi::RemainingRets to) {
  for (size_t i = 0; i < from.size(); ++i) {
    auto source = from.get<ffi::AnyBuffer>(i);
    auto target = to.get<ffi::AnyBuffer>(i);
    if (!source.has_value() || !target.has_value()) {
      return ffi::Error::InvalidArgument("no buffer");
    }
    if (source->element_type() != (*target)->element_type() ||
        source->dimensions().size() != (*target)->dimensions().size()) {
      return ffi::Error::InvalidArgument("another type");
    }
    if (source->size_bytes() != 0) {
      std::memcpy((*target)->untyped_data(), source->untyped_data(), source->size_bytes());
    }
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Copy, copy, ffi::Ffi::Bind().RemainingArgs().RemainingRets());

// Returns the attributes' values as numbers.
static ffi::Error attributes(bool flag, int8_t small, uint64_t large, double number,
                             std::string_view text, ffi::Span<const int64_t> array,
                             ffi::Dictionary inner, ffi::ResultBuffer<ffi::F64> y) {
  auto depth = inner.get<int32_t>("depth");
  auto name = inner.get<std::string_view>("name");
  if (!depth.has_value() || !name.has_value() || inner.size() != 2) {
    return ffi::Error(ffi::ErrorCode::kInternal, "the inner dictionary isn't the program's");
  }
  double values[] = {
      flag ? 1.0 : 0.0,    double(small),
      double(large),       number,
      double(text.size()), double(std::accumulate(array.begin(), array.end(), int64_t(0))),
      double(*depth),      double(name->size())};
  std::memcpy(y->typed_data(), values, sizeof(values));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Attributes, attributes,
                              ffi::Ffi::Bind()
                                  .Attr<bool>("flag")
                                  .Attr<int8_t>("small")
                                  .Attr<uint64_t>("large")
                                  .Attr<double>("number")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int64_t>>("array")
                                  .Attr<ffi::Dictionary>("inner")
                                  .Ret<ffi::Buffer<ffi::F64>>());

static ffi::Error fail(ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  return ffi::Error::InvalidArgument("the matrix is not to its liking");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Fail, fail,
                              ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

// Fills the result on another thread, after the handler has returned.
static ffi::Future later(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  ffi::Promise promise;
  ffi::Future future(promise);
  std::thread([promise = std::move(promise), from = x.typed_data(), to = y->typed_data(),
               count = x.element_count()]() mutable {
    for (size_t i = 0; i < count; ++i) {
      to[i] = from[i] + 1;
    }
    promise.SetAvailable();
  }).detach();
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Later, later, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

// Uses the context of a call: scratch memory, the thread pool, the run's number.
static ffi::Error context(ffi::ScratchAllocator scratch, ffi::ThreadPool pool, ffi::RunId run,
                          ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  auto memory = scratch.Allocate(x.size_bytes(), 64);
  if (!memory.has_value() || reinterpret_cast<uintptr_t>(*memory) % 64 != 0 || run.run_id <= 0 ||
      pool.num_threads() < 1) {
    return ffi::Error(ffi::ErrorCode::kInternal, "the context is incomplete");
  }
  auto *middle = static_cast<float *>(*memory);
  std::latch done(1);
  pool.Schedule([=, &done, from = x.typed_data(), count = x.element_count()] {
    for (size_t i = 0; i < count; ++i) {
      middle[i] = 2 * from[i];
    }
    done.count_down();
  });
  done.wait();
  std::memcpy(y->typed_data(), middle, x.size_bytes());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Context, context,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Ctx<ffi::ThreadPool>()
                                  .Ctx<ffi::RunId>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

// Increments the elements in place: the result has the operand's memory.
static ffi::Error increment(ffi::Buffer<ffi::S32> x, ffi::ResultBuffer<ffi::S32> y) {
  if (x.typed_data() != y->typed_data()) {
    return ffi::Error::InvalidArgument("the result isn't in the operand's memory");
  }
  for (size_t i = 0; i < x.element_count(); ++i) {
    ++y->typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Increment, increment,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::S32>>().Ret<ffi::Buffer<ffi::S32>>());

// Returns a number that grows with each call, to record the order of calls.
static ffi::Error next(ffi::ResultBuffer<ffi::S32> y) {
  static int32_t count = 0;
  *y->typed_data() = count++;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Next, next, ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::S32>>());

//===-- the older conventions -----------------------------------------------------------------===//

// XLA's layout of the struct in memory.
struct XlaCustomCallStatus {
  std::optional<std::string> message;
};

extern "C" __attribute__((visibility("default"))) void plain(void *result, const void **operands) {
  auto *to = static_cast<float *>(result);
  const auto *from = static_cast<const float *>(operands[0]),
             *by = static_cast<const float *>(operands[1]);
  for (int i = 0; i < 4; ++i) {
    to[i] = from[i] * *by;
  }
}

extern "C" __attribute__((visibility("default"))) void two(void *results, const void **operands,
                                                           XlaCustomCallStatus *status) {
  auto **to = static_cast<float **>(results);
  const auto *from = static_cast<const float *>(operands[0]);
  if (from[0] < 0) {
    status->message = "a negative number";
    return;
  }
  for (int i = 0; i < 4; ++i) {
    to[0][i] = from[i] + 1;
    to[1][i] = from[i] - 1;
  }
}

extern "C" __attribute__((visibility("default"))) void
opaque(void *result, const void **, const char *text, size_t size, XlaCustomCallStatus *) {
  auto *to = static_cast<int8_t *>(result);
  for (size_t i = 0; i < 4; ++i) {
    to[i] = i < size ? text[i] : 0;
  }
}
