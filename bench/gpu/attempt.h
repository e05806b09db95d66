// SPDX-License-Identifier: Apache-2.0
/* One call on a thread of its own. */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <pthread.h>

#include "calls.h"

enum { NO_CAPTURE = -1, PATIENCE_MS = 400, WORK_MS = 100 };

/* A capture of the held stream, and how it went on. */
typedef struct taken {
  int mode; /* or NO_CAPTURE */
  int begun;
  int status;
  int ended;
} taken;

typedef enum stage { BEFORE, READY, GO, RETURNED, FINISHED } stage;

typedef struct attempt {
  const world* w;
  const call* of;
  job* j;
  bool without_context;
  bool ask_work; /* find out whether what was queued is done */
  taken capture; /* by this thread, around the call */
  _Atomic int stage;
  int code;
  int64_t took_ns;
  int work; /* what the query of its stream answers in the end */
  pthread_t thread;
} attempt;

void capture_begin(const world* w, taken* capture);
void capture_end(const world* w, taken* capture);

/* Starts the thread; it calls when attempt_go is called. */
void attempt_start(attempt* a);
void attempt_go(attempt* a);

/* Whether it has come so far in time. */
bool attempt_reaches(attempt* a, stage stage, int limit_ms);

/* Waits for its end. If there is none, says that `name` hangs and ends the process. */
void attempt_join(attempt* a, const char* name);

#endif
