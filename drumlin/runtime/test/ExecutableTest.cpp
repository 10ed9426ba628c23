#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/runtime/test/TestImage.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/CallErrors.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <gtest/gtest.h>
#include <thread>

using namespace drumlin;

static std::string imagePath(const std::string &kind) {
  return std::string(TEST_IMAGES "/") + kind + ".so";
}

static std::vector<std::byte> imageBytes(const std::string &kind) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(imagePath(kind));
  EXPECT_TRUE(file);
  return {(*file)->bytes().begin(), (*file)->bytes().end()};
}

static std::vector<Tensor> testArguments() {
  std::vector<Tensor> args = {Tensor(ElementType::F32, {10, 100}),
                              Tensor(ElementType::F32, {10, 100}), Tensor(ElementType::F32, {}),
                              Tensor(ElementType::F32, {0})};
  for (int64_t i = 0; i < testImageElements; ++i) {
    args[0].as<float>()[i] = static_cast<float>(i);
    args[1].as<float>()[i] = 1;
  }
  args[2].as<float>()[0] = 41;
  return args;
}

static void expectResults(Executable &executable) {
  std::vector<Tensor> args = testArguments();
  Result<std::vector<Tensor>> results = call(executable, args);
  ASSERT_TRUE(results) << results.error().str();
  ASSERT_EQ(results->size(), 3u);
  for (int64_t i = 0; i < testImageElements; ++i) {
    ASSERT_EQ((*results)[0].as<float>()[i], 2.0f * static_cast<float>(i) + 1.0f);
  }
  EXPECT_EQ((*results)[1].as<float>()[0], 1000000.0f);
  EXPECT_EQ((*results)[2].as<float>()[0], 42.0f);
  // The donated argument was copied, since the caller passed another pointer for its result.
  EXPECT_EQ(args[2].as<float>()[0], 41.0f);
}

static DiagnosticCode loadError(const std::string &kind) {
  Result<std::unique_ptr<Executable>> executable = Executable::load(imagePath(kind));
  EXPECT_FALSE(executable);
  return executable ? errors::InternalError : executable.error().code;
}

TEST(Executable, RunsWithAnyNumberOfThreads) {
  for (unsigned threads : {1u, 2u, 7u}) {
    LoadOptions options;
    options.threads = threads;
    Result<std::unique_ptr<Executable>> executable = Executable::load(imagePath("plain"), options);
    ASSERT_TRUE(executable) << executable.error().str();
    expectResults(**executable);
    expectResults(**executable);
  }
}

TEST(Executable, LoadsFromMemory) {
  std::vector<std::byte> bytes = imageBytes("plain");
  for (int i = 0; i < 3; ++i) {
    Result<std::unique_ptr<Executable>> first = Executable::loadFromMemory(bytes, "memory");
    Result<std::unique_ptr<Executable>> second = Executable::loadFromMemory(bytes, "memory");
    ASSERT_TRUE(first) << first.error().str();
    ASSERT_TRUE(second);
    expectResults(**first);
    first->reset();
    expectResults(**second);
  }
}

TEST(Executable, WeightsComeFromTheSideFileOrTheCaller) {
  LoadOptions options;
  options.weightsCheck = WeightsCheck::Contents;
  Result<std::unique_ptr<Executable>> fromFile = Executable::load(imagePath("sidefile"), options);
  ASSERT_TRUE(fromFile) << fromFile.error().str();
  expectResults(**fromFile);
  Tensor weight(ElementType::F32, {4});
  std::memcpy(weight.data(), testWeight().data(), 16);
  options.weights = {weight};
  Result<std::unique_ptr<Executable>> fromCaller =
      Executable::loadFromMemory(imageBytes("sidefile"), "memory", options);
  ASSERT_TRUE(fromCaller) << fromCaller.error().str();
  expectResults(**fromCaller);
  options.weights = {Tensor(ElementType::F32, {3})};
  EXPECT_EQ(Executable::loadFromMemory(imageBytes("sidefile"), "memory", options).error().code,
            errors::WeightsInvalid);
  options.weights.clear();
  options.weightsPath = "/absent";
  EXPECT_EQ(Executable::load(imagePath("sidefile"), options).error().code, errors::FileNotReadable);
}

