#include "drumlin/support/ElementType.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace drumlin;

TEST(ElementType, NamesAreUniqueAndFound) {
  std::set<std::string_view> names, numpyNames;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    ElementType type = static_cast<ElementType>(i);
    EXPECT_EQ(info(type).type, type);
    EXPECT_TRUE(names.insert(info(type).name).second);
    EXPECT_TRUE(numpyNames.insert(info(type).numpyName).second);
    EXPECT_EQ(elementTypeFromName(info(type).name), type);
    EXPECT_EQ(elementTypeFromNumpyName(info(type).numpyName), type);
  }
  EXPECT_EQ(elementTypeFromName("float32"), std::nullopt);
  EXPECT_EQ(elementTypeFromNumpyName("f32"), std::nullopt);
  EXPECT_EQ(elementTypeFromName(""), std::nullopt);
}

TEST(ElementType, KindsPartitionTheTypes) {
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    ElementType type = static_cast<ElementType>(i);
    EXPECT_EQ(isFloat(type) + isComplex(type) + isBoolean(type) + isInteger(type), 1) << name(type);
  }
  EXPECT_EQ(storageBytes(ElementType::SI4), 1u);
  EXPECT_EQ(storageBytes(ElementType::C128), 16u);
}
