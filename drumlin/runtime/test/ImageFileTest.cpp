#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/runtime/executable/AppendedConstants.h"
#include "drumlin/runtime/test/TestImage.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/ImageErrors.h"

#include <elf.h>
#include <gtest/gtest.h>

using namespace drumlin;

static std::string read(const std::string &path) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  EXPECT_TRUE(file);
  return std::string(reinterpret_cast<const char *>((*file)->bytes().data()),
                     (*file)->bytes().size());
}

static Result<ImageLayout> inspect(const std::string &bytes) {
  return inspectImage(std::as_bytes(std::span(bytes)), "x.so");
}

// Seals the bytes again, so that the seal is accepted and the later checks run.
static Result<ImageLayout> inspectSealed(std::string bytes) {
  bytes += imageSeal(std::as_bytes(std::span(bytes)));
  Result<ImageLayout> layout = inspect(bytes);
  if (layout) {
    (void)parse(layout->metadata, "x.so");
  }
  return layout;
}

TEST(ImageFile, MetadataIsFoundWithoutLoading) {
  Result<ImageDescription> description = readImageDescription(TEST_IMAGES "/plain.so");
  ASSERT_TRUE(description) << description.error().str();
  EXPECT_EQ(description->plan, "plan.program @main");
  Result<ImageLayout> layout = inspect(read(TEST_IMAGES "/plain.so"));
  ASSERT_TRUE(layout);
  EXPECT_GE(layout->loaded.size(), 2u);
  EXPECT_EQ(layout->code.size(), 1u);
}

TEST(ImageFile, AnyDamageBreaksTheSeal) {
  std::string image = read(TEST_IMAGES "/plain.so");
  for (size_t i = 0; i < image.size(); i += 7) {
    std::string damaged = image;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    Result<ImageLayout> layout = inspect(damaged);
    ASSERT_FALSE(layout) << i;
    EXPECT_EQ(layout.error().code, errors::ImageInvalid);
  }
  for (size_t size :
       {size_t(0), size_t(10), size_t(63), size_t(64), image.size() / 2, image.size() - 1}) {
    EXPECT_FALSE(inspect(image.substr(0, size))) << size;
  }
  EXPECT_FALSE(inspect("a text file\n"));
  EXPECT_FALSE(inspectSealed("a text file\n"));
  EXPECT_FALSE(inspectSealed(""));
}

// An earlier version's hash can't be checked, so only the version is reported.
TEST(ImageFile, SealsOfEarlierVersionsAreNamed) {
  std::string image = read(TEST_IMAGES "/plain.so");
  image.replace(image.size() - 64, 8, "DRMLSEAL");
  Result<ImageLayout> layout = inspect(image);
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, errors::ImageAbiMismatch);
}

// Sealed headers aren't trusted.
TEST(ImageFile, DamagedHeadersNeverCrash) {
  std::string object = read(TEST_IMAGES "/plain.elf");
  EXPECT_TRUE(inspectSealed(object));
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof(header));
  auto damage = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < std::min(end, object.size()); ++i) {
      for (int flip : {1, 0x40, 0xff}) {
        std::string damaged = object;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        (void)inspectSealed(std::move(damaged));
      }
    }
  };
  damage(0, sizeof(Elf64_Ehdr));
  damage(header.e_phoff, header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr));
  damage(header.e_shoff, header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr));
  for (size_t size = 0; size < object.size(); size += 13) {
    (void)inspectSealed(object.substr(0, size));
  }
}

TEST(ImageFile, ProgramsAndOtherLibrariesAreRefused) {
  for (const char *path : {"/proc/self/exe", "/bin/sh"}) {
    Result<ImageLayout> layout = inspectSealed(read(path));
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().code, errors::ImageInvalid);
  }
}

