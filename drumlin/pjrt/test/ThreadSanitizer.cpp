// Options of ThreadSanitizer for these tests.

extern "C" const char *__tsan_default_options();      // NOLINT(bugprone-reserved-identifier)
extern "C" const char *__tsan_default_suppressions(); // NOLINT(bugprone-reserved-identifier)

// Lets allocations that are too large fail, as without ThreadSanitizer.
const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

// ThreadSanitizer doesn't see dlopen() map an image, and so takes the image's first readers for
// readers of memory that another thread mapped there before, and unmapped.
const char *__tsan_default_suppressions() { return "race:drumlin::Executable::openLibrary\n"; }
