// The profiler of kernels, as frameworks' profilers start and stop it
// (xla/pjrt/c/pjrt_c_api_profiler_extension.h, xla/backends/profiler/plugin/profiler_c_api.h).
#include "drumlin/pjrt/Profile.h"
#include "drumlin/pjrt/extensions/Extensions.h"

namespace drumlin::pjrt {

struct Profiler {
  std::shared_ptr<Profile> profile;
  std::string collected;
};

struct ProfilerErrorDestroyArgs {
  size_t structSize;
  void *unused;
  Error *error;
};
struct ProfilerErrorMessageArgs {
  size_t structSize;
  void *unused;
  const Error *error;
  const char *message;
  size_t messageSize;
};
struct ProfilerErrorGetCodeArgs {
  size_t structSize;
  void *unused;
  const Error *error;
  ErrorCode code;
};
struct ProfilerCreateArgs {
  size_t structSize;
  const char *options; // a message of tsl's ProfileOptions
  size_t optionsSize;
  Profiler *profiler;
};
struct ProfilerDestroyArgs {
  size_t structSize;
  Profiler *profiler;
};
struct ProfilerStartArgs {
  size_t structSize;
  Profiler *profiler;
};
struct ProfilerStopArgs {
  size_t structSize;
  Profiler *profiler;
};
struct ProfilerCollectDataArgs {
  size_t structSize;
  Profiler *profiler;
  uint8_t *buffer; // null: the profiler's own is asked for
  size_t bufferSize;
};

struct ProfilerApi {
  size_t structSize;
  void *unused;
  void (*errorDestroy)(ProfilerErrorDestroyArgs *);
  void (*errorMessage)(ProfilerErrorMessageArgs *);
  Error *(*errorGetCode)(ProfilerErrorGetCodeArgs *);
  Error *(*create)(ProfilerCreateArgs *);
  Error *(*destroy)(ProfilerDestroyArgs *);
  Error *(*start)(ProfilerStartArgs *);
  Error *(*stop)(ProfilerStopArgs *);
  Error *(*collectData)(ProfilerCollectDataArgs *);
};

struct ProfilerExtension {
  ExtensionBase base;
  const ProfilerApi *api;
  int64_t tracemeContextId;
};

static Outcome call(ProfilerErrorGetCodeArgs &args) {
  ErrorGetCodeArgs given = {sizeof(given), nullptr, args.error, ErrorCode::Ok};
  Outcome outcome = call(given);
  args.code = given.code;
  return outcome;
}

static void destroyError(ProfilerErrorDestroyArgs *args) {
  ErrorDestroyArgs given = {sizeof(given), nullptr, args->error};
  (void)call(given);
}

static void giveMessage(ProfilerErrorMessageArgs *args) {
  ErrorMessageArgs given = {sizeof(given), nullptr, args->error, nullptr, 0};
  (void)call(given);
  args->message = given.message;
  args->messageSize = given.messageSize;
}

static Outcome call(ProfilerCreateArgs &args) {
  args.profiler = new Profiler();
  return Done();
}

static Outcome call(ProfilerDestroyArgs &args) {
  delete args.profiler;
  return Done();
}

static Outcome call(ProfilerStartArgs &args) {
  args.profiler->profile = std::make_shared<Profile>();
  return Profile::begin(args.profiler->profile)
             ? Outcome(Done())
             : fail(ErrorCode::AlreadyExists, "another profiler of kernels is on");
}

static Outcome call(ProfilerStopArgs &) {
  Profile::end();
  return Done();
}

static Outcome call(ProfilerCollectDataArgs &args) {
  Profiler &profiler = *args.profiler;
  if (!args.buffer) {
    profiler.collected = profiler.profile ? profiler.profile->toXSpace() : std::string();
    args.buffer = reinterpret_cast<uint8_t *>(profiler.collected.data());
  } else {
    std::memcpy(args.buffer, profiler.collected.data(),
                std::min(args.bufferSize, profiler.collected.size()));
  }
  args.bufferSize = profiler.collected.size();
  return Done();
}

ExtensionBase *profilerExtension(ExtensionBase *next) {
  static const ProfilerApi functions = {sizeof(ProfilerApi),
                                        nullptr,
                                        destroyError,
                                        giveMessage,
                                        answer<ProfilerErrorGetCodeArgs>,
                                        answer<ProfilerCreateArgs>,
                                        answer<ProfilerDestroyArgs>,
                                        answer<ProfilerStartArgs>,
                                        answer<ProfilerStopArgs>,
                                        answer<ProfilerCollectDataArgs>};
  static ProfilerExtension extension = {
      {sizeof(ProfilerExtension), ExtensionType::Profiler, next}, &functions, -1};
  return &extension.base;
}

} // namespace drumlin::pjrt
