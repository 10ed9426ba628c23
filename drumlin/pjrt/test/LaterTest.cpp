// Buffers whose elements become available later, and calls that wait for them.
#include "drumlin/pjrt/test/Calls.h"

#include <thread>

using namespace drumlin::pjrt;

namespace {
struct PjrtLater : testing::Test {
  Owned<Client> client = makeClient();

  Owned<Buffer> scalar(float value) const {
    return makeBuffer(client.get(), &value, BufferType::F32, {});
  }
};
} // namespace

TEST_F(PjrtLater, AnAliasHasTheOthersElements) {
  LaterScalar later(client.get());
  EXPECT_FALSE(isReady(later.buffer.get()));
  float room = 0;
  auto copying = get(BufferToHostBufferArgs{.src = later.buffer.get(), .dst = &room, .dstSize = 4});
  Device *device = get(BufferDeviceArgs{.buffer = later.buffer.get()}).device;
  Owned<Buffer> copy(
      get(BufferCopyToDeviceArgs{.buffer = later.buffer.get(), .dstDevice = device}).dstBuffer);
  EXPECT_FALSE(isReady(copy.get()));
  EXPECT_FALSE(get(EventIsReadyArgs{.event = copying.event}).isReady);
  EXPECT_EQ(later.fulfil(7), ErrorCode::Ok);
  EXPECT_EQ(end(copying.event), ErrorCode::Ok);
  EXPECT_EQ(room, 7);
  EXPECT_EQ(readAs<float>(later.buffer.get()), std::vector<float>{7});
  EXPECT_EQ(readAs<float>(copy.get()), std::vector<float>{7});
}

