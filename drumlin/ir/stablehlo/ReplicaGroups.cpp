#include "drumlin/ir/stablehlo/ReplicaGroups.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace drumlin::stablehlo {

// Maximum number of devices in a mesh. A larger mesh is a mistake, and its groups would exhaust
// memory.
static constexpr int64_t maxDevices = int64_t(1) << 20;

//===-- groups --------------------------------------------------------------------------------===//

static IdGroups groupsOf(DenseIntElementsAttr list) {
  IdGroups groups;
  auto type = cast<ShapedType>(list.getType());
  if (type.getRank() != 2) {
    return groups;
  }
  int64_t width = type.getDimSize(1);
  int64_t position = 0;
  for (int64_t id : list.getValues<int64_t>()) {
    if (position++ % width == 0) {
      groups.emplace_back();
    }
    if (id >= 0) {
      groups.back().push_back(id);
    }
  }
  return groups;
}

namespace {
// A digit of a device's coordinate: (coordinate along the axis / below) % size.
struct Digit {
  size_t axis;
  int64_t size;
  int64_t below; // product of the sizes of the more minor sub-axes
};
} // namespace

static FailureOr<Digit> digitOf(EmitError emit, MeshAttr mesh, AxisRefAttr ref) {
  for (auto [i, axis] : llvm::enumerate(mesh.getAxes())) {
    if (axis.getName() != ref.getName()) {
      continue;
    }
    SubAxisInfoAttr part = ref.getSubAxisInfo();
    if (!part) {
      return Digit{i, axis.getSize(), 1};
    }
    bool fits = part.getPreSize() > 0 && part.getSize() > 0 &&
                axis.getSize() % part.getPreSize() == 0 &&
                axis.getSize() / part.getPreSize() % part.getSize() == 0;
    if (!fits) {
      return emit() << "expects a part that divides the axis `" << axis.getName() << "` of size "
                    << axis.getSize() << ", got (" << part.getPreSize() << ")" << part.getSize();
    }
    return Digit{i, part.getSize(), axis.getSize() / part.getPreSize() / part.getSize()};
  }
  return emit() << "expects an axis of the mesh, got `" << ref.getName() << "`";
}

static FailureOr<int64_t> deviceCount(EmitError emit, MeshAttr mesh) {
  int64_t count = 1;
  for (MeshAxisAttr axis : mesh.getAxes()) {
    if (axis.getSize() <= 0 || axis.getSize() > maxDevices / count) {
      return emit() << "expects a mesh of 1 to " << maxDevices << " devices, got axis `"
                    << axis.getName() << "` of size " << axis.getSize();
    }
    count *= axis.getSize();
  }
  if (mesh.getDeviceIds() && mesh.getDeviceIds().getNumElements() != count) {
    return emit() << "expects " << count << " device_ids, got "
                  << mesh.getDeviceIds().getNumElements();
  }
  return count;
}

// Returns the groups of devices that differ only in the digits of the given axes. Devices in a
// group are ordered by these digits; the first digit is the most significant.
static FailureOr<IdGroups> groupsOf(EmitError emit, MeshAttr mesh, ArrayAttr axes) {
  FailureOr<int64_t> devices = deviceCount(emit, mesh);
  if (failed(devices)) {
    return failure();
  }
  SmallVector<Digit> digits;
  int64_t groupSize = 1;
  for (Attribute axis : axes) {
    auto ref = dyn_cast<AxisRefAttr>(axis);
    if (!ref) {
      return emit() << "expects references to axes, got " << axis;
    }
    FailureOr<Digit> digit = digitOf(emit, mesh, ref);
    if (failed(digit)) {
      return failure();
    }
    groupSize *= digit->size;
    if (groupSize > *devices) {
      return emit() << "expects each part of an axis at most once, got " << axes;
    }
    digits.push_back(*digit);
  }
  SmallVector<int64_t> strides(mesh.getAxes().size(), 1);
  for (size_t i = strides.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * mesh.getAxes()[i].getSize();
  }
  SmallVector<int64_t> ids = llvm::to_vector(llvm::seq<int64_t>(0, *devices));
  if (mesh.getDeviceIds()) {
    ids.assign(mesh.getDeviceIds().value_begin<int64_t>(),
               mesh.getDeviceIds().value_end<int64_t>());
  }
  // The groups, each by the position of its first device in the mesh.
  llvm::MapVector<int64_t, SmallVector<int64_t>> groups;
  for (int64_t device = 0; device < *devices; ++device) {
    int64_t first = device, position = 0;
    for (const Digit &digit : digits) {
      int64_t coordinate = device / strides[digit.axis] % mesh.getAxes()[digit.axis].getSize();
      int64_t value = coordinate / digit.below % digit.size;
      first -= value * digit.below * strides[digit.axis];
      position = position * digit.size + value;
    }
    SmallVector<int64_t> &group = groups[first];
    group.resize(groupSize, -1);
    group[position] = ids[device];
  }
  IdGroups result;
  for (auto &[first, group] : groups) {
    result.push_back(std::move(group));
  }
  return result;
}