TEST(WeightsFile, PlacesAreAligned) {
  ImageDescription description = testImageDescription("plain");
  WeightDescription large;
  large.value = {"large", ElementType::F32, {33}, -1};
  description.weights = {large, description.weights[0], large, large};
  placeWeights(description, 20);
  EXPECT_EQ(description.weights[0].offset, 64u);
  EXPECT_TRUE(description.weights[1].isEmbedded());
  EXPECT_EQ(description.weights[2].offset, 256u);
  EXPECT_EQ(description.weightsFileBytes, 448u + 132u);
}

TEST(AppendedConstants, PlacesAreAligned) {
  ImageDescription description = testImageDescription("plain");
  WeightDescription large;
  large.value = {"large", ElementType::UI8, {maxEmbeddedConstant + 3}, -1};
  description.weights = {large, description.weights[0], large, large};
  placeConstants(description, 1);
  EXPECT_FALSE(description.weights[0].isAppended);
  EXPECT_TRUE(description.weights[1].isEmbedded());
  EXPECT_TRUE(description.weights[2].isAppended);
  EXPECT_EQ(description.weights[2].offset, 0u);
  EXPECT_EQ(description.weights[3].offset, maxEmbeddedConstant + 64u);
  EXPECT_EQ(description.appendedBytes, 2u * maxEmbeddedConstant + 67u);
}

TEST(WeightsFile, SamplesAreOfBothEndsAndBetween) {
  std::vector<std::byte> array((1 << 20) + 1);
  std::string whole = sampleHash(array);
  for (size_t at : {size_t(0), size_t(4095), size_t(349525), array.size() - 1}) {
    array[at] ^= std::byte(1);
    EXPECT_NE(sampleHash(array), whole) << at;
    array[at] ^= std::byte(1);
  }
  // A small array is hashed completely.
  std::span<const std::byte> small = std::span(array).first(16384);
  whole = sampleHash(small);
  array[5000] ^= std::byte(1);
  EXPECT_NE(sampleHash(small), whole);
  EXPECT_NE(sampleHash(small.first(8)), sampleHash(small.first(12)));
}

TEST(WeightsFile, HeadersHaveTheLengthThatTheFileSays) {
  std::vector<std::byte> file(20);
  file[0] = std::byte(12);
  EXPECT_EQ(safetensorsHeaderBytes(file), 20u);
  EXPECT_EQ(safetensorsHeaderBytes(std::span(file).first(19)), 0u);
  EXPECT_EQ(safetensorsHeaderBytes(std::span(file).first(7)), 0u);
  file[7] = std::byte(0xff);
  EXPECT_EQ(safetensorsHeaderBytes(file), 0u);
}

TEST(WeightsFile, DamageAndMixUpsAreFound) {
  ImageDescription description = testImageDescription("sidefile");
  std::string bytes = read(TEST_IMAGES "/sidefile.so.weights"),
              path = testing::TempDir() + "drumlin-test.weights";
  auto open = [&](const std::string &contents, WeightsCheck check) {
    EXPECT_TRUE(writeFile(path, contents));
    Result<std::shared_ptr<MappedFile>> file = openWeightsFile(path, description, check);
    std::remove(path.c_str());
    return file;
  };
  EXPECT_TRUE(open(bytes, WeightsCheck::Contents));
  for (size_t size : {size_t(0), size_t(63), bytes.size() - 1}) {
    EXPECT_EQ(open(bytes.substr(0, size), WeightsCheck::Header).error().code,
              errors::WeightsInvalid);
  }
  std::string damaged = bytes;
  damaged.back() ^= 1;
  EXPECT_TRUE(open(damaged, WeightsCheck::Header));
  EXPECT_EQ(open(damaged, WeightsCheck::Contents).error().code, errors::WeightsInvalid);
  description.weights[0].contentHash = contentHash("another weight");
  EXPECT_EQ(open(bytes, WeightsCheck::Header).error().code, errors::WeightsInvalid);
  EXPECT_EQ(openWeightsFile("/absent", description).error().code, errors::FileNotReadable);
}
