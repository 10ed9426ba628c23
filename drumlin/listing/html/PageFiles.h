// The style and the script of the page, which the build embeds in the library.
#pragma once

#include <string>
#include <string_view>

namespace drumlin::listing {

std::string_view pageStyle();
std::string pageScript();

} // namespace drumlin::listing
