#define _GNU_SOURCE
#include "points.h"

#include "failing.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { noMemory = 6, longestSeconds = 60, deepest = 60 };

/* Prints the thread's stack to standard error. */
static void tellPlace(int signal) {
  (void)signal;
  void *frames[deepest];
  int count = backtrace(frames, deepest);
  static const char head[] = "a thread is at\n";
  ssize_t written = write(STDERR_FILENO, head, sizeof(head) - 1);
  (void)written;
  backtrace_symbols_fd(frames, count, STDERR_FILENO);
}

/* Called if the process hangs: prints each thread's stack, and ends as without this handler. */
static void tellPlaces(int number) {
  tellPlace(number);
  DIR *threads = opendir("/proc/self/task");
  for (struct dirent *entry; threads && (entry = readdir(threads));) {
    pid_t thread = atoi(entry->d_name);
    if (thread > 0 && thread != syscall(SYS_gettid)) {
      syscall(SYS_tgkill, getpid(), thread, SIGUSR2);
      nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); /* lets it print alone */
    }
  }
  signal(number, SIG_DFL);
  raise(number);
}

static void endIfItHangs(void) {
  void *frame;
  backtrace(&frame, 1); /* loads its libraries before allocations fail */
  signal(SIGUSR2, tellPlace);
  signal(SIGALRM, tellPlaces);
  alarm(longestSeconds);
}

/* Runs the action in its own process; returns its status and its standard error in `written`. */
static int inProcess(Action prepare, Action action, const char *path, long point, char *written,
                     size_t room) {
  int ends[2];
  if (pipe(ends) != 0) {
    return -1;
  }
  fflush(stdout);
  pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDERR_FILENO);
    endIfItHangs();
    const char *code = prepare ? prepare(path) : NULL;
    if (code) {
      fprintf(stderr, "%s", code);
      _exit(1);
    }
    fail_at(point);
    code = action(path);
    long made = allocations();
    fail_at(-1);
    if (point == 0) {
      fprintf(stderr, "%ld", made);
      _exit(code != NULL);
    }
    if (code && strcmp(code, "D1005") != 0) {
      fprintf(stderr, "%s", code);
      _exit(1);
    }
    code = action(path); /* must work again */
    fprintf(stderr, "%s", code ? code : "");
    _exit(code ? 2 : 0);
  }
  close(ends[1]);
  size_t all = 0;
  ssize_t count;
  while ((count = read(ends[0], written + all, room - 1 - all)) > 0) {
    all += (size_t)count;
  }
  written[all] = 0;
  close(ends[0]);
  int status = -1;
  waitpid(process, &status, 0);
  return status;
}

int checkPoints(Action prepare, Action action, int mayEnd, const char *path, long points) {
  char written[1 << 16];
  if (inProcess(prepare, action, path, 0, written, sizeof(written)) != 0) {
    printf("without a fault: %s\n", written);
    return 1;
  }
  long all = atol(written);
  int faults = 0;
  for (long i = 0; i < points && i < all; ++i) {
    long point = 1 + (points < all ? i * (all / points) : i);
    int status = inProcess(prepare, action, path, point, written, sizeof(written));
    int ends = mayEnd && WIFEXITED(status) && WEXITSTATUS(status) == noMemory &&
               strstr(written, "error D1005");
    if (status != 0 && !ends) {
      printf("allocation %ld of %ld: status %#x, %s\n", point, all, status, written);
      ++faults;
    }
  }
  printf(faults ? "%d faults\n" : "ok\n", faults);
  return faults != 0;
}
