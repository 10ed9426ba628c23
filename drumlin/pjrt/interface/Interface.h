// The PJRT C API, by which frameworks call compilers and devices: declares version 0.112 of
// xla/pjrt/c/pjrt_c_api.h of openxla/xla with this project's names.
//
// Callers pass each function one struct, whose first field is the size of the caller's struct:
// structs only grow, so that callers and plugins of different versions are compatible. Strings have
// a length and no terminating zero; data that a function returns lives as long as the object that
// it belongs to, unless it comes with a deleter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drumlin::pjrt {

inline constexpr int majorVersion = 0;
inline constexpr int minorVersion = 112;

// Opaque types behind callers' pointers: structs that this plugin defines, data passed to deleters,
// or structs that the other side defines.
struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Memory;
struct Buffer;
struct Executable;
struct LoadedExecutable;
struct ExecuteContext;
struct TopologyDescription;
struct AsyncHostToDeviceTransferManager;
struct CopyToDeviceStream;
struct FulfillAliasBufferCallback;
struct AsyncTrackingEvent;
struct SerializedExecutable;
struct SerializedCompileOptions;
struct SerializedTopology;
struct DeviceAssignmentSerialized;
struct DeviceAttributes;
struct MultiSliceConfig;

enum class ErrorCode : int {
  Ok = 0,
  Cancelled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  DeadlineExceeded = 4,
  NotFound = 5,
  AlreadyExists = 6,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Aborted = 10,
  OutOfRange = 11,
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
  DataLoss = 15,
  Unauthenticated = 16,
};

enum class BufferType : int {
  Invalid,
  Pred,
  S8,
  S16,
  S32,
  S64,
  U8,
  U16,
  U32,
  U64,
  F16,
  F32,
  F64,
  BF16,
  C64,
  C128,
  F8E5M2,
  F8E4M3FN,
  F8E4M3B11FNUZ,
  F8E5M2FNUZ,
  F8E4M3FNUZ,
  S4,
  U4,
  Token,
  S2,
  U2,
  F8E4M3,
  F8E3M4,
  F8E8M0FNU,
  F4E2M1FN,
  S1,
  U1,
};

// The caller's promise about the host memory that a new buffer is created from, and how long the
// promise holds.
enum class HostBufferSemantics : int {
  ImmutableOnlyDuringCall,
  ImmutableUntilTransferCompletes,
  ImmutableZeroCopy,
  MutableZeroCopy,
};

enum class ExtensionType : int {
  Profiler = 1,
  Layouts = 4,
  Ffi = 5,
  MemoryDescriptions = 6,
  Shardings = 19,
};

struct ExtensionBase {
  size_t structSize;
  ExtensionType type;
  ExtensionBase *next;
};

struct ApiVersion {
  size_t structSize;
  ExtensionBase *extensions;
  int majorVersion;
  int minorVersion;
};

enum class NamedValueType : int { String, Int64, Int64List, Float, Bool };

enum class MemoryLayoutType : int { Tiled, Strides };

struct LogicalDeviceIds {
  int replica;
  int partition;
};

enum class ProcessState : int { Unspecified, Uninitialized, Disconnected, Connected, Error };

struct Chunk;
using ChunkDeleter = void (*)(void *data, void *deleterArg);
using CallbackError = Error *(*)(ErrorCode code, const char *message, size_t messageSize);
using SendCallback = Error *(*)(Chunk * chunk, CallbackError *callbackError,
                                size_t totalSizeInBytes, bool done, void *userArg);
using RecvCallback = void (*)(CopyToDeviceStream *stream, void *userArg);

struct HloOutputCallbackInfo;

using ErrorPayloadVisitor = void (*)(const char *key, size_t keySize, const char *value,
                                     size_t valueSize, void *userArg);
using EventOnReadyCallback = void (*)(Error *error, void *userArg); // takes over the error

// Callbacks for a store shared between processes; never called here.
struct KeyValueGetCallbackArgs;
struct KeyValueTryGetCallbackArgs;
struct KeyValuePutCallbackArgs;
using KeyValueGetCallback = Error *(*)(KeyValueGetCallbackArgs *);
using KeyValueTryGetCallback = Error *(*)(KeyValueTryGetCallbackArgs *);
using KeyValuePutCallback = Error *(*)(KeyValuePutCallbackArgs *);

struct BufferCopyRawToHostFutureCallbackArgs;
struct BufferDonateWithControlDependencyCallbackArgs;
using RawCopyCallback = void (*)(BufferCopyRawToHostFutureCallbackArgs *);
using DependencyCallback = void (*)(BufferDonateWithControlDependencyCallbackArgs *);

using OnDeleteCallback = void (*)(void *deviceBuffer, void *userArg);
template <typename T> using Deleter = void (*)(T *);

// The structs that arguments point to.
#define PJRT_STRUCT(name, ...)                                                                     \
  struct name {                                                                                    \
    __VA_ARGS__                                                                                    \
  };
#include "drumlin/pjrt/interface/Members.def"

#include "drumlin/pjrt/interface/Structs.def"

// Tables through which callers use an error or a memory without `Api`: both objects begin with a
// pointer to their table.
struct ErrorTable {
  size_t structSize;
  size_t instanceSize;
  ExtensionBase *extensions;
  void (*destroy)(Error *error);
  void (*message)(const Error *error, const char **message, size_t *messageSize);
  ErrorCode (*getCode)(const Error *error);
  void (*forEachPayload)(const Error *error, ErrorPayloadVisitor visitor, void *userArg);
};

struct MemoryTable {
  size_t structSize;
  ExtensionBase *extensions;
  size_t instanceSize;
  void *(*getUserData)(Memory *memory, const void *key);
  void (*setUserData)(Memory *memory, const void *key, void *data, void (*destroy)(void *));
};

// The arguments of each function, such as `BufferDimensionsArgs`.
#define PJRT_FUNCTION(name, size, ...)                                                             \
  struct name##Args {                                                                              \
    size_t structSize;                                                                             \
    ExtensionBase *extensions;                                                                     \
    __VA_ARGS__                                                                                    \
  };                                                                                               \
  static_assert(sizeof(name##Args) == (size + 7) / 8 * 8);
#define PJRT_VOID_FUNCTION PJRT_FUNCTION
#include "drumlin/pjrt/interface/Members.def"

#include "drumlin/pjrt/interface/Functions.def"

// The plugin's table of functions.
struct Api {
  size_t structSize;
  ExtensionBase *extensions;
  ApiVersion version;
#define PJRT_FUNCTION(name, size, ...) Error *(*name)(name##Args * args);
#define PJRT_VOID_FUNCTION(name, size, ...) void (*name)(name##Args * args);
#include "drumlin/pjrt/interface/Functions.def"
};

} // namespace drumlin::pjrt
