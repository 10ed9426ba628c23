/* Lets allocations fail one by one, each in its own process. */
#ifndef POINTS_H
#define POINTS_H

#ifdef __cplusplus
extern "C" {
#endif

/* An action on the program at `path`. Returns NULL, or the error's code if the action fails. */
typedef const char *(*Action)(const char *path);

/* Runs the action once for each of `points` failing allocations, evenly spaced among all of its
 * allocations. The action must fail with D1005, and succeed when it is run again. If `mayEnd` is
 * set, the process may instead end with status 6 and D1005. Unless `prepare` is NULL, it runs first
 * in the same process. Prints `ok`, or the unexpected result; returns an exit status. */
int checkPoints(Action prepare, Action action, int mayEnd, const char *path, long points);

#ifdef __cplusplus
}
#endif
#endif
