// SPDX-License-Identifier: Apache-2.0
#include "attempt.h"

#include <unistd.h>

#include "sections.h"

enum { JOIN_MS = 1500 };

void capture_begin(const world* w, taken* capture) {
  if (capture->mode != NO_CAPTURE) {
    capture->begun = w->cu.cuStreamBeginCapture_v2(w->held, capture->mode);
  }
}

void capture_end(const world* w, taken* capture) {
  if (capture->mode == NO_CAPTURE || capture->begun != 0) {
    return;
  }
  void* graph = NULL;
  (void)w->cu.cuStreamIsCapturing(w->held, &capture->status);
  capture->ended = w->cu.cuStreamEndCapture(w->held, &graph);
  if (graph != NULL) {
    (void)w->cu.cuGraphDestroy(graph);
  }
}

static int end_of_work(const attempt* a) {
  void* stream = call_stream(a->w, a->j, a->of->work);
  int code;
  for (int64_t from = now_ns(); (code = a->w->cu.cuStreamQuery(stream)) == NOT_READY; rest_us(50)) {
    if (now_ns() - from > WORK_MS * INT64_C(1000000)) {
      break;
    }
  }
  return code;
}

static void* run(void* argument) {
  attempt* a = argument;
  if (!a->without_context) {
    world_need(a->w, a->w->cu.cuCtxSetCurrent(a->w->context), "cuCtxSetCurrent");
  }
  atomic_store(&a->stage, READY);
  while (atomic_load(&a->stage) != GO) {
    rest_us(20);
  }
  capture_begin(a->w, &a->capture);
  int64_t from = now_ns();
  a->code = a->of->make(a->w, a->j);
  a->took_ns = now_ns() - from;
  capture_end(a->w, &a->capture);
  atomic_store(&a->stage, RETURNED);
  if (a->ask_work && a->code == 0 && a->of->work != NOWHERE) {
    a->work = end_of_work(a);
  }
  atomic_store(&a->stage, FINISHED);
  return NULL;
}

void attempt_start(attempt* a) {
  atomic_store(&a->stage, BEFORE);
  if (pthread_create(&a->thread, NULL, run, a) != 0) {
    _exit(1);
  }
  while (atomic_load(&a->stage) != READY) {
    rest_us(20);
  }
}

void attempt_go(attempt* a) { atomic_store(&a->stage, GO); }

bool attempt_reaches(attempt* a, stage stage, int limit_ms) {
  for (int64_t from = now_ns(); atomic_load(&a->stage) < (int)stage; rest_us(50)) {
    if (now_ns() - from > limit_ms * INT64_C(1000000)) {
      return false;
    }
  }
  return true;
}

void attempt_join(attempt* a, const char* name) {
  if (!attempt_reaches(a, FINISHED, JOIN_MS)) {
    say(name, "", "hangs", "%d ms after the release", JOIN_MS);
    _exit(EXIT_NEXT);
  }
  (void)pthread_join(a->thread, NULL);
}
