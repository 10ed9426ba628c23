// Tests each field of each function's arguments with the values that callers of all versions may
// pass, according to the tables of interface/Fields.h.
#include "drumlin/pjrt/Arguments.h"
#include "drumlin/pjrt/test/World.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace drumlin::pjrt;

//===-- calls ---------------------------------------------------------------------------------===//

namespace {
// Memory that ends at the last readable byte.
class EndOfMemory {
public:
  EndOfMemory() {
    all = static_cast<std::byte *>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(all + page, page, PROT_NONE);
  }
  ~EndOfMemory() { munmap(all, 2 * page); }
  EndOfMemory(const EndOfMemory &) = delete;
  EndOfMemory &operator=(const EndOfMemory &) = delete;
  std::byte *last(size_t bytes) const { return all + page - bytes; }

private:
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
  std::byte *all;
};

// The expected effect of a change to a struct.
struct Change {
  std::string place; // the field
  bool fails;        // whether the call fails and names the field
};
} // namespace

// Counts `k` down; returns true if it was 0, which selects the change to make.
static bool isNext(size_t &k) { return k-- == 0; }

template <typename T> static void put(std::byte *at, size_t offset, T value) {
  std::memcpy(at + offset, &value, sizeof(T));
}
template <typename T> static T read(const std::byte *at, size_t offset) {
  T value;
  std::memcpy(&value, at + offset, sizeof(T));
  return value;
}

static std::optional<Change> changeStruct(const Struct &type, std::byte *at,
                                          const std::string &path, size_t &k);

// Makes the k-th change of one field.
static std::optional<Change> changeField(const Field &field, std::byte *at, std::string place,
                                         size_t &k) {
  auto null = [&](bool fails) {
    put<void *>(at, field.offset, nullptr);
    return Change{place, fails};
  };
  if (!field.isPointer) {
    return field.target && field.presence == Presence::Value
               ? changeStruct(*field.target, at + field.offset, place + ".", k)
               : std::nullopt;
  }
  bool isArray = field.presence == Presence::Counted || field.presence == Presence::Sparse ||
                 field.presence == Presence::Lists;
  auto *behind = read<std::byte *>(at, field.offset);
  switch (field.presence) {
  case Presence::Required:
  case Presence::Depends:
  case Presence::Place:
  case Presence::Optional:
    if (isNext(k)) {
      return null(field.presence != Presence::Optional);
    }
    return field.target && behind && field.presence != Presence::Place
               ? changeStruct(*field.target, behind, place + ".", k)
               : std::nullopt;
  case Presence::Counted:
  case Presence::Sparse:
  case Presence::Lists:
    if (isNext(k)) {
      put<size_t>(at, field.countOffset, 0);
      return null(false);
    }
    if (isNext(k)) {
      put<size_t>(at, field.countOffset, 1);
      return null(true);
    }
    break;
  default:
    return std::nullopt;
  }
  if (!isArray || read<size_t>(at, field.countOffset) == 0) {
    return std::nullopt;
  }
  place += "[0]";
  if (field.presence == Presence::Lists) {
    if (isNext(k)) {
      put<void *>(behind, 0, nullptr);
      return Change{place, true};
    }
    behind = read<std::byte *>(behind, 0);
    place += "[0]";
  }
  if (field.hasPointers) {
    if (isNext(k)) {
      put<void *>(behind, 0, nullptr);
      return Change{place, field.presence != Presence::Sparse};
    }
    behind = read<std::byte *>(behind, 0);
  }
  return field.target ? changeStruct(*field.target, behind, place + ".", k) : std::nullopt;
}

static std::optional<Change> changeStruct(const Struct &type, std::byte *at,
                                          const std::string &path, size_t &k) {
  for (const Field &field : type) {
    std::string place = path + publishedField(field.name);
    int before = field.isCase ? read<int>(at, field.caseOffset) : 0;
    if (field.isCase) {
      put<int>(at, field.caseOffset, field.caseValue);
    }
    if (std::optional<Change> change = changeField(field, at, place, k)) {
      return change;
    }
    if (field.isCase) {
      put<int>(at, field.caseOffset, before);
    }
    // Shortens a struct behind a pointer so that it ends before this field, as in older versions.
    if (!path.empty() && type.isSized && type.hasGrown() && field.offset != 0 && isNext(k)) {
      put<size_t>(at, 0, field.offset);
      std::memset(at + field.offset, 0x5a, type.size - field.offset);
      return Change{path.substr(0, path.size() - 1), field.since == 0};
    }
  }
  return std::nullopt;
}

namespace {
// A function of the interface, with its types erased.
struct Function {
  const Struct &type;
  bool hasError; // whether it returns an error
  void (*fill)(World &world, void *args);
  Answer (*call)(void *args);
  // Called after a success: keeps the objects that the call created, and forgets those that it
  // freed.
  void (*keep)(World &world, void *args);
};
} // namespace

