// Buffers: all element types and ranks, host arrays in any memory order, views, copies.
#include "drumlin/pjrt/test/Calls.h"

#include <algorithm>
#include <numeric>

using namespace drumlin::pjrt;

namespace {
struct PjrtBuffer : testing::Test {
  Owned<Client> client = makeClient();
  Device *device = get(ClientDevicesArgs{.client = client.get()}).devices[0];

  Memory *memory(size_t kind) const {
    return get(ClientAddressableMemoriesArgs{.client = client.get()}).addressableMemories[kind];
  }
  Owned<Buffer> scalars(std::vector<float> values) const {
    return makeBuffer(client.get(), values.data(), BufferType::F32,
                      {static_cast<int64_t>(values.size())});
  }
};

// Memory aligned to 64 bytes.
struct Aligned {
  std::vector<std::byte> memory;
  std::byte *begin;

  explicit Aligned(size_t bytes, int value = 0)
      : memory(bytes + 128, static_cast<std::byte>(value)), begin(memory.data()) {
    begin += (64 - reinterpret_cast<uintptr_t>(begin) % 64) % 64;
  }
};
} // namespace

// The number of bytes of an element as callers pass it. Elements narrower than a byte take one
// byte.
static constexpr std::pair<BufferType, size_t> sizes[] = {{BufferType::Pred, 1},
                                                          {BufferType::S2, 1},
                                                          {BufferType::S4, 1},
                                                          {BufferType::S8, 1},
                                                          {BufferType::S16, 2},
                                                          {BufferType::S32, 4},
                                                          {BufferType::S64, 8},
                                                          {BufferType::U2, 1},
                                                          {BufferType::U4, 1},
                                                          {BufferType::U8, 1},
                                                          {BufferType::U16, 2},
                                                          {BufferType::U32, 4},
                                                          {BufferType::U64, 8},
                                                          {BufferType::F4E2M1FN, 1},
                                                          {BufferType::F8E3M4, 1},
                                                          {BufferType::F8E4M3, 1},
                                                          {BufferType::F8E4M3FN, 1},
                                                          {BufferType::F8E4M3FNUZ, 1},
                                                          {BufferType::F8E4M3B11FNUZ, 1},
                                                          {BufferType::F8E5M2, 1},
                                                          {BufferType::F8E5M2FNUZ, 1},
                                                          {BufferType::F8E8M0FNU, 1},
                                                          {BufferType::BF16, 2},
                                                          {BufferType::F16, 2},
                                                          {BufferType::F32, 4},
                                                          {BufferType::F64, 8},
                                                          {BufferType::C64, 8},
                                                          {BufferType::C128, 16}};

// Returns the number of bytes of an element; 0 for types without elements.
static size_t elementBytes(BufferType type) {
  const auto *found = std::ranges::find(sizes, type, &std::pair<BufferType, size_t>::first);
  return found == std::end(sizes) ? 0 : found->second;
}

// Advances an index to the next element, row-major.
static void step(Dims &index, const Dims &shape) {
  for (size_t d = shape.size(); d > 0; --d) {
    if (++index[d - 1] < shape[d - 1]) {
      return;
    }
    index[d - 1] = 0;
  }
}

