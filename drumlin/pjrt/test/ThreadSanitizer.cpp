// What ThreadSanitizer is told about these tests.

extern "C" const char *__tsan_default_options();      // NOLINT(bugprone-reserved-identifier)
extern "C" const char *__tsan_default_suppressions(); // NOLINT(bugprone-reserved-identifier)

// Arrays that are too large are refused, as without it.
const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

// It doesn't see where dlopen() maps an image: to it, the image's first readers read what another
// thread mapped there before, and unmapped.
const char *__tsan_default_suppressions() { return "race:drumlin::Executable::openLibrary\n"; }
