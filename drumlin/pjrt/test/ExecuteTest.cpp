// Runs of programs: results, donation, waiting, failures.
#include "drumlin/pjrt/test/Calls.h"

#include "drumlin/pjrt/Client.h"
#include "drumlin/pjrt/Execute.h"

#include <array>
#include <numeric>

using namespace drumlin::pjrt;

namespace {
// The test image: out = 2 x + y, sum = the sum of out, next = total + 1.
struct PjrtExecute : testing::Test {
  Owned<Client> client = makeClient();
  std::vector<float> data = std::vector<float>(1000, 1);
  Owned<Buffer> x = array(1), y = array(10),
                empty = makeBuffer(client.get(), data.data(), BufferType::F32, {0});

  Owned<Buffer> array(float value) {
    data.assign(1000, value);
    return makeBuffer(client.get(), data.data(), BufferType::F32, {10, 100});
  }
  Owned<Buffer> scalar(float value) const {
    return makeBuffer(client.get(), &value, BufferType::F32, {});
  }
  std::vector<Buffer *> with(Buffer *total) const { return {x.get(), y.get(), total, empty.get()}; }
  static uintptr_t place(Buffer *buffer) {
    return get(BufferUnsafePointerArgs{.buffer = buffer}).bufferPointer;
  }
  void check(const Execution &run, float next) const {
    ASSERT_EQ(run.answer, ErrorCode::Ok);
    EXPECT_EQ(run.wait(), ErrorCode::Ok);
    ASSERT_EQ(run.results.size(), 3U);
    EXPECT_EQ(readAs<float>(run.results[0].get()), std::vector<float>(1000, 12));
    EXPECT_EQ(readAs<float>(run.results[1].get()), std::vector<float>{12000});
    EXPECT_EQ(readAs<float>(run.results[2].get()), std::vector<float>{next});
  }
};
} // namespace

// Creates a matrix of f32 whose columns are contiguous.
static Owned<Buffer> columnMajor(Client *client, std::array<int64_t, 2> dims) {
  int64_t columns[] = {0, 1};
  BufferMemoryLayout layout{.structSize = sizeof(layout), .type = MemoryLayoutType::Tiled};
  layout.tiled = {
      .structSize = sizeof(layout.tiled), .minorToMajor = columns, .minorToMajorSize = 2};
  return Owned<Buffer>(get(ClientCreateUninitializedBufferArgs{.client = client,
                                                               .shapeDims = dims.data(),
                                                               .shapeNumDims = 2,
                                                               .shapeElementType = BufferType::F32,
                                                               .shapeLayout = &layout})
                           .buffer);
}

TEST_F(PjrtExecute, GivesResults) {
  for (const char *code :
       {"plain", "plain slow", "plain unpredictable", "sidefile", "timed", "static"}) {
    Owned<LoadedExecutable> program = compile(client.get(), code);
    Owned<Buffer> total = scalar(5);
    uint64_t before = executionCount();
    for (int i = 0; i < 3; ++i) {
      check(Execution(program.get(), with(total.get())), 6);
    }
    EXPECT_EQ(executionCount() - before, 3U);
    EXPECT_EQ(readAs<float>(total.get()), std::vector<float>{5});
    Execution run(program.get(), with(total.get()));
    program.reset(); // releases the program during its run
    check(run, 6);
    Device *device = get(ClientDevicesArgs{.client = client.get()}).devices[0];
    EXPECT_EQ(get(BufferDeviceArgs{.buffer = run.results[0].get()}).device, device);
  }
}

// If runs are handed to another thread, fewer of them are ready when the call returns than if they
// execute on the caller's thread. The limit is set rather than measured, since on a loaded machine
// runs take longer than predicted.
TEST_F(PjrtExecute, RunsAtOnceWhatTookShort) {
  if (!isMemoryHosts) {
    GTEST_SKIP() << "this device runs all programs on its queue";
  }
  client->secondsOnCallersThread = 1;
  Owned<LoadedExecutable> program = compile(client.get(), "plain unpredictable");
  Owned<Buffer> total = scalar(5);
  constexpr int runs = 200;
  int readyAtOnce = 0;
  for (int i = 0; i < runs; ++i) {
    Execution run(program.get(), with(total.get()));
    readyAtOnce += isReady(run.results[0].get());
    check(run, 6);
  }
  EXPECT_GT(readyAtOnce, runs / 2);
}

