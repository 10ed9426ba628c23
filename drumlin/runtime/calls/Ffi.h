// The binary interface of XLA's foreign function interface: the structs that handlers compiled for
// XLA are called with, and the functions that they may call back. Declared from the published
// interface (github.com/openxla/xla, xla/ffi/api/c_api.h), versions 0.1 to 0.5: FfiFunctions.def
// lists the versions that have each function, and "since" marks members added later. A test calls
// handlers with the layout of each version.
//
// Each struct that crosses the interface begins with its size and a list of extensions. The size
// ends with the last member that the caller's version knows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drumlin::ffi {

inline constexpr int majorVersion = 0, minorVersion = 5;
inline constexpr int oldestMinorVersion = 1; // handlers of 0.0 can't report their version

struct Api;
struct Error;            // the runtime defines this struct and the next two (FfiApi.h)
struct ExecutionContext; // the state of one handler call; named InvokeContext since 0.4
struct Future;

struct Extension {
  size_t structSize;
  enum Type : int32_t { MetadataType = 1 } type;
  Extension *next;
};

// An extension that a runtime may attach to a call for handlers that look up its type; since 0.4.
struct ContextExtension {
  size_t structSize;
  int64_t type;
  int32_t majorVersion, minorVersion;
  const ContextExtension *next;
};

struct ApiVersion {
  size_t structSize;
  Extension *extensions;
  int major, minor;
};

// Error codes of abseil.
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
  int64_t *dims; // sizes of the logical dimensions, whatever the memory layout
};

enum class ValueType : int32_t { Buffer = 1 };
enum class AttributeType : int32_t { Array = 1, Dictionary = 2, Scalar = 3, String = 4 };
// The stages of a handler. Record, since 0.4, is for GPU command buffers and never called here.
enum class Stage : int32_t {
  Instantiate = 0,
  Prepare = 1,
  Initialize = 2,
  Execute = 3,
  Record = 4
};

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
struct TypeInfo { // since 0.2
  size_t structSize;
  Extension *extensions;
  void (*destroy)(void *object);
};

// The operands or the results of a call.
struct Values {
  size_t structSize;
  Extension *extensions;
  int64_t size;
  ValueType *types;
  void **values;
};

// The attributes of a call, sorted by name.
struct Attributes {
  size_t structSize;
  Extension *extensions;
  int64_t size;
  AttributeType *types;
  ByteSpan **names;
  void **values; // each points to an Array, Attributes, Scalar or ByteSpan
};

struct CallFrame {
  size_t structSize; // the struct's size without `future`
  Extension *extensions;
  const Api *api;
  ExecutionContext *context;
  Stage stage;
  Values operands, results;
  Attributes attributes;
  Future *future; // output: set by handlers that continue after they return
};

using Handler = Error *(CallFrame *frame);

// The handlers of a call's stages. A bundle since 0.4 has a handler for Record after these four.
// Bundles have neither a size nor a version, so only these four are read.
struct HandlerBundle {
  Handler *instantiate; // null: none
  Handler *prepare;
  Handler *initialize;
  Handler *execute;
};

struct Metadata {
  size_t structSize; // the struct's size without `stateType`
  ApiVersion version;
  uint32_t traits;
  TypeId stateType; // a field since jaxlib 0.8
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
struct ErrorGetDetails { // named ErrorGetMessage before 0.4
  size_t structSize;
  Extension *extensions;
  Error *error;
  const char *message; // out
  ErrorCode code;      // an output since 0.4
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
  // The last member, the traits for GPU command buffers, isn't declared: since 0.4 it follows the
  // fifth handler of the bundle, so its offset depends on the version.
};
struct StreamGet {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  void *stream; // out
};
struct TypeRegister {
  size_t structSize; // the struct's size without `info`
  Extension *extensions;
  ByteSpan name;
  TypeId *id;           // input and output: 0 requests a new number
  const TypeInfo *info; // since 0.2
};
struct ContextGet {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  TypeId *id;
  void *data; // out
};
struct ExtensionFind { // since 0.4
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  int64_t type;
  const ContextExtension *extension; // output: null if there is no extension of this type
};
struct OptionsGet { // since 0.5
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  const Attributes *options; // out
};
struct StateAccess {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  Stage stage; // since 0.3
  TypeId *id;
  void *state; // an input of State_Set, an output of State_Get
};
// Takes the place of StateAccess before 0.3, when only the instance had a state.
struct InstanceStateAccess {
  size_t structSize;
  Extension *extensions;
  ExecutionContext *context;
  TypeId *id;
  void *state;                   // an input of State_Set, an output of State_Get
  void (*destroy)(void *object); // only before 0.2; may be null
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
  Error *error; // the runtime takes over ownership
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
  const void *internal; // null here: only XLA itself sets it
#define FFI_FUNCTION(name, published, Args, ...) Error *(*name)(Args *);
#define FFI_VOID_FUNCTION(name, published, Args, ...) void (*name)(Args *);
#include "drumlin/runtime/calls/FfiFunctions.def"
};

} // namespace drumlin::ffi
