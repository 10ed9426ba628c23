#include "drumlin/ir/sizes/ReshapedSizes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace drumlin {

SmallVector<ReshapedGroup> reshapedGroups(ArrayRef<SizeExpression> from,
                                          ArrayRef<SizeExpression> to) {
  SmallVector<ReshapedGroup> groups;
  size_t i = 0, j = 0;
  auto next = [&]() -> ReshapedGroup {
    SizeExpression left(1);
    for (size_t endFrom = i; endFrom < from.size();) {
      left = left * from[endFrom++];
      SizeExpression right(1);
      for (size_t endTo = j; endTo < to.size();) {
        right = right * to[endTo++];
        if (left == right) {
          return {i, endFrom, j, endTo};
        }
      }
    }
    return {i, from.size(), j, to.size()};
  };
  while (i < from.size() || j < to.size()) {
    groups.push_back(next());
    i = groups.back().endFrom;
    j = groups.back().endTo;
  }
  return groups;
}

static bool areDivisorsKnown(ArrayRef<SizeExpression> group) {
  group = group.drop_while([](const SizeExpression &size) { return size.constant() == 1; });
  return group.empty() || all_of(group.drop_front(), [](const SizeExpression &size) {
           return size.constant().has_value();
         });
}

bool hasKnownDivisors(const ReshapedGroup &group, ArrayRef<SizeExpression> from,
                      ArrayRef<SizeExpression> to) {
  return areDivisorsKnown(from.slice(group.from, group.endFrom - group.from)) &&
         areDivisorsKnown(to.slice(group.to, group.endTo - group.to));
}

} // namespace drumlin
