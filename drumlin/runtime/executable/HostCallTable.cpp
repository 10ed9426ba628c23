#include "drumlin/runtime/executable/HostCallTable.h"

#include "drumlin/runtime/executable/Image_generated.h"

#include <algorithm>
#include <cstring>

namespace drumlin {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;

//===-- writing -------------------------------------------------------------------------------===//

static Offset<flat::HostValue> put(FlatBufferBuilder &builder, const HostValue &value) {
  auto type = value.isToken() ? 0 : builder.CreateString(std::string(name(*value.type)));
  auto shape = builder.CreateVector(value.shape);
  auto layout = value.layout.empty() ? 0 : builder.CreateVector(value.layout);
  auto sizes = value.sizes.empty() ? 0 : builder.CreateString(str(value.sizes));
  return flat::CreateHostValue(builder, type, shape, layout, sizes);
}

static Offset<Vector<Offset<flat::HostAttribute>>>
put(FlatBufferBuilder &builder, const std::vector<HostAttribute> &attributes);

static Offset<Vector<uint8_t>> put(FlatBufferBuilder &builder, std::span<const std::byte> bytes) {
  return builder.CreateVector(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
}

static Offset<Vector<uint8_t>> putText(FlatBufferBuilder &builder, const std::string &text) {
  return put(builder, std::as_bytes(std::span(text)));
}

static Offset<flat::HostAttribute> put(FlatBufferBuilder &builder, const HostAttribute &attribute) {
  auto attributeName = putText(builder, attribute.name);
  auto typed = [&](flat::HostAttributeKind kind, const auto &value, int64_t count) {
    auto type = builder.CreateString(std::string(name(value.type)));
    return flat::CreateHostAttribute(builder, attributeName, kind, type, count,
                                     put(builder, value.bytes));
  };
  if (const auto *scalar = std::get_if<HostAttribute::Scalar>(&attribute.value)) {
    return typed(flat::HostAttributeKind::Scalar, *scalar, 1);
  }
  if (const auto *array = std::get_if<HostAttribute::Array>(&attribute.value)) {
    return typed(flat::HostAttributeKind::Array, *array, array->count);
  }
  if (const auto *text = std::get_if<std::string>(&attribute.value)) {
    return flat::CreateHostAttribute(builder, attributeName, flat::HostAttributeKind::Text, 0, 0,
                                     putText(builder, *text));
  }
  auto members = put(builder, std::get<std::vector<HostAttribute>>(attribute.value));
  return flat::CreateHostAttribute(builder, attributeName, flat::HostAttributeKind::Dictionary, 0,
                                   0, 0, members);
}

template <typename Flat, typename Own>
static Offset<Vector<Offset<Flat>>> putAll(FlatBufferBuilder &builder,
                                           const std::vector<Own> &from) {
  std::vector<Offset<Flat>> made;
  made.reserve(from.size());
  for (const Own &each : from) {
    made.push_back(put(builder, each));
  }
  return builder.CreateVector(made);
}

static Offset<Vector<Offset<flat::HostAttribute>>>
put(FlatBufferBuilder &builder, const std::vector<HostAttribute> &attributes) {
  return putAll<flat::HostAttribute>(builder, attributes);
}

static Offset<flat::HostCall> put(FlatBufferBuilder &builder, const HostCall &call) {
  auto target = putText(builder, call.target);
  auto opaque = putText(builder, call.opaque);
  auto attributes = put(builder, call.attributes);
  auto operands = putAll<flat::HostValue>(builder, call.operands);
  auto results = putAll<flat::HostValue>(builder, call.results);
  std::vector<uint64_t> aliases;
  for (auto [result, operand] : call.aliases) {
    aliases.insert(aliases.end(), {result, operand});
  }
  return flat::CreateHostCall(builder, static_cast<uint8_t>(call.interface), target, opaque,
                              attributes, operands, results, builder.CreateVector(aliases));
}

Offset<HostCallTable> putHostCalls(FlatBufferBuilder &builder, const std::vector<HostCall> &calls) {
  return putAll<flat::HostCall>(builder, calls);
}

//===-- reading -------------------------------------------------------------------------------===//

// The limit on ranks; StableHLO programs have far smaller ones in practice.
static constexpr size_t maximumRank = 1024;

static std::string read(const Vector<uint8_t> *from) {
  return from ? std::string(reinterpret_cast<const char *>(from->data()), from->size())
              : std::string();
}

// Copies the elements as bytes: the verifier doesn't check that a vector's elements are aligned.
template <typename T> static std::vector<T> numbers(const Vector<T> *from) {
  std::vector<T> made(from ? from->size() : 0);
  if (!made.empty()) {
    std::memcpy(made.data(), from->Data(), made.size() * sizeof(T));
  }
  return made;
}

static std::string read(const flat::HostValue *from, HostValue &to) {
  if (from->type()) {
    to.type = elementTypeFromName(from->type()->str());
    if (!to.type) {
      return "a value of a call has an unknown element type";
    }
  }
  to.shape = numbers(from->shape());
  to.layout = numbers(from->layout());
  DimensionOrder sorted = to.layout;
  std::ranges::sort(sorted);
  bool isOrder = to.layout.empty() || sorted == rowMajorOrder(to.shape.size());
  if (to.shape.size() > maximumRank || !isOrder ||
      !byteCount(to.type.value_or(ElementType::I1), to.shape)) {
    return "a value of a call has an impossible shape";
  }
  if (from->sizes()) {
    auto sizes = SizeExpression::parseList(from->sizes()->string_view());
    if (!sizes || sizes->size() != to.shape.size()) {
      return "a value of a call has impossible sizes";
    }
    to.sizes = std::move(*sizes);
  }
  return {};
}

static std::string read(const flat::HostAttribute *from, HostAttribute &to);

template <typename Flat, typename Own>
static std::string readAll(const Vector<Offset<Flat>> *from, std::vector<Own> &to) {
  for (size_t i = 0; from && i < from->size(); ++i) {
    std::string problem =
        read(from->Get(static_cast<flatbuffers::uoffset_t>(i)), to.emplace_back());
    if (!problem.empty()) {
      return problem;
    }
  }
  return {};
}

static std::string read(const flat::HostAttribute *from, HostAttribute &to) {
  to.name = read(from->name());
  std::string bytes = read(from->bytes());
  auto typed = [&](auto made, int64_t count) -> std::string {
    std::optional<ElementType> type =
        from->type() ? elementTypeFromName(from->type()->str()) : std::nullopt;
    int64_t one[] = {count};
    if (!type || byteCount(*type, one) != static_cast<int64_t>(bytes.size())) {
      return "an attribute of a call is incomplete";
    }
    made.type = *type;
    made.bytes.assign(reinterpret_cast<const std::byte *>(bytes.data()),
                      reinterpret_cast<const std::byte *>(bytes.data()) + bytes.size());
    to.value = std::move(made);
    return {};
  };
  switch (from->kind()) {
  case flat::HostAttributeKind::Scalar:
    return typed(HostAttribute::Scalar{}, 1);
  case flat::HostAttributeKind::Array:
    return typed(HostAttribute::Array{.type = {}, .count = from->count(), .bytes = {}},
                 from->count());
  case flat::HostAttributeKind::Text:
    to.value = std::move(bytes);
    return {};
  case flat::HostAttributeKind::Dictionary:
    return readAll(from->members(), to.value.emplace<std::vector<HostAttribute>>());
  }
  return "an attribute of a call has an unknown kind";
}

static std::string read(const flat::HostCall *from, HostCall &to) {
  if (from->interface() > static_cast<uint8_t>(HostInterface::Process)) {
    return "a call has an unknown convention";
  }
  to.interface = static_cast<HostInterface>(from->interface());
  to.target = read(from->target());
  to.opaque = read(from->opaque());
  std::string problem = readAll(from->attributes(), to.attributes);
  problem = problem.empty() ? readAll(from->operands(), to.operands) : problem;
  problem = problem.empty() ? readAll(from->results(), to.results) : problem;
  std::vector<uint64_t> aliases = numbers(from->aliases());
  for (size_t i = 0; i + 1 < aliases.size() && problem.empty(); i += 2) {
    if (aliases[i] >= to.results.size() || aliases[i + 1] >= to.operands.size()) {
      return "a call's result shares memory with an operand that doesn't exist";
    }
    to.aliases.emplace_back(aliases[i], aliases[i + 1]);
  }
  return problem;
}

std::string readHostCalls(const HostCallTable *from, std::vector<HostCall> &calls) {
  return readAll(from, calls);
}

} // namespace drumlin
