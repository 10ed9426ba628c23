/* Runs a program that transfers values with the host and calls a function of the process. */
#include "drumlin/runtime/drumlin.h"
#include "xla/ffi/api/c_api.h"

#include <stdio.h>
#include <string.h>

static const char program[] =
    "func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> (tensor<2xf32>, !stablehlo.token) "
    "{\n"
    "  %i:3 = \"stablehlo.infeed\"(%t) <{infeed_config = \"first\"}> : (!stablehlo.token) -> "
    "(tensor<2xf32>, tensor<i32>, !stablehlo.token)\n"
    "  %s = stablehlo.add %x, %i#0 : tensor<2xf32>\n"
    "  %o = \"stablehlo.outfeed\"(%s, %i#1, %i#2) <{outfeed_config = \"sum\"}> : (tensor<2xf32>, "
    "tensor<i32>, !stablehlo.token) -> !stablehlo.token\n"
    "  %u = \"stablehlo.send\"(%s, %o) <{channel_handle = #stablehlo.channel_handle<handle = 5, "
    "type = 2>, is_host_transfer = true}>\n"
    "    : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token\n"
    "  %r:2 = \"stablehlo.recv\"(%u) <{channel_handle = #stablehlo.channel_handle<handle = 6, type "
    "= 3>, is_host_transfer = true}>\n"
    "    : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)\n"
    "  %d = stablehlo.custom_call @twice(%r#0) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %d, %r#1 : tensor<2xf32>, !stablehlo.token\n"
    "}\n";

static void twice(void *result, const void **operands) {
  for (int i = 0; i < 2; ++i) {
    ((float *)result)[i] = 2 * ((const float *)operands[0])[i];
  }
}

/* Lists the transferred values as text, in order. */
struct log {
  char text[512];
  int fails;
};

static const char *transfer(void *context, const drumlin_transfer *what, void *const *buffers) {
  struct log *log = context;
  char line[128];
  snprintf(line, sizeof(line), "%s %s %d %zu %s;", what->kind, what->config,
           (int)(what->channel + 1000 * what->process), what->count, what->values[0].type);
  strcat(log->text, line);
  if (log->fails) {
    return "nobody is there";
  }
  float *first = buffers[0];
  if (strcmp(what->kind, "infeed") == 0) {
    first[0] = 10;
    first[1] = 20;
    *(int *)buffers[1] = 3;
  } else if (strcmp(what->kind, "recv") == 0) {
    first[0] = 100;
    first[1] = 200;
  } else {
    snprintf(line, sizeof(line), "%g %g;", first[0], first[1]);
    strcat(log->text, line);
  }
  return NULL;
}

static drumlin_error *compile(const char *name, const char *text, drumlin_executable **executable) {
  drumlin_program_text given = {name, text, strlen(text)};
  drumlin_compile_request request = {.size = sizeof(request), .program = name, .text = &given};
  return drumlin_compile(&request, executable);
}

static int failed(const char *what, drumlin_error *error) {
  fprintf(stderr, "%s: %s: %s\n", what, error ? drumlin_error_code(error) : "no error",
          error ? drumlin_error_message(error) : "");
  return 1;
}

/* A handler of XLA's interface that adds a number from the run's user data. */
static XLA_FFI_TypeId number_type;

static XLA_FFI_Error *shift(XLA_FFI_CallFrame *frame) {
  if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return NULL;
  }
  XLA_FFI_ExecutionContext_Get_Args get = {.struct_size =
                                               XLA_FFI_ExecutionContext_Get_Args_STRUCT_SIZE,
                                           .ctx = frame->ctx,
                                           .type_id = &number_type};
  XLA_FFI_Error *error = frame->api->XLA_FFI_ExecutionContext_Get(&get);
  if (!error) {
    const float *x = ((XLA_FFI_Buffer *)frame->args.args[0])->data;
    float *y = ((XLA_FFI_Buffer *)frame->rets.rets[0])->data;
    y[0] = x[0] + *(float *)get.data;
    y[1] = x[1] + *(float *)get.data;
  }
  return error;
}

static const char shifted[] =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %y = stablehlo.custom_call @shift(%x) {api_version = 4 : i32, backend_config = {}} : "
    "(tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n";

