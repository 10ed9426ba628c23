// Options of ThreadSanitizer for these tests.

extern "C" const char *__tsan_default_options();      // NOLINT(bugprone-reserved-identifier)
extern "C" const char *__tsan_default_suppressions(); // NOLINT(bugprone-reserved-identifier)

// Lets allocations that are too large fail, as without ThreadSanitizer.
const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

// ThreadSanitizer doesn't see that dlopen() maps an image. If another thread had memory mapped at
// the same address before, ThreadSanitizer takes the first reads of the image for reads of that
// memory.
const char *__tsan_default_suppressions() { return "race:drumlin::Executable::openLibrary\n"; }