TEST_F(PjrtBuffer, IsOfAllTypesAndRanks) {
  std::vector<char> data(2048);
  std::iota(data.begin(), data.end(), 1);
  const Dims shapes[] = {{},        {5},          {2, 3},
                         {3, 1, 2}, {2, 1, 3, 2}, {1, 2, 3, 2, 2},
                         {0},       {2, 0, 3},    {0, int64_t(1) << 40, int64_t(1) << 40},
                         {1}};
  for (int number = 0; number <= static_cast<int>(BufferType::U1); ++number) {
    auto type = static_cast<BufferType>(number);
    if (elementBytes(type) == 0) {
      if (type != BufferType::Token) {
        int64_t dim = 1;
        EXPECT_EQ(tried(ClientBufferFromHostBufferArgs{.client = client.get(),
                                                       .data = data.data(),
                                                       .type = type,
                                                       .dims = &dim,
                                                       .numDims = 1}),
                  ErrorCode::Unimplemented);
      }
      continue;
    }
    for (const Dims &shape : shapes) {
      Owned<Buffer> buffer = makeBuffer(client.get(), data.data(), type, shape);
      size_t bytes = elementBytes(type);
      for (int64_t dim : shape) {
        bytes *= static_cast<size_t>(dim);
      }
      EXPECT_EQ(read(buffer.get()), std::string(data.data(), bytes)) << number;
      EXPECT_EQ(get(BufferElementTypeArgs{.buffer = buffer.get()}).type, type);
      auto dims = get(BufferDimensionsArgs{.buffer = buffer.get()});
      EXPECT_EQ(Dims(dims.dims, dims.dims + dims.numDims), shape);
      auto unpadded = get(BufferUnpaddedDimensionsArgs{.buffer = buffer.get()});
      EXPECT_EQ(Dims(unpadded.unpaddedDims, unpadded.unpaddedDims + unpadded.numDims), shape);
      EXPECT_EQ(get(BufferDynamicDimensionIndicesArgs{.buffer = buffer.get()}).numDynamicDims, 0U);
      EXPECT_EQ(get(BufferOnDeviceSizeInBytesArgs{.buffer = buffer.get()}).onDeviceSizeInBytes,
                bytes);
    }
  }
}

TEST_F(PjrtBuffer, SaysWhereItIs) {
  Owned<Buffer> buffer = scalars({1, 2});
  EXPECT_EQ(get(BufferDeviceArgs{.buffer = buffer.get()}).device, device);
  EXPECT_EQ(get(BufferMemoryArgs{.buffer = buffer.get()}).memory, memory(0));
  EXPECT_EQ(get(BufferIsOnCpuArgs{.buffer = buffer.get()}).isOnCpu, isMemoryHosts);
  EXPECT_TRUE(isReady(buffer.get()));
  for (size_t kind = 0; kind < 3; ++kind) {
    Owned<Buffer> copy(
        get(BufferCopyToMemoryArgs{.buffer = buffer.get(), .dstMemory = memory(kind)}).dstBuffer);
    EXPECT_EQ(get(BufferMemoryArgs{.buffer = copy.get()}).memory, memory(kind));
    EXPECT_EQ(readAs<float>(copy.get()), (std::vector<float>{1, 2}));
  }
  Owned<Buffer> copy(
      get(BufferCopyToDeviceArgs{.buffer = buffer.get(), .dstDevice = device}).dstBuffer);
  buffer.reset();
  EXPECT_EQ(readAs<float>(copy.get()), (std::vector<float>{1, 2}));
}

