// The function table: every function exists and answers; errors, attributes, sizes of structs.
#include "drumlin/pjrt/test/Calls.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace drumlin::pjrt;

TEST(PjrtTable, SaysItsVersionAndHasAllFunctions) {
  const Api &table = *api();
  EXPECT_EQ(table.structSize, sizeof(Api));
  EXPECT_EQ(table.version.structSize, sizeof(ApiVersion));
  EXPECT_EQ(table.version.majorVersion, 0);
  EXPECT_EQ(table.version.minorVersion, 112);
  size_t count = 0;
#define PJRT_FUNCTION(name, size, ...)                                                             \
  EXPECT_NE(table.name, nullptr) << #name;                                                         \
  ++count;
#define PJRT_VOID_FUNCTION PJRT_FUNCTION
#include "drumlin/pjrt/interface/Functions.def"
  EXPECT_EQ(sizeof(Api), offsetof(Api, ErrorDestroy) + count * sizeof(void *));
}

TEST(PjrtTable, SaysWhatIsMissing) {
  size_t count = 0;
#define PJRT_MISSING(name, what)                                                                   \
  {                                                                                                \
    Answer answer = tried(name##Args{});                                                           \
    EXPECT_EQ(answer, ErrorCode::Unimplemented);                                                   \
    EXPECT_EQ(answer.message, #name ": not implemented: " what);                                   \
    ++count;                                                                                       \
  }
#include "drumlin/pjrt/Missing.def"
  EXPECT_GT(count, 0U);
}

TEST(PjrtTable, SaysWhichStableHloItReads) {
  EXPECT_EQ(tried(PluginInitializeArgs{}), ErrorCode::Ok);
  auto attributes = get(PluginAttributesArgs{});
  ASSERT_EQ(attributes.numAttributes, 1U);
  const NamedValue &value = attributes.attributes[0];
  EXPECT_EQ(std::string_view(value.name, value.nameSize), "stablehlo_current_version");
  ASSERT_EQ(value.type, NamedValueType::Int64List);
  ASSERT_EQ(value.valueSize, 3U);
  EXPECT_EQ(value.int64ArrayValue[0], 1);
  EXPECT_GE(value.int64ArrayValue[1], 17);
}

TEST(PjrtTable, HasEachExtensionOnce) {
  std::map<int, const ExtensionBase *> found;
  for (const ExtensionBase *each = api()->extensions; each; each = each->next) {
    EXPECT_TRUE(found.emplace(static_cast<int>(each->type), each).second);
    EXPECT_GT(each->structSize, sizeof(ExtensionBase));
  }
  for (ExtensionType type : {ExtensionType::Layouts, ExtensionType::Ffi,
                             ExtensionType::MemoryDescriptions, ExtensionType::Shardings}) {
    EXPECT_TRUE(found.count(static_cast<int>(type))) << static_cast<int>(type);
  }
}

static Error *anError(Client *client) {
  ClientLookupDeviceArgs args{.client = client, .id = 77};
  args.structSize = sizeof(args);
  return api()->ClientLookupDevice(&args);
}

TEST(PjrtError, IsReadByFunctionsAndByItsOwnTable) {
  Owned<Client> client = makeClient();
  Error *error = anError(client.get());
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(get(ErrorGetCodeArgs{.error = error}).code, ErrorCode::InvalidArgument);
  auto message = get(ErrorMessageArgs{.error = error});
  EXPECT_EQ(std::string_view(message.message, message.messageSize), "there is no device 77");
  int visits = 0;
  auto visit = [](const char *, size_t, const char *, size_t, void *count) {
    ++*static_cast<int *>(count);
  };
  get(ErrorForEachPayloadArgs{.error = error, .visitor = visit, .userArg = &visits});

  const ErrorTable *table = *reinterpret_cast<const ErrorTable *const *>(error);
  EXPECT_EQ(table->structSize, sizeof(ErrorTable));
  EXPECT_EQ(table->getCode(error), ErrorCode::InvalidArgument);
  const char *text = nullptr;
  size_t size = 0;
  table->message(error, &text, &size);
  EXPECT_EQ(std::string_view(text, size), "there is no device 77");
  table->forEachPayload(error, visit, &visits);
  EXPECT_EQ(visits, 0);
  table->destroy(error);
  get(ErrorDestroyArgs{.error = nullptr});
}

// Callers of an older version have smaller structs; memory after these structs must not be written.
template <typename Args, typename Result>
static void checkSmaller(Args args, Error *(*function)(Args *), Result Args::*last) {
  size_t size = reinterpret_cast<char *>(&(args.*last)) - reinterpret_cast<char *>(&args);
  std::vector<char> memory(sizeof(Args));
  args.structSize = size;
  std::memcpy(memory.data(), &args, size);
  std::fill(memory.begin() + static_cast<ptrdiff_t>(size), memory.end(), '\x5a');
  EXPECT_EQ(take(function(reinterpret_cast<Args *>(memory.data()))), ErrorCode::Ok);
  EXPECT_TRUE(std::all_of(memory.begin() + static_cast<ptrdiff_t>(size), memory.end(),
                          [](char each) { return each == '\x5a'; }));
}

TEST(PjrtTable, AnswersCallersWithSmallerStructs) {
  Owned<Client> client = makeClient();
  Owned<LoadedExecutable> loaded = compile(client.get(), "plain");
  Owned<Executable> executable = executableOf(loaded.get());
  checkSmaller(ExecutableGetCompiledMemoryStatsArgs{.executable = executable.get()},
               api()->ExecutableGetCompiledMemoryStats,
               &ExecutableGetCompiledMemoryStatsArgs::totalSizeInBytes);
  auto bytes = get(ExecutableSerializeArgs{.executable = executable.get()});
  struct Old {
    size_t structSize;
    ExtensionBase *extensions;
    Client *client;
    const char *serializedExecutable;
    size_t serializedExecutableSize;
    LoadedExecutable *loadedExecutable;
  } old = {sizeof(Old), nullptr, client.get(), bytes.serializedBytes, bytes.serializedBytesSize,
           nullptr};
  EXPECT_EQ(take(api()->ExecutableDeserializeAndLoad(
                reinterpret_cast<ExecutableDeserializeAndLoadArgs *>(&old))),
            ErrorCode::Ok);
  EXPECT_NE(old.loadedExecutable, nullptr);
  get(LoadedExecutableDestroyArgs{.executable = old.loadedExecutable});
  bytes.serializedExecutableDeleter(bytes.serializedExecutable);
}
