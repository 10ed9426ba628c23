/* Allocation functions of which one call fails: linked into a program, or preloaded. Counting
 * starts with fail_at() or, if FAIL_AT is set, with the process; the total is then written to the
 * file that FAILING_COUNT names. */
#define _GNU_SOURCE
#include "failing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* glibc's own functions, for replacements to call. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long count, failing = -1;

void fail_at(long number) {
  count = 0;
  failing = number;
}

long allocations(void) { return count; }

static int fails(void) {
  long at = failing;
  if (at < 0 || atomic_fetch_add(&count, 1) + 1 != at) {
    return 0;
  }
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t each, size_t size) { return fails() ? NULL : __libc_calloc(each, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t to, size_t size) { return fails() ? NULL : __libc_memalign(to, size); }
void *memalign(size_t to, size_t size) { return fails() ? NULL : __libc_memalign(to, size); }
int posix_memalign(void **memory, size_t to, size_t size) {
  *memory = fails() ? NULL : __libc_memalign(to, size);
  return *memory ? 0 : ENOMEM;
}

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("FAIL_AT");
  if (number) {
    fail_at(atol(number));
  }
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("FAILING_COUNT");
  int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  if (file >= 0) {
    dprintf(file, "%ld\n", allocations());
    close(file);
  }
}
