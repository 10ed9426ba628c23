/* Drumlin's C interface. Loading and running a compiled image needs only libdrumlin_runtime, which
 * has no compiler; compiling programs needs libdrumlin, which also contains the runtime. Link one
 * of the two.
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
 * Trust: an image is native code that runs with all rights of the process. Its seal detects damage,
 * not malice: load only images that you would load as shared libraries.
 *
 * Errors: a function that can fail returns NULL for success, else an error that the caller frees.
 * No input aborts the process. Given NULL for a required pointer, a function that can fail returns
 * an error, a function that frees does nothing, and all other functions return "", NULL or 0, as
 * for an empty program or error. Threads: all functions may be called from several threads at once,
 * also for the same executable, whose runs are then concurrent; a context has one run at a time; no
 * call may use an object after the call that frees it. Do not use the library in a child process
 * forked after loading.
 *
 * Memory: an allocation that fails while an image is loaded or a program runs is the error D1005,
 * and the process continues. An allocation that fails inside drumlin_compile or drumlin_command
 * ends the process with status 6, after a line `error D1005` on standard error, because LLVM can't
 * be unwound. The option `compile-memory` ends compilations earlier, with an error. */
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
  /* The number of threads that run the program, including the callers; 0: one for each processor.
   * A number above 4096 is an error (D3015). If the system refuses threads, the program runs on
   * fewer. Results don't depend on the number of threads. If this many callers run the program at
   * once, each run uses only its caller's thread. */
  uint32_t threads;
  /* Not 0: reads all weights while loading and checks that they are unchanged. An image that has
   * only samples of its weights, not their hashes, is then refused (D6005). */
  uint32_t check_weights;
  /* The path of the weights: the image's side file or, for an image compiled with weights in place,
   * the file that it was compiled with, which must not change while the image is loaded. NULL: the
   * image's path with ".weights" added. */
  const char *weights_path;
  /* The limit in bytes on idle memory for intermediate values. Memory that runs have used is kept
   * for later runs: always enough for one run, and at most this much beyond that. 0: 256 MiB. */
  size_t max_idle_bytes;
} drumlin_load_options;

/* One argument or result. The pointers live as long as the executable. */
typedef struct drumlin_value {
  const char *name;
  const char *type;    /* as in StableHLO: "f32", "bf16", "i8", "ui8", "i1", "f8E4M3FN",
                          "complex<f32>" … */
  const int64_t *dims; /* rank sizes, outermost first */
  size_t rank;
  size_t bytes; /* of all elements, without gaps; an element narrower than a byte takes one byte, of
                   which only the low bits count if it is an integer of 2 or 4 bits */
  int64_t donated_to;    /* arguments: the result that takes over this argument's memory, else -1 */
  const int64_t *layout; /* the dimensions in memory, slowest first; NULL: row-major */
  int is_static; /* arguments: 1 if the elements are the same at every call. When the runtime first
                    sees a pointer, it copies the elements to the layout that the program's code
                    takes, and it keeps the copies for the last two pointers. The elements must not
                    change afterwards, except as drumlin_argument_changed() allows */
} drumlin_value;

/* The library's version, such as "0.1.0". */
DRUMLIN_EXPORT const char *drumlin_version(void);

/* Loads an image. The file is copied, and may be replaced or removed afterwards. `options` may be
 * NULL. On success the caller owns *executable and must free it; on an error it is NULL. */
DRUMLIN_EXPORT drumlin_error *drumlin_load(const char *path, const drumlin_load_options *options,
                                           drumlin_executable **executable);

/* Loads an image from memory, which is copied and may be freed afterwards. */
DRUMLIN_EXPORT drumlin_error *drumlin_load_memory(const void *image, size_t size,
                                                  const drumlin_load_options *options,
                                                  drumlin_executable **executable);