// Compares buffers made from host arrays with the arrays' elements read one by one. The arrays have
// any dimension order, gaps, negative strides or repeated elements.
TEST_F(PjrtBuffer, TakesAnyStrides) {
  std::mt19937 random = randomNumbers(1);
  auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % uint64_t(limit)); };
  std::vector<uint16_t> memory(1 << 15);
  std::iota(memory.begin(), memory.end(), 0);
  for (int round = 0; round < 400; ++round) {
    size_t rank = static_cast<size_t>(below(6));
    Dims shape(rank), strides(rank), order(rank), layoutOrder(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::iota(layoutOrder.begin(), layoutOrder.end(), 0);
    std::shuffle(layoutOrder.begin(), layoutOrder.end(), random);
    int64_t stride = 1, begin = 0, count = 1;
    for (int64_t i : order) {
      shape[size_t(i)] = below(12) == 0 ? below(2) : 1 + below(4);
      int64_t kind = below(6);
      strides[size_t(i)] = kind == 0 ? 0 : kind == 1 ? -stride : stride;
      if (kind == 1) {
        begin += stride * std::max<int64_t>(shape[size_t(i)] - 1, 0);
      }
      stride *= std::max<int64_t>(shape[size_t(i)], 1) + (below(4) == 0 ? 1 : 0);
      count *= shape[size_t(i)];
    }
    std::vector<uint16_t> expected;
    Dims index(rank);
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = begin;
      for (size_t d = 0; d < rank; ++d) {
        at += index[d] * strides[d];
      }
      expected.push_back(memory[size_t(at)]);
      step(index, shape);
    }
    for (int64_t &each : strides) {
      each *= 2;
    }
    BufferMemoryLayout layout{.structSize = sizeof(layout), .type = MemoryLayoutType::Tiled};
    layout.tiled = {.structSize = sizeof(layout.tiled),
                    .minorToMajor = layoutOrder.data(),
                    .minorToMajorSize = rank};
    auto semantics = static_cast<HostBufferSemantics>(below(4));
    auto made = get(ClientBufferFromHostBufferArgs{.client = client.get(),
                                                   .data = memory.data() + begin,
                                                   .type = BufferType::U16,
                                                   .dims = shape.data(),
                                                   .numDims = rank,
                                                   .byteStrides = strides.data(),
                                                   .numByteStrides = rank,
                                                   .hostBufferSemantics = semantics,
                                                   .deviceLayout = below(2) ? &layout : nullptr});
    Owned<Event> done(made.doneWithHostBuffer);
    Owned<Buffer> buffer(made.buffer);
    EXPECT_EQ(readAs<uint16_t>(buffer.get()), expected) << round;
    // Without a layout argument, the strides give the array's memory order.
    auto lies = get(BufferGetMemoryLayoutArgs{.buffer = buffer.get()}).layout;
    ASSERT_EQ(lies.type, MemoryLayoutType::Strides);
    ASSERT_EQ(lies.strides.numByteStrides, rank);
    std::vector<uint16_t> raw(expected.size() + 1);
    Answer answer =
        end(get(BufferToHostBufferArgs{
                    .src = buffer.get(), .dst = raw.data(), .dstSize = expected.size() * 2})
                .event);
    EXPECT_EQ(answer, ErrorCode::Ok);
    index.assign(rank, 0);
    for (uint16_t each : expected) {
      int64_t at = 0;
      for (size_t d = 0; d < rank; ++d) {
        at += index[d] * lies.strides.byteStrides[d] / 2;
      }
      EXPECT_EQ(raw[size_t(at)], each) << round;
      step(index, shape);
    }
  }
}

TEST_F(PjrtBuffer, RefusesWhatIsNoArray) {
  float value = 1;
  int64_t negative = -1, large[] = {int64_t(1) << 40, int64_t(1) << 40}, stride = 4;
  auto make = [&](const int64_t *dims, size_t rank, size_t strides,
                  BufferMemoryLayout *layout = nullptr) {
    return tried(ClientBufferFromHostBufferArgs{.client = client.get(),
                                                .data = &value,
                                                .type = BufferType::F32,
                                                .dims = dims,
                                                .numDims = rank,
                                                .byteStrides = &stride,
                                                .numByteStrides = strides,
                                                .deviceLayout = layout});
  };
  EXPECT_EQ(make(&negative, 1, 0), ErrorCode::ResourceExhausted);
  EXPECT_EQ(make(large, 2, 0), ErrorCode::ResourceExhausted);
  EXPECT_EQ(make(large, 2, 1), ErrorCode::ResourceExhausted);
  int64_t two[] = {2, 2}, order[] = {0, 0}, tile = 8, gaps[] = {16, 4};
  size_t tileSize = 1;
  EXPECT_EQ(make(two, 2, 1), ErrorCode::InvalidArgument);
  BufferMemoryLayout layout{.structSize = sizeof(layout), .type = MemoryLayoutType::Tiled};
  layout.tiled = {.structSize = sizeof(layout.tiled), .minorToMajor = order, .minorToMajorSize = 2};
  EXPECT_EQ(make(two, 2, 0, &layout), ErrorCode::Unimplemented); // `layout` names a dimension twice
  order[1] = 7;
  EXPECT_EQ(make(two, 2, 0, &layout), ErrorCode::Unimplemented);
  order[1] = 1;
  layout.tiled.minorToMajorSize = 1;
  EXPECT_EQ(make(two, 2, 0, &layout), ErrorCode::Unimplemented);
  layout.tiled.minorToMajorSize = 2;
  layout.tiled.numTiles = 1;
  layout.tiled.tileDims = &tile;
  layout.tiled.tileDimSizes = &tileSize;
  EXPECT_EQ(make(two, 2, 0, &layout), ErrorCode::Unimplemented);
  layout.type = MemoryLayoutType::Strides;
  layout.strides = {.structSize = sizeof(layout.strides), .byteStrides = gaps, .numByteStrides = 2};
  EXPECT_EQ(make(two, 2, 0, &layout), ErrorCode::Unimplemented);
  layout.strides.numByteStrides = 1;
  EXPECT_EQ(make(two, 2, 0, &layout), ErrorCode::Unimplemented);
}