static int user_data(void) {
  drumlin_executable *executable = NULL;
  drumlin_context *context = NULL;
  XLA_FFI_Type_Register_Args type = {.struct_size = XLA_FFI_Type_Register_Args_STRUCT_SIZE,
                                     .name = {"number", 6},
                                     .type_id = &number_type};
  drumlin_error *error;
  if (drumlin_ffi_api()->XLA_FFI_Type_Register(&type) ||
      (error = drumlin_register_custom_call("shift", 4, (void *)shift)) ||
      (error = compile("shifted.mlir", shifted, &executable)) ||
      (error = drumlin_context_create(executable, &context))) {
    return failed("a handler", error);
  }
  float x[2] = {1, 2}, y[2] = {0, 0}, number = 40;
  const void *args[] = {x};
  void *results[] = {y};
  error = drumlin_context_run(context, args, 1, results, 1);
  if (!error || strcmp(drumlin_error_code(error), "D6011") != 0) {
    return failed("no user data", error);
  }
  drumlin_error_free(error);
  if ((error = drumlin_context_set_user_data(context, number_type.type_id, &number)) ||
      (error = drumlin_context_run(context, args, 1, results, 1)) || y[0] != 41 || y[1] != 42) {
    return failed("user data", error);
  }
  if ((error = drumlin_context_set_user_data(NULL, number_type.type_id, &number)) == NULL) {
    return failed("no context", NULL);
  }
  drumlin_error_free(error);
  drumlin_context_free(context);
  drumlin_free(executable);
  return 0;
}

/* Copies its operand's bytes, here of 4-bit integers. */
static void see(void *result, const void **operands) { memcpy(result, operands[0], 4); }

static const char narrow[] = "func.func @main(%x: tensor<4xi4>) -> tensor<4xi8> {\n"
                             "  %y = stablehlo.custom_call @see(%x) : (tensor<4xi4>) -> "
                             "tensor<4xi8>\n"
                             "  return %y : tensor<4xi8>\n"
                             "}\n";

static int narrow_integers(void) {
  drumlin_executable *executable = NULL;
  signed char x[4] = {0x0f, 0x57, (signed char)0xf8, 0x10}, y[4] = {0},
              expected[4] = {-1, 7, -8, 0};
  const void *args[] = {x};
  void *results[] = {y};
  drumlin_error *error;
  if ((error = drumlin_register_custom_call("see", 1, (void *)see)) ||
      (error = compile("narrow.mlir", narrow, &executable)) ||
      (error = drumlin_run(executable, args, 1, results, 1)) || memcmp(y, expected, 4) != 0 ||
      x[0] != 0x0f) {
    return failed("integers of 4 bits", error);
  }
  drumlin_free(executable);
  return 0;
}

int main(void) {
  if (user_data() || narrow_integers()) {
    return 1;
  }
  drumlin_executable *executable = NULL;
  drumlin_error *error = compile("calls.mlir", program, &executable);
  if (!error || strcmp(drumlin_error_code(error), "D6009") != 0) {
    return failed("a call of nothing", error);
  }
  drumlin_error_free(error);
  if ((error = drumlin_register_custom_call("twice", 5, (void *)twice)) == NULL ||
      strcmp(drumlin_error_code(error), "D6010") != 0) {
    return failed("a convention that isn't", error);
  }
  drumlin_error_free(error);
  if ((error = drumlin_register_ffi_handler("twice", NULL)) == NULL ||
      strcmp(drumlin_error_code(error), "D6010") != 0) {
    return failed("a handler that isn't", error);
  }
  drumlin_error_free(error);
  if ((error = drumlin_register_custom_call("twice", 1, (void *)twice)) ||
      (error = drumlin_register_custom_call("twice", 1, (void *)twice))) {
    return failed("registration", error);
  }
  if ((error = drumlin_register_custom_call("twice", 2, (void *)twice)) == NULL ||
      strcmp(drumlin_error_code(error), "D6010") != 0) {
    return failed("a name that is taken", error);
  }
  drumlin_error_free(error);
  if ((error = compile("calls.mlir", program, &executable))) {
    return failed("compilation", error);
  }
  if (drumlin_argument_count(executable) != 1 || drumlin_result_count(executable) != 1) {
    return failed("a token is a value", NULL);
  }
  float x[2] = {1, 2}, y[2] = {0, 0};
  const void *args[] = {x};
  void *results[] = {y};
  error = drumlin_run(executable, args, 1, results, 1);
  if (!error || strcmp(drumlin_error_code(error), "D6009") != 0) {
    return failed("a transfer to nobody", error);
  }
  drumlin_error_free(error);
  struct log log = {"", 0};
  if ((error = drumlin_on_transfer(executable, transfer, &log)) ||
      (error = drumlin_run(executable, args, 1, results, 1))) {
    return failed("run", error);
  }
  const char *expected =
      "infeed first -1 2 f32;outfeed sum -1 2 f32;11 22;send  5 1 f32;11 22;recv  6 1 f32;";
  if (strcmp(log.text, expected) != 0 || y[0] != 200 || y[1] != 400) {
    fprintf(stderr, "%s\n%g %g\n", log.text, y[0], y[1]);
    return 1;
  }
  log.fails = 1;
  error = drumlin_run(executable, args, 1, results, 1);
  if (!error || strcmp(drumlin_error_code(error), "D6011") != 0 ||
      !strstr(drumlin_error_message(error), "nobody is there")) {
    return failed("a transfer that fails", error);
  }
  drumlin_error_free(error);
  drumlin_free(executable);
  puts("ok");
  return 0;
}