/* Waits until runs begun by drumlin_run and drumlin_run_async and the callbacks of their events
 * have ended, then frees the program. Called from an event's callback it doesn't wait: the program
 * is then freed after its last run. NULL is allowed. */
DRUMLIN_EXPORT void drumlin_free(drumlin_executable *executable);

/* The program's signature. */
DRUMLIN_EXPORT const char *drumlin_program_name(const drumlin_executable *executable);
DRUMLIN_EXPORT size_t drumlin_argument_count(const drumlin_executable *executable);
DRUMLIN_EXPORT size_t drumlin_result_count(const drumlin_executable *executable);
/* Returns 1 and fills in *value, or returns 0 if there is no such argument or result. */
DRUMLIN_EXPORT int drumlin_argument(const drumlin_executable *executable, size_t index,
                                    drumlin_value *value);
DRUMLIN_EXPORT int drumlin_result(const drumlin_executable *executable, size_t index,
                                  drumlin_value *value);

/* Runs the program with one pointer for each argument and result. The caller owns all of this
 * memory; each pointer must have the `bytes` of its drumlin_value. Pointers should be multiples of
 * 64; others work at the price of a copy. Results must overlap neither each other nor arguments,
 * except that a donated argument and its result may be the same pointer; if they differ, the
 * argument is copied and stays unchanged. On an error the results' contents are undefined. Calls
 * from several threads run concurrently; no run may write what another reads. */
DRUMLIN_EXPORT drumlin_error *drumlin_run(drumlin_executable *executable, const void *const *args,
                                          size_t arg_count, void *const *results,
                                          size_t result_count);

/* ---- Dynamic sizes, known only when the program runs.
 *
 * In the signature of such a program, `dims` and `bytes` are nominal: the sizes that schedules were
 * chosen for. drumlin_run() uses the nominal sizes, the functions below use other sizes. */

/* Returns the sizes as expressions, such as `b, 2 * s, 16`: the program takes arguments that
 * satisfy them. NULL if the sizes are the same at every call, or there is no such argument or
 * result. The string lives as long as the executable. */
DRUMLIN_EXPORT const char *drumlin_argument_sizes(const drumlin_executable *executable,
                                                  size_t index);
DRUMLIN_EXPORT const char *drumlin_result_sizes(const drumlin_executable *executable, size_t index);

/* If a run determines how many leading elements of a result's dimension are valid, returns the
 * index of the result, one i32, that holds this number after the run. Returns -1 if all are valid,
 * or there is no such result or dimension. Results that hold such numbers follow all others; the
 * counted result is an array of the full size that the signature says. */
DRUMLIN_EXPORT int64_t drumlin_result_counted_by(const drumlin_executable *executable, size_t index,
                                                 size_t dimension);

/* Computes the sizes of a result from the arguments' sizes, and writes them to `dims`; `rank` is
 * the result's rank in the signature. `arg_dims` has one pointer for each argument, to an array of
 * that argument's rank. If the program doesn't take these sizes, returns D6007, which names the
 * argument, the dimension and the expected size. */
DRUMLIN_EXPORT drumlin_error *drumlin_size_result(const drumlin_executable *executable,
                                                  const int64_t *const *arg_dims, size_t arg_count,
                                                  size_t result, int64_t *dims, size_t rank);

/* Runs the program with arguments of these sizes; drumlin_size_result() computes the sizes of the
 * results. */
DRUMLIN_EXPORT drumlin_error *drumlin_run_sized(drumlin_executable *executable,
                                                const void *const *args,
                                                const int64_t *const *arg_dims, size_t arg_count,
                                                void *const *results, size_t result_count);

/* ---- Programs of several processes (docs/processes.md).
 *
 * A program compiled for several replicas or partitions runs as one process for each pair of
 * replica and partition; each process is a thread. If they communicate, only
 * drumlin_run_processes() can run the program; other functions fail (D6030). */

DRUMLIN_EXPORT int64_t drumlin_replica_count(const drumlin_executable *executable);
DRUMLIN_EXPORT int64_t drumlin_partition_count(const drumlin_executable *executable);

