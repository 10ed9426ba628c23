// Writes messages of protocol buffers, field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drumlin::pjrt {

void addVarint(std::string &to, uint64_t value);
void addField(std::string &to, uint32_t number, int64_t value);
void addField(std::string &to, uint32_t number, std::string_view bytes);

} // namespace drumlin::pjrt
