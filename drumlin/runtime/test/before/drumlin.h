/* Drumlin's C interface: load a compiled image and run it, which takes libdrumlin_runtime alone, no
 * compiler; and compile programs, which takes libdrumlin, the same with the compiler in it. Link
 * one of the two.
 *
 *   drumlin_executable *program;
 *   drumlin_error *error = drumlin_load("model.so", NULL, &program);
 *   if (!error) {
 *     const void *args[] = {x};
 *     void *results[] = {y};
 *     error = drumlin_run(program, args, 1, results, 1);
 *     drumlin_free(program);
 *   }
 *   if (error) {
 *     fprintf(stderr, "%s: %s\n", drumlin_error_code(error), drumlin_error_message(error));
 *     drumlin_error_free(error);
 *   }
 *
 * Trust: an image is native code, which runs with all rights of the process. Its seal finds damage,
 * not malice: load only images that you would load as shared libraries.
 *
 * Errors: a function that can fail returns NULL for success, else an error that the caller frees.
 * No input aborts the process. Threads: different executables may be used from different threads at
 * once; calls of drumlin_run on one executable run one after another; drumlin_free must be the last
 * use. Not to be used in a child process made by fork after loading. */
#ifndef DRUMLIN_DRUMLIN_H
#define DRUMLIN_DRUMLIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRUMLIN_EXPORT __attribute__((visibility("default")))

typedef struct drumlin_executable drumlin_executable;
typedef struct drumlin_error drumlin_error;

/* Zero-initialize it, then set `size` to sizeof(drumlin_load_options). */
typedef struct drumlin_load_options {
  size_t size;
  /* How many threads run the program, the caller counted in; 0: one for each processor. More than
   * 4096 are an error (D3015); where the system refuses a thread, there are fewer. Results don't
   * depend on it. */
  uint32_t threads;
  /* Not 0: read all weights while loading and check that they are unchanged. An image that knows
   * its weights by samples alone is refused then (D6005). */
  uint32_t check_weights;
  /* Where the weights lie: the image's side file, or for an image of weights in place the file that
   * it was compiled with, which must not change while it is loaded. NULL: the image's path with
   * ".weights" added. */
  const char *weights_path;
} drumlin_load_options;

/* One argument or result. The pointers live as long as the executable. */
typedef struct drumlin_value {
  const char *name;
  const char *type; /* "f32", "bf16", "i8", "ui8", "i1", "f8E4M3FN", "complex<f32>" … as StableHLO
                       spells them */
  const int64_t *dims; /* rank sizes, outermost first */
  size_t rank;
  size_t bytes; /* of all elements, without gaps; types narrower than a byte take one byte each */
  int64_t donated_to;    /* arguments: the result that takes over this argument's memory, else -1 */
  const int64_t *layout; /* the dimensions in memory, slowest first; NULL: row-major */
  int is_static; /* arguments: the same at every call. The runtime lays it out once, when it first
                    sees the pointer, and keeps what it made of the last two. Its elements must not
                    change afterwards, but for drumlin_argument_changed() */
} drumlin_value;

/* The library's version, such as "0.1.0". */
DRUMLIN_EXPORT const char *drumlin_version(void);

/* Loads an image: a copy of the file, which may be replaced or removed afterwards. `options` may be
 * NULL. On success *executable is the caller's, to be freed; else it is NULL. */
DRUMLIN_EXPORT drumlin_error *drumlin_load(const char *path, const drumlin_load_options *options,
                                           drumlin_executable **executable);

/* The same from memory, which is copied and may be freed afterwards. */
DRUMLIN_EXPORT drumlin_error *drumlin_load_memory(const void *image, size_t size,
                                                  const drumlin_load_options *options,
                                                  drumlin_executable **executable);

/* NULL is allowed. */
DRUMLIN_EXPORT void drumlin_free(drumlin_executable *executable);

/* The signature. */
DRUMLIN_EXPORT const char *drumlin_program_name(const drumlin_executable *executable);
DRUMLIN_EXPORT size_t drumlin_argument_count(const drumlin_executable *executable);
DRUMLIN_EXPORT size_t drumlin_result_count(const drumlin_executable *executable);
/* 1 and *value filled in; 0 where there is no such argument or result. */
DRUMLIN_EXPORT int drumlin_argument(const drumlin_executable *executable, size_t index,
                                    drumlin_value *value);
