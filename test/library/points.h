/* Allocations fail one by one, each in a process of its own. */
#ifndef POINTS_H
#define POINTS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Does something with a program; gives NULL, or the code of the error that it failed with. */
typedef const char *(*Action)(const char *path);

/* Does it once for each of so many points, evenly spaced among the allocations that it makes: it is
 * to fail with D1005, and to succeed when it is done once more; with `mayEnd` the process may end
 * with status 6 and D1005 instead. `prepare` comes before, in the same process; it may be NULL.
 * Prints `ok`, or what came otherwise; gives a status. */
int checkPoints(Action prepare, Action action, int mayEnd, const char *path, long points);

#ifdef __cplusplus
}
#endif
#endif
