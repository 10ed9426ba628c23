#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

using namespace drumlin;

static Tensor counted(ElementType type, Shape shape) {
  Tensor tensor(type, std::move(shape));
  for (int64_t i = 0; i < tensor.bytes(); ++i) {
    tensor.as<uint8_t>()[i] = type == ElementType::I1 ? i & 1 : static_cast<uint8_t>(i * 37 + 1);
  }
  return tensor;
}

static bool same(const Tensor &a, const Tensor &b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
}

static std::string npy(const std::string &dictionary, const std::string &elements,
                       char version = 1) {
  std::string text = std::string("\x93NUMPY") + version + '\0';
  text += static_cast<char>(dictionary.size());
  text += '\0';
  if (version > 1) {
    text += std::string(2, '\0');
  }
  return text + dictionary + elements;
}

static Result<Tensor> parse(const std::string &text) {
  return parseNpy(std::as_bytes(std::span(text)), "x.npy");
}

class ArrayFiles : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "drumlin-arrays-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern + "/";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string bytesOf(const std::string &path) {
    Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
    EXPECT_TRUE(file);
    return std::string(reinterpret_cast<const char *>((*file)->bytes().data()),
                       (*file)->bytes().size());
  }
  std::string folder;
};

// Every type and shape is read as it was written, in every format; types that a format lacks are
// read as bits.
TEST_F(ArrayFiles, RoundTrip) {
  std::vector<NamedTensor> arrays;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    ElementType type = static_cast<ElementType>(i);
    std::string typeName(info(type).numpyName);
    for (const Shape &shape : {Shape{}, Shape{0, 3}, Shape{5}, Shape{2, 3, 4}}) {
      Tensor tensor = counted(type, shape);
      if (info(type).bits < 8 && type != ElementType::I1) {
        // Only canonical storage is read back unchanged.
        Result<Tensor> canonical = reinterpret(counted(ElementType::UI8, shape), type);
        ASSERT_TRUE(canonical);
        tensor = *canonical;
      }
      arrays.push_back({typeName + std::to_string(shape.size()), tensor});
    }
  }
  auto check = [&](const std::vector<NamedTensor> &read) {
    ASSERT_EQ(read.size(), arrays.size());
    for (const NamedTensor &array : read) {
      auto wanted =
          std::find_if(arrays.begin(), arrays.end(), [&](auto &a) { return a.name == array.name; });
      ASSERT_NE(wanted, arrays.end()) << array.name;
      Result<Tensor> tensor = reinterpret(array.tensor, wanted->tensor.type());
      ASSERT_TRUE(tensor) << array.name << ": " << tensor.error().str();
      EXPECT_TRUE(same(*tensor, wanted->tensor)) << array.name;
    }
  };
  for (NpzCompression compression : {NpzCompression::Stored, NpzCompression::Deflated}) {
    ASSERT_TRUE(writeNpz(folder + "a.npz", arrays, compression));
    Result<std::vector<NamedTensor>> read = readArrays(folder + "a.npz");
    ASSERT_TRUE(read) << read.error().str();
    check(*read);
  }
  Status status = writeArrays(folder + "a.safetensors", arrays);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::FileNotWritable);
  std::erase_if(arrays, [](const NamedTensor &a) { return a.tensor.type() == ElementType::C128; });
  ASSERT_TRUE(writeArrays(folder + "a.safetensors", arrays));
  Result<std::vector<NamedTensor>> read = readArrays(folder + "a.safetensors");
  ASSERT_TRUE(read) << read.error().str();
  check(*read);
  for (const NamedTensor &array : arrays) {
    std::string path = folder + array.name + ".npy";
    ASSERT_TRUE(writeArrays(path, {&array, 1}));
    Result<std::vector<NamedTensor>> one = readArrays(path);
    ASSERT_TRUE(one) << one.error().str();
    EXPECT_EQ((*one)[0].name, array.name);
    Result<Tensor> tensor = reinterpret((*one)[0].tensor, array.tensor.type());
    ASSERT_TRUE(tensor);
    EXPECT_TRUE(same(*tensor, array.tensor));
  }
}

