// Code that programs call through XLA's foreign function interface
// (xla/pjrt/c/pjrt_c_api_ffi_extension.h): its registration, and objects for its runs.
#include "drumlin/pjrt/Execute.h"
#include "drumlin/pjrt/extensions/Extensions.h"
#include "drumlin/runtime/calls/FfiApi.h"
#include "drumlin/runtime/calls/Registry.h"

namespace drumlin::pjrt {

struct TypeInfo {
  void (*deleter)(void *object);
  void (*serialize)();
  void (*deserialize)();
};
struct TypeRegisterArgs {
  size_t structSize;
  ExtensionBase *extensions;
  const char *typeName;
  size_t typeNameSize;
  int64_t typeId; // 0: a new one
  TypeInfo *typeInfo;
};
struct UserDataAddArgs {
  size_t structSize;
  ExtensionBase *extensions;
  ExecuteContext *context;
  int64_t typeId;
  void *data;
};
struct RegisterHandlerArgs {
  size_t structSize;
  const char *targetName;
  size_t targetNameSize;
  void *handler;
  const char *platformName;
  size_t platformNameSize;
  uint32_t traits;
};

struct FfiExtension {
  ExtensionBase base;
  Error *(*typeRegister)(TypeRegisterArgs *);
  Error *(*userDataAdd)(UserDataAddArgs *);
  Error *(*registerHandler)(RegisterHandlerArgs *);
};

static Outcome call(TypeRegisterArgs &args) {
  ffi::TypeInfo info = {sizeof(ffi::TypeInfo), nullptr,
                        args.typeInfo ? args.typeInfo->deleter : nullptr};
  ffi::TypeId id = {args.typeId};
  ffi::TypeRegister given = {
      sizeof(given), nullptr, {args.typeName, args.typeNameSize}, &id, &info};
  if (std::unique_ptr<ffi::Error> error(ffi::registerType(&given)); error) {
    return fail(static_cast<ErrorCode>(error->code), error->message);
  }
  args.typeId = id.id;
  return Done();
}

static Outcome call(UserDataAddArgs &args) {
  args.context->userData[args.typeId] = args.data;
  return Done();
}

static Outcome call(RegisterHandlerArgs &args) {
  Result<HostCode> code = hostCodeOf(4, args.handler);
  return code ? Outcome(registerHostCode({args.targetName, args.targetNameSize}, std::move(*code)))
              : Outcome(code.error());
}

ExtensionBase *ffiExtension(ExtensionBase *next) {
  static FfiExtension extension = {
      {sizeof(FfiExtension), ExtensionType::Ffi, next},
      answer<TypeRegisterArgs>,
      answer<UserDataAddArgs>,
      answer<RegisterHandlerArgs>,
  };
  return &extension.base;
}

} // namespace drumlin::pjrt