// As with XLA's clients, an argument's shape may differ from the program's: only the number of
// elements and row-major order matter.
TEST_F(PjrtExecute, TakesArraysOfAsManyElements) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain donate");
  data.assign(1000, 1);
  Owned<Buffer> wide = makeBuffer(client.get(), data.data(), BufferType::F32, {100, 10}),
                row = makeBuffer(client.get(), data.data(), BufferType::F32, {1, 1000}),
                none = makeBuffer(client.get(), data.data(), BufferType::F32, {3, 0});
  for (Buffer *x : {wide.get(), row.get()}) {
    for (const Dims &dims : {Dims{}, Dims{1}, Dims{1, 1, 1}}) {
      float value = 5;
      Owned<Buffer> total = makeBuffer(client.get(), &value, BufferType::F32, dims);
      Execution run(program.get(), {x, y.get(), total.get(), none.get()});
      check(run, 6);
      EXPECT_TRUE(isDeleted(total.get()));
      EXPECT_EQ(get(BufferDimensionsArgs{.buffer = run.results[2].get()}).numDims, 0U);
    }
  }
  Owned<Buffer> transposed = columnMajor(client.get(), {100, 10});
  Owned<Buffer> total = scalar(5);
  Execution run(program.get(), {transposed.get(), y.get(), total.get(), none.get()});
  EXPECT_EQ(run.answer, ErrorCode::InvalidArgument);
}

TEST_F(PjrtExecute, RefusesOtherArguments) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain donate");
  Owned<Buffer> total = scalar(1),
                integer = makeBuffer(client.get(), data.data(), BufferType::S32, {}),
                wide = makeBuffer(client.get(), data.data(), BufferType::F32, {10, 99});
  auto refuse = [&](std::vector<Buffer *> arguments, std::string_view why) {
    Execution run(program.get(), arguments);
    EXPECT_EQ(run.answer, ErrorCode::InvalidArgument);
    EXPECT_NE(run.answer.message.find(why), std::string::npos) << run.answer.message;
    EXPECT_TRUE(run.results.empty());
    EXPECT_FALSE(run.done);
    EXPECT_FALSE(isDeleted(total.get()));
  };
  refuse({x.get(), y.get(), total.get()}, "supplied 3 buffers but compiled program expected 4");
  refuse({x.get(), y.get(), integer.get(), empty.get()}, "argument 2 has other sizes or elements");
  refuse({x.get(), wide.get(), total.get(), empty.get()}, "argument 1 has other sizes or elements");
  // The argument must have the program's layout.
  Owned<Buffer> transposed = columnMajor(client.get(), {10, 100});
  refuse({transposed.get(), y.get(), total.get(), empty.get()},
         "argument 0 has another memory layout");
  get(BufferDeleteArgs{.buffer = integer.get()});
  get(BufferDeleteArgs{.buffer = wide.get()});
  Owned<Buffer> gone = scalar(1);
  get(BufferDeleteArgs{.buffer = gone.get()});
  refuse(with(gone.get()), "argument 2 was deleted or given");
  Execution two(program.get(), with(total.get()), {}, 2);
  EXPECT_EQ(two.answer, ErrorCode::Unimplemented);
  EXPECT_FALSE(isDeleted(total.get()));
  get(LoadedExecutableDeleteArgs{.executable = program.get()});
  EXPECT_TRUE(get(LoadedExecutableIsDeletedArgs{.executable = program.get()}).isDeleted);
  refuse(with(total.get()), "the executable was deleted");
}

