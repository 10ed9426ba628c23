// XLA's foreign function interface, as its C interface fixes it in memory: what handlers that were
// compiled for XLA are called with, and what they may call back. Declared here from the published
// interface, version 0.3 (github.com/openxla/xla, xla/ffi/api/c_api.h); a test compares sizes and
// offsets with the header in jaxlib's package.
//
// Each struct that crosses the interface begins with its size, up to and with the last member that
// its version counts, and a list of extensions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drumlin::ffi {

inline constexpr int majorVersion = 0, minorVersion = 3;

struct Api;
struct Error;            // the runtime's own (FfiApi.cpp), as are the two below
struct ExecutionContext; // of one call of a handler
struct Future;

struct Extension {
  size_t structSize;
  enum Type : int32_t { MetadataType = 1 } type;
  Extension *next;
};

struct ApiVersion {
  size_t structSize;
  Extension *extensions;
  int major, minor;
};

// Of error codes, which are abseil's.
enum class ErrorCode : int32_t { Ok = 0, Unknown = 2, InvalidArgument = 3, Unimplemented = 12 };

// PrimitiveType of XLA's xla_data.proto.
using DataType = int32_t;
inline constexpr DataType tokenType = 17;

struct Buffer {
  size_t structSize;
  Extension *extensions;
  DataType type;
  void *data;
  int64_t rank;
  int64_t *dims; // as the program has them, whatever the order in memory
};

enum class ValueType : int32_t { Buffer = 1 };
enum class AttributeType : int32_t { Array = 1, Dictionary = 2, Scalar = 3, String = 4 };
enum class Stage : int32_t { Instantiate = 0, Prepare = 1, Initialize = 2, Execute = 3 };

struct ByteSpan {
  const char *data;
  size_t size;
};
struct Scalar {
  DataType type;
  void *value;
};
struct Array {
  DataType type;
  size_t size; // in elements
  void *data;
};

struct TypeId {
  int64_t id; // 0: unknown
};
struct TypeInfo {
  size_t structSize;
  Extension *extensions;
  void (*destroy)(void *object);
};

// Operands, and results.
struct Values {
  size_t structSize;
  Extension *extensions;
  int64_t size;
  ValueType *types;
  void **values;
};

// Sorted by name.
struct Attributes {
  size_t structSize;
  Extension *extensions;
  int64_t size;
  AttributeType *types;
  ByteSpan **names;
  void **values; // Array, Attributes, Scalar or ByteSpan
};

struct CallFrame {
  size_t structSize; // does not count `future`
  Extension *extensions;
  const Api *api;
  ExecutionContext *context;
  Stage stage;
  Values operands, results;
  Attributes attributes;
  Future *future; // out: where the handler goes on after it has returned
};

using Handler = Error *(CallFrame *frame);

struct HandlerBundle {
  Handler *instantiate; // null: none
  Handler *prepare;
  Handler *initialize;
  Handler *execute;
};

struct Metadata {
  size_t structSize; // does not count `stateType`
  ApiVersion version;
  uint32_t traits;
  TypeId stateType;
};
struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

struct ErrorCreate {
  size_t structSize;
  Extension *extensions;
  const char *message;
  ErrorCode code;
};
struct ErrorGetMessage {
  size_t structSize;
  Extension *extensions;
  Error *error;
  const char *message; // out
};
struct ErrorDestroy {
  size_t structSize;
  Extension *extensions;
  Error *error;
};
struct HandlerRegister {
  size_t structSize;
  Extension *extensions;
  ByteSpan name, platform;
  HandlerBundle bundle;
  uint32_t traits;
};
struct StreamGet {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  void *stream; // out
};
struct TypeRegister {
  size_t structSize;
  Extension *extensions;
  ByteSpan name;
  TypeId *id; // in and out
  const TypeInfo *info;
};
struct ContextGet {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  TypeId *id;
  void *data; // out
};
struct StateAccess {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  Stage stage;
  TypeId *id;
  void *state; // in, or out
};
// Before version 0.3, when only the instance had a state.
struct InstanceStateAccess {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  TypeId *id;
  void *state;                   // in, or out
  void (*destroy)(void *object); // where it is set, before version 0.2
};
struct MemoryAllocate {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  size_t size, alignment;
  void *data; // out
};
struct MemoryFree {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  size_t size;
  void *data;
};
struct ThreadPoolSchedule {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  void (*task)(void *data);
  void *data;
};
struct ThreadPoolThreads {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  int64_t *threads; // out
};
struct FutureCreate {
  size_t structSize;
  Extension *extensions;
  Future *future; // out
};
struct FutureSetAvailable {
  size_t structSize;
  Extension *extensions;
  Future *future;
};
struct FutureSetError {
  size_t structSize;
  Extension *extensions;
  Future *future;
  Error *error; // the runtime's from then on
};
struct RunIdGet {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  int64_t id; // out
};
struct DeviceOrdinalGet {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  int32_t ordinal; // out
};

struct Api {
  size_t structSize;
  Extension *extensions;
  ApiVersion version;
  const void *internal; // XLA's own: null
  Error *(*createError)(ErrorCreate *);
  void (*getMessage)(ErrorGetMessage *);
  void (*destroyError)(ErrorDestroy *);
  Error *(*registerHandler)(HandlerRegister *);
  Error *(*getStream)(StreamGet *);
  Error *(*registerType)(TypeRegister *);
  Error *(*getFromContext)(ContextGet *);
  Error *(*setState)(StateAccess *);
  Error *(*getState)(StateAccess *);
  Error *(*allocate)(MemoryAllocate *);
  Error *(*free)(MemoryFree *);
  Error *(*schedule)(ThreadPoolSchedule *);
  Error *(*threadCount)(ThreadPoolThreads *);
  Error *(*createFuture)(FutureCreate *);
  Error *(*setAvailable)(FutureSetAvailable *);
  Error *(*setError)(FutureSetError *);
  Error *(*getRunId)(RunIdGet *);
  Error *(*getDeviceOrdinal)(DeviceOrdinalGet *);
};

} // namespace drumlin::ffi