DRUMLIN_EXPORT int drumlin_result(const drumlin_executable *executable, size_t index,
                                  drumlin_value *value);

/* Runs the program: one pointer for each argument and result, all the caller's, each with as many
 * bytes as its value says. Pointers should be multiples of 64; others work at the price of a copy.
 * Results must overlap neither each other nor arguments, except that a donated argument and its
 * result may be the same pointer; where they aren't, the argument is copied and stays as it was. On
 * an error the results' contents are undefined. */
DRUMLIN_EXPORT drumlin_error *drumlin_run(drumlin_executable *executable, const void *const *args,
                                          size_t arg_count, void *const *results,
                                          size_t result_count);

/* Says that a static argument has other elements behind a pointer that was passed before: the next
 * run reads them again. Does nothing for arguments that aren't static; D6007 where the program has
 * no such argument. */
DRUMLIN_EXPORT drumlin_error *drumlin_argument_changed(drumlin_executable *executable,
                                                       size_t index);

/* ---- Compiling: in libdrumlin only. */

/* A program's file in memory: StableHLO as text, bytecode or a portable artifact. `name` stands for
 * it in requests, commands and messages, instead of a file's path. */
typedef struct drumlin_program_text {
  const char *name;
  const void *bytes;
  size_t byte_count;
} drumlin_program_text;

/* Zero-initialize it, then set `size` to sizeof(drumlin_compile_request). */
typedef struct drumlin_compile_request {
  size_t size;
  const char *program;              /* the path of a program's file, or `text`'s name */
  const drumlin_program_text *text; /* NULL: `program` is read from the file */
  /* The long options of `drumlin compile` by their names without `--`, with the same values and
   * meanings; a flag's value is NULL. An option that may be repeated is given several times. */
  const char *const *option_names;
  const char *const *option_values;
  size_t option_count;
  const char *output; /* where the image is written to, its weights beside it; NULL: nowhere */
  const drumlin_load_options *load; /* for the program that is returned; may be NULL */
  /* Called with what stops nothing, before drumlin_compile returns; may be NULL. The warning lives
   * as long as the call. */
  void (*warn)(void *context, const drumlin_error *warning);
  void *context; /* for `warn` */
} drumlin_compile_request;

/* Compiles a program: into a file (request->output), to be run at once (*executable, the caller's
 * to be freed), or both; `executable` may be NULL if there is an output. Compilations and commands
 * of a process run one after another; each uses several threads. */
DRUMLIN_EXPORT drumlin_error *drumlin_compile(const drumlin_compile_request *request,
                                              drumlin_executable **executable);

/* Runs a command of the command line, such as {"cost", "model.mlir", "--json"}; `texts` are
 * programs in memory, which the words name. *output gets what the command prints, also where it
 * then fails (as `check` does where numbers differ), to be freed by drumlin_text_free(). */
DRUMLIN_EXPORT drumlin_error *drumlin_command(const char *const *words, size_t word_count,
                                              const drumlin_program_text *texts, size_t text_count,
                                              char **output);
/* NULL is allowed. */
DRUMLIN_EXPORT void drumlin_text_free(char *text);

/* ---- Errors. */

/* An error's parts; the strings live as long as it. */
DRUMLIN_EXPORT const char *drumlin_error_code(const drumlin_error *error); /* stable: "D6004" */
DRUMLIN_EXPORT const char *
drumlin_error_message(const drumlin_error *error); /* what was seen and expected */
DRUMLIN_EXPORT const char *drumlin_error_location(const drumlin_error *error); /* a path, or "" */
DRUMLIN_EXPORT const char *drumlin_error_remedy(const drumlin_error *error);   /* what to do */
/* The error's class, as the command line's exit status. */
DRUMLIN_EXPORT int drumlin_error_status(const drumlin_error *error);
/* NULL is allowed. */
DRUMLIN_EXPORT void drumlin_error_free(drumlin_error *error);

#ifdef __cplusplus
}
#endif

#endif