/* Runs all processes at once, and returns when all have ended. `args` and `results` concatenate the
 * pointers of all processes: first of replica 0's partitions, then of replica 1's, …; each process
 * has drumlin_argument_count() arguments and drumlin_result_count() results. Several processes may
 * share argument pointers. `arg_dims`: the sizes of one process's arguments, as for
 * drumlin_run_sized(), the same for all processes; NULL: the nominal sizes. If a process fails, the
 * run fails with its error; if all unfinished processes wait for each other, with D7005. */
DRUMLIN_EXPORT drumlin_error *drumlin_run_processes(drumlin_executable *executable,
                                                    const void *const *args,
                                                    const int64_t *const *arg_dims,
                                                    size_t arg_count, void *const *results,
                                                    size_t result_count);

/* ---- */

/* Announces that the elements behind a static argument's pointer have changed: runs that begin from
 * now on read them again. No run may use them while they change. Does nothing for arguments that
 * aren't static. Fails with D6007 if the program has no such argument. */
DRUMLIN_EXPORT drumlin_error *drumlin_argument_changed(drumlin_executable *executable,
                                                       size_t index);

/* Returns the memory of finished runs to the system, including the memory that max_idle_bytes would
 * keep; later runs allocate it again. Returns the freed bytes of intermediate values. NULL is
 * allowed. */
DRUMLIN_EXPORT size_t drumlin_trim(drumlin_executable *executable);

/* ---- Contexts: the memory of one run, allocated beforehand. drumlin_run uses an idle context or
 * creates one, which may fail; a run in a context that the caller created allocates no memory,
 * unless pointers aren't aligned. A context has one run at a time. It keeps the program loaded even
 * after the executable was freed. */

DRUMLIN_EXPORT drumlin_error *drumlin_context_create(drumlin_executable *executable,
                                                     drumlin_context **context);
/* Runs the program as drumlin_run does. Fails with D6020 while another run uses the context. */
DRUMLIN_EXPORT drumlin_error *drumlin_context_run(drumlin_context *context, const void *const *args,
                                                  size_t arg_count, void *const *results,
                                                  size_t result_count);
/* Frees the context. An asynchronous run that uses it is not affected. NULL is allowed. */
DRUMLIN_EXPORT void drumlin_context_free(drumlin_context *context);

/* ---- Asynchronous runs. */

/* Zero-initialize it, then set `size` to sizeof(drumlin_run_request). */
typedef struct drumlin_run_request {
  size_t size;
  const void *const *args; /* as for drumlin_run */
  size_t arg_count;
  void *const *results;
  size_t result_count;
  drumlin_context *context; /* the run uses it until its event is ready; NULL: any */
  /* The run begins when all of these are ready. If one has an error, the program doesn't run, and
   * the run's event has that error. */
  drumlin_event *const *after;
  size_t after_count;
  const int64_t *const *arg_dims; /* as for drumlin_run_sized; NULL: the nominal sizes */
} drumlin_run_request;

/* Starts a run and returns. On success the caller owns *event, which becomes ready when the run has
 * ended, and must free it; on an error *event is NULL and nothing was started. The returned error
 * concerns the request only; errors of the run itself are in the event.
 * Lifetimes: the request, its arrays and the events in `after` may be freed when the function
 * returns. The memory of arguments and results must stay valid until the event is ready: until then
 * nobody may write to arguments, nor read or write results and donated arguments.
 * Runs begin in the order in which they become ready, on threads that the executable owns, at most
 * load_options.threads at once; if the system refuses threads, on the calling thread. */
DRUMLIN_EXPORT drumlin_error *drumlin_run_async(drumlin_executable *executable,
                                                const drumlin_run_request *request,
                                                drumlin_event **event);

