// The extension by which frameworks' profilers start and stop the recording of kernels
// (xla/pjrt/c/pjrt_c_api_profiler_extension.h, xla/backends/profiler/plugin/profiler_c_api.h).
#include "drumlin/pjrt/Profile.h"
#include "drumlin/pjrt/extensions/Extensions.h"
#include "drumlin/pjrt/interface/ExtensionFunctions.h"

#include <cstring>

namespace drumlin::pjrt {

struct Profiler {
  std::shared_ptr<Profile> profile;
  std::string collected;
};

static Outcome call(ProfilerErrorGetCodeArgs &args) {
  ErrorGetCodeArgs given = {sizeof(given), nullptr, args.error, ErrorCode::Ok};
  Outcome outcome = call(given);
  args.code = given.code;
  return outcome;
}

static Outcome call(ProfilerErrorDestroyArgs &args) {
  ErrorDestroyArgs given = {sizeof(given), nullptr, args.error};
  return call(given);
}

static Outcome call(ProfilerErrorMessageArgs &args) {
  ErrorMessageArgs given = {sizeof(given), nullptr, args.error, nullptr, 0};
  Outcome outcome = call(given);
  args.message = given.message;
  args.messageSize = given.messageSize;
  return outcome;
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
                                        answerWithoutError<ProfilerErrorDestroyArgs>,
                                        answerWithoutError<ProfilerErrorMessageArgs>,
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