// Calls the deleter or callback that a call returned, and that its caller must call once.
template <typename Args> static void freeRest(Args &args) {
  if constexpr (requires { args.serializedExecutableDeleter; }) {
    args.serializedExecutableDeleter(args.serializedExecutable);
  }
  if constexpr (requires { args.futureReadyCallback; }) {
    BufferCopyRawToHostFutureCallbackArgs given = {.structSize = sizeof(given),
                                                   .callbackData = args.callbackData,
                                                   .errorCode = ErrorCode::Cancelled};
    args.futureReadyCallback(&given);
  }
  if constexpr (requires { args.dependencyReadyCallback; }) {
    BufferDonateWithControlDependencyCallbackArgs given = {.structSize = sizeof(given),
                                                           .callbackData = args.callbackData,
                                                           .errorCode = ErrorCode::Cancelled};
    args.dependencyReadyCallback(&given);
  }
}

template <typename Args> static void keepAll(World &world, void *given) {
  auto &args = *static_cast<Args *>(given);
  std::string_view name = structOf<Args>.name;
  if constexpr (requires { args.fulfillAliasBufferCb; }) {
    if (name.ends_with("FulfillAliasBuffer")) {
      world.forget(args.fulfillAliasBufferCb);
    }
  } else if (name.ends_with("Destroy")) {
#define FREES(field)                                                                               \
  if constexpr (requires { world.forget(args.field); }) {                                          \
    world.forget(args.field);                                                                      \
  }
    FREES(client)
    FREES(error)
    FREES(event)
    FREES(executable)
    FREES(buffer)
    FREES(stream)
    FREES(topology)
    FREES(context)
    FREES(transferManager)
    FREES(layout)
    FREES(profiler)
#undef FREES
  }
  if constexpr (!std::is_same_v<Args, ClientTopologyDescriptionArgs>) { // owned by the client
    world.keepResults(args);
  }
  freeRest(args);
}

// Describes a function; `call` calls it.
template <typename Args> static Function functionOf(bool hasError, Answer (*call)(void *)) {
  auto fill = [](World &world, void *args) { world.fill(*static_cast<Args *>(args)); };
  return {structOf<Args>, hasError, fill, call, keepAll<Args>};
}

// Calls a function with a struct of `size` bytes at the end of readable memory.
static Answer callAtEnd(World &world, const Function &function, const std::byte *filled,
                        size_t size) {
  static const EndOfMemory memory;
  std::byte *place = memory.last(size);
  size_t ours = std::min(size, function.type.size);
  std::memset(place, 0x5a, size);
  std::memcpy(place, filled, ours);
  Answer answer = function.call(place);
  for (size_t i = function.type.size; i < size; ++i) {
    EXPECT_EQ(place[i], std::byte(0x5a));
  }
  if (answer == ErrorCode::Ok && ours >= function.type.statedSize) {
    std::vector<std::byte> args(function.type.size);
    std::memcpy(args.data(), place, ours);
    function.keep(world, args.data());
  }
  return answer;
}

static void checkNulls(const Function &function) {
  const Struct &type = function.type;
  for (size_t number = 0;; ++number) {
    World world;
    std::vector<std::byte> args(type.size);
    function.fill(world, args.data());
    size_t k = number;
    std::optional<Change> change = changeStruct(type, args.data(), "", k);
    Answer answer = callAtEnd(world, function, args.data(), type.statedSize);
    if (!change) { // this call had no change: all have been tested
      EXPECT_EQ(answer.message.find(" is null"), std::string::npos) << answer.message;
      return;
    }
    std::string says = publishedName(type) + ": `" + change->place + "`";
    if (change->fails && function.hasError) {
      EXPECT_EQ(answer, ErrorCode::InvalidArgument) << change->place;
      EXPECT_EQ(answer.message.find(says), 0U) << says << " expected, not " << answer.message;
    } else {
      EXPECT_EQ(answer.message.find(says), std::string::npos) << answer.message;
    }
  }
}

// Passes a struct of `size` bytes: callers of newer versions have larger structs, callers of older
// versions have smaller ones.
static void checkSize(const Function &function, size_t size, bool fails) {
  World world;
  std::vector<std::byte> args(function.type.size);
  function.fill(world, args.data());
  put(args.data(), 0, size);
  bool isWhole = size == function.type.shortSize; // some callers pass this size with all fields
  Answer answer =
      callAtEnd(world, function, args.data(), isWhole ? function.type.statedSize : size);
  if (fails && !isWhole && function.hasError) {
    EXPECT_EQ(answer, ErrorCode::InvalidArgument) << size;
    EXPECT_EQ(answer.message.find(publishedName(function.type) +
                                  ": the struct of arguments has a `struct_size` of " +
                                  std::to_string(size)),
              0U)
        << answer.message;
  } else {
    EXPECT_EQ(answer.message.find("struct_size"), std::string::npos) << answer.message;
  }
}

static void checkFunction(const Function &function) {
  SCOPED_TRACE(publishedName(function.type));
  checkNulls(function);
  checkSize(function, function.type.size + 64, false);
  for (const Field &field : function.type) {
    if (function.type.isSized && field.offset >= sizeof(size_t)) {
      checkSize(function, field.offset, field.since == 0);
    }
  }
  EXPECT_EQ(function.call(nullptr).message,
            function.hasError ? publishedName(function.type) + ": the arguments are null" : "");
}