/* Returns 1 if the run has ended, else 0; 1 for NULL. */
DRUMLIN_EXPORT int drumlin_event_is_ready(const drumlin_event *event);
/* Waits until the run has ended. Returns NULL for success, else the run's error, a new copy at each
 * call, which the caller frees. Fails with D6022 in a callback, since the run might wait for the
 * callback's thread. */
DRUMLIN_EXPORT drumlin_error *drumlin_event_wait(drumlin_event *event);
/* Registers `callback`, which is called once when the run has ended, on the run's thread, or
 * immediately on this thread if it already has. The error passed, or NULL, is valid during the
 * call. Callbacks of an event are called in the order of registration. A callback should be short,
 * since other runs wait for its thread. It may start runs and free anything. */
DRUMLIN_EXPORT drumlin_error *
drumlin_event_on_ready(drumlin_event *event,
                       void (*callback)(void *context, const drumlin_error *error), void *context);
/* Frees the event; the run continues, and callbacks are still called. NULL is allowed. */
DRUMLIN_EXPORT void drumlin_event_free(drumlin_event *event);

/* ---- Code that programs call (docs/custom-calls.md). */

/* Registers code as the custom call of this name, for the programs that this process loads
 * afterwards. `api_version` is the attribute of the program's `custom_call`, and determines the
 * type of `function`:
 *   1: void (void *results, const void **operands)
 *   2: void (void *results, const void **operands, XlaCustomCallStatus *)
 *   3: void (void *results, const void **operands, const char *opaque, size_t opaque_size,
 *            XlaCustomCallStatus *)
 *      where `results` is the result's memory, or an array of pointers for several results
 *   4: an XLA_FFI_Handler of XLA's foreign function interface, as XLA_FFI_DEFINE_HANDLER_SYMBOL
 *      defines it
 * Fails with D6010 if other code is registered under the name, or for any other version. */
DRUMLIN_EXPORT drumlin_error *drumlin_register_custom_call(const char *name, int api_version,
                                                           void *function);

/* Registers a handler that also has stages before its execution, as an XLA_FFI_Handler_Bundle. */
struct XLA_FFI_Handler_Bundle;
DRUMLIN_EXPORT drumlin_error *
drumlin_register_ffi_handler(const char *name, const struct XLA_FFI_Handler_Bundle *bundle);

/* Registers a framework's handler for a name that the runtime may implement as well: the handler is
 * called if the runtime's code is unavailable or slower, unless the functions above have registered
 * other code under the name. */
DRUMLIN_EXPORT drumlin_error *
drumlin_register_ffi_alternative(const char *name, const struct XLA_FFI_Handler_Bundle *bundle);

/* Offers a framework's LAPACK, such as SciPy's, for the linear algebra of programs: the library in
 * this file (the string is copied) is loaded if `DRUMLIN_LAPACK` names none and the machine has no
 * fast LAPACK. Has no effect once a computation has found a LAPACK. */
DRUMLIN_EXPORT void drumlin_offer_lapack(const char *file);

/* Sets the object that handlers in a context's runs get as user data (`Ctx<UserData<T>>`) of the
 * type with this number, `T::id.type_id` once the type is registered. NULL: none. The caller owns
 * the object, which must outlive the runs. Fails with D6020 while a run uses the context. */
DRUMLIN_EXPORT drumlin_error *drumlin_context_set_user_data(drumlin_context *context,
                                                            int64_t type_id, void *data);

/* Returns XLA's interface for handlers, as XLA_FFI_GetApi() would: for handlers that register
 * themselves. */
struct XLA_FFI_Api;
DRUMLIN_EXPORT const struct XLA_FFI_Api *drumlin_ffi_api(void);

/* A transfer between a running program and the host. */
typedef struct drumlin_transfer {
  size_t size;        /* of this struct */
  const char *kind;   /* "infeed", "outfeed", "send" or "recv" */
  const char *config; /* `infeed_config` or `outfeed_config`, else "" */
  int64_t channel;    /* of "send" and "recv", else -1 */
  const drumlin_value *values;
  size_t count;
  int64_t process; /* the number of the process, as in drumlin_run_processes; 0 if there is one */
} drumlin_transfer;

