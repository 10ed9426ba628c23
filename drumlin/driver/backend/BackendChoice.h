// Chooses the backend of a target.
#pragma once

#include "drumlin/driver/backend/Backend.h"

#include <memory>

namespace drumlin {

// Makes the backend of the target's kind. The target must outlive it.
std::unique_ptr<const Backend> backendOf(const Target &target);

} // namespace drumlin
