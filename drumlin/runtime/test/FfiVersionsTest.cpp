// Handlers of each version of XLA's interface, which declare its structs as that version was
// published (FfiHandlerOfVersion.def): they register themselves, and call back all of its
// functions.
#include "drumlin/runtime/calls/CallPreparation.h"
#include "drumlin/runtime/calls/FfiApi.h"
#include "drumlin/runtime/calls/FfiCall.h"
#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace drumlin;

namespace {
struct Counted {
  static inline int alive = 0;
  int number;
  explicit Counted(int number) : number(number) { ++alive; }
  ~Counted() { --alive; }
  static void destroy(void *object) { delete static_cast<Counted *>(object); }
};
} // namespace

#define FFI_TEXT(x) FFI_TEXT_OF(x)
#define FFI_TEXT_OF(x) #x
#define FFI_VERSION 1
#define FFI_NAMESPACE version1
#include "FfiHandlerOfVersion.def"
#define FFI_VERSION 2
#define FFI_NAMESPACE version2
#include "FfiHandlerOfVersion.def"
#define FFI_VERSION 3
#define FFI_NAMESPACE version3
#include "FfiHandlerOfVersion.def"
#define FFI_VERSION 4
#define FFI_NAMESPACE version4
#include "FfiHandlerOfVersion.def"
#define FFI_VERSION 5
#define FFI_NAMESPACE version5
#include "FfiHandlerOfVersion.def"

namespace {
struct Published {
  int minor;
  std::span<const size_t> argumentSizes;
  void (*registerAs)(const char *name);
  const int64_t *userType;
};
const Published published[] = {
    {1, version1::argumentSizes, version1::registerAs, &version1::userType.number},
    {2, version2::argumentSizes, version2::registerAs, &version2::userType.number},
    {3, version3::argumentSizes, version3::registerAs, &version3::userType.number},
    {4, version4::argumentSizes, version4::registerAs, &version4::userType.number},
    {5, version5::argumentSizes, version5::registerAs, &version5::userType.number},
};

template <typename T> std::vector<std::byte> bytesOf(std::initializer_list<T> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

HostCall callOf(const std::string &target, float factor) {
  HostValue matrix;
  matrix.type = ElementType::F32;
  matrix.shape = {2, 3};
  HostAttribute depth = {"depth", HostAttribute::Scalar{ElementType::SI32, bytesOf<int32_t>({7})}};
  HostCall call = {.interface = HostInterface::TypedFfi, .target = target};
  call.attributes = {
      {"array", HostAttribute::Array{ElementType::SI64, 2, bytesOf<int64_t>({2, 39})}},
      {"factor", HostAttribute::Scalar{ElementType::F32, bytesOf<float>({factor})}},
      {"inner", std::vector<HostAttribute>{depth}},
      {"text", std::string("four")},
  };
  call.operands = {matrix};
  call.results = {matrix};
  return call;
}
} // namespace

// The last version is the runtime's own, and no version is skipped.
TEST(FfiVersions, AreAllCalled) {
  EXPECT_EQ(published[0].minor, ffi::oldestMinorVersion);
  EXPECT_EQ(std::end(published)[-1].minor, ffi::minorVersion);
}

TEST(FfiVersions, HaveTheFunctionsOfTheTable) {
#define FFI_FUNCTION(name, published, Args, ...) {#published, {__VA_ARGS__}},
#define FFI_VOID_FUNCTION FFI_FUNCTION
  const struct {
    const char *name;
    size_t sizes[std::size(published)];
  } functions[] = {
#include "drumlin/runtime/calls/FfiFunctions.def"
  };
  for (const Published &version : published) {
    size_t i = 0;
    for (const auto &function : functions) {
      size_t size = function.sizes[version.minor - 1];
      ASSERT_EQ(size != 0, i < version.argumentSizes.size()) << function.name;
      if (size != 0) {
        EXPECT_EQ(size, version.argumentSizes[i]) << function.name << " of 0." << version.minor;
        ++i;
      }
    }
    EXPECT_EQ(i, version.argumentSizes.size());
  }
}

TEST(FfiVersions, Run) {
  ThreadPool pool(2, 2);
  for (const Published &version : published) {
    SCOPED_TRACE(version.minor);
    std::string name = "handler of 0." + std::to_string(version.minor);
    version.registerAs(name.c_str());
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {};
    void *operands[] = {x}, *results[] = {y};
    HostRun run = {.id = 77, .pool = &pool};
    run.userData[*version.userType] = const_cast<int64_t *>(version.userType);
    {
      Result<std::unique_ptr<PreparedCall>> call = prepareCall(callOf(name, 2.5F), "");
      ASSERT_TRUE(call) << call.error().str();
      EXPECT_EQ(Counted::alive, 1);
      for (int i = 0; i < 2; ++i) {
        Status status = (*call)->run(operands, results, run);
        ASSERT_TRUE(status) << status.error().str();
        EXPECT_EQ(y[5], 15);
        EXPECT_EQ(Counted::alive, 1) << "a run's own states end with it";
      }
      Result<std::unique_ptr<PreparedCall>> failing = prepareCall(callOf(name, 0), "");
      ASSERT_TRUE(failing);
      Status status = (*failing)->run(operands, results, run);
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().code, errors::HostCallFailed);
      EXPECT_EQ(status.error().message, "`@" + name + "`: the factor is zero");
    }
    EXPECT_EQ(Counted::alive, 0);
  }
}

// Tests handlers of versions that aren't known yet, or in which a handler can't state its version.
TEST(FfiVersions, AreRefusedByNumber) {
  static ffi::ApiVersion version;
  auto handler = [](ffi::CallFrame *frame) -> ffi::Error * {
    reinterpret_cast<ffi::MetadataExtension *>(frame->extensions)->metadata->version = version;
    return nullptr;
  };
  for (auto [major, minor] : {std::pair(0, 0), {0, ffi::minorVersion + 1}, {1, 1}, {-1, -1}}) {
    version = {sizeof(version), nullptr, major, minor};
    Result<std::unique_ptr<PreparedCall>> call =
        prepareFfiCall({.interface = HostInterface::TypedFfi, .target = "t"},
                       {nullptr, nullptr, nullptr, handler});
    ASSERT_FALSE(call);
    EXPECT_EQ(call.error().code, errors::HostCodeInvalid);
    EXPECT_EQ(call.error().message, "`@t` was compiled for version " + std::to_string(major) + "." +
                                        std::to_string(minor) +
                                        " of XLA's interface, the runtime has 0.1 to 0.5");
  }
}

// Types keep the numbers that frameworks give them; the runtime's own numbers are higher.
TEST(FfiVersions, NumberTypes) {
  auto number = [](const char *name, int64_t given) {
    ffi::TypeId id = {given};
    ffi::TypeRegister args = {
        offsetof(ffi::TypeRegister, info), nullptr, {name, std::strlen(name)}, &id, nullptr};
    std::unique_ptr<ffi::Error> error(ffiApi().registerType(&args));
    return error ? -1 : id.id;
  };
  EXPECT_EQ(number("a framework's", 3), 3);
  EXPECT_EQ(number("a framework's", 0), 3);
  EXPECT_EQ(number("a framework's", 4), -1);
  EXPECT_EQ(number("another of the number", 3), -1);
  int64_t own = number("the runtime's", 0);
  EXPECT_GT(own, INT32_MAX);
  EXPECT_EQ(number("the runtime's", 0), own);
  EXPECT_NE(number("the runtime's second", 0), own);
}