TEST_F(PjrtBuffer, TakesLayoutsAsStrides) {
  std::vector<float> data = {0, 1, 2, 3, 4, 5};
  int64_t dims[] = {2, 1, 3}, strides[] = {4, 999, 8}, none[] = {2, 0, 3}, any[] = {7, -1, 3};
  BufferMemoryLayout layout{.structSize = sizeof(layout), .type = MemoryLayoutType::Strides};
  layout.strides = {
      .structSize = sizeof(layout.strides), .byteStrides = strides, .numByteStrides = 3};
  for (bool isEmpty : {false, true}) { // an empty array may have any strides
    layout.strides.byteStrides = isEmpty ? any : strides;
    auto made = get(ClientBufferFromHostBufferArgs{.client = client.get(),
                                                   .data = data.data(),
                                                   .type = BufferType::F32,
                                                   .dims = isEmpty ? none : dims,
                                                   .numDims = 3,
                                                   .deviceLayout = &layout});
    Owned<Buffer> buffer(made.buffer);
    Owned<Event> done(made.doneWithHostBuffer);
    EXPECT_EQ(readAs<float>(buffer.get()), isEmpty ? std::vector<float>() : data);
    if (!isEmpty) {
      std::vector<float> raw(6);
      EXPECT_EQ(end(get(BufferCopyRawToHostArgs{
                            .buffer = buffer.get(), .dst = raw.data(), .transferSize = 24})
                        .event),
                ErrorCode::Ok);
      EXPECT_EQ(raw, (std::vector<float>{0, 3, 1, 4, 2, 5}));
    }
  }
}

TEST_F(PjrtBuffer, SharesMemoryThatIsLent) {
  for (auto semantics :
       {HostBufferSemantics::ImmutableOnlyDuringCall,
        HostBufferSemantics::ImmutableUntilTransferCompletes,
        HostBufferSemantics::ImmutableZeroCopy, HostBufferSemantics::MutableZeroCopy}) {
    for (size_t shift : {0, 4}) {
      Aligned host(4096 + 64);
      int64_t dims = 1024;
      std::byte *data = host.begin + shift;
      auto made = get(ClientBufferFromHostBufferArgs{.client = client.get(),
                                                     .data = data,
                                                     .type = BufferType::F32,
                                                     .dims = &dims,
                                                     .numDims = 1,
                                                     .hostBufferSemantics = semantics});
      Owned<Buffer> buffer(made.buffer);
      Owned<Event> done(made.doneWithHostBuffer);
      bool isLent =
          isMemoryHosts && semantics >= HostBufferSemantics::ImmutableZeroCopy && shift == 0;
      auto at = get(BufferUnsafePointerArgs{.buffer = buffer.get()}).bufferPointer;
      EXPECT_EQ(at == reinterpret_cast<uintptr_t>(data), isLent);
      EXPECT_EQ(at % 64, 0U);
      EXPECT_EQ(get(EventIsReadyArgs{.event = done.get()}).isReady, !isLent);
      // A view keeps the memory allocated.
      get(BufferIncreaseExternalReferenceCountArgs{.buffer = buffer.get()});
      get(BufferDeleteArgs{.buffer = buffer.get()});
      EXPECT_TRUE(isDeleted(buffer.get()));
      EXPECT_EQ(get(EventIsReadyArgs{.event = done.get()}).isReady, !isLent);
      get(BufferDecreaseExternalReferenceCountArgs{.buffer = buffer.get()});
      EXPECT_TRUE(get(EventIsReadyArgs{.event = done.get()}).isReady);
    }
  }
}