TEST_F(PjrtExecute, TakesDonatedMemoryOver) {
  for (const char *code : {"plain donate", "plain donate slow"}) {
    Owned<LoadedExecutable> program = compile(client.get(), code);
    Owned<Buffer> total = scalar(5);
    uintptr_t before = place(total.get());
    for (float next : {6, 7, 8}) {
      Execution run(program.get(), with(total.get()));
      EXPECT_TRUE(isDeleted(total.get()));
      check(run, next);
      total = std::move(run.results[2]);
      EXPECT_EQ(place(total.get()), before);
    }
    // The caller declares this argument not donatable.
    int64_t kept = 2;
    check(Execution(program.get(), with(total.get()),
                    {.nonDonatableInputIndices = &kept, .numNonDonatableInputIndices = 1}),
          9);
    EXPECT_EQ(readAs<float>(total.get()), std::vector<float>{8});
  }
}

TEST_F(PjrtExecute, LeavesDonatedMemoryThatOthersSee) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain donate slow");
  enum { View, Sibling, Copy, Lent };
  for (int kind : {View, Sibling, Copy, Lent}) {
    if (kind == Lent && !isMemoryHosts) {
      continue; // this device doesn't use lent memory in place
    }
    alignas(64) float host[16] = {5};
    auto made = get(ClientBufferFromHostBufferArgs{
        .client = client.get(),
        .data = host,
        .type = BufferType::F32,
        .hostBufferSemantics = kind == Lent ? HostBufferSemantics::ImmutableZeroCopy
                                            : HostBufferSemantics::ImmutableOnlyDuringCall});
    Owned<Event> released(made.doneWithHostBuffer);
    Owned<Buffer> total(made.buffer), sibling;
    uintptr_t before = place(total.get());
    BufferCopyRawToHostFutureArgs copy{.buffer = total.get(), .transferSize = 4};
    if (kind == View) {
      get(BufferIncreaseExternalReferenceCountArgs{.buffer = total.get()});
    } else if (kind == Sibling) {
      sibling.reset(
          get(BufferBitcastArgs{.buffer = total.get(), .elementType = BufferType::F32}).outBuffer);
    } else if (kind == Copy) {
      copy = get(copy);
    }
    Execution run(program.get(), with(total.get()));
    EXPECT_TRUE(isDeleted(total.get()));
    check(run, 6);
    EXPECT_NE(place(run.results[2].get()), before);
    if (kind == View) {
      if (isMemoryHosts) {
        EXPECT_EQ(*reinterpret_cast<float *>(place(total.get())), 5);
      }
      get(BufferDecreaseExternalReferenceCountArgs{.buffer = total.get()});
    } else if (kind == Sibling) {
      EXPECT_EQ(readAs<float>(sibling.get()), std::vector<float>{5});
    } else if (kind == Copy) {
      float room = 0;
      BufferCopyRawToHostFutureCallbackArgs args{
          .structSize = sizeof(args), .callbackData = copy.callbackData, .dst = &room};
      copy.futureReadyCallback(&args);
      EXPECT_EQ(end(copy.event), ErrorCode::Ok);
      EXPECT_EQ(room, 5);
    } else {
      EXPECT_EQ(host[0], 5);
    }
    EXPECT_TRUE(get(EventIsReadyArgs{.event = released.get()}).isReady);
  }
}

TEST_F(PjrtExecute, TakesOverLentMemoryThatMayBeWritten) {
  if (!isMemoryHosts) {
    GTEST_SKIP() << "the host's memory isn't lent to this device";
  }
  Owned<LoadedExecutable> program = compile(client.get(), "plain donate slow");
  alignas(64) float host[16] = {5};
  auto made = get(
      ClientBufferFromHostBufferArgs{.client = client.get(),
                                     .data = host,
                                     .type = BufferType::F32,
                                     .hostBufferSemantics = HostBufferSemantics::MutableZeroCopy});
  Owned<Event> released(made.doneWithHostBuffer);
  Owned<Buffer> total(made.buffer);
  {
    Execution run(program.get(), with(total.get()));
    check(run, 6);
    EXPECT_EQ(host[0], 6);
    EXPECT_FALSE(get(EventIsReadyArgs{.event = released.get()}).isReady);
  }
  EXPECT_TRUE(get(EventIsReadyArgs{.event = released.get()}).isReady);
}

