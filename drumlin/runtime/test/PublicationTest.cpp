// The image under a published name can be loaded at every moment of a publication.
#include "drumlin/runtime/executable/Publication.h"

#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/runtime/test/TestImage.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace drumlin;

static std::string bytesOf(const std::string &kind) {
  Result<std::shared_ptr<MappedFile>> file =
      MappedFile::open(std::string(TEST_IMAGES "/") + kind + ".so");
  EXPECT_TRUE(file);
  std::span<const std::byte> bytes = (*file)->bytes();
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

static Status publish(const std::string &path, const std::string &kind) {
  return publishImage(path, bytesOf(kind), testImageDescription(kind), [&](size_t) {
    std::vector<std::byte> weight = testWeight(kind);
    Tensor tensor(ElementType::UI8, {static_cast<int64_t>(weight.size())});
    std::ranges::copy(weight, tensor.data());
    return tensor;
  });
}

static int renamesLeft;

class Publication : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "drumlin-publication-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = folder / "image.so";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
      found.insert(entry.path().filename());
    }
    return found;
  }

  // Returns the factor that the image at the path multiplies by; 0 if it can't be loaded or run.
  float factor() const {
    LoadOptions options;
    options.threads = 1;
    options.weightsCheck = WeightsCheck::Contents;
    Result<std::unique_ptr<Executable>> executable = Executable::load(path, options);
    if (!executable) {
      ADD_FAILURE() << executable.error().str();
      return 0;
    }
    std::vector<Tensor> arguments = {Tensor(ElementType::F32, {10, 100}),
                                     Tensor(ElementType::F32, {10, 100}),
                                     Tensor(ElementType::F32, {}), Tensor(ElementType::F32, {0})};
    arguments[0].as<float>()[5] = 1;
    Result<std::vector<Tensor>> results = call(**executable, arguments);
    return results ? (*results)[0].as<float>()[5] : 0;
  }

  // Publishes in a process that is killed when it has renamed `renames` files and is about to
  // rename another one. Returns whether it was killed.
  bool publishAndKill(const std::string &kind, int renames) const {
    pid_t child = fork();
    if (child == 0) {
      renamesLeft = renames;
      setCommitHook([](const std::string &) {
        if (renamesLeft-- == 0) {
          _exit(9);
        }
      });
      _exit(publish(path, kind) ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_NE(WEXITSTATUS(status), 1);
    return WEXITSTATUS(status) == 9;
  }

  std::filesystem::path folder, path;
};

TEST_F(Publication, KilledBeforeAnyRenameItLeavesAWholePair) {
  int renames = 0;
  for (bool killed = true; killed; ++renames) {
    ASSERT_TRUE(publish(path, "sidefile"));
    ASSERT_EQ(factor(), 2);
    killed = publishAndKill("otherweights", renames);
    float left = factor();
    EXPECT_TRUE(left == 7 || (killed && left == 2)) << renames << ": " << left;
    // The next publication removes leftovers, but incomplete files only after a while.
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".tmp") {
        std::filesystem::last_write_time(
            entry.path(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
      }
    }
    ASSERT_TRUE(publish(path, "otherweights"));
    EXPECT_EQ(factor(), 7);
    for (const std::string &name : names()) {
      EXPECT_TRUE(name == "image.so" || name == "image.so.weights") << name;
    }
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
  }
  // A publication renames three times: the weights, the image, and the weights to their final name.
  // So the loop ends after an attempt with `renames` = 3, which isn't killed.
  EXPECT_EQ(renames, 4);
}

TEST_F(Publication, WeightsOfAnEarlierImageGo) {
  ASSERT_TRUE(publish(path, "sidefile"));
  EXPECT_EQ(names(), (std::set<std::string>{"image.so", "image.so.weights"}));
  ASSERT_TRUE(publish(path, "plain"));
  EXPECT_EQ(names(), (std::set<std::string>{"image.so"}));
  // A user's file that merely has the name of a side file is kept.
  std::ofstream(folder / "image.so.weights") << "notes on my weights";
  ASSERT_TRUE(publish(path, "plain"));
  EXPECT_EQ(names(), (std::set<std::string>{"image.so", "image.so.weights"}));
}

// Readers load a matching pair while several threads, standing for processes, publish.
TEST_F(Publication, LoadsMeanwhile) {
  ASSERT_TRUE(publish(path, "sidefile"));
  std::atomic<bool> stopping{false};
  std::vector<std::thread> writers;
  for (const char *kind : {"sidefile", "otherweights"}) {
    writers.emplace_back([this, kind, &stopping] {
      while (!stopping.load()) {
        EXPECT_TRUE(publish(path, kind));
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    float found = factor();
    EXPECT_TRUE(found == 2 || found == 7) << found;
  }
  stopping.store(true);
  for (std::thread &writer : writers) {
    writer.join();
  }
  EXPECT_EQ(names(), (std::set<std::string>{"image.so", "image.so.weights"}));
}