FailureOr<IdGroups> idGroupsOf(EmitError emit, Operation *op, Attribute groups) {
  if (auto list = dyn_cast<DenseIntElementsAttr>(groups)) {
    return groupsOf(list);
  }
  auto axes = cast<ReplicaGroupMeshAxesAttr>(groups);
  auto mesh = dyn_cast<MeshAttr>(axes.getMesh());
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(axes.getMesh())) {
    Operation *definition = SymbolTable::lookupNearestSymbolFrom(op, symbol);
    mesh = definition ? definition->getAttrOfType<MeshAttr>("mesh") : MeshAttr();
  }
  if (!mesh) {
    return emit() << "expects a mesh that the program defines, got " << axes.getMesh();
  }
  return groupsOf(emit, mesh, axes.getAxes());
}

//===-- constraints ---------------------------------------------------------------------------===//

LogicalResult checkGroups(EmitError emit, const GroupLabels &labels, Attribute groups) {
  auto list = dyn_cast<DenseIntElementsAttr>(groups);
  if (!list) {
    return success();
  }
  int64_t rank = cast<ShapedType>(list.getType()).getRank();
  if (rank != 2) {
    return emit() << "expects replica_groups of rank 2, got rank " << rank << " (" << labels.shape
                  << ")";
  }
  llvm::SmallSet<int64_t, 16> seen;
  int64_t largest = -1;
  for (int64_t id : list.getValues<int64_t>()) {
    if (id == -1 && labels.mayPad) {
      continue;
    }
    if (id < 0) {
      return emit() << "expects ids of at least 0 in replica_groups, got " << id << " ("
                    << (labels.covered.empty() ? labels.shape : labels.covered) << ")";
    }
    if (!seen.insert(id).second) {
      return emit() << "expects each id once in replica_groups, got " << id << " twice ("
                    << labels.unique << ")";
    }
    largest = std::max(largest, id);
  }
  if (!labels.covered.empty() && largest >= static_cast<int64_t>(seen.size())) {
    int64_t missing = 0;
    while (seen.contains(missing)) {
      ++missing;
    }
    return emit() << "expects the ids 0 to " << largest << " in replica_groups, got none of "
                  << missing << " (" << labels.covered << ")";
  }
  return success();
}

LogicalResult checkPairs(EmitError emit, const PairLabels &labels, DenseIntElementsAttr pairs) {
  ArrayRef<int64_t> shape = cast<ShapedType>(pairs.getType()).getShape();
  if (shape.size() != 2 || shape[1] != 2) {
    return emit() << "expects source_target_pairs of shape [n, 2], got " << str(shape) << " ("
                  << labels.shape << ")";
  }
  SmallVector<int64_t> sources, targets;
  for (auto [i, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (id < 0) {
      return emit() << "expects ids of at least 0 in source_target_pairs, got " << id << " ("
                    << labels.range << ")";
    }
    (i % 2 == 0 ? sources : targets).push_back(id);
  }
  return success(succeeded(checkUnique(emit, labels.sources, "the sources", sources)) &&
                 succeeded(checkUnique(emit, labels.targets, "the targets", targets)));
}

int64_t channelOf(std::optional<ChannelHandleAttr> handle) {
  return handle ? handle->getHandle() : 0;
}

} // namespace drumlin::stablehlo