TEST_F(PjrtExecute, CanBeGivenABufferOnce) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain donate");
  Owned<Buffer> total = scalar(5);
  check(Execution(program.get(), with(total.get())), 6);
  EXPECT_EQ(Execution(program.get(), with(total.get())).answer, ErrorCode::InvalidArgument);
  // Passes one buffer as two arguments of a program with two scalars: donated as one, read as the
  // other.
  Owned<LoadedExecutable> pair = compile(client.get(), "scalars donate");
  Owned<Buffer> both = scalar(5);
  Execution run(pair.get(), {x.get(), y.get(), both.get(), both.get()});
  EXPECT_EQ(run.answer, ErrorCode::InvalidArgument);
  EXPECT_NE(run.answer.message.find("argument 2 is donated to the program, but is also passed as"),
            std::string::npos);
  EXPECT_FALSE(isDeleted(both.get()));
}

TEST_F(PjrtExecute, WaitsForItsArguments) {
  for (const char *code : {"plain", "plain donate", "plain donate slow"}) {
    Owned<LoadedExecutable> program = compile(client.get(), code);
    LaterScalar later(client.get());
    Execution first(program.get(), with(later.buffer.get()));
    EXPECT_EQ(isDeleted(later.buffer.get()), std::string_view(code) != "plain");
    Execution second(program.get(), with(first.results[2].get()));
    later.buffer.reset();
    EXPECT_FALSE(get(EventIsReadyArgs{.event = second.done.get()}).isReady);
    EXPECT_FALSE(isReady(second.results[0].get()));
    EXPECT_EQ(later.fulfil(5), ErrorCode::Ok);
    check(second, 7);
  }
}

// Donated memory isn't written to before a waiting run has read it.
TEST_F(PjrtExecute, WritesToDonatedMemoryAfterItsReaders) {
  Owned<LoadedExecutable> reads = compile(client.get(), "scalars"),
                          writes = compile(client.get(), "plain donate");
  LaterScalar later(client.get());
  Owned<Buffer> total = scalar(5);
  Execution reading(reads.get(), {x.get(), y.get(), total.get(), later.buffer.get()});
  Execution writing(writes.get(), with(total.get()));
  EXPECT_FALSE(get(EventIsReadyArgs{.event = writing.done.get()}).isReady);
  EXPECT_EQ(later.fulfil(1), ErrorCode::Ok);
  check(writing, 6);
  check(reading, 6);
}

TEST_F(PjrtExecute, PassesErrorsOn) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain donate");
  LaterScalar later(client.get());
  Execution first(program.get(), with(later.buffer.get()));
  ASSERT_EQ(first.answer, ErrorCode::Ok);
  Execution second(program.get(), with(first.results[2].get()));
  EXPECT_EQ(later.fail(ErrorCode::Aborted, "no more"), ErrorCode::Ok);
  for (const Execution *run : {&first, &second}) {
    EXPECT_EQ(run->wait().message, "no more");
    for (const Owned<Buffer> &result : run->results) {
      EXPECT_EQ(wait(result.get()), ErrorCode::Aborted);
    }
  }
  Owned<Buffer> wrong(
      get(ClientCreateErrorBufferArgs{
              .client = client.get(),
              .errorCode = ErrorCode::Unavailable,
              .errorMessage = "lost",
              .errorMessageSize = 4,
              .shapeElementType = BufferType::F32,
              .memory =
                  get(DeviceDefaultMemoryArgs{
                          .device = get(ClientDevicesArgs{.client = client.get()}).devices[0]})
                      .memory})
          .buffer);
  Execution third(program.get(), with(wrong.get()));
  EXPECT_EQ(third.wait().message, "lost");
}