TEST_F(ArrayFiles, SameArraysGiveTheSameBytes) {
  std::vector<NamedTensor> arrays = {{"a", counted(ElementType::F32, {64})}};
  for (const char *ending : {".npz", ".safetensors", ".npy"}) {
    ASSERT_TRUE(writeArrays(folder + "1" + ending, arrays));
    ASSERT_TRUE(writeArrays(folder + "2" + ending, arrays));
    EXPECT_EQ(bytesOf(folder + "1" + ending), bytesOf(folder + "2" + ending));
  }
}

TEST_F(ArrayFiles, EndingsDecideTheFormat) {
  Result<std::vector<NamedTensor>> read = readArrays(folder + "a.txt");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errors::ArrayFileInvalid);
  EXPECT_FALSE(writeArrays(folder + "a.txt", {}));
  EXPECT_FALSE(writeArrays(folder + "a.npy", {}));
  EXPECT_EQ(readArrays(folder + "absent.npz").error().code, errors::FileNotReadable);
}

TEST(Npy, ColumnMajorArraysAreTransposed) {
  Result<Tensor> tensor =
      parse(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", "abcdef"));
  ASSERT_TRUE(tensor) << tensor.error().str();
  EXPECT_EQ(tensor->shape(), (Shape{2, 3}));
  EXPECT_EQ(std::memcmp(tensor->data(), "acebdf", 6), 0);
}

TEST(Npy, BigEndianArraysAreReversed) {
  Result<Tensor> tensor = parse(
      npy("{'descr': '>i2', 'fortran_order': False, 'shape': (1,)}", std::string("\x01\x02")));
  ASSERT_TRUE(tensor) << tensor.error().str();
  EXPECT_EQ(tensor->as<int16_t>()[0], 0x0102);
}

TEST(Npy, VersionsTwoAndThreeHaveALongLength) {
  for (char version : {2, 3}) {
    Result<Tensor> tensor =
        parse(npy("{'shape': (), 'descr': '<i1', 'fortran_order': False}", "z", version));
    ASSERT_TRUE(tensor) << tensor.error().str();
    EXPECT_EQ(tensor->as<int8_t>()[0], 'z');
  }
}

TEST(Npy, BooleansBecomeZeroOrOne) {
  Result<Tensor> tensor =
      parse(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\x07x"));
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->as<uint8_t>()[0], 1);
}

TEST(Npy, DamageIsDiagnosed) {
  for (const std::string &text : {
           std::string(),
           std::string("\x93NUMPY"),
           std::string("text, not an array"),
           npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234"),
           npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234567890"),
           npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", ""),
           npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", ""),
           npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", ""),
           npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678"),
           npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
           npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", "1234"),
           npy("{'descr': '<f4', 'fortran_order': False, }", "1234"),
           npy("{'descr': '<f4', 'shape': (1,), 'shape': (1,), 'fortran_order': False}", "1234"),
           npy("{'descr': '<f4", ""),
           npy("", ""),
           npy("{", ""),
           npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234", 4),
       }) {
    Result<Tensor> tensor = parse(text);
    ASSERT_FALSE(tensor) << text;
    EXPECT_EQ(tensor.error().code, errors::ArrayFileInvalid) << text;
    EXPECT_EQ(tensor.error().location, "x.npy");
  }
}

// A small archive, written as by Python's numpy.savez_compressed, with any byte damaged or any part
// cut off, gives arrays or a diagnostic.
TEST_F(ArrayFiles, DamagedArchivesNeverCrash) {
  std::vector<NamedTensor> arrays = {{"a", counted(ElementType::F32, {3})},
                                     {"b", counted(ElementType::I1, {4})}};
  for (NpzCompression compression : {NpzCompression::Stored, NpzCompression::Deflated}) {
    ASSERT_TRUE(writeNpz(folder + "a.npz", arrays, compression));
    std::string whole = bytesOf(folder + "a.npz");
    for (size_t i = 0; i < whole.size(); ++i) {
      EXPECT_FALSE(parseNpz(std::as_bytes(std::span(whole.data(), i)), "x.npz")) << i;
      for (char flip : {1, 64, -1}) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        Result<std::vector<NamedTensor>> read =
            parseNpz(std::as_bytes(std::span(damaged)), "x.npz");
        // Some bytes (dates, versions, the count of disks) are ignored by readers; elements never
        // are.
        if (read && read->size() == 2) {
          EXPECT_TRUE(same((*read)[0].tensor, arrays[0].tensor)) << i;
        }
      }
    }
  }
}