// The callback that releases lent memory may access the buffer to which the memory was lent.
TEST_F(PjrtBuffer, MayBeAskedWhileItIsDeleted) {
  if (!isMemoryHosts) {
    GTEST_SKIP() << "the host's memory isn't lent to this device";
  }
  Aligned host(64);
  int64_t dims = 16;
  for (bool isViewed : {false, true}) {
    auto made = get(ClientBufferFromHostBufferArgs{.client = client.get(),
                                                   .data = host.begin,
                                                   .type = BufferType::F32,
                                                   .dims = &dims,
                                                   .numDims = 1,
                                                   .hostBufferSemantics =
                                                       HostBufferSemantics::ImmutableZeroCopy});
    Owned<Buffer> buffer(made.buffer);
    Owned<Event> done(made.doneWithHostBuffer);
    struct Asked {
      Buffer *buffer;
      bool wasDeleted;
    } asked = {buffer.get(), false};
    get(EventOnReadyArgs{.event = done.get(),
                         .callback =
                             [](Error *error, void *place) {
                               EXPECT_EQ(take(error), ErrorCode::Ok);
                               auto *asked = static_cast<Asked *>(place);
                               asked->wasDeleted = isDeleted(asked->buffer);
                             },
                         .userArg = &asked});
    if (isViewed) {
      get(BufferIncreaseExternalReferenceCountArgs{.buffer = buffer.get()});
    }
    get(BufferDeleteArgs{.buffer = buffer.get()});
    EXPECT_EQ(asked.wasDeleted, !isViewed);
    if (isViewed) {
      get(BufferDecreaseExternalReferenceCountArgs{.buffer = buffer.get()});
    }
    EXPECT_TRUE(asked.wasDeleted);
  }
}

TEST_F(PjrtBuffer, IsAViewOfAnothersMemory) {
  Aligned host(64, 1);
  int64_t dims = 16;
  static int freed;
  freed = 0;
  ClientCreateViewOfDeviceBufferArgs args{.client = client.get(),
                                          .deviceBufferPtr = host.begin,
                                          .dims = &dims,
                                          .numDims = 1,
                                          .elementType = BufferType::U32,
                                          .onDeleteCallback = [](void *, void *) { ++freed; },
                                          .memory = memory(2)};
  Owned<Buffer> buffer(get(args).buffer);
  EXPECT_EQ(get(BufferMemoryArgs{.buffer = buffer.get()}).memory, memory(2));
  EXPECT_EQ(readAs<uint32_t>(buffer.get()), std::vector<uint32_t>(16, 0x01010101));
  EXPECT_EQ(get(BufferOpaqueDeviceMemoryDataPointerArgs{.buffer = buffer.get()}).deviceMemoryPtr,
            host.begin);
  EXPECT_EQ(freed, 0);
  buffer.reset();
  EXPECT_EQ(freed, 1);
  args.deviceBufferPtr = host.begin + 4;
  Answer answer = tried(args);
  EXPECT_EQ(answer, ErrorCode::InvalidArgument);
  EXPECT_NE(answer.message.find("aligned to 64 bytes"), std::string::npos);
  args.onDeleteCallback = nullptr;
  args.deviceBufferPtr = host.begin;
  Owned<Buffer>(get(args).buffer).reset();
}