// Constants come from the image's file or, for an image in memory without them, from the caller.
TEST(Executable, ConstantsLieBehindTheCodeOrAreGiven) {
  Result<std::unique_ptr<Executable>> fromFile = Executable::load(imagePath("appended"));
  ASSERT_TRUE(fromFile) << fromFile.error().str();
  expectResults(**fromFile);
  std::vector<std::byte> bytes = imageBytes("appended");
  Result<std::unique_ptr<Executable>> fromMemory = Executable::loadFromMemory(bytes, "memory");
  ASSERT_TRUE(fromMemory) << fromMemory.error().str();
  expectResults(**fromMemory);
  ImageParts parts = partsOfImage(bytes);
  std::vector<std::byte> without(parts.object.begin(), parts.object.end());
  without.insert(without.end(), parts.seal.begin(), parts.seal.end());
  EXPECT_EQ(Executable::loadFromMemory(without, "memory").error().code, errors::WeightsInvalid);
  Tensor weight(ElementType::F32, {4});
  std::memcpy(weight.data(), testWeight().data(), 16);
  LoadOptions options;
  options.weights = {weight};
  Result<std::unique_ptr<Executable>> given =
      Executable::loadFromMemory(without, "memory", options);
  ASSERT_TRUE(given) << given.error().str();
  expectResults(**given);
}

// The code's hash covers the description, which has the hashes of the constants.
TEST(Executable, AnyDamageOfConstantsIsFound) {
  const std::vector<std::byte> bytes = imageBytes("appended");
  size_t begin = partsOfImage(bytes).object.size();
  for (size_t i = begin; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte(4);
    Result<std::unique_ptr<Executable>> executable = Executable::loadFromMemory(damaged, "memory");
    ASSERT_FALSE(executable) << i - begin;
    EXPECT_EQ(executable.error().code, errors::ImageInvalid);
  }
  for (size_t gone : {size_t(1), size_t(4), bytes.size() - begin - imageSealBytes - 1}) {
    std::vector<std::byte> cut = bytes;
    cut.erase(cut.begin() + static_cast<ptrdiff_t>(begin),
              cut.begin() + static_cast<ptrdiff_t>(begin + gone));
    EXPECT_EQ(Executable::loadFromMemory(cut, "memory").error().code, errors::ImageInvalid) << gone;
    cut.insert(cut.begin() + static_cast<ptrdiff_t>(begin), gone + 64, std::byte(0));
    EXPECT_EQ(Executable::loadFromMemory(cut, "memory").error().code, errors::ImageInvalid) << gone;
  }
}

