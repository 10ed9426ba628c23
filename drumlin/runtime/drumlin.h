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
 * No input aborts the process. Where a pointer is NULL that must lead somewhere, such a function
 * returns an error, and one that frees does nothing. Others answer as for a program without name,
 * arguments, results and processes, or an error without texts: "", NULL or 0. Threads: all
 * functions may be called from several threads at once, for one executable too, whose runs then run
 * at once; a context has one run at a time; the function that frees an object is the last that is
 * called with it. Not to be used in a child process made by fork after loading.
 *
 * Memory: an allocation that fails while an image is loaded or a program runs is the error D1005,
 * and the process goes on. One that fails while drumlin_compile or drumlin_command works ends the
 * process with status 6, after a line `error D1005` on standard error: LLVM can't be unwound. The
 * option `compile-memory` ends compilations before, with an error. */
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
typedef struct drumlin_context drumlin_context;
typedef struct drumlin_event drumlin_event;

/* Zero-initialize it, then set `size` to sizeof(drumlin_load_options). */
typedef struct drumlin_load_options {
  size_t size;
  /* How many threads run the program, the callers counted in; 0: one for each processor. More than
   * 4096 are an error (D3015); where the system refuses a thread, there are fewer. Results don't
   * depend on it. Where as many callers run the program at once, each runs on its own thread. */
  uint32_t threads;
  /* Not 0: read all weights while loading and check that they are unchanged. An image that knows
   * its weights by samples alone is refused then (D6005). */
  uint32_t check_weights;
  /* Where the weights lie: the image's side file, or for an image of weights in place the file that
   * it was compiled with, which must not change while it is loaded. NULL: the image's path with
   * ".weights" added. */
  const char *weights_path;
  /* Each run needs memory for its intermediate values. What runs have used is kept for later ones:
   * one run's always, and of more at most so many bytes together. 0: 256 MiB. */
  size_t max_idle_bytes;
} drumlin_load_options;

