// Shardings and original values as text.
#include "drumlin/hlo/proto/Attributes.h"

#include <algorithm>

namespace drumlin::hlo {

static void printList(char open, const auto &numbers, char close, std::string &out) {
  out += open;
  bool isFirst = true;
  for (auto number : numbers) {
    out.append(isFirst ? "" : ",").append(std::to_string(number));
    isFirst = false;
  }
  out += close;
}

static std::string_view kindName(int type) {
  switch (type) {
  case proto::OpSharding::REPLICATED:
    return "replicated";
  case proto::OpSharding::MAXIMAL:
    return "maximal";
  case proto::OpSharding::MANUAL:
    return "manual";
  case proto::OpSharding::UNREDUCED:
    return "unreduced";
  default:
    return "unknown";
  }
}

static void printTiles(const proto::OpSharding &sharding, std::string &out) {
  out += "devices=";
  printList('[', sharding.tile_assignment_dimensions(), ']', out);
  if (sharding.iota_reshape_dims_size() != 0) {
    out += "<=";
    printList('[', sharding.iota_reshape_dims(), ']', out);
    if (sharding.iota_reshape_dims_size() > 1) {
      out += 'T';
      printList('(', sharding.iota_transpose_perm(), ')', out);
    }
  } else {
    bool isFirst = true;
    for (int64_t device : sharding.tile_assignment_devices()) {
      out.append(isFirst ? "" : ",").append(std::to_string(device));
      isFirst = false;
    }
  }
  if (sharding.replicate_on_last_tile_dim()) {
    out += " last_tile_dim_replicate";
  }
  if (sharding.last_tile_dims_size() != 0) {
    out += " last_tile_dims={";
    for (int i = 0; i < sharding.last_tile_dims_size(); ++i) {
      out.append(i == 0 ? "" : ", ").append(kindName(sharding.last_tile_dims(i)));
    }
    out += '}';
  }
}

static void printShardGroup(const proto::OpSharding &sharding, std::string &out) {
  if (sharding.is_shard_group()) {
    bool isAs = sharding.shard_group_type() == proto::OpSharding::AS;
    out.append(isAs ? " shard_as " : " shard_like ")
        .append(std::to_string(sharding.shard_group_id()));
  }
}

static void printShardingMetadata(const proto::OpSharding &sharding, std::string &out) {
  if (sharding.metadata_size() == 0) {
    return;
  }
  out += " metadata=";
  if (sharding.metadata_size() == 1) {
    printMetadata(sharding.metadata(0), out);
    return;
  }
  out += '{';
  for (int i = 0; i < sharding.metadata_size(); ++i) {
    out += i == 0 ? "" : ", ";
    printMetadata(sharding.metadata(i), out);
  }
  out += '}';
}

void printSharding(const proto::OpSharding &sharding, std::string &out) {
  out += '{';
  if (sharding.type() == proto::OpSharding::TUPLE) {
    for (int i = 0; i < sharding.tuple_shardings_size(); ++i) {
      out += i == 0 ? "" : ", ";
      if (sharding.tuple_shardings_size() > 5 && i != 0 && i % 5 == 0) {
        out.append("/*index=").append(std::to_string(i)).append("*/");
      }
      printSharding(sharding.tuple_shardings(i), out);
    }
    out += '}';
    return;
  }
  if (sharding.type() == proto::OpSharding::OTHER) {
    printTiles(sharding, out);
  } else {
    out += kindName(sharding.type());
    if (sharding.type() == proto::OpSharding::MAXIMAL) {
      int64_t device =
          sharding.tile_assignment_devices_size() == 0 ? 0 : sharding.tile_assignment_devices(0);
      out += " device=" + std::to_string(device);
    }
  }
  printShardGroup(sharding, out);
  printShardingMetadata(sharding, out);
  out += '}';
}

static void printOriginItems(const proto::OriginalValueProto &origin,
                             const proto::ShapeProto &shape, std::vector<int64_t> &index,
                             std::string &out) {
  if (shape.element_type() == proto::TUPLE) {
    out += '(';
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      out += i == 0 ? "" : ", ";
      index.push_back(i);
      printOriginItems(origin, shape.tuple_shapes(i), index, out);
      index.pop_back();
    }
    out += ')';
    return;
  }
  out += '{';
  for (const proto::OriginalValueElementProto &element : origin.elements()) {
    if (std::equal(index.begin(), index.end(), element.shape_index().begin(),
                   element.shape_index().end()) &&
        element.has_original_array()) {
      printQuoted(element.original_array().instruction_name(), out);
      if (element.original_array().shape_index_size() != 0) {
        out += ' ';
        printNumbers(element.original_array().shape_index(), out);
      }
      break;
    }
  }
  out += '}';
}

void printOrigin(const proto::OriginalValueProto &origin, const proto::ShapeProto &shape,
                 std::string &out) {
  if (origin.is_synthetic_call()) {
    out += "{[synthetic_call]}";
    return;
  }
  out += '{';
  std::vector<int64_t> index;
  printOriginItems(origin, shape, index, out);
  out += '}';
}

} // namespace drumlin::hlo
