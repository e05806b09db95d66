// SPDX-License-Identifier: Apache-2.0
/* Ranks that are forked, each on a core of its own as long as there are some. Include it first: it needs _GNU_SOURCE. */
#ifndef RANKS_H
#define RANKS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_LIMIT_S = 300 };

/* As the other candidates: where a process's threads meet on one core, they meet in the same way for all of them. */
static inline void use_core(int rank) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)(rank % (int)sysconf(_SC_NPROCESSORS_ONLN)), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) {
    perror("sched_setaffinity");
    exit(1);
  }
}

/* Calls run(rank) in each; 0 if all gave 0. A rank whose peer has ended waits for it until the limit ends it, too. */
static inline int on_ranks(int ranks, int (*run)(int rank)) {
  for (int rank = 0; rank < ranks; rank++) {
    pid_t child = fork();
    if (child < 0) {
      perror("fork");
      return 1;
    }
    if (child == 0) {
      (void)alarm(RANKS_LIMIT_S);
      use_core(rank);
      int failed = run(rank);
      (void)fflush(stdout);
      _exit(failed);
    }
  }
  int failed = 0, status;
  for (int rank = 0; rank < ranks; rank++) failed += wait(&status) < 0 || status != 0;
  return failed != 0;
}

#endif