// Arrays that the filter skips aren't read, and an array that it refuses ends the reading.
TEST_F(ArrayFiles, FiltersAreAskedBeforeElementsAreRead) {
  std::vector<NamedTensor> arrays = {{"a", counted(ElementType::F32, {3})},
                                     {"b", counted(ElementType::I1, {2, 2})}};
  ASSERT_TRUE(writeNpz(folder + "a.npz", arrays, NpzCompression::Deflated));
  ASSERT_TRUE(writeNpz(folder + "s.npz", arrays));
  ASSERT_TRUE(writeArrays(folder + "a.safetensors", arrays));
  for (const char *file : {"a.npz", "s.npz", "a.safetensors"}) {
    std::vector<ArrayHeader> seen;
    Result<std::vector<NamedTensor>> read = readArrays(folder + file, [&](const ArrayHeader &each) {
      seen.push_back(each);
      return Result<bool>(each.name == "b");
    });
    ASSERT_TRUE(read) << read.error().str();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].type, ElementType::F32);
    EXPECT_EQ(seen[0].shape, (Shape{3}));
    EXPECT_EQ(seen[1].shape, (Shape{2, 2}));
    ASSERT_EQ(read->size(), 1u);
    EXPECT_TRUE(same((*read)[0].tensor, arrays[1].tensor));
    read = readArrays(folder + file, [](const ArrayHeader &) -> Result<bool> {
      return diagnose(errors::ArrayTypeMismatch, "not this");
    });
    EXPECT_EQ(read.error().code, errors::ArrayTypeMismatch);
  }
}

// Makes two entries of the directory refer to the same bytes.
TEST_F(ArrayFiles, MembersThatOverlapAreRefused) {
  std::vector<NamedTensor> arrays = {{"a", counted(ElementType::F32, {3})},
                                     {"b", counted(ElementType::F32, {3})}};
  ASSERT_TRUE(writeNpz(folder + "a.npz", arrays));
  std::string whole = bytesOf(folder + "a.npz");
  // The last eight bytes of the zip64 field in the second directory entry are the offset of the
  // second member's header.
  size_t end = whole.rfind("PK\x06\x06");
  ASSERT_NE(end, std::string::npos);
  std::fill_n(whole.begin() + static_cast<std::ptrdiff_t>(end) - 8, 8, '\0');
  Result<std::vector<NamedTensor>> read = parseNpz(std::as_bytes(std::span(whole)), "x.npz");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errors::ArrayFileInvalid);
  EXPECT_NE(read.error().message.find("overlaps"), std::string::npos);
}

static Result<std::vector<NamedTensor>> parseSafe(std::string text) {
  auto owner = std::make_shared<std::string>(std::move(text));
  std::span<std::byte> bytes = std::as_writable_bytes(std::span(*owner));
  return parseSafetensors(bytes, owner, "x.safetensors");
}

static std::string safetensors(const std::string &header, const std::string &data) {
  std::string text(8, '\0');
  text[0] = static_cast<char>(header.size());
  return text + header + data;
}

