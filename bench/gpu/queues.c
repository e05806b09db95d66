// SPDX-License-Identifier: Apache-2.0
/* Section queues: how many of 64 streams do their work while others are held, and which do not. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sections.h"
#include "world.h"

enum { STREAMS = 64, MOST_HELD = 40, NAME = 128, LIST = 1024, PATIENCE_MS = 100, SUBMIT_MS = 400, STEP = 8 };

/* COPY_AND_EVENT: and an event is recorded behind it */
typedef enum work { COPY, LAUNCH, WRITE, COPY_AND_EVENT, SINGLE_WORKS } work;
typedef enum ranks { SAME, HELD_LEAST, HELD_GREATEST } ranks;

typedef struct trial {
  holder by;
  int held;
  ranks ranks;
  work work;
  bool cold; /* the streams have never been used */
} trial;

static const char* const BY[] = {[WAIT_64] = "wait64", [WAIT_64_AND_MORE] = "wait64_and_more", [KERNEL] = "poll", [KERNEL_AND_MORE] = "poll_and_more"};
static const char* const RANKS[] = {"same", "held_least", "held_greatest"};
static const char* const WORKS[] = {"copy", "launch", "write", "copy_and_event"};
static const holder HOLDERS[] = {WAIT_64, WAIT_64_AND_MORE, KERNEL, KERNEL_AND_MORE};
static const int MANY[] = {2, 8, 16, MOST_HELD};

enum { SINGLE = 48, COLD = 16, SEVERAL = 48 };

/* The trials by their number: one held stream, then streams not used before, then several held ones. */
static trial trial_of(int i) {
  if (i < SINGLE) {
    return (trial){HOLDERS[i / 12], 1, (ranks)(i / 4 % 3), (work)(i % SINGLE_WORKS), false};
  }
  i -= SINGLE;
  if (i < COLD) {
    return (trial){HOLDERS[i / 4], 1, SAME, (work)(i % SINGLE_WORKS), true};
  }
  i -= COLD;
  return (trial){HOLDERS[i / 16], MANY[i / 4 % 4], i / 2 % 2 == 0 ? SAME : HELD_GREATEST, (work)(i % 2), false};
}

typedef struct streams {
  world* w;
  work work;
  void* function;
  void* event; /* the streams record it in turn: nobody asks it */
  void* held[MOST_HELD];
  void* other[STREAMS];
  _Atomic int submitted;
  int code;
} streams;

static int copy(const streams* s, int i) {
  return s->w->cu.cuMemcpyDtoHAsync_v2(s->w->pinned + (size_t)i * STEP, s->w->memory, STEP, s->other[i]);
}

static int submit(streams* s, int i) {
  const struct driver* cu = &s->w->cu;
  int copied;
  switch (s->work) {
    case COPY: return copy(s, i);
    case COPY_AND_EVENT:
      copied = copy(s, i);
      return copied != 0 ? copied : cu->cuEventRecord(s->event, s->other[i]);
    case LAUNCH: return world_launch(s->w, s->function, s->other[i], NULL);
    default: return cu->cuStreamWriteValue64_v2(s->other[i], (address)world_word(s->w, 3), 1, 0);
  }
}

static void* submit_all(void* argument) {
  streams* s = argument;
  world_need(s->w, s->w->cu.cuCtxSetCurrent(s->w->context), "cuCtxSetCurrent");
  for (int i = 0; i < STREAMS && s->code == 0; i++) {
    s->code = submit(s, i);
    atomic_store(&s->submitted, i + 1);
  }
  return NULL;
}

/* Marks the streams that have nothing left to do, until no more come for a while; how many there are. */
static int count_done(streams* s, bool* done) {
  int count = 0;
  int64_t last = now_ns();
  while (count < STREAMS && now_ns() - last < PATIENCE_MS * INT64_C(1000000)) {
    int before = count;
    for (int i = 0; i < STREAMS; i++) {
      if (!done[i] && s->w->cu.cuStreamQuery(s->other[i]) == 0) {
        done[i] = true;
        count++;
      }
    }
    if (count > before) {
      last = now_ns();
    }
  }
  return count;
}

static int hold_all(streams* s, const trial* t) {
  for (int i = 0; i < t->held; i++) {
    int code = world_hold(s->w, t->by, s->held[i]);
    if (code == ABSENT) {
      return -1;
    }
    if (code != 0) {
      return i;
    }
  }
  return t->held;
}

