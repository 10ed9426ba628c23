#include "drumlin/pjrt/ProtoWriter.h"

#include "drumlin/hlo/proto/View.h"

namespace drumlin::pjrt {

void addVarint(std::string &to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    to += static_cast<char>(value | 0x80);
  }
  to += static_cast<char>(value);
}

void addField(std::string &to, uint32_t number, int64_t value) {
  addVarint(to, hlo::proto::tagOf(number, hlo::proto::varintWire));
  addVarint(to, static_cast<uint64_t>(value));
}

void addField(std::string &to, uint32_t number, std::string_view bytes) {
  addVarint(to, hlo::proto::tagOf(number, hlo::proto::bytesWire));
  addVarint(to, bytes.size());
  to += bytes;
}

} // namespace drumlin::pjrt
