// BLAKE3's published test vectors, and equal digests for any number of lanes and any pieces.
#include "drumlin/support/Blake3.h"

#include "drumlin/support/Hash.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <string>

using namespace drumlin;

// Returns the test vectors' input, as the algorithm's authors define it.
static std::vector<std::byte> input(size_t bytes) {
  std::vector<std::byte> made(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    made[i] = static_cast<std::byte>(i % 251);
  }
  return made;
}

static const struct Vector {
  size_t bytes;
  const char *digest;
} vectors[] = {
    {0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
    {1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"},
    {63, "e9bc37a594daad83be9470df7f7b3798297c3d834ce80ba85d6e207627b7db7b"},
    {64, "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98"},
    {65, "de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee"},
    {127, "d81293fda863f008c09e92fc382a81f5a0b4a1251cba1634016a0f86a6bd640d"},
    {128, "f17e570564b26578c33bb7f44643f539624b05df1a76c81f30acd548c44b45ef"},
    {129, "683aaae9f3c5ba37eaaf072aed0f9e30bac0865137bae68b1fde4ca2aebdcb12"},
    {1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11"},
    {1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"},
    {1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"},
    {2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a"},
    {2049, "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030"},
    {3072, "b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2"},
    {3073, "7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3"},
    {4096, "015094013f57a5277b59d8475c0501042c0b642e531b0a1c8f58d2163229e969"},
    {4097, "9b4052b38f1c5fc8b1f9ff7ac7b27cd242487b3d890d15c96a1c25b8aa0fb995"},
    {5120, "9cadc15fed8b5d854562b26a9536d9707cadeda9b143978f319ab34230535833"},
    {5121, "628bd2cb2004694adaab7bbd778a25df25c47b9d4155a55f8fbd79f2fe154cff"},
    {6144, "3e2e5b74e048f3add6d21faab3f83aa44d3b2278afb83b80b3c35164ebeca205"},
    {6145, "f1323a8631446cc50536a9f705ee5cb619424d46887f3c376c695b70e0f0507f"},
    {7168, "61da957ec2499a95d6b8023e2b0e604ec7f6b50e80a9678b89d2628e99ada77a"},
    {7169, "a003fc7a51754a9b3c7fae0367ab3d782dccf28855a03d435f8cfe74605e7817"},
    {8192, "aae792484c8efe4f19e2ca7d371d8c467ffb10748d8a5a1ae579948f718a2a63"},
    {8193, "bab6c09cb8ce8cf459261398d2e7aef35700bf488116ceb94a36d0f5f1b7bc3b"},
    {16384, "f875d6646de28985646f34ee13be9a576fd515f76b5b0a26bb324735041ddde4"},
    {31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"},
    {102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"},
};

// Returns the numbers of lanes that this machine supports.
static std::vector<unsigned> allLanes() {
  std::vector<unsigned> lanes;
  for (unsigned count : {1u, 8u, 16u}) {
    if (count <= Blake3::widestLanes()) {
      lanes.push_back(count);
    }
  }
  return lanes;
}

TEST(Blake3, GivesThePublishedDigests) {
  for (const Vector &vector : vectors) {
    std::vector<std::byte> bytes = input(vector.bytes);
    EXPECT_EQ(contentHash(bytes), vector.digest) << vector.bytes;
    std::string expected = hashBytes(vector.digest);
    for (unsigned lanes : allLanes()) {
      Blake3 hash(lanes);
      hash.add(bytes);
      Blake3::Digest digest = hash.digest();
      EXPECT_EQ(std::memcmp(digest.data(), expected.data(), digest.size()), 0)
          << vector.bytes << " bytes, " << lanes << " lanes";
    }
  }
}

// Tests sizes near the ends of chunks, lanes and subtrees.
TEST(Blake3, LanesAndPiecesDoNotMatter) {
  std::vector<std::byte> bytes = input((1 << 20) + 4096);
  for (size_t chunks :
       {3u, 4u, 5u, 8u, 9u, 15u, 16u, 17u, 31u, 64u, 255u, 256u, 257u, 512u, 1024u}) {
    for (int more : {-1, 0, 1, 700}) {
      std::span<const std::byte> all(bytes.data(), chunks * 1024 + static_cast<size_t>(more));
      Blake3 single(1);
      for (size_t i = 0; i < all.size(); i += 1000) {
        single.add(all.subspan(i, std::min<size_t>(1000, all.size() - i)));
      }
      for (unsigned lanes : allLanes()) {
        for (size_t first : {size_t(0), size_t(1), size_t(1024), size_t(2500)}) {
          Blake3 hash(lanes);
          hash.add(all.first(first));
          hash.digest(); // changes nothing
          hash.add(all.subspan(first));
          EXPECT_EQ(hash.digest(), single.digest())
              << all.size() << " bytes, " << lanes << " lanes, the first piece has " << first;
        }
      }
    }
  }
}

TEST(Blake3, EveryByteCounts) {
  std::vector<std::byte> bytes = input(40000);
  std::string before = contentHash(bytes);
  for (size_t i = 0; i < bytes.size(); i += 997) {
    bytes[i] ^= std::byte(1);
    EXPECT_NE(contentHash(bytes), before) << i;
    bytes[i] ^= std::byte(1);
  }
}
