// Prints shardings and original values as HLO text.
#include "drumlin/hlo/proto/ProtoAttributes.h"

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
    bool isFirst = true;
    for (int kind : sharding.last_tile_dims()) {
      out.append(isFirst ? "" : ", ").append(kindName(kind));
      isFirst = false;
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
    printMetadata(*sharding.metadata().begin(), out);
    return;
  }
  bool isFirst = true;
  for (proto::OpMetadata metadata : sharding.metadata()) {
    out += isFirst ? "{" : ", ";
    printMetadata(metadata, out);
    isFirst = false;
  }
  out += '}';
}

void printSharding(const proto::OpSharding &sharding, std::string &out) {
  out += '{';
  if (sharding.type() == proto::OpSharding::TUPLE) {
    size_t i = 0, count = sharding.tuple_shardings_size();
    for (proto::OpSharding element : sharding.tuple_shardings()) {
      out += i == 0 ? "" : ", ";
      if (count > 5 && i != 0 && i % 5 == 0) {
        out.append("/*index=").append(std::to_string(i)).append("*/");
      }
      printSharding(element, out);
      ++i;
    }
    out += '}';
    return;
  }
  if (sharding.type() == proto::OpSharding::OTHER) {
    printTiles(sharding, out);
  } else {
    out += kindName(sharding.type());
    if (sharding.type() == proto::OpSharding::MAXIMAL) {
      int64_t device = sharding.tile_assignment_devices().at(0);
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
    int64_t i = 0;
    for (proto::ShapeProto element : shape.tuple_shapes()) {
      out += i == 0 ? "" : ", ";
      index.push_back(i++);
      printOriginItems(origin, element, index, out);
      index.pop_back();
    }
    out += ')';
    return;
  }
  out += '{';
  for (proto::OriginalValueElementProto element : origin.elements()) {
    auto of = element.shape_index();
    if (std::equal(index.begin(), index.end(), of.begin(), of.end()) &&
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
