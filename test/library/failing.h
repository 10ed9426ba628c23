/* Allocations, of which one fails (failing.c). */
#ifndef FAILING_H
#define FAILING_H

#ifdef __cplusplus
extern "C" {
#endif

/* The number-th allocation from now on fails, on whichever thread it is made; 0: none, they are
 * counted alone; less: nothing is counted any more. */
void fail_at(long number);
long allocations(void);

#ifdef __cplusplus
}
#endif
#endif