TEST_F(PjrtExecute, FailsWhereTheProgramDoes) {
  Owned<LoadedExecutable> program = compile(client.get(), "failing slow");
  Owned<Buffer> total = scalar(5);
  Execution run(program.get(), with(total.get()));
  ASSERT_EQ(run.answer, ErrorCode::Ok);
  Answer answer = run.wait();
  EXPECT_EQ(answer, ErrorCode::Internal);
  EXPECT_NE(answer.message.find("7"), std::string::npos);
  EXPECT_EQ(wait(run.results[1].get()), ErrorCode::Internal);
}

// A run on the caller's thread reports its failure when the call returns.
TEST_F(PjrtExecute, FailsAtOnceWhereTheProgramHas) {
  if (!isMemoryHosts) {
    GTEST_SKIP() << "this device runs all programs on its queue";
  }
  Owned<LoadedExecutable> program = compile(client.get(), "failing");
  Owned<Buffer> total = scalar(5);
  for (int i = 0; i < 2; ++i) {
    Execution run(program.get(), with(total.get()));
    EXPECT_EQ(run.answer, ErrorCode::Internal);
    EXPECT_NE(run.answer.message.find("7"), std::string::npos);
    EXPECT_TRUE(run.results.empty());
    EXPECT_FALSE(run.done);
    EXPECT_EQ(readAs<float>(total.get()), std::vector<float>{5});
  }
}

TEST_F(PjrtExecute, NeedsMemoryAndThenKeepsItsArguments) {
  Owned<LoadedExecutable> program = compile(client.get(), "hugeresult donate");
  Owned<Buffer> total = scalar(5);
  Execution run(program.get(), with(total.get()));
  EXPECT_EQ(run.answer, ErrorCode::ResourceExhausted);
  EXPECT_TRUE(run.results.empty());
  EXPECT_EQ(readAs<float>(total.get()), std::vector<float>{5});
}

TEST_F(PjrtExecute, PassesTokensOn) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain donate tokens pinned");
  Owned<Buffer> total = scalar(5),
                token = makeBuffer(client.get(), data.data(), BufferType::Token, {});
  Execution run(program.get(), {token.get(), x.get(), y.get(), total.get(), empty.get()});
  EXPECT_EQ(run.answer, ErrorCode::Ok);
  ASSERT_EQ(run.results.size(), 4U);
  EXPECT_EQ(run.wait(), ErrorCode::Ok);
  EXPECT_EQ(readAs<float>(run.results[2].get()), std::vector<float>{6});
  EXPECT_EQ(get(BufferElementTypeArgs{.buffer = run.results[3].get()}).type, BufferType::Token);
  EXPECT_EQ(wait(run.results[3].get()), ErrorCode::Ok);
  EXPECT_EQ(
      get(MemoryKindIdArgs{.memory = get(BufferMemoryArgs{.buffer = run.results[0].get()}).memory})
          .kindId,
      1);
  EXPECT_EQ(
      get(MemoryKindIdArgs{.memory = get(BufferMemoryArgs{.buffer = run.results[1].get()}).memory})
          .kindId,
      0);
}

TEST_F(PjrtExecute, TakesAContext) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain");
  Owned<ExecuteContext> context(get(ExecuteContextCreateArgs{}).context);
  Owned<Buffer> total = scalar(5);
  check(Execution(program.get(), with(total.get()), {.context = context.get()}), 6);
}

// Buffers may outlive runs, programs and their source memory; the client waits for its runs.
TEST_F(PjrtExecute, EndsBeforeTheClient) {
  Owned<LoadedExecutable> program = compile(client.get(), "plain donate slow");
  Owned<Buffer> total = scalar(0);
  for (int i = 0; i < 200; ++i) {
    total = std::move(Execution(program.get(), with(total.get())).results[2]);
  }
  program.reset();
  client.reset();
  EXPECT_TRUE(isReady(total.get()));
  EXPECT_EQ(readAs<float>(total.get()), std::vector<float>{200});
}