TEST_F(PjrtLater, AnAliasHasTheOthersError) {
  LaterScalar given(client.get()), copied(client.get()), wrong(client.get());
  EXPECT_EQ(given.fail(ErrorCode::Aborted, "no more"), ErrorCode::Ok);
  EXPECT_EQ(wait(given.buffer.get()).message, "no more");
  EXPECT_EQ(tried(ClientFulfillAliasBufferArgs{.client = client.get(),
                                               .buffer = given.buffer.get(),
                                               .fulfillAliasBufferCb = copied.callback}),
            ErrorCode::Ok);
  EXPECT_EQ(wait(copied.buffer.get()).message, "no more");
  int32_t number = 1;
  Owned<Buffer> other = makeBuffer(client.get(), &number, BufferType::S32, {});
  EXPECT_EQ(tried(ClientFulfillAliasBufferArgs{.client = client.get(),
                                               .buffer = other.get(),
                                               .fulfillAliasBufferCb = wrong.callback}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(wait(wrong.buffer.get()), ErrorCode::InvalidArgument);
  LaterScalar deleted(client.get());
  get(BufferDeleteArgs{.buffer = given.buffer.get()});
  EXPECT_EQ(tried(ClientFulfillAliasBufferArgs{.client = client.get(),
                                               .buffer = given.buffer.get(),
                                               .fulfillAliasBufferCb = deleted.callback}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(wait(deleted.buffer.get()), ErrorCode::InvalidArgument);
}

TEST_F(PjrtLater, AnAliasMayLieInAnotherOrderAndWait) {
  std::vector<float> data = {0, 1, 2, 3, 4, 5};
  int64_t dims[] = {2, 3}, columns[] = {0, 1};
  BufferMemoryLayout layout{.structSize = sizeof(layout), .type = MemoryLayoutType::Tiled};
  layout.tiled = {
      .structSize = sizeof(layout.tiled), .minorToMajor = columns, .minorToMajorSize = 2};
  auto make = [&](BufferMemoryLayout *with) {
    return get(ClientCreateAliasBufferArgs{.client = client.get(),
                                           .shapeDims = dims,
                                           .shapeNumDims = 2,
                                           .shapeElementType = BufferType::F32,
                                           .shapeLayout = with});
  };
  auto first = make(nullptr), second = make(&layout);
  Owned<Buffer> rows(first.aliasBuffer), transposed(second.aliasBuffer);
  // The second alias refers to the first, which is deleted before it becomes available.
  get(ClientFulfillAliasBufferArgs{.client = client.get(),
                                   .buffer = rows.get(),
                                   .fulfillAliasBufferCb = second.fulfillAliasBufferCb});
  Owned<Buffer> from = makeBuffer(client.get(), data.data(), BufferType::F32, {2, 3});
  rows.reset();
  EXPECT_FALSE(isReady(transposed.get()));
  get(ClientFulfillAliasBufferArgs{.client = client.get(),
                                   .buffer = from.get(),
                                   .fulfillAliasBufferCb = first.fulfillAliasBufferCb});
  EXPECT_EQ(readAs<float>(transposed.get()), data);
}

TEST_F(PjrtLater, ACopyWaitsForItsPlace) {
  std::vector<float> data = {1, 2, 3};
  Owned<Buffer> buffer = makeBuffer(client.get(), data.data(), BufferType::F32, {3});
  auto start = [&] {
    return get(
        BufferCopyRawToHostFutureArgs{.buffer = buffer.get(), .offset = 4, .transferSize = 8});
  };
  auto good = start(), bad = start();
  buffer.reset();
  EXPECT_FALSE(get(EventIsReadyArgs{.event = good.event}).isReady);
  std::vector<float> room(3);
  BufferCopyRawToHostFutureCallbackArgs ready{
      .structSize = sizeof(ready), .callbackData = good.callbackData, .dst = room.data()};
  good.futureReadyCallback(&ready);
  EXPECT_EQ(end(good.event), ErrorCode::Ok);
  EXPECT_EQ(room, (std::vector<float>{2, 3, 0}));
  ready = {.structSize = sizeof(ready),
           .callbackData = bad.callbackData,
           .errorCode = ErrorCode::ResourceExhausted,
           .errorMessage = "no room",
           .errorMessageSize = 7};
  bad.futureReadyCallback(&ready);
  Answer answer = end(bad.event);
  EXPECT_EQ(answer, ErrorCode::ResourceExhausted);
  EXPECT_EQ(answer.message, "no room");
}

TEST_F(PjrtLater, ADonationWaitsForItsDependency) {
  for (bool isLater : {false, true}) {
    for (bool fails : {false, true}) {
      LaterScalar later(client.get());
      Owned<Buffer> buffer = isLater ? std::move(later.buffer) : scalar(3);
      auto donation = get(BufferDonateWithControlDependencyArgs{.buffer = buffer.get()});
      Owned<Buffer> out(donation.outBuffer);
      EXPECT_TRUE(isDeleted(buffer.get()));
      EXPECT_FALSE(isReady(out.get()));
      BufferDonateWithControlDependencyCallbackArgs args{.structSize = sizeof(args),
                                                         .callbackData = donation.callbackData,
                                                         .errorCode = fails ? ErrorCode::Cancelled
                                                                            : ErrorCode::Ok,
                                                         .errorMessage = fails ? "stop" : nullptr,
                                                         .errorMessageSize = fails ? size_t(4) : 0};
      donation.dependencyReadyCallback(&args);
      EXPECT_EQ(isReady(out.get()), fails || !isLater);
      EXPECT_EQ(later.fulfil(3), ErrorCode::Ok);
      if (fails) {
        EXPECT_EQ(wait(out.get()).message, "stop");
      } else {
        EXPECT_EQ(readAs<float>(out.get()), std::vector<float>{3});
      }
    }
  }
}

namespace {
struct PjrtTransferManager : PjrtLater {
  static constexpr int64_t dims[] = {2, 3};
  Owned<AsyncHostToDeviceTransferManager> manager;
  std::vector<float> data = {0, 1, 2, 3, 4, 5};

  PjrtTransferManager() {
    ShapeSpec specs[2] = {{.structSize = sizeof(ShapeSpec),
                           .dims = dims,
                           .numDims = 2,
                           .elementType = BufferType::F32},
                          {.structSize = sizeof(ShapeSpec), .elementType = BufferType::S8}};
    int64_t columns[] = {0, 1};
    BufferMemoryLayout layout{.structSize = sizeof(layout), .type = MemoryLayoutType::Tiled};
    layout.tiled = {
        .structSize = sizeof(layout.tiled), .minorToMajor = columns, .minorToMajorSize = 2};
    BufferMemoryLayout *layouts[] = {&layout, nullptr};
    ClientCreateBuffersForAsyncHostToDeviceArgs args{
        .client = client.get(),
        .shapeSpecs = specs,
        .numShapeSpecs = 2,
        .deviceLayouts = layouts,
        .numDeviceLayouts = 1,
        .memory =
            get(ClientAddressableMemoriesArgs{.client = client.get()}).addressableMemories[1]};
    EXPECT_EQ(tried(args), ErrorCode::InvalidArgument);
    args.numDeviceLayouts = 2;
    manager.reset(get(args).transferManager);
  }
  Owned<Buffer> retrieve(int number) const {
    return Owned<Buffer>(get(AsyncHostToDeviceTransferManagerRetrieveBufferArgs{
                                 .transferManager = manager.get(), .bufferIndex = number})
                             .bufferOut);
  }
  Answer transfer(int number, const void *from, int64_t offset, int64_t size, bool isLast) const {
    AsyncHostToDeviceTransferManagerTransferDataArgs args{.transferManager = manager.get(),
                                                          .bufferIndex = number,
                                                          .data = from,
                                                          .offset = offset,
                                                          .transferSize = size,
                                                          .isLastTransfer = isLast};
    Answer answer = ask(args);
    return answer == ErrorCode::Ok ? end(args.doneWithH2dTransfer) : answer;
  }
  Answer literal(int number, const std::vector<float> &from, const Dims &shape) const {
    AsyncHostToDeviceTransferManagerTransferLiteralArgs args{.transferManager = manager.get(),
                                                             .bufferIndex = number,
                                                             .data = from.data(),
                                                             .shapeDims = shape.data(),
                                                             .shapeNumDims = shape.size(),
                                                             .shapeElementType = BufferType::F32};
    Answer answer = ask(args);
    return answer == ErrorCode::Ok ? end(args.doneWithH2dTransfer) : answer;
  }
  Answer setError(int number) const {
    return tried(
        AsyncHostToDeviceTransferManagerSetBufferErrorArgs{.transferManager = manager.get(),
                                                           .bufferIndex = number,
                                                           .errorCode = ErrorCode::DataLoss,
                                                           .errorMessage = "cut off",
                                                           .errorMessageSize = 7});
  }
};
} // namespace

TEST_F(PjrtTransferManager, SaysWhatItHas) {
  EXPECT_EQ(get(AsyncHostToDeviceTransferManagerBufferCountArgs{.transferManager = manager.get()})
                .bufferCount,
            2U);
  for (int i : {0, 1}) {
    EXPECT_EQ(get(AsyncHostToDeviceTransferManagerBufferSizeArgs{.transferManager = manager.get(),
                                                                 .bufferIndex = i})
                  .bufferSize,
              i == 0 ? 24U : 1U);
  }
  EXPECT_EQ(
      get(AsyncHostToDeviceTransferManagerDeviceArgs{.transferManager = manager.get()}).deviceOut,
      get(ClientDevicesArgs{.client = client.get()}).devices[0]);
  EXPECT_EQ(
      tried(AsyncHostToDeviceTransferManagerAddMetadataArgs{.transferManager = manager.get()}),
      ErrorCode::Ok);
  for (int wrong : {-1, 2}) {
    EXPECT_EQ(tried(AsyncHostToDeviceTransferManagerBufferSizeArgs{.transferManager = manager.get(),
                                                                   .bufferIndex = wrong}),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(tried(AsyncHostToDeviceTransferManagerRetrieveBufferArgs{
                  .transferManager = manager.get(), .bufferIndex = wrong}),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(transfer(wrong, data.data(), 0, 4, false), ErrorCode::InvalidArgument);
    EXPECT_EQ(literal(wrong, data, {2, 3}), ErrorCode::InvalidArgument);
    EXPECT_EQ(setError(wrong), ErrorCode::InvalidArgument);
  }
  get(AsyncHostToDeviceTransferManagerDestroyArgs{.transferManager = nullptr});
}

TEST_F(PjrtTransferManager, TakesPartsFromThreads) {
  Owned<Buffer> buffer = retrieve(0);
  EXPECT_EQ(tried(AsyncHostToDeviceTransferManagerRetrieveBufferArgs{
                .transferManager = manager.get(), .bufferIndex = 0}),
            ErrorCode::FailedPrecondition);
  EXPECT_EQ(get(BufferMemoryArgs{.buffer = buffer.get()}).memory,
            get(ClientAddressableMemoriesArgs{.client = client.get()}).addressableMemories[1]);
  EXPECT_EQ(transfer(0, data.data(), 20, 8, false), ErrorCode::OutOfRange);
  EXPECT_EQ(transfer(0, data.data(), -4, 4, false), ErrorCode::OutOfRange);
  // In the buffer's order: column-major.
  std::vector<float> columns = {0, 3, 1, 4, 2, 5};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back(
        [&, i] { EXPECT_EQ(transfer(0, &columns[size_t(i)], 4 * i, 4, false), ErrorCode::Ok); });
  }
  for (std::thread &each : threads) {
    each.join();
  }
  EXPECT_FALSE(isReady(buffer.get()));
  EXPECT_EQ(transfer(0, nullptr, 24, 0, true), ErrorCode::Ok);
  EXPECT_TRUE(isReady(buffer.get()));
  EXPECT_EQ(readAs<float>(buffer.get()), data);
  EXPECT_EQ(transfer(0, data.data(), 0, 4, false), ErrorCode::FailedPrecondition);
  EXPECT_EQ(literal(0, data, {2, 3}), ErrorCode::FailedPrecondition);
  EXPECT_EQ(setError(0), ErrorCode::FailedPrecondition);
  manager.reset();
  EXPECT_EQ(readAs<float>(buffer.get()), data);
}

TEST_F(PjrtTransferManager, TakesWholeArrays) {
  EXPECT_EQ(literal(0, data, {3, 2}), ErrorCode::InvalidArgument);
  EXPECT_EQ(literal(1, data, {}), ErrorCode::InvalidArgument);
  EXPECT_EQ(literal(0, data, {-1, 2}), ErrorCode::ResourceExhausted);
  EXPECT_EQ(literal(0, data, {2, 3}), ErrorCode::Ok);
  EXPECT_EQ(readAs<float>(retrieve(0).get()), data);
}

TEST_F(PjrtTransferManager, PassesErrorsOn) {
  Owned<Buffer> first = retrieve(0), second = retrieve(1);
  EXPECT_EQ(setError(0), ErrorCode::Ok);
  EXPECT_EQ(wait(first.get()).message, "cut off");
  EXPECT_EQ(transfer(0, data.data(), 0, 4, true), ErrorCode::FailedPrecondition);
  EXPECT_FALSE(isReady(second.get()));
  manager.reset();
  EXPECT_EQ(wait(second.get()), ErrorCode::Cancelled);
}
