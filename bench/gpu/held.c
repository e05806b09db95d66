// SPDX-License-Identifier: Apache-2.0
/*
 * Sections held and beside. held: each call in a situation, such as "a stream is held by a wait for a word", or "another thread
 * captures". beside: the same of a call while another one, on another thread, waits for the held stream.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"
#include "sections.h"

enum { NAME = 128, TEXT = 24, CAPTURED = 1, INVALIDATED = 2, SETTLE_MS = 60, BESIDE_MS = 250, GONE_US = 50000 };

typedef struct situation {
  const char* name;
  holder by;
  unsigned flags;         /* of the held stream */
  int capture;            /* mode */
  bool same_thread;       /* captures where the call is made */
  bool without_context;
} situation;

static const situation SITUATIONS[] = {
    {"idle", NOTHING, NON_BLOCKING, NO_CAPTURE, false, false},
    {"no_context", NOTHING, NON_BLOCKING, NO_CAPTURE, false, true},
    {"wait64", WAIT_64, NON_BLOCKING, NO_CAPTURE, false, false},
    {"wait64_blocking", WAIT_64, 0, NO_CAPTURE, false, false},
    {"wait32", WAIT_32, NON_BLOCKING, NO_CAPTURE, false, false},
    {"poll", KERNEL, NON_BLOCKING, NO_CAPTURE, false, false},
    {"poll_blocking", KERNEL, 0, NO_CAPTURE, false, false},
    {"capture_global_same", NOTHING, NON_BLOCKING, CAPTURE_GLOBAL, true, false},
    {"capture_global_other", NOTHING, NON_BLOCKING, CAPTURE_GLOBAL, false, false},
    {"capture_local_same", NOTHING, NON_BLOCKING, CAPTURE_LOCAL, true, false},
    {"capture_local_other", NOTHING, NON_BLOCKING, CAPTURE_LOCAL, false, false},
    {"capture_relaxed_same", NOTHING, NON_BLOCKING, CAPTURE_RELAXED, true, false},
    {"capture_relaxed_other", NOTHING, NON_BLOCKING, CAPTURE_RELAXED, false, false},
    {"capture_blocking_same", NOTHING, 0, CAPTURE_GLOBAL, true, false},
    {"capture_blocking_other", NOTHING, 0, CAPTURE_GLOBAL, false, false},
};

/* Those that wait, in the words of some document, and those that the library makes beside them. */
static const char* const WAITING[] = {"free_large", "alloc_large", "host_alloc_large", "host_free_large", "register_large",
                                      "unregister_large", "module_load", "function_find", "module_unload", "launch_first",
                                      "context_synchronize", "stream_synchronize_held", "stream_create"};
static const char* const BESIDE[] = {"event_query", "stream_query", "stream_query_held", "event_record", "stream_wait_event",
                                     "dtoh_pinned", "htod_pinned", "dtod", "wait_value_64", "write_value_64", "launch_again",
                                     "flush", "stream_capturing", "capture_mode", "context_current", "alloc_small"};
enum { WAITERS = sizeof WAITING / sizeof *WAITING, BESIDES = sizeof BESIDE / sizeof *BESIDE };

/* The part before ':' is a situation's name; what follows is no more than a name for the output. */
static const situation* situation_named(const char* name) {
  size_t length = strcspn(name, ":");
  for (size_t i = 0; i < sizeof SITUATIONS / sizeof *SITUATIONS; i++) {
    if (strlen(SITUATIONS[i].name) == length && strncmp(SITUATIONS[i].name, name, length) == 0) {
      return &SITUATIONS[i];
    }
  }
  fprintf(stderr, "no situation %s\n", name);
  _exit(1);
}

static void streams_begin(world* w, unsigned flags) {
  world_need(w, w->cu.cuStreamCreate(&w->held, flags), "cuStreamCreate");
  world_need(w, w->cu.cuStreamCreate(&w->other, NON_BLOCKING), "cuStreamCreate");
}

/* Leaves nothing to the next case. A context that has failed takes no more calls: another process goes on. */
static void streams_end(world* w, const char* name, bool held_is_gone, job* first, job* second) {
  int code = world_drain(w, w->other);
  if (code == 0 && !held_is_gone) {
    code = world_drain(w, w->held);
  }
  if (code != 0) {
    say_code(w, name, "after", code);
    _exit(EXIT_NEXT);
  }
  call_clear(w, first);
  if (second != NULL) {
    call_clear(w, second);
  }
  if (!held_is_gone) {
    world_need(w, w->cu.cuStreamDestroy_v2(w->held), "cuStreamDestroy_v2");
  }
  world_need(w, w->cu.cuStreamDestroy_v2(w->other), "cuStreamDestroy_v2");
}

static void say_capture(const world* w, const char* name, const taken* capture) {
  if (capture->begun != 0) {
    say_code(w, name, "begin", capture->begun);
    return;
  }
  const char* status = capture->status == CAPTURED ? "active" : capture->status == INVALIDATED ? "invalidated" : "none";
  say(name, "capture", status, "%s", "");
  say_code(w, name, "end", capture->ended);
}

static void say_work(const world* w, const char* name, int work) {
  if (work == 0 || work == NOT_READY) {
    say(name, "work", work == 0 ? "done" : "queued", "%s", "");
  } else {
    say_code(w, name, "work", work);
  }
}

