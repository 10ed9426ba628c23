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

static Outcome handleProfilerErrorGetCode(ProfilerErrorGetCodeArgs &args) {
  ErrorGetCodeArgs given = {sizeof(given), nullptr, args.error, ErrorCode::Ok};
  Outcome outcome = handleErrorGetCode(given);
  args.code = given.code;
  return outcome;
}

static Outcome handleProfilerErrorDestroy(ProfilerErrorDestroyArgs &args) {
  ErrorDestroyArgs given = {sizeof(given), nullptr, args.error};
  return handleErrorDestroy(given);
}

static Outcome handleProfilerErrorMessage(ProfilerErrorMessageArgs &args) {
  ErrorMessageArgs given = {sizeof(given), nullptr, args.error, nullptr, 0};
  Outcome outcome = handleErrorMessage(given);
  args.message = given.message;
  args.messageSize = given.messageSize;
  return outcome;
}

static Outcome handleProfilerCreate(ProfilerCreateArgs &args) {
  args.profiler = new Profiler();
  return Done();
}

static Outcome handleProfilerDestroy(ProfilerDestroyArgs &args) {
  delete args.profiler;
  return Done();
}

static Outcome handleProfilerStart(ProfilerStartArgs &args) {
  args.profiler->profile = std::make_shared<Profile>();
  return Profile::begin(args.profiler->profile)
             ? Outcome(Done())
             : fail(ErrorCode::AlreadyExists, "another profiler of kernels is on");
}

static Outcome handleProfilerStop(ProfilerStopArgs &) {
  Profile::end();
  return Done();
}

static Outcome handleProfilerCollectData(ProfilerCollectDataArgs &args) {
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
                                        answerWithoutError<handleProfilerErrorDestroy>,
                                        answerWithoutError<handleProfilerErrorMessage>,
                                        answer<handleProfilerErrorGetCode>,
                                        answer<handleProfilerCreate>,
                                        answer<handleProfilerDestroy>,
                                        answer<handleProfilerStart>,
                                        answer<handleProfilerStop>,
                                        answer<handleProfilerCollectData>};
  static ProfilerExtension extension = {
      {sizeof(ProfilerExtension), ExtensionType::Profiler, next}, &functions, -1};
  return &extension.base;
}

} // namespace drumlin::pjrt
