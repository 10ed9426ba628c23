// Completes the partial program of docs/custom-calls.md: adds the handler that the page's code
// registers.
#include "xla/ffi/api/ffi.h"

#include <cstdio>

namespace ffi = xla::ffi;

static ffi::Error scale(float factor, ffi::Buffer<ffi::F32> x,
                        ffi::ResultBuffer<ffi::F32> result) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    result->typed_data()[i] = factor * x.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Scale, scale,
    ffi::Ffi::Bind().Attr<float>("factor").Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

/* page: drumlin/runtime/drumlin.h */

static const char text[] = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @my.scale(%x) {api_version = 4 : i32, mhlo.backend_config = {factor = 3.0 : f32}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";

int main() {
  drumlin_program_text program_text = {"scale.mlir", text, sizeof(text) - 1};
  drumlin_compile_request request = {};
  request.size = sizeof(request);
  request.program = program_text.name;
  request.text = &program_text;
  drumlin_executable *program = nullptr;
  float x[4] = {1, 2, 3, 4}, y[4] = {};
  const void *args[] = {x};
  void *results[] = {y};
  for (int step = 0; !error && step < 2; ++step) {
    error = step == 0 ? drumlin_compile(&request, &program)
                      : drumlin_run(program, args, 1, results, 1);
  }
  std::printf("%s%g\n", error ? drumlin_error_message(error) : "", y[3]);
  return 0;
}