static void say_attempt(const char* name, const attempt* a, bool returned, int patience_ms, const char* remark) {
  char text[TEXT];
  const char* answer = code_text(a->code, text);
  double ms = (double)a->took_ns / 1e6;
  if (a->code == ABSENT) {
    say(name, "", answer, "%s", "");
  } else if (returned) {
    say(name, "", answer, "%.3f ms, %s%s", ms, driver_error(&a->w->cu, a->code), remark);
  } else {
    say(name, "", "waits", "%.3f ms, released after %d, then %s", ms, patience_ms, answer);
  }
}

static void say_unheld(const char* name, int code) {
  char text[TEXT];
  say(name, "", code == ABSENT ? "absent" : "unheld", "the stream cannot be held: %s", code_text(code, text));
  _exit(code == NOT_STARTED ? EXIT_NEXT : EXIT_NONE);
}

/* Whether the call waited. */
static bool ask(world* w, const situation* s, const char* name, const call* c) {
  job j = call_job();
  streams_begin(w, s->flags);
  int prepared = c->prepare(w, &j);
  taken around = {.mode = s->same_thread ? NO_CAPTURE : s->capture};
  attempt a = {.w = w, .of = c, .j = &j, .without_context = s->without_context,
               .ask_work = s->capture == NO_CAPTURE && !s->without_context,
               .capture = {.mode = s->same_thread ? s->capture : NO_CAPTURE}, .work = -1};
  if (prepared != 0) {
    say(name, "", prepared == ABSENT ? "absent" : "unprepared", "%d", prepared);
    streams_end(w, name, false, &j, NULL);
    return false;
  }
  attempt_start(&a);
  int held = world_hold(w, s->by, w->held);
  if (held != 0) {
    say_unheld(name, held);
  }
  capture_begin(w, &around);
  attempt_go(&a);
  bool returned = attempt_reaches(&a, RETURNED, PATIENCE_MS);
  bool finished = returned && attempt_reaches(&a, FINISHED, PATIENCE_MS);
  capture_end(w, &around);
  bool unheld = finished && s->by != NOTHING && !c->ends_held && w->cu.cuStreamQuery(w->held) != NOT_READY;
  world_release(w);
  attempt_join(&a, name);
  if (c->ends_held) {
    rest_us(GONE_US); /* until the device has seen the word: nothing tells any more */
  }
  say_attempt(name, &a, returned, PATIENCE_MS, unheld ? ", but the stream was not held" : "");
  if (a.work >= 0) {
    if (finished) {
      say_work(w, name, a.work);
    } else if (returned) {
      say(name, "work", "query waits", "%s", "");
    }
  }
  if (s->capture != NO_CAPTURE) {
    say_capture(w, name, s->same_thread ? &a.capture : &around);
  }
  streams_end(w, name, c->ends_held && a.code == 0, &j, NULL);
  return !returned;
}

int held_count(const char* what) {
  (void)situation_named(what);
  return call_count();
}

void held_run(const char* library, const char* what, span cases) {
  const situation* s = situation_named(what);
  const char* label = strchr(what, ':') == NULL ? what : strchr(what, ':') + 1;
  world w = world_open(library);
  for (int i = cases.from; i < cases.to; i++) {
    const call* c = &CALLS[i];
    char name[NAME];
    (void)snprintf(name, sizeof name, "%s.%s", label, c->name);
    say_case(i, name);
    if (c->ends_held && s->capture != NO_CAPTURE) {
      continue;
    }
    if (ask(&w, s, name, c) && c->once) {
      (void)snprintf(name, sizeof name, "%s.%s.again", label, c->name);
      (void)ask(&w, s, name, c);
    }
  }
}

static void ask_beside(world* w, holder by, const char* name, const call* waiting, const call* c) {
  job first = call_job();
  job second = call_job();
  streams_begin(w, NON_BLOCKING);
  int prepared = waiting->prepare(w, &first);
  if (prepared == 0) {
    prepared = c->prepare(w, &second);
  }
  if (prepared != 0) {
    say(name, "", prepared == ABSENT ? "absent" : "unprepared", "%d", prepared);
    streams_end(w, name, false, &first, &second);
    return;
  }
  attempt a = {.w = w, .of = waiting, .j = &first, .capture = {.mode = NO_CAPTURE}, .work = -1};
  attempt b = {.w = w, .of = c, .j = &second, .capture = {.mode = NO_CAPTURE}, .work = -1};
  attempt_start(&a);
  attempt_start(&b);
  int held = world_hold(w, by, w->held);
  if (held != 0) {
    say_unheld(name, held);
  }
  attempt_go(&a);
  bool waits = !attempt_reaches(&a, RETURNED, SETTLE_MS);
  attempt_go(&b);
  bool returned = attempt_reaches(&b, FINISHED, BESIDE_MS);
  bool still = waits && atomic_load(&a.stage) < RETURNED;
  world_release(w);
  attempt_join(&b, name);
  attempt_join(&a, name);
  if (still) {
    say_attempt(name, &b, returned, BESIDE_MS, "");
  } else {
    say(name, "", "alone", "the other call has returned");
  }
  streams_end(w, name, false, &first, &second);
}

int beside_count(const char* what) {
  (void)situation_named(what);
  return WAITERS * BESIDES;
}

void beside_run(const char* library, const char* what, span cases) {
  const situation* s = situation_named(what);
  world w = world_open(library);
  for (int i = cases.from; i < cases.to; i++) {
    char name[NAME];
    (void)snprintf(name, sizeof name, "beside.%s.%s.%s", what, WAITING[i / BESIDES], BESIDE[i % BESIDES]);
    say_case(i, name);
    ask_beside(&w, s->by, name, call_named(WAITING[i / BESIDES]), call_named(BESIDE[i % BESIDES]));
  }
}