// Elements shared with the file have an offset in it; copied elements have none.
TEST_F(ArrayFiles, SharedTensorsSayWhereTheyLie) {
  std::vector<NamedTensor> arrays = {{"bytes", Tensor(ElementType::UI8, {3})},
                                     {"floats", Tensor(ElementType::F32, {2})}};
  std::string path = folder + "a.safetensors";
  ASSERT_TRUE(writeArrays(path, arrays));
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  Result<std::vector<NamedTensor>> read = readArrays(path);
  ASSERT_TRUE(file && read);
  EXPECT_EQ((*read)[0].fileOffset, (*file)->bytes().size() - 11);
  EXPECT_EQ((*read)[1].fileOffset, 0u);
  std::swap(arrays[0], arrays[1]);
  ASSERT_TRUE(writeArrays(path, arrays));
  read = readArrays(path);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)[0].fileOffset, (*file)->bytes().size() - 11);
  EXPECT_EQ((*read)[1].fileOffset, (*file)->bytes().size() - 3);
}

TEST(Safetensors, TensorsAreReadInTheOrderOfTheirData) {
  Result<std::vector<NamedTensor>> read =
      parseSafe(safetensors(R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]})"
                            R"(,"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}})",
                            "xyz"));
  ASSERT_TRUE(read) << read.error().str();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name, "a");
  EXPECT_EQ((*read)[0].tensor.type(), ElementType::BF16);
  EXPECT_EQ((*read)[1].tensor.as<uint8_t>()[0], 'z');
}

TEST(Safetensors, DamageIsDiagnosed) {
  for (const std::string &text : {
           std::string(),
           std::string("short"),
           std::string(8, '\xff'),
           safetensors("", ""),
           safetensors("[]", ""),
           safetensors("{", ""),
           safetensors(R"({"a":1})", ""),
           safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})", "x"),
           safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", "x"),
           safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,2]}})", "xy"),
           safetensors(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "x"),
           safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "xy"),
           safetensors(R"({"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}})", "x"),
           safetensors(R"({"a":{"dtype":7,"shape":[2],"data_offsets":[0,1]}})", "x"),
           safetensors(
               R"({"a":{"dtype":"U8","shape":[9223372036854775807,9],"data_offsets":[0,1]}})", "x"),
           safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "xtra"),
       }) {
    Result<std::vector<NamedTensor>> read = parseSafe(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, errors::ArrayFileInvalid);
  }
}

TEST(Safetensors, DeepJsonIsNoTrouble) {
  std::string header(200, '[');
  EXPECT_FALSE(parseSafe(safetensors(header, "")));
}

// Bits become the requested type, but numbers never become another type.
TEST(Reinterpret, ChecksWidthAndKind) {
  EXPECT_TRUE(reinterpret(counted(ElementType::UI16, {2}), ElementType::BF16));
  EXPECT_TRUE(reinterpret(counted(ElementType::UI8, {2}), ElementType::F8E4M3FN));
  EXPECT_TRUE(reinterpret(counted(ElementType::F32, {2}), ElementType::F32));
  for (auto [from, to] : {std::pair(ElementType::UI8, ElementType::BF16),
                          {ElementType::SI16, ElementType::BF16},
                          {ElementType::UI32, ElementType::F32},
                          {ElementType::F32, ElementType::SI32},
                          {ElementType::UI8, ElementType::SI8},
                          {ElementType::UI8, ElementType::I1}}) {
    Result<Tensor> tensor = reinterpret(counted(from, {2}), to);
    ASSERT_FALSE(tensor);
    EXPECT_EQ(tensor.error().code, errors::ArrayTypeMismatch);
  }
}

TEST(Reinterpret, UnusedHighBitsAreSetAsStorageAsks) {
  Tensor raw(ElementType::UI8, {2});
  raw.as<uint8_t>()[0] = 0x3f;
  raw.as<uint8_t>()[1] = 0xf7;
  Result<Tensor> signedOnes = reinterpret(raw, ElementType::SI4);
  ASSERT_TRUE(signedOnes);
  EXPECT_EQ(signedOnes->as<int8_t>()[0], -1);
  EXPECT_EQ(signedOnes->as<int8_t>()[1], 7);
  Result<Tensor> unsignedOnes = reinterpret(raw, ElementType::UI4);
  ASSERT_TRUE(unsignedOnes);
  EXPECT_EQ(unsignedOnes->as<uint8_t>()[0], 15);
}
