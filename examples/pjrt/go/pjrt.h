/* The part of the PJRT C API that this program uses, with the memory layout of
 * xla/pjrt/c/pjrt_c_api.h. Callers pass each function one struct, whose first member is the
 * struct's size. */
#ifndef PJRT_H
#define PJRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Error Error;
typedef struct Event Event;
typedef struct Client Client;
typedef struct Device Device;
typedef struct Buffer Buffer;
typedef struct Executable Executable;

/* Indices of functions in the table. */
enum {
  ERROR_DESTROY = 0,
  ERROR_MESSAGE = 1,
  PLUGIN_INITIALIZE = 3,
  EVENT_DESTROY = 5,
  EVENT_AWAIT = 8,
  CLIENT_CREATE = 10,
  CLIENT_DESTROY = 11,
  CLIENT_PLATFORM_NAME = 12,
  CLIENT_ADDRESSABLE_DEVICES = 16,
  CLIENT_COMPILE = 20,
  CLIENT_BUFFER_FROM_HOST_BUFFER = 22,
  EXECUTABLE_DESTROY = 50,
  EXECUTABLE_EXECUTE = 55,
  BUFFER_DESTROY = 58,
  BUFFER_DIMENSIONS = 60,
  BUFFER_TO_HOST_BUFFER = 70
};

typedef struct {
  size_t size;
  void *extensions;
  size_t version_size;
  void *version_extensions;
  int major, minor;
  Error *(*functions[])(void *args);
} Api;

typedef struct {
  size_t size;
  void *extensions;
  Error *error;
  const char *message;
  size_t message_size;
} ErrorArgs; /* the arguments of ErrorDestroy end with `error` */

typedef struct {
  size_t size;
  void *extensions;
  void *object;
} ObjectArgs; /* for functions with one object and no result */

typedef struct {
  size_t size;
  void *extensions;
  const void *options;
  size_t option_count;
  void *get, *get_data, *put, *put_data;
  Client *client; /* out */
  void *try_get, *try_get_data;
} ClientCreateArgs;

typedef struct {
  size_t size;
  void *extensions;
  Client *client;
  const char *name; /* out */
  size_t name_size; /* out */
} PlatformNameArgs;

typedef struct {
  size_t size;
  void *extensions;
  Client *client;
  Device *const *devices; /* out */
  size_t device_count;    /* out */
} DevicesArgs;

typedef struct {
  size_t size;
  void *extensions;
  const char *code;
  size_t code_size;
  const char *format;
  size_t format_size;
} Program;

typedef struct {
  size_t size;
  void *extensions;
  Client *client;
  const Program *program;
  const char *options; /* a CompileOptionsProto; "" has no fields set */
  size_t options_size;
  Executable *executable; /* out */
} CompileArgs;

enum { F32 = 11, IMMUTABLE_ONLY_DURING_CALL = 0 };

typedef struct {
  size_t size;
  void *extensions;
  Client *client;
  const void *data;
  int type;
  const int64_t *dims;
  size_t rank;
  const int64_t *byte_strides;
  size_t byte_stride_count;
  int semantics;
  Device *device;
  void *memory, *layout;
  Event *done;    /* out */
  Buffer *buffer; /* out */
} FromHostArgs;

typedef struct {
  size_t size;
  void *extensions;
  Buffer *buffer;
  const int64_t *dims; /* out */
  size_t rank;         /* out */
} DimensionsArgs;

typedef struct {
  size_t size;
  void *extensions;
  Buffer *buffer;
  void *layout;
  void *data;
  size_t byte_count; /* in and out: if `data` is NULL, receives the required size */
  Event *done;       /* out */
} ToHostArgs;

typedef struct {
  size_t size;
  void *extensions;
  void *send_callbacks, *recv_callbacks;
  size_t send_count, recv_count;
  int launch;
  const int64_t *kept;
  size_t kept_count;
  void *context;
  const char *location;
  size_t task_count;
  int *tasks;
  int64_t *incarnations;
} ExecuteOptions;

typedef struct {
  size_t size;
  void *extensions;
  Executable *executable;
  ExecuteOptions *options;
  Buffer *const *const *argument_lists; /* one for each device */
  size_t device_count;
  size_t argument_count;
  Buffer **const *result_lists;
  Event **done; /* out, of each device */
  Device *device;
} ExecuteArgs;

#endif
