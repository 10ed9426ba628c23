/* Calls every function of drumlin.h with NULL for each of its pointers, one at a time and all at
 * once: each returns an error, or what the header says for NULL, and never crashes. Prints the
 * called functions, a line each, for the test to compare with the header. */
#include "drumlin/runtime/drumlin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                             "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
                             "  return %0 : tensor<4xf32>\n"
                             "}\n";

/* The arguments that the calls below pass where they don't pass NULL. */
static const char *path; /* of the image */
static drumlin_executable *executable;
static drumlin_context *context;
static drumlin_event *event;
static drumlin_error *error;
static float values[64] __attribute__((aligned(64))), made[64] __attribute__((aligned(64)));
static const void *args[] = {values};
static void *results[] = {made};
static int64_t dims[] = {4}, sizes[1];
static const int64_t *arg_dims[] = {dims};
static drumlin_value value;
static drumlin_executable *other;
static drumlin_context *other_context;
static drumlin_event *other_event;
static char *text;
static char *bytes;
static size_t byte_count;

static void ignore(void *data, const drumlin_error *result) { (void)data, (void)result; }
static const char *transfer(void *data, const drumlin_transfer *what, void *const *buffers) {
  (void)data, (void)what, (void)buffers;
  return NULL;
}
static void custom(void *to, const void **from) { (void)to, (void)from; }

static drumlin_run_request request(void) {
  drumlin_run_request made_request = {.size = sizeof(made_request),
                                      .args = args,
                                      .arg_count = 1,
                                      .results = results,
                                      .result_count = 1};
  return made_request;
}
static drumlin_compile_request compilation(void) {
  static const drumlin_program_text source = {"p", NULL, 0};
  static drumlin_program_text whole;
  whole = source;
  whole.bytes = program;
  whole.byte_count = strlen(program);
  drumlin_compile_request made_request = {
      .size = sizeof(made_request), .program = "p", .text = &whole};
  return made_request;
}

/* A count larger than any array: counts are checked before the array is read. */
#define MANY ((size_t)-1)

enum { FAILS, PASSES };
static int failures;
static const char *function, *call;

static void expect(int is_right) {
  if (!is_right) {
    fprintf(stderr, "%s: %s: differs from what the header says\n", function, call);
    _exit(1);
  }
}
static void check(int expected, drumlin_error *result) {
  expect((result != NULL) == (expected == FAILS));
  if (result) {
    expect(*drumlin_error_code(result) == 'D' && *drumlin_error_message(result) != '\0');
  }
  drumlin_error_free(result);
}