TEST_F(PjrtBuffer, HasViewsThatAreCounted) {
  Owned<Buffer> buffer = scalars({5});
  EXPECT_EQ(tried(BufferDecreaseExternalReferenceCountArgs{.buffer = buffer.get()}),
            ErrorCode::InvalidArgument);
  get(BufferIncreaseExternalReferenceCountArgs{.buffer = buffer.get()});
  get(BufferIncreaseExternalReferenceCountArgs{.buffer = buffer.get()});
  get(BufferDeleteArgs{.buffer = buffer.get()});
  get(BufferDecreaseExternalReferenceCountArgs{.buffer = buffer.get()});
  auto *data = static_cast<float *>(
      get(BufferOpaqueDeviceMemoryDataPointerArgs{.buffer = buffer.get()}).deviceMemoryPtr);
  if (isMemoryHosts) {
    EXPECT_EQ(*data, 5);
  }
  get(BufferDecreaseExternalReferenceCountArgs{.buffer = buffer.get()});
  EXPECT_EQ(tried(BufferOpaqueDeviceMemoryDataPointerArgs{.buffer = buffer.get()}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(tried(BufferIncreaseExternalReferenceCountArgs{.buffer = buffer.get()}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(tried(BufferDecreaseExternalReferenceCountArgs{.buffer = buffer.get()}),
            ErrorCode::InvalidArgument);
}

TEST_F(PjrtBuffer, GivesNothingOnceItIsDeleted) {
  Owned<Buffer> buffer = scalars({1, 2, 3});
  get(BufferDeleteArgs{.buffer = buffer.get()});
  get(BufferDeleteArgs{.buffer = buffer.get()});
  EXPECT_TRUE(isDeleted(buffer.get()));
  float room[3];
  int64_t dims = 3;
  auto check = [](const Answer &answer) {
    EXPECT_EQ(answer, ErrorCode::InvalidArgument);
    EXPECT_EQ(answer.message, "the buffer was deleted or given to a program (donated)");
  };
  check(tried(BufferToHostBufferArgs{.src = buffer.get(), .dst = room, .dstSize = sizeof(room)}));
  check(tried(BufferCopyRawToHostArgs{.buffer = buffer.get(), .dst = room, .transferSize = 12}));
  check(tried(BufferCopyRawToHostFutureArgs{.buffer = buffer.get(), .transferSize = 12}));
  check(tried(BufferCopyToDeviceArgs{.buffer = buffer.get(), .dstDevice = device}));
  check(tried(BufferCopyToMemoryArgs{.buffer = buffer.get(), .dstMemory = memory(1)}));
  check(tried(BufferUnsafePointerArgs{.buffer = buffer.get()}));
  check(tried(BufferOpaqueDeviceMemoryDataPointerArgs{.buffer = buffer.get()}));
  check(tried(BufferIncreaseExternalReferenceCountArgs{.buffer = buffer.get()}));
  check(tried(BufferDonateWithControlDependencyArgs{.buffer = buffer.get()}));
  check(tried(BufferBitcastArgs{
      .buffer = buffer.get(), .elementType = BufferType::F32, .dims = &dims, .numDims = 1}));
  // A deleted buffer still knows its type and shape.
  EXPECT_EQ(get(BufferDimensionsArgs{.buffer = buffer.get()}).dims[0], 3);
  EXPECT_EQ(get(BufferOnDeviceSizeInBytesArgs{.buffer = buffer.get()}).onDeviceSizeInBytes, 12U);
  EXPECT_TRUE(isReady(buffer.get()));
}

TEST_F(PjrtBuffer, IsCopiedInPieces) {
  Owned<Buffer> buffer = scalars({0, 1, 2, 3, 4, 5});
  for (int64_t offset = 0; offset <= 24; ++offset) {
    for (int64_t size : {int64_t(0), int64_t(1), int64_t(4), 24 - offset, 25 - offset}) {
      std::string bytes(32, '\x77');
      BufferCopyRawToHostArgs args{
          .buffer = buffer.get(), .dst = bytes.data(), .offset = offset, .transferSize = size};
      Answer answer = ask(args);
      EXPECT_EQ(answer, size <= 24 - offset ? ErrorCode::Ok : ErrorCode::OutOfRange);
      if (answer == ErrorCode::Ok) {
        EXPECT_EQ(end(args.event), ErrorCode::Ok);
        auto part = static_cast<size_t>(size);
        EXPECT_EQ(bytes.substr(0, part), read(buffer.get()).substr(size_t(offset), part));
        EXPECT_EQ(bytes.substr(part), std::string(32 - part, '\x77'));
      }
    }
  }
  for (auto [offset, size] : {std::pair<int64_t, int64_t>{-1, 1},
                              {0, -1},
                              {INT64_MAX, 1},
                              {1, INT64_MAX},
                              {INT64_MAX, INT64_MAX},
                              {INT64_MIN, INT64_MIN}}) {
    char room[32];
    EXPECT_EQ(tried(BufferCopyRawToHostArgs{
                  .buffer = buffer.get(), .dst = room, .offset = offset, .transferSize = size}),
              ErrorCode::OutOfRange);
    EXPECT_EQ(tried(BufferCopyRawToHostFutureArgs{
                  .buffer = buffer.get(), .offset = offset, .transferSize = size}),
              ErrorCode::OutOfRange);
  }
  char room[23];
  EXPECT_EQ(tried(BufferToHostBufferArgs{.src = buffer.get(), .dst = room, .dstSize = 23}),
            ErrorCode::InvalidArgument);
}

TEST_F(PjrtBuffer, IsAnotherArrayOfTheSameBytes) {
  Owned<Buffer> buffer = scalars({1, 2, 3, 4});
  int64_t dims[] = {2, 8}, three = 3;
  Owned<Buffer> bytes(
      get(BufferBitcastArgs{
              .buffer = buffer.get(), .elementType = BufferType::U8, .dims = dims, .numDims = 2})
          .outBuffer);
  EXPECT_EQ(get(BufferUnsafePointerArgs{.buffer = bytes.get()}).bufferPointer,
            get(BufferUnsafePointerArgs{.buffer = buffer.get()}).bufferPointer);
  EXPECT_EQ(read(bytes.get()), read(buffer.get()));
  EXPECT_EQ(
      tried(BufferBitcastArgs{
          .buffer = buffer.get(), .elementType = BufferType::F32, .dims = &three, .numDims = 1}),
      ErrorCode::InvalidArgument);
  buffer.reset();
  EXPECT_EQ(read(bytes.get()).size(), 16U);
}

static Owned<Buffer> bitcast(Buffer *buffer, BufferType type, const Dims &dims) {
  return Owned<Buffer>(
      get(BufferBitcastArgs{
              .buffer = buffer, .elementType = type, .dims = dims.data(), .numDims = dims.size()})
          .outBuffer);
}

// A bitcast treats elements narrower than a byte as packed, the first in the low bits. In the
// buffer that the bitcast creates, such elements take a byte each; signed ones are sign-extended.
TEST_F(PjrtBuffer, IsUnpackedAndPacked) {
  struct Case {
    BufferType type;
    int64_t count;        // the number of elements in two bytes
    std::string elements; // the elements in the bytes 0xe1 and 0x47
  };
  using namespace std::string_literals;
  for (const Case &each :
       {Case{BufferType::S4, 4, "\x01\xfe\x07\x04"s}, Case{BufferType::U4, 4, "\x01\x0e\x07\x04"s},
        Case{BufferType::F4E2M1FN, 4, "\x01\x0e\x07\x04"s},
        Case{BufferType::S2, 8, "\x01\x00\xfe\xff\xff\x01\x00\x01"s},
        Case{BufferType::U2, 8, "\x01\x00\x02\x03\x03\x01\x00\x01"s}}) {
    Owned<Buffer> bytes = makeBuffer(client.get(), "\xe1\x47", BufferType::U8, {2}),
                  unpacked = bitcast(bytes.get(), each.type, {2, each.count / 2}),
                  packed = bitcast(unpacked.get(), BufferType::S16, {}),
                  other = bitcast(unpacked.get(), BufferType::U2, {8});
    EXPECT_EQ(get(BufferElementTypeArgs{.buffer = unpacked.get()}).type, each.type);
    EXPECT_EQ(read(unpacked.get()), each.elements);
    EXPECT_EQ(read(packed.get()), "\xe1\x47");
    EXPECT_EQ(read(other.get()), "\x01\x00\x02\x03\x03\x01\x00\x01"s);
  }
  // Bits above an element's own are ignored; the unused bits of the last byte are zero.
  Owned<Buffer> odd = makeBuffer(client.get(), "\xf1\x0e\x37", BufferType::S4, {3}),
                bytes = bitcast(odd.get(), BufferType::U8, {2});
  EXPECT_EQ(read(bytes.get()), "\xe1\x07");
  int64_t two = 2;
  EXPECT_EQ(tried(BufferBitcastArgs{
                .buffer = bytes.get(), .elementType = BufferType::S4, .dims = &two, .numDims = 1}),
            ErrorCode::InvalidArgument);
}

// Bitcasts a buffer whose elements become available later.
TEST_F(PjrtBuffer, IsUnpackedWhenItsElementsAreThere) {
  LaterScalar later(client.get());
  Owned<Buffer> unpacked = bitcast(later.buffer.get(), BufferType::U4, {8});
  EXPECT_FALSE(isReady(unpacked.get()));
  EXPECT_EQ(later.fulfil(1.0F), ErrorCode::Ok); // 0x3f800000
  EXPECT_EQ(wait(unpacked.get()), ErrorCode::Ok);
  EXPECT_EQ(read(unpacked.get()), std::string("\0\0\0\0\0\x8\xf\x3", 8));
}

TEST_F(PjrtBuffer, IsMadeWithoutElementsOrWithAnError) {
  int64_t dims[] = {3, 5};
  Owned<Buffer> empty(get(ClientCreateUninitializedBufferArgs{.client = client.get(),
                                                              .shapeDims = dims,
                                                              .shapeNumDims = 2,
                                                              .shapeElementType = BufferType::F64,
                                                              .memory = memory(1)})
                          .buffer);
  EXPECT_TRUE(isReady(empty.get()));
  EXPECT_EQ(read(empty.get()).size(), 120U);
  EXPECT_EQ(get(BufferMemoryArgs{.buffer = empty.get()}).memory, memory(1));

  int64_t before = get(DeviceMemoryStatsArgs{.device = device}).bytesInUse;
  Owned<Buffer> wrong(get(ClientCreateErrorBufferArgs{.client = client.get(),
                                                      .errorCode = ErrorCode::Unavailable,
                                                      .errorMessage = "lost",
                                                      .errorMessageSize = 4,
                                                      .shapeDims = dims,
                                                      .shapeNumDims = 2,
                                                      .shapeElementType = BufferType::F64,
                                                      .memory = memory(0)})
                          .buffer);
  EXPECT_EQ(get(DeviceMemoryStatsArgs{.device = device}).bytesInUse, before);
  double room[15];
  auto check = [](const Answer &answer) {
    EXPECT_EQ(answer, ErrorCode::Unavailable);
    EXPECT_EQ(answer.message, "lost");
  };
  check(wait(wrong.get()));
  check(end(
      get(BufferToHostBufferArgs{.src = wrong.get(), .dst = room, .dstSize = sizeof(room)}).event));
  check(end(
      get(BufferCopyRawToHostArgs{.buffer = wrong.get(), .dst = room, .transferSize = 8}).event));
  Owned<Buffer> copy(
      get(BufferCopyToMemoryArgs{.buffer = wrong.get(), .dstMemory = memory(1)}).dstBuffer);
  check(wait(copy.get()));
}

TEST_F(PjrtBuffer, NeedsMemory) {
  int64_t dims = int64_t(1) << 58;
  auto check = [](const Answer &answer) {
    EXPECT_EQ(answer, ErrorCode::ResourceExhausted);
    EXPECT_NE(answer.message.find(std::to_string(int64_t(1) << 60)), std::string::npos);
  };
  check(tried(ClientCreateUninitializedBufferArgs{.client = client.get(),
                                                  .shapeDims = &dims,
                                                  .shapeNumDims = 1,
                                                  .shapeElementType = BufferType::F32}));
  check(tried(ClientCreateAliasBufferArgs{.client = client.get(),
                                          .shapeDims = &dims,
                                          .shapeNumDims = 1,
                                          .shapeElementType = BufferType::F32}));
  ShapeSpec spec{
      .structSize = sizeof(spec), .dims = &dims, .numDims = 1, .elementType = BufferType::F32};
  check(tried(ClientCreateBuffersForAsyncHostToDeviceArgs{
      .client = client.get(), .shapeSpecs = &spec, .numShapeSpecs = 1}));
  int64_t zero = 0; // stride 0 repeats the same element
  float value = 1;
  check(tried(ClientBufferFromHostBufferArgs{.client = client.get(),
                                             .data = &value,
                                             .type = BufferType::F32,
                                             .dims = &dims,
                                             .numDims = 1,
                                             .byteStrides = &zero,
                                             .numByteStrides = 1}));
  EXPECT_EQ(get(DeviceMemoryStatsArgs{.device = device}).bytesInUse, 0);
}
