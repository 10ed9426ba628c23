/* Compiles programs and runs commands with the C interface. Prints `ok`, or the first check that
 * failed. */
#define _POSIX_C_SOURCE 200809L /* setenv, chmod */
#include <drumlin/runtime/drumlin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHECK(condition)                                                                           \
  if (!(condition)) {                                                                              \
    printf("line %d: %s\n", __LINE__, #condition);                                                 \
    return 1;                                                                                      \
  }

static const char add[] =
    "module @add {\n"
    "  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
    "    return %0 : tensor<4xf32>\n"
    "  }\n"
    "}\n";
static const char broken[] = "func.func @main() {\n  %0 = stablehlo.nothing\n}\n";

static drumlin_compile_request requestOf(const drumlin_program_text *text) {
  drumlin_compile_request request = {0};
  request.size = sizeof(request);
  request.program = text->name;
  request.text = text;
  return request;
}

/* Compares an error's code, place and status, prints it if they differ, and frees it. */
static int isError(drumlin_error *error, const char *code, const char *place, int status) {
  if (!error) {
    return 0;
  }
  int same = strcmp(drumlin_error_code(error), code) == 0 &&
             strcmp(drumlin_error_location(error), place) == 0 &&
             drumlin_error_status(error) == status && drumlin_error_message(error)[0] &&
             drumlin_error_remedy(error)[0];
  if (!same) {
    printf("%s: %s %s (%d)\n", drumlin_error_location(error), drumlin_error_code(error),
           drumlin_error_message(error), drumlin_error_status(error));
  }
  drumlin_error_free(error);
  return same;
}

static int addsUp(drumlin_executable *program) {
  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, sum[4] = {0};
  const void *args[] = {a, b};
  void *results[] = {sum};
  return !drumlin_run(program, args, 2, results, 1) && sum[0] == 11 && sum[3] == 44;
}

static int compiles(const char *output) {
  drumlin_program_text text = {"add.mlir", add, sizeof(add) - 1};
  const char *names[] = {"numerics", "no-cache", "disable-pass", "disable-pass"};
  const char *values[] = {"strict", NULL, "cse", "fold-constants"};
  drumlin_compile_request request = requestOf(&text);
  request.option_names = names;
  request.option_values = values;
  request.option_count = 4;
  drumlin_executable *program = NULL;
  CHECK(!drumlin_compile(&request, &program) && program && addsUp(program));
  CHECK(strcmp(drumlin_program_name(program), "add") == 0);
  drumlin_free(program);

  request.output = output;
  CHECK(!drumlin_compile(&request, NULL));
  CHECK(!drumlin_load(output, NULL, &program) && addsUp(program));
  drumlin_free(program);
  return 0;
}

static void count(void *context, const drumlin_error *warning) {
  *(int *)context += strcmp(drumlin_error_code(warning), "D1008") == 0;
}

static int warns(void) {
  drumlin_program_text text = {"add.mlir", add, sizeof(add) - 1};
  drumlin_compile_request request = requestOf(&text);
  int warnings = 0;
  request.warn = count;
  request.context = &warnings;
  drumlin_executable *program = NULL;
  /* A kernel cache that other users may write to isn't used. */
  CHECK(mkdir("open", 0700) == 0 && chmod("open", 0777) == 0);
  CHECK(setenv("DRUMLIN_CACHE", "open", 1) == 0);
  CHECK(!drumlin_compile(&request, &program) && warnings > 0);
  drumlin_free(program);
  return 0;
}

static int refuses(void) {
  drumlin_program_text text = {"add.mlir", add, sizeof(add) - 1},
                       wrong = {"broken.mlir", broken, sizeof(broken) - 1};
  drumlin_executable *program = (drumlin_executable *)1;
  drumlin_compile_request request = requestOf(&wrong);
  CHECK(isError(drumlin_compile(&request, &program), "D4002", "broken.mlir:2:8", 4) && !program);
  request = requestOf(&text);
  request.text = NULL; /* names a file that doesn't exist */
  CHECK(isError(drumlin_compile(&request, &program), "D1001", "add.mlir", 1));
  request = requestOf(&text);
  CHECK(isError(drumlin_compile(&request, NULL), "D6007", "", 3));
  CHECK(isError(drumlin_compile(NULL, &program), "D6007", "", 3));
  const char *names[] = {"optimize-harder"}, *values[] = {NULL};
  request.option_names = names;
  request.option_values = values;
  request.option_count = 1;
  CHECK(isError(drumlin_compile(&request, &program), "D3023", "--optimize-harder", 2));
  names[0] = "target-cpu";
  values[0] = "abacus";
  CHECK(isError(drumlin_compile(&request, &program), "D3001", "--target-cpu", 2));
  names[0] = "stop-after";
  values[0] = "layout";
  CHECK(isError(drumlin_compile(&request, &program), "D3002", "--stop-after", 2) && !program);
  return 0;
}

static int runsCommands(void) {
  drumlin_program_text text = {"add.mlir", add, sizeof(add) - 1};
  const char *words[] = {"cost", "add.mlir", "--json"};
  char *output = NULL;
  CHECK(!drumlin_command(words, 3, &text, 1, &output) && output && output[0] == '{');
  drumlin_text_free(output);
  words[2] = "--help";
  CHECK(!drumlin_command(words, 3, NULL, 0, &output) && strstr(output, "--json"));
  drumlin_text_free(output);
  words[2] = "--interpret";
  CHECK(isError(drumlin_command(words, 3, &text, 1, &output), "D3023", "--interpret", 2));
  drumlin_text_free(output);
  words[0] = "brew";
  CHECK(isError(drumlin_command(words, 2, &text, 1, &output), "D3023", "brew", 2));
  drumlin_text_free(output);
  drumlin_text_free(NULL);
  return 0;
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  if (compiles(argv[1]) || refuses() || runsCommands() || warns()) {
    return 1;
  }
  printf("ok\n");
  return 0;
}
