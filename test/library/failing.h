/* Allocation functions of which one call fails (failing.c). */
#ifndef FAILING_H
#define FAILING_H

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the number-th allocation from now on fail, on whichever thread it is made. 0 only counts
 * allocations; a negative number stops counting. */
void fail_at(long number);
long allocations(void);

#ifdef __cplusplus
}
#endif
#endif
