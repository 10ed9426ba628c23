// The extension for code that programs call through XLA's foreign function interface
// (xla/pjrt/c/pjrt_c_api_ffi_extension.h): registration, and objects for runs.
#include "drumlin/pjrt/Execute.h"
#include "drumlin/pjrt/extensions/Extensions.h"
#include "drumlin/pjrt/interface/ExtensionFunctions.h"
#include "drumlin/runtime/calls/FfiApi.h"
#include "drumlin/runtime/calls/Registry.h"

namespace drumlin::pjrt {

static Outcome handleTypeRegister(TypeRegisterArgs &args) {
  ffi::TypeId id = {args.typeId};
  std::unique_ptr<ffi::Error> error(ffi::registerType(
      {args.typeName, args.typeNameSize}, id, args.typeInfo ? args.typeInfo->deleter : nullptr));
  if (error) {
    return fail(static_cast<ErrorCode>(error->code), error->message);
  }
  args.typeId = id.id;
  return Done();
}

static Outcome handleUserDataAdd(UserDataAddArgs &args) {
  args.context->userData[args.typeId] = args.data;
  return Done();
}

static Outcome handleRegisterHandler(RegisterHandlerArgs &args) {
  Result<HostCode> code = hostCodeOf(4, args.handler);
  return code ? Outcome(registerHostCode({args.targetName, args.targetNameSize}, std::move(*code)))
              : Outcome(code.error());
}

ExtensionBase *ffiExtension(ExtensionBase *next) {
  static FfiExtension extension = {
      {sizeof(FfiExtension), ExtensionType::Ffi, next},
      answer<handleTypeRegister>,
      answer<handleUserDataAdd>,
      answer<handleRegisterHandler>,
  };
  return &extension.base;
}

} // namespace drumlin::pjrt