/* Fills the buffers ("infeed", "recv") or reads them ("outfeed", "send"): one for each value, valid
 * during the call. Returns NULL for success, else a message, which is copied; the run then fails
 * with this message (D6011). */
typedef const char *(*drumlin_transfer_function)(void *context, const drumlin_transfer *transfer,
                                                 void *const *buffers);

/* Sets the function that runs of this program call for each transfer, on the thread that runs the
 * program. If there are several processes, each calls it on its own thread, concurrently. Must not
 * be called during a run. NULL: no function; each transfer then fails with D6009. */
DRUMLIN_EXPORT drumlin_error *drumlin_on_transfer(drumlin_executable *executable,
                                                  drumlin_transfer_function function,
                                                  void *context);

/* ---- Compiling: in libdrumlin only. */

/* A program in memory: StableHLO as text, bytecode or a portable artifact. Requests, commands and
 * messages refer to it by `name`, as they would to a file by its path. */
typedef struct drumlin_program_text {
  const char *name;
  const void *bytes;
  size_t byte_count;
} drumlin_program_text;

/* Zero-initialize it, then set `size` to sizeof(drumlin_compile_request). */
typedef struct drumlin_compile_request {
  size_t size;
  const char *program;              /* the path of a program's file, or the name of `text` */
  const drumlin_program_text *text; /* NULL: `program` is read from the file */
  /* The long options of `drumlin compile` by their names without `--`, with the same values and
   * meanings; a flag's value is NULL. A repeatable option may be given several times. */
  const char *const *option_names;
  const char *const *option_values;
  size_t option_count;
  const char *output; /* the path of the image to write, its weights beside it; NULL: none */
  const drumlin_load_options *load; /* for the executable that is returned; may be NULL */
  /* Called with each warning before drumlin_compile returns; may be NULL. The warning is valid
   * during the call. */
  void (*warn)(void *context, const drumlin_error *warning);
  void *context; /* for `warn` */
} drumlin_compile_request;

/* Compiles a program into a file (request->output), into *executable, which the caller owns and
 * must free, or into both; `executable` may be NULL if there is an output. Compilations and
 * commands of a process run one after another; each uses several threads. */
DRUMLIN_EXPORT drumlin_error *drumlin_compile(const drumlin_compile_request *request,
                                              drumlin_executable **executable);

/* Runs a command of the command line, such as {"cost", "model.mlir", "--json"}; `texts` are
 * programs in memory that the words refer to by name. *output receives the command's output, even
 * if it fails (as `check` does if numbers differ), to be freed by drumlin_text_free(). */
DRUMLIN_EXPORT drumlin_error *drumlin_command(const char *const *words, size_t word_count,
                                              const drumlin_program_text *texts, size_t text_count,
                                              char **output);
/* NULL is allowed. */
DRUMLIN_EXPORT void drumlin_text_free(char *text);

/* ---- Errors. */

/* Return an error's texts, which live as long as the error. */
DRUMLIN_EXPORT const char *drumlin_error_code(const drumlin_error *error); /* stable: "D6004" */
DRUMLIN_EXPORT const char *
drumlin_error_message(const drumlin_error *error); /* the fact seen, and what was expected */
DRUMLIN_EXPORT const char *drumlin_error_location(const drumlin_error *error); /* a path, or "" */
DRUMLIN_EXPORT const char *drumlin_error_remedy(const drumlin_error *error);   /* what to do */
/* Returns the error's class, which is also the command line's exit status for it. */
DRUMLIN_EXPORT int drumlin_error_status(const drumlin_error *error);
/* NULL is allowed. */
DRUMLIN_EXPORT void drumlin_error_free(drumlin_error *error);

#ifdef __cplusplus
}
#endif

#endif