static void measure(streams* s, const trial* t, const char* name) {
  int held = hold_all(s, t);
  if (held < 0) {
    say(name, "", "absent", "%s", "");
    return;
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, submit_all, s) != 0) {
    _exit(1);
  }
  for (int64_t from = now_ns(); atomic_load(&s->submitted) < STREAMS && now_ns() - from < SUBMIT_MS * INT64_C(1000000);) {
    rest_us(100);
  }
  int submitted = atomic_load(&s->submitted);
  bool done[STREAMS] = {false};
  char list[LIST] = "";
  size_t length = 0;
  int count = submitted < STREAMS ? -1 : count_done(s, done);
  world_release(s->w);
  (void)pthread_join(thread, NULL);
  if (s->code != 0) {
    say_code(s->w, name, "", s->code);
  } else if (count < 0) {
    say(name, "", "waits", "queuing on stream %d of %d; held %d of %d", submitted, STREAMS, held, t->held);
  } else {
    for (int i = 0; i < STREAMS && length < sizeof list; i++) {
      if (!done[i]) {
        length += (size_t)snprintf(list + length, sizeof list - length, " %d", i);
      }
    }
    char answer[NAME];
    (void)snprintf(answer, sizeof answer, "%d/%d", count, STREAMS);
    say(name, "", answer, "held %d of %d; not done:%s", held, t->held, list);
  }
}

static void run(world* w, void* function, const trial* t, const char* name) {
  streams s = {.w = w, .work = t->work, .function = function};
  if (t->work == LAUNCH && function == NULL) {
    say(name, "", "absent", "%s", "");
    return;
  }
  world_need(w, w->cu.cuEventCreate(&s.event, NO_TIMING), "cuEventCreate");
  int held_rank = t->ranks == HELD_GREATEST ? w->greatest : w->least;
  int other_rank = t->ranks == HELD_LEAST ? w->greatest : w->least;
  for (int i = 0; i < t->held; i++) {
    world_need(w, w->cu.cuStreamCreateWithPriority(&s.held[i], NON_BLOCKING, held_rank), "cuStreamCreateWithPriority");
  }
  for (int i = 0; i < STREAMS; i++) {
    world_need(w, w->cu.cuStreamCreateWithPriority(&s.other[i], NON_BLOCKING, other_rank), "cuStreamCreateWithPriority");
  }
  for (int i = 0; i < STREAMS && !t->cold; i++) {
    world_need(w, submit(&s, i), "warming up");
    world_need(w, world_drain(w, s.other[i]), "world_drain");
  }
  measure(&s, t, name);
  for (int i = 0; i < t->held; i++) {
    world_need(w, world_drain(w, s.held[i]), "world_drain");
    world_need(w, w->cu.cuStreamDestroy_v2(s.held[i]), "cuStreamDestroy_v2");
  }
  for (int i = 0; i < STREAMS; i++) {
    world_need(w, world_drain(w, s.other[i]), "world_drain");
    world_need(w, w->cu.cuStreamDestroy_v2(s.other[i]), "cuStreamDestroy_v2");
  }
  world_need(w, w->cu.cuEventDestroy_v2(s.event), "cuEventDestroy_v2");
}

int queues_count(const char* what) {
  (void)what;
  return SINGLE + COLD + SEVERAL;
}

/* `what` is how many connections the environment asks for. */
void queues_run(const char* library, const char* what, span cases) {
  world w = world_open(library);
  void* function = NULL;
  if (world_kernels(&w) == 0) {
    world_need(&w, w.cu.cuModuleGetFunction(&function, w.module, "empty"), "cuModuleGetFunction");
    world_need(&w, world_launch(&w, function, NULL, NULL), "cuLaunchKernel");
    world_need(&w, world_drain(&w, NULL), "world_drain");
  }
  for (int i = cases.from; i < cases.to; i++) {
    trial t = trial_of(i);
    char name[NAME];
    (void)snprintf(name, sizeof name, "queues.%s.%s.%d.%s.%s%s", what, BY[t.by], t.held, RANKS[t.ranks], WORKS[t.work],
                   t.cold ? ".cold" : "");
    say_case(i, name);
    run(&w, function, &t, name);
  }
}