//===-- tests ---------------------------------------------------------------------------------===//

// Every byte of each struct must belong to a field or be padding before one, so that nothing
// unknown can be passed.
static void checkTable(const Struct &type) {
  SCOPED_TRACE(type.name);
  size_t end = 0;
  for (const Field &field : type) {
    size_t alignment = field.size % 8 == 0 ? 8 : field.size;
    EXPECT_LT(field.offset, end + alignment) << field.name;
    EXPECT_EQ(field.offset % alignment, 0U) << field.name;
    end = std::max(end, field.offset + field.size);
  }
  EXPECT_LT(type.size, end + 8);
}

TEST(PjrtFields, CoverAllStructs) {
#define PJRT_STRUCT(name, ...) checkTable(structOf<name>);
#include "drumlin/pjrt/interface/Structs.def"
#define PJRT_FUNCTION(name, size, ...) checkTable(structOf<name##Args>);
#define PJRT_VOID_FUNCTION PJRT_FUNCTION
#include "drumlin/pjrt/interface/Functions.def"
#define PJRT_EXTENSION_FUNCTION(name, published, ...) checkTable(structOf<name##Args>);
#include "drumlin/pjrt/interface/ExtensionFunctions.def"
}

TEST(PjrtFields, AreFoundByPublishedNames) {
  EXPECT_EQ(publishedName(structOf<ClientCreateArgs>), "PJRT_Client_Create");
  EXPECT_EQ(publishedName(structOf<CompileArgs>), "PJRT_Compile");
  EXPECT_EQ(publishedName(structOf<DeviceDescriptionIdArgs>), "PJRT_DeviceDescription_Id");
  EXPECT_EQ(publishedName(structOf<LoadedExecutableExecuteArgs>), "PJRT_LoadedExecutable_Execute");
  EXPECT_EQ(publishedField("doneWithH2dTransfer"), "done_with_h2d_transfer");
}

TEST(PjrtFields, AreCheckedByAllFunctions) {
#define PJRT_FUNCTION(name, size, ...)                                                             \
  if (!isMissing<name##Args>) {                                                                    \
    checkFunction(functionOf<name##Args>(                                                          \
        true, [](void *args) { return take(api()->name(static_cast<name##Args *>(args))); }));     \
  }
#define PJRT_VOID_FUNCTION(name, size, ...)                                                        \
  checkFunction(functionOf<name##Args>(false, [](void *args) {                                     \
    api()->name(static_cast<name##Args *>(args));                                                  \
    return Answer();                                                                               \
  }));
#include "drumlin/pjrt/interface/Functions.def"
}

template <typename Args> static Answer callExtension(void *args) {
  auto function = extensionFunction<Args>();
  if constexpr (std::is_void_v<decltype(function(nullptr))>) {
    function(static_cast<Args *>(args));
    return {};
  } else {
    return take(function(static_cast<Args *>(args)));
  }
}

TEST(PjrtFields, AreCheckedByFunctionsOfExtensions) {
#define PJRT_EXTENSION_FUNCTION(name, published, ...)                                              \
  checkFunction(                                                                                   \
      functionOf<name##Args>(!std::is_void_v<decltype(extensionFunction<name##Args>()(nullptr))>,  \
                             callExtension<name##Args>));
#include "drumlin/pjrt/interface/ExtensionFunctions.def"
}

// Runs a program without arguments, as clients do that pass a null pointer for an empty list.
TEST(PjrtFields, MayBeMissingWhereThereIsNothing) {
  World world;
  LoadedExecutableExecuteArgs args = {};
  world.fill(args);
  args.argumentLists = nullptr;
  Answer answer = tried(args);
  EXPECT_EQ(answer.message,
            "PJRT_LoadedExecutable_Execute: `argument_lists` is null, and there are 4 elements");
  args.numDevices = 1;
  args.numArgs = 0;
  answer = tried(args);
  EXPECT_EQ(answer.message, "Execution supplied 0 buffers but compiled program expected 4 buffers");
}

// Tests the arguments of functions that callers receive to end a copy or a donation.
TEST(PjrtFields, AreCheckedInCallbacks) {
  World world;
  BufferCopyRawToHostFutureArgs copy = {};
  world.fill(copy);
  copy.transferSize = 4;
  copy = get(copy);
  BufferCopyRawToHostFutureCallbackArgs to = {.structSize = sizeof(to),
                                              .callbackData = copy.callbackData};
  copy.futureReadyCallback(&to);
  Answer answer = end(copy.event);
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("`dst` is null"), std::string::npos) << answer.message;

  BufferDonateWithControlDependencyArgs donate = {};
  world.fill(donate);
  donate = get(donate);
  BufferDonateWithControlDependencyCallbackArgs done = {.structSize = sizeof(done),
                                                        .callbackData = donate.callbackData,
                                                        .errorCode = ErrorCode::DataLoss,
                                                        .errorMessageSize = 4};
  donate.dependencyReadyCallback(&done);
  Owned<Buffer> out(donate.outBuffer);
  answer = wait(out.get());
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("`error_message` is null"), std::string::npos) << answer.message;
}