TEST(Executable, SharedPoolServesSeveralProgramsAndThreads) {
  LoadOptions options;
  options.pool = std::make_shared<ThreadPool>(2);
  Result<std::unique_ptr<Executable>> first = Executable::load(imagePath("plain"), options);
  Result<std::unique_ptr<Executable>> second = Executable::load(imagePath("sidefile"), options);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  std::vector<std::thread> callers;
  for (Executable *executable : {first->get(), second->get(), first->get(), second->get()}) {
    callers.emplace_back([executable] {
      for (int i = 0; i < 50; ++i) {
        expectResults(*executable);
      }
    });
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
}

// The system's loader must never return a library that was loaded from another image. Each image is
// loaded several times at once, so that freeing one copy leaves the image in use.
TEST(Executable, LoadingAndFreeingOnManyThreadsRunsTheRightCode) {
  auto work = [](const std::string &kind, DiagnosticCode expected) {
    std::vector<std::byte> bytes = imageBytes(kind);
    LoadOptions options;
    options.threads = 1;
    for (int i = 0; i < 400; ++i) {
      Result<std::unique_ptr<Executable>> executable =
          i % 4 == 0 ? Executable::loadFromMemory(bytes, "memory", options)
                     : Executable::load(imagePath(kind), options);
      ASSERT_TRUE(executable) << executable.error().str();
      Result<std::vector<Tensor>> results = call(**executable, testArguments());
      ASSERT_EQ(results ? errors::FileNotReadable : results.error().code, expected);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    // FileNotReadable stands for success here, since a successful run has no code.
    threads.emplace_back(work, "plain", errors::FileNotReadable);
    threads.emplace_back(work, "failing", errors::ProgramFailed);
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

// The loaded image is a copy: its file may be overwritten while it runs.
TEST(Executable, TheFileMayChangeOnceItIsLoaded) {
  std::string path = testing::TempDir() + "drumlin-changing.so";
  std::vector<std::byte> bytes = imageBytes("plain");
  ASSERT_TRUE(writeFile(path, bytes));
  Result<std::unique_ptr<Executable>> executable = Executable::load(path);
  ASSERT_TRUE(executable) << executable.error().str();
  std::vector<std::byte> zeros(bytes.size());
  std::FILE *file = std::fopen(path.c_str(), "r+b");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(std::fwrite(zeros.data(), 1, zeros.size(), file), zeros.size());
  std::fclose(file);
  expectResults(**executable);
  std::remove(path.c_str());
}

TEST(Executable, MisalignedPointersAreCopied) {
  Result<std::unique_ptr<Executable>> executable = Executable::load(imagePath("plain"));
  ASSERT_TRUE(executable);
  std::vector<float> memory(4 * testImageElements + 64);
  float *x = memory.data() + 1, *y = x + 1001, *out = y + 1001, *sum = out + 1001, *total = sum + 1;
  for (int64_t i = 0; i < testImageElements; ++i) {
    x[i] = 1;
    y[i] = 2;
  }
  *total = 6;
  const void *args[] = {x, y, total, nullptr};
  void *results[] = {out, sum, total};
  Status status = (*executable)->run({.args = args, .results = results});
  ASSERT_TRUE(status) << status.error().str();
  EXPECT_EQ(out[0], 4);
  EXPECT_EQ(out[999], 4);
  EXPECT_EQ(*sum, 4000);
  EXPECT_EQ(*total, 7);
}

TEST(Executable, WrongArgumentsAreNamed) {
  Result<std::unique_ptr<Executable>> executable = Executable::load(imagePath("plain"));
  ASSERT_TRUE(executable);
  std::vector<Tensor> args = testArguments();
  args[1] = Tensor(ElementType::F32, {100, 10});
  Result<std::vector<Tensor>> results = call(**executable, args);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, errors::ArgumentMismatch);
  EXPECT_EQ(results.error().message,
            "argument 1 `y` is a `tensor<100x10xf32>`, the program takes a `tensor<10x100xf32>`");
  EXPECT_EQ(results.error().location, imagePath("plain"));
  args.pop_back();
  EXPECT_EQ(call(**executable, args).error().code, errors::ArgumentMismatch);
  EXPECT_EQ((*executable)->resultSizes({}).error().code, errors::ArgumentMismatch);
  const void *nulls[4] = {};
  void *nullResults[3] = {};
  Status status = (*executable)->run({.args = nulls, .results = nullResults});
  EXPECT_EQ(status.error().code, errors::ArgumentMismatch);
  EXPECT_EQ((*executable)->run({}).error().code, errors::ArgumentMismatch);
}

TEST(Executable, MissingFeaturesAreNamed) {
  Result<std::unique_ptr<Executable>> executable = Executable::load(imagePath("feature"));
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().code, errors::CpuFeatureMissing);
  EXPECT_NE(executable.error().message.find("lacks `warp-drive`"), std::string::npos);
  EXPECT_NE(executable.error().str().find("--target-cpu"), std::string::npos);
}

TEST(Executable, BadImagesAreRefused) {
  EXPECT_EQ(loadError("absent"), errors::FileNotReadable);
  EXPECT_EQ(loadError("oldmeta"), errors::ImageAbiMismatch);
  EXPECT_EQ(loadError("huge"), errors::OutOfMemory);
  EXPECT_EQ(loadError("abi"), errors::ImageAbiMismatch);
  EXPECT_EQ(loadError("nocode"), errors::ImageNotLoadable);
  EXPECT_EQ(loadError("badmeta"), errors::ImageMetadataCorrupt);
  EXPECT_EQ(Executable::load(TEST_IMAGES).error().code, errors::FileNotReadable);
  EXPECT_EQ(Executable::load(TEST_IMAGES "/plain.elf").error().code, errors::ImageInvalid);
  EXPECT_EQ(Executable::loadFromMemory({}, "memory").error().code, errors::ImageInvalid);
}

TEST(Executable, DamagedImagesAreRefused) {
  std::vector<std::byte> image = imageBytes("plain");
  for (size_t i = 0; i < image.size(); i += 97) {
    std::vector<std::byte> damaged = image;
    damaged[i] ^= std::byte(0x10);
    Result<std::unique_ptr<Executable>> executable = Executable::loadFromMemory(damaged, "memory");
    ASSERT_FALSE(executable) << i;
    EXPECT_EQ(executable.error().code, errors::ImageInvalid);
  }
}

// Tests a sealed object with the right section but no entry symbol.
TEST(Executable, ObjectsWithoutTheSymbolAreRefused) {
  Result<std::shared_ptr<MappedFile>> object = MappedFile::open(TEST_IMAGES "/plain.elf");
  ASSERT_TRUE(object);
  std::string bytes(reinterpret_cast<const char *>((*object)->bytes().data()),
                    (*object)->bytes().size());
  for (size_t at = bytes.find("drumlin_image"); at != std::string::npos;
       at = bytes.find("drumlin_image", at + 1)) {
    bytes[at] = 'D';
  }
  bytes += imageSeal(std::as_bytes(std::span(bytes)));
  Result<std::unique_ptr<Executable>> executable =
      Executable::loadFromMemory(std::as_bytes(std::span(bytes)), "memory");
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().code, errors::ImageNotLoadable);
}

TEST(Executable, FailingProgramsSaySo) {
  Result<std::unique_ptr<Executable>> executable = Executable::load(imagePath("failing"));
  ASSERT_TRUE(executable);
  Result<std::vector<Tensor>> results = call(**executable, testArguments());
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, errors::ProgramFailed);
  EXPECT_NE(results.error().message.find("code 7"), std::string::npos);
}
