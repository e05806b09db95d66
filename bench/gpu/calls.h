// SPDX-License-Identifier: Apache-2.0
/* The calls that are asked about, a row each. */
#ifndef CALLS_H
#define CALLS_H

#include "world.h"

/* What a call has of its own: made before by `prepare`, or by the call; ended by call_clear. */
typedef struct job {
  address memory;
  address async;   /* memory of cuMemAllocAsync */
  address range;   /* reserved addresses, LARGE bytes */
  bool mapped;
  unsigned long long block; /* of cuMemCreate */
  void* host;      /* page-locked */
  void* pages;     /* LARGE bytes of the host's, not touched yet */
  bool registered;
  void* stream;
  void* event;
  void* module;
  void* function;
  void* graph;
  void* exec;
  int fd;
} job;

typedef enum where { NOWHERE, OTHER, HELD, LEGACY, PER_THREAD, OWN } where;

typedef struct call {
  const char* name;
  int (*prepare)(const world* w, job* j); /* 0, ABSENT, or another answer */
  int (*make)(const world* w, job* j);
  where work;        /* the stream whose end says that what the call queued is done */
  bool once;         /* the first may differ from later ones */
  bool ends_held;    /* after it the held stream is no more */
} call;

extern const call CALLS[];
int call_count(void);

/* By its name; ends the process if there is none. */
const call* call_named(const char* name);

job call_job(void);

/* Gives back what is left, when nothing is held any more. */
void call_clear(const world* w, job* j);

void* call_stream(const world* w, const job* j, where work);

#endif
