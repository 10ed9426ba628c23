// Chooses the backend of a target.
#pragma once

#include "drumlin/driver/backend/Backend.h"

#include <memory>

namespace drumlin {

// Makes the backend for the target's kind of machine. The target must outlive the backend.
std::unique_ptr<const Backend> backendOf(const Target &target);

} // namespace drumlin
