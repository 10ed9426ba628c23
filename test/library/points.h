/* Lets allocations fail one by one, each in its own process. */
#ifndef POINTS_H
#define POINTS_H

#ifdef __cplusplus
extern "C" {
#endif

/* An action with a program; returns NULL, or the code of its error. */
typedef const char *(*Action)(const char *path);

/* Runs the action once for each of `points` failing allocations, evenly spaced among all that it
 * makes: it must fail with D1005, and succeed when it is run again. If `mayEnd` is set, the process
 * may instead end with status 6 and D1005. `prepare` runs first in the same process, unless NULL.
 * Prints `ok`, or the unexpected result; returns an exit status. */
int checkPoints(Action prepare, Action action, int mayEnd, const char *path, long points);

#ifdef __cplusplus
}
#endif
#endif