/* One argument or result. The pointers live as long as the executable. */
typedef struct drumlin_value {
  const char *name;
  const char *type; /* "f32", "bf16", "i8", "ui8", "i1", "f8E4M3FN", "complex<f32>" … as StableHLO
                       spells them */
  const int64_t *dims; /* rank sizes, outermost first */
  size_t rank;
  size_t bytes; /* of all elements, without gaps; types narrower than a byte take one byte each; of
                   an integer of 2 or 4 bits only the low bits of it count */
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

/* Waits until runs that have begun are over, and the callbacks of their events: of calls of
 * drumlin_run and drumlin_run_async. Called from an event's callback it doesn't wait: the program
 * is then freed behind its last run. NULL is allowed. */
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
 * an error the results' contents are undefined. Calls from several threads run at once; what a run
 * reads, no other may write. */
DRUMLIN_EXPORT drumlin_error *drumlin_run(drumlin_executable *executable, const void *const *args,
                                          size_t arg_count, void *const *results,
                                          size_t result_count);

/* ---- Sizes that are known when the program runs.
 *
 * Of such a program the signature's `dims` and `bytes` are nominal: what schedules were chosen for.
 * drumlin_run() runs it at these sizes, the functions below at others. */

/* The sizes as expressions, `b, 2 * s, 16`: the program takes what satisfies them. NULL where they
 * are the same at every call, or there is no such argument or result. The string lives as long as
 * the executable. */
DRUMLIN_EXPORT const char *drumlin_argument_sizes(const drumlin_executable *executable,
                                                  size_t index);
DRUMLIN_EXPORT const char *drumlin_result_sizes(const drumlin_executable *executable, size_t index);

/* Where only a run tells how many elements of a result's dimension count, the first ones: the
 * number of the result, one i32, that holds it after the run. -1 where all count, or there is no
 * such result or dimension. Such results stand behind all others; the result itself is an array as
 * large as the signature says. */
DRUMLIN_EXPORT int64_t drumlin_result_counted_by(const drumlin_executable *executable, size_t index,
                                                 size_t dimension);

/* The sizes of a result that arguments of these sizes lead to: `rank` numbers, those of the
 * signature. `arg_dims` has one pointer for each argument, to as many sizes as its rank. D6007,
 * which names the argument, the dimension and what was expected, where the program doesn't take
 * them. */
DRUMLIN_EXPORT drumlin_error *drumlin_size_result(const drumlin_executable *executable,
                                                  const int64_t *const *arg_dims, size_t arg_count,
                                                  size_t result, int64_t *dims, size_t rank);

/* drumlin_run() with arguments of these sizes; results are as large as drumlin_size_result() says.
 */
DRUMLIN_EXPORT drumlin_error *drumlin_run_sized(drumlin_executable *executable,
                                                const void *const *args,
                                                const int64_t *const *arg_dims, size_t arg_count,
                                                void *const *results, size_t result_count);

/* ---- Programs of several processes (docs/processes.md).
 *
 * A program that was compiled for several replicas or partitions runs as so many processes, each a
 * thread. Where they communicate, the other functions that run it fail (D6030). */

DRUMLIN_EXPORT int64_t drumlin_replica_count(const drumlin_executable *executable);
DRUMLIN_EXPORT int64_t drumlin_partition_count(const drumlin_executable *executable);

/* Runs all processes at once, and returns when all have ended. `args` and `results` have those of
 * each process one behind the other, as many as drumlin_argument_count() and drumlin_result_count()
 * say for each: of replica 0's partitions, then of replica 1's, …. The same pointers may be
 * arguments of several processes. `arg_dims`: the sizes of one process's arguments, as for
 * drumlin_run_sized(), which are those of all; NULL: the nominal ones. Where a process fails, the
 * run fails with its error; where all that still run wait for each other, with D7005. */
DRUMLIN_EXPORT drumlin_error *drumlin_run_processes(drumlin_executable *executable,
                                                    const void *const *args,
                                                    const int64_t *const *arg_dims,
                                                    size_t arg_count, void *const *results,
                                                    size_t result_count);

/* ---- */

/* Says that a static argument has other elements behind a pointer that was passed before: runs that
 * begin from now on read them again. No run may use them while they change. Does nothing for
 * arguments that aren't static; D6007 where the program has no such argument. */
DRUMLIN_EXPORT drumlin_error *drumlin_argument_changed(drumlin_executable *executable,
                                                       size_t index);

/* Gives memory of runs that are over back to the system, also what max_idle_bytes would keep: later
 * ones take it again. Says how many bytes of intermediate values that were. NULL is allowed. */
DRUMLIN_EXPORT size_t drumlin_trim(drumlin_executable *executable);

/* ---- Contexts: a run's own memory, made beforehand. drumlin_run takes one that is idle, or makes
 * one, which may fail; a run in a context of the caller's takes no memory, unless pointers aren't
 * aligned. A context has one run at a time. It keeps the program loaded, also where the executable
 * was freed. */

DRUMLIN_EXPORT drumlin_error *drumlin_context_create(drumlin_executable *executable,
                                                     drumlin_context **context);
/* As drumlin_run. D6020 while another run has the context. */
DRUMLIN_EXPORT drumlin_error *drumlin_context_run(drumlin_context *context, const void *const *args,
                                                  size_t arg_count, void *const *results,
                                                  size_t result_count);
/* May be called while an asynchronous run has it, which isn't touched by that. NULL is allowed. */
DRUMLIN_EXPORT void drumlin_context_free(drumlin_context *context);

/* ---- Asynchronous runs. */

/* Zero-initialize it, then set `size` to sizeof(drumlin_run_request). */
typedef struct drumlin_run_request {
  size_t size;
  const void *const *args; /* as for drumlin_run */
  size_t arg_count;
  void *const *results;
  size_t result_count;
  drumlin_context *context; /* which the run has until its event is ready; NULL: any */
  /* The run begins when all of these are ready. Where one has an error, the program doesn't run,
   * and its event has that error. */
  drumlin_event *const *after;
  size_t after_count;
  const int64_t *const *arg_dims; /* as for drumlin_run_sized; NULL: the nominal sizes */
} drumlin_run_request;

/* Starts a run and returns. On success *event is the caller's, to be freed, and says when the run
 * is over; else it is NULL and nothing was started. The error is one of what the request says; what
 * happens in the run is the event's.
 * Lifetimes: the request, its arrays and the events in `after` may be freed when the function
 * returns. What args and results point to must stay until the event is ready: nobody may write to
 * arguments until then, nor read or write results and donated arguments.
 * Runs begin in the order in which they can, on threads of the executable's own, as many at once as
 * load_options.threads; where the system gives none, on the thread that calls. */
DRUMLIN_EXPORT drumlin_error *drumlin_run_async(drumlin_executable *executable,
                                                const drumlin_run_request *request,
                                                drumlin_event **event);

/* 1 when the run is over, else 0; 1 of NULL. */
DRUMLIN_EXPORT int drumlin_event_is_ready(const drumlin_event *event);
/* Waits until the run is over; its error, each time a new one for the caller to free, or NULL.
 * D6022 in a callback, where the run may never end before the callback does. */
DRUMLIN_EXPORT drumlin_error *drumlin_event_wait(drumlin_event *event);
/* Has `callback` called once when the run is over, with its error or NULL, which lives as long as
 * the call: on the run's thread, or at once on this one. Callbacks of an event are called in their
 * order. Other runs wait for the thread: a callback should be short. It may start runs and free
 * anything. */
DRUMLIN_EXPORT drumlin_error *
drumlin_event_on_ready(drumlin_event *event,
                       void (*callback)(void *context, const drumlin_error *error), void *context);
/* The run goes on, and callbacks are called. NULL is allowed. */
DRUMLIN_EXPORT void drumlin_event_free(drumlin_event *event);

/* ---- Code that programs call (docs/custom-calls.md). */

/* Registers code as the custom call of this name, for the programs that this process loads
 * afterwards. `api_version` is that of the program's `custom_call`, and says what `function` is:
 *   1: void (void *results, const void **operands)
 *   2: void (void *results, const void **operands, XlaCustomCallStatus *)
 *   3: void (void *results, const void **operands, const char *opaque, size_t opaque_size,
 *            XlaCustomCallStatus *)
 *      where `results` is the result's memory, or of several results an array of pointers;
 *   4: an XLA_FFI_Handler of XLA's foreign function interface, as XLA_FFI_DEFINE_HANDLER_SYMBOL
 *      defines it.
 * D6010 where the name has other code, or the version is none of these. */
DRUMLIN_EXPORT drumlin_error *drumlin_register_custom_call(const char *name, int api_version,
                                                           void *function);

/* The same for a handler with stages before its execution: an XLA_FFI_Handler_Bundle. */
struct XLA_FFI_Handler_Bundle;
DRUMLIN_EXPORT drumlin_error *
drumlin_register_ffi_handler(const char *name, const struct XLA_FFI_Handler_Bundle *bundle);

/* The same for handlers that come with a framework, for names that the runtime may have code for as
 * well: they are called where the runtime's code can't be or would be slower, unless the functions
 * above have registered other code of the name. */
DRUMLIN_EXPORT drumlin_error *
drumlin_register_ffi_alternative(const char *name, const struct XLA_FFI_Handler_Bundle *bundle);

/* Offers a LAPACK that comes with a framework, SciPy's say, for what programs compute with it: the
 * library of this file (copied) is loaded where `DRUMLIN_LAPACK` names none and the machine has no
 * fast one. Of no effect after the first computation that has found one. */
DRUMLIN_EXPORT void drumlin_offer_lapack(const char *file);

/* Has the runs in a context find an object: what handlers ask for as user data (`Ctx<UserData<T>>`)
 * of the type with this number, `T::id.type_id` once the type is registered. NULL: none. The object
 * is the caller's and must outlive the runs. D6020 while a run has the context. */
DRUMLIN_EXPORT drumlin_error *drumlin_context_set_user_data(drumlin_context *context,
                                                            int64_t type_id, void *data);

/* XLA's interface for handlers, as XLA_FFI_GetApi() would give it: for those that register
 * themselves. */
struct XLA_FFI_Api;
DRUMLIN_EXPORT const struct XLA_FFI_Api *drumlin_ffi_api(void);

/* What a running program transfers from or to the host. */
typedef struct drumlin_transfer {
  size_t size;        /* of this struct */
  const char *kind;   /* "infeed", "outfeed", "send" or "recv" */
  const char *config; /* `infeed_config` or `outfeed_config`, else "" */
  int64_t channel;    /* of "send" and "recv", else -1 */
  const drumlin_value *values;
  size_t count;
  int64_t process; /* which process transfers, as drumlin_run_processes numbers them; 0 of one */
} drumlin_transfer;

/* Fills the buffers ("infeed", "recv"), or takes what is in them ("outfeed", "send"): one for each
 * value, valid during the call. Returns NULL for success, else a message, which is copied; the run
 * then fails with it (D6011). */
typedef const char *(*drumlin_transfer_function)(void *context, const drumlin_transfer *transfer,
                                                 void *const *buffers);

/* Says what runs of this program call, on the thread that runs it, of several processes on the
 * thread of each, several at once; not while it runs. NULL: nothing, and a transfer is an error
 * (D6009). */
DRUMLIN_EXPORT drumlin_error *drumlin_on_transfer(drumlin_executable *executable,
                                                  drumlin_transfer_function function,
                                                  void *context);

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