/* Runs a call in its own process, so that a crash doesn't end the other checks. */
#define ROW(name, ...)                                                                             \
  do {                                                                                             \
    function = #name, call = #__VA_ARGS__;                                                         \
    puts(#name);                                                                                   \
    fflush(stdout);                                                                                \
    pid_t child = fork();                                                                          \
    if (child == 0) {                                                                              \
      alarm(20);                                                                                   \
      __VA_ARGS__;                                                                                 \
      _exit(0);                                                                                    \
    }                                                                                              \
    int status = 0;                                                                                \
    waitpid(child, &status, 0);                                                                    \
    if (WIFSIGNALED(status)) {                                                                     \
      fprintf(stderr, "%s: %s: signal %d\n", function, call, WTERMSIG(status));                    \
    }                                                                                              \
    failures += status != 0;                                                                       \
  } while (0)
#define ERROR(name, ...) ROW(name, check(FAILS, name(__VA_ARGS__)))
#define DONE(name, ...) ROW(name, check(PASSES, name(__VA_ARGS__)))
#define GIVES(expected, name, ...) ROW(name, expect((expected) == name(__VA_ARGS__)))
#define GIVES_TEXT(expected, name, ...) ROW(name, expect(!strcmp(expected, name(__VA_ARGS__))))
#define IGNORED(name, ...) ROW(name, name(__VA_ARGS__))
#define REQUEST(...)                                                                               \
  ROW(drumlin_run_async, drumlin_run_request r = request(); __VA_ARGS__;                           \
      check(FAILS, drumlin_run_async(executable, &r, &other_event)); expect(other_event == NULL))
#define COMPILATION(expected, ...)                                                                 \
  ROW(drumlin_compile, drumlin_compile_request r = compilation(); __VA_ARGS__;                     \
      check(expected, drumlin_compile(&r, &other)))

static void load_rows(void) {
  ERROR(drumlin_load, NULL, NULL, &other);
  ERROR(drumlin_load, path, NULL, NULL);
  DONE(drumlin_load, path, NULL, &other);
  ERROR(drumlin_load_memory, NULL, 100, NULL, &other);
  ERROR(drumlin_load_memory, NULL, 0, NULL, &other);
  ERROR(drumlin_load_memory, bytes, byte_count, NULL, NULL);
  DONE(drumlin_load_memory, bytes, byte_count, NULL, &other);
  IGNORED(drumlin_free, NULL);
  ROW(drumlin_version, expect(drumlin_version() != NULL));
}

static void signature_rows(void) {
  GIVES_TEXT("", drumlin_program_name, NULL);
  GIVES(0, drumlin_argument_count, NULL);
  GIVES(0, drumlin_result_count, NULL);
  GIVES(0, drumlin_argument, NULL, 0, &value);
  GIVES(0, drumlin_argument, executable, 0, NULL);
  GIVES(0, drumlin_result, NULL, 0, &value);
  GIVES(0, drumlin_result, executable, 0, NULL);
  GIVES(NULL, drumlin_argument_sizes, NULL, 0);
  GIVES(NULL, drumlin_result_sizes, NULL, 0);
  GIVES(-1, drumlin_result_counted_by, NULL, 0, 0);
  GIVES(-1, drumlin_result_counted_by, executable, 0, 0);
  GIVES(0, drumlin_replica_count, NULL);
  GIVES(0, drumlin_partition_count, NULL);
  GIVES(0, drumlin_trim, NULL);
  ERROR(drumlin_argument_changed, NULL, 0);
}

static void run_rows(void) {
  const void *no_args[] = {NULL};
  void *no_results[] = {NULL};
  const int64_t *no_dims[] = {NULL};
  ERROR(drumlin_run, NULL, args, 1, results, 1);
  ERROR(drumlin_run, executable, NULL, 1, results, 1);
  ERROR(drumlin_run, executable, args, 1, NULL, 1);
  ERROR(drumlin_run, executable, no_args, 1, results, 1);
  ERROR(drumlin_run, executable, args, 1, no_results, 1);
  ERROR(drumlin_run, executable, args, MANY, results, MANY);
  ERROR(drumlin_size_result, NULL, arg_dims, 1, 0, sizes, 1);
  ERROR(drumlin_size_result, executable, NULL, 1, 0, sizes, 1);
  ERROR(drumlin_size_result, executable, no_dims, 1, 0, sizes, 1);
  ERROR(drumlin_size_result, executable, arg_dims, 1, 0, NULL, 1);
  ERROR(drumlin_size_result, executable, arg_dims, MANY, 0, sizes, 1);
  ERROR(drumlin_run_sized, NULL, args, arg_dims, 1, results, 1);
  ERROR(drumlin_run_sized, executable, NULL, arg_dims, 1, results, 1);
  ERROR(drumlin_run_sized, executable, args, NULL, 1, results, 1);
  ERROR(drumlin_run_sized, executable, args, no_dims, 1, results, 1);
  ERROR(drumlin_run_sized, executable, args, arg_dims, 1, NULL, 1);
  ERROR(drumlin_run_processes, NULL, args, arg_dims, 1, results, 1);
  ERROR(drumlin_run_processes, executable, NULL, arg_dims, 1, results, 1);
  DONE(drumlin_run_processes, executable, args, NULL, 1, results, 1);
  ERROR(drumlin_run_processes, executable, args, no_dims, 1, results, 1);
  ERROR(drumlin_run_processes, executable, args, arg_dims, 1, NULL, 1);
  ERROR(drumlin_run_processes, executable, args, arg_dims, MANY, results, MANY);
}

static void context_rows(void) {
  ERROR(drumlin_context_create, NULL, &other_context);
  ERROR(drumlin_context_create, executable, NULL);
  ERROR(drumlin_context_run, NULL, args, 1, results, 1);
  ERROR(drumlin_context_run, context, NULL, 1, results, 1);
  ERROR(drumlin_context_run, context, args, 1, NULL, 1);
  ERROR(drumlin_context_run, context, args, MANY, results, MANY);
  IGNORED(drumlin_context_free, NULL);
  ERROR(drumlin_context_set_user_data, NULL, 1, values);
  DONE(drumlin_context_set_user_data, context, 1, NULL);
}

static void event_rows(void) {
  static drumlin_event *no_events[] = {NULL};
  ROW(drumlin_run_async, drumlin_run_request r = request();
      check(FAILS, drumlin_run_async(NULL, &r, &other_event)));
  ERROR(drumlin_run_async, executable, NULL, &other_event);
  ROW(drumlin_run_async, drumlin_run_request r = request();
      check(FAILS, drumlin_run_async(executable, &r, NULL)));
  REQUEST(r.args = NULL);
  REQUEST(r.results = NULL);
  REQUEST(r.arg_count = MANY);
  REQUEST(r.result_count = MANY);
  REQUEST(r.arg_count = (size_t)1 << 60);
  REQUEST(r.arg_count = 1000000);
  REQUEST(r.after_count = 1);
  REQUEST(r.after = no_events, r.after_count = 1);
  REQUEST(const int64_t *none[] = {NULL}; r.arg_dims = none);
  REQUEST(r.size = 0);
  GIVES(1, drumlin_event_is_ready, NULL);
  ERROR(drumlin_event_wait, NULL);
  ERROR(drumlin_event_on_ready, NULL, ignore, NULL);
  ERROR(drumlin_event_on_ready, event, NULL, NULL);
  DONE(drumlin_event_on_ready, event, ignore, NULL);
  IGNORED(drumlin_event_free, NULL);
}

static void host_code_rows(void) {
  void *code;
  void (*typed)(void *, const void **) = custom;
  memcpy(&code, &typed, sizeof(code));
  ERROR(drumlin_register_custom_call, NULL, 1, code);
  ERROR(drumlin_register_custom_call, "f", 1, NULL);
  DONE(drumlin_register_custom_call, "f", 1, code);
  ERROR(drumlin_register_ffi_handler, "g", NULL);
  ERROR(drumlin_register_ffi_handler, NULL, NULL);
  ERROR(drumlin_register_ffi_alternative, "g", NULL);
  ERROR(drumlin_register_ffi_alternative, NULL, NULL);
  IGNORED(drumlin_offer_lapack, NULL);
  ROW(drumlin_ffi_api, expect(drumlin_ffi_api() != NULL));
  ERROR(drumlin_on_transfer, NULL, transfer, NULL);
  DONE(drumlin_on_transfer, executable, NULL, NULL);
}

static void compile_rows(void) {
  static const char *const words[] = {"plan", NULL}, *const none[] = {NULL};
  static const drumlin_program_text nothing = {NULL, NULL, 1}, unnamed = {NULL, "x", 1},
                                    empty = {"p", NULL, 5};
  ERROR(drumlin_compile, NULL, &other);
  ROW(drumlin_compile, drumlin_compile_request r = compilation();
      check(FAILS, drumlin_compile(&r, NULL)));
  COMPILATION(PASSES, (void)r);
  COMPILATION(FAILS, r.program = NULL);
  COMPILATION(FAILS, r.text = NULL);
  COMPILATION(FAILS, r.text = &nothing);
  COMPILATION(FAILS, r.text = &unnamed);
  COMPILATION(FAILS, r.text = &empty);
  COMPILATION(FAILS, r.option_count = 1);
  COMPILATION(FAILS, r.option_names = none, r.option_count = 1);
  COMPILATION(FAILS, r.size = 0);
  ERROR(drumlin_command, NULL, 1, NULL, 0, &text);
  ERROR(drumlin_command, words, 2, NULL, 0, &text);
  ERROR(drumlin_command, words, 1, NULL, 1, &text);
  ERROR(drumlin_command, words, 1, &unnamed, 1, &text);
  ERROR(drumlin_command, words, 1, NULL, 0, NULL);
  IGNORED(drumlin_text_free, NULL);
}

static void error_rows(void) {
  GIVES_TEXT("", drumlin_error_code, NULL);
  GIVES_TEXT("", drumlin_error_message, NULL);
  GIVES_TEXT("", drumlin_error_location, NULL);
  GIVES_TEXT("", drumlin_error_remedy, NULL);
  GIVES(0, drumlin_error_status, NULL);
  IGNORED(drumlin_error_free, NULL);
}

int main(int count, char **words) {
  path = words[count - 1];
  /* Compiles in another process: the rows run in forks of this one, which lack its threads. */
  pid_t child = fork();
  if (child == 0) {
    drumlin_compile_request r = compilation();
    r.output = path;
    _exit(drumlin_compile(&r, NULL) != NULL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  FILE *file = status == 0 ? fopen(path, "rb") : NULL;
  bytes = malloc(1 << 20);
  byte_count = file ? fread(bytes, 1, 1 << 20, file) : 0;
  drumlin_load_options options = {.size = sizeof(options), .threads = 1};
  if (byte_count == 0 || drumlin_load(path, &options, &executable) ||
      drumlin_context_create(executable, &context)) {
    return 2;
  }
  fclose(file);
  drumlin_run_request r = request();
  if (drumlin_run_async(executable, &r, &event) || drumlin_event_wait(event)) {
    return 3;
  }
  (void)error;
  load_rows();
  signature_rows();
  run_rows();
  context_rows();
  event_rows();
  host_code_rows();
  compile_rows();
  error_rows();
  return failures != 0;
}
