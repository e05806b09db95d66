// SPDX-License-Identifier: Apache-2.0
/* Events: a handle to the mark it recorded last. A mark is one point of one stream, reached once or never, or noted by a capture. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "device_capture.h"
#include "device_lock.h"

typedef enum state { PENDING, REACHED, UNREACHABLE, NOTED } state;

struct emu_mark {
  atomic_int references; /* the event's, the recording work's, one for each wait */
  _Atomic state now;
  emu_capture_point* at; /* where it was NOTED; else NULL */
};

struct emu_event {
  emu_mark* mark; /* NULL until something was recorded */
  emu_event* next;
};

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static emu_event* living;

static void unref(emu_mark* mark) {
  if (mark != NULL && atomic_fetch_sub(&mark->references, 1) == 1) {
    free(mark->at);
    free(mark);
  }
}

static emu_event** link_to(emu_event* event) {
  emu_event** link = &living;
  while (*link != NULL && *link != event) {
    link = &(*link)->next;
  }
  return link;
}

/* Puts `with` into the event and gives back the mark that was there; false if there is no such event. */
static bool swap_mark(emu_event* event, emu_mark* with, emu_mark** before) {
  (void)pthread_mutex_lock(&table);
  bool known = *link_to(event) != NULL;
  if (known) {
    *before = event->mark;
    event->mark = with;
  }
  (void)pthread_mutex_unlock(&table);
  return known;
}

/* The event's mark with a reference for the caller; false if there is no such event. */
static bool latest(emu_event* event, emu_mark** mark) {
  (void)pthread_mutex_lock(&table);
  bool known = *link_to(event) != NULL;
  *mark = known ? event->mark : NULL;
  if (*mark != NULL) {
    atomic_fetch_add(&(*mark)->references, 1);
  }
  (void)pthread_mutex_unlock(&table);
  return known;
}

typedef struct mark_work {
  emu_work work;
  emu_mark* mark;
} mark_work;

static void settle(emu_work* work, state as) {
  mark_work* made = (mark_work*)work;
  state pending = PENDING;
  (void)atomic_compare_exchange_strong(&made->mark->now, &pending, as);
  unref(made->mark);
  free(made);
}

static bool run_record(emu_work* work) {
  settle(work, REACHED);
  return true;
}

static void drop_record(emu_work* work) { settle(work, UNREACHABLE); }

static void drop_wait(emu_work* work) {
  unref(((mark_work*)work)->mark);
  free(work);
}

static bool run_wait(emu_work* work) {
  emu_mark* mark = ((mark_work*)work)->mark;
  unsigned rounds = 0;
  while (atomic_load(&mark->now) == PENDING) {
    emu_pause(&rounds);
  }
  bool well = atomic_load(&mark->now) == REACHED;
  drop_wait(work);
  return well;
}

static mark_work* new_work(bool (*run)(emu_work*), void (*drop)(emu_work*), emu_mark* mark) {
  mark_work* made = malloc(sizeof *made);
  if (made != NULL) {
    *made = (mark_work){{.run = run, .drop = drop, .waits = run == run_wait, .marks = run == run_record}, mark};
  }
  return made;
}

emu_result emu_event_create(emu_event** event) {
  emu_event* made = event == NULL || emu_fault_making(EMU_EVENTS) ? NULL : calloc(1, sizeof *made);
  if (made == NULL) {
    return event == NULL ? EMU_INVALID_VALUE : EMU_OUT_OF_MEMORY;
  }
  (void)pthread_mutex_lock(&table);
  made->next = living;
  living = made;
  (void)pthread_mutex_unlock(&table);
  emu_made(EMU_EVENTS, 1);
  *event = made;
  return EMU_OK;
}

emu_result emu_event_destroy(emu_event* event) {
  (void)pthread_mutex_lock(&table);
  emu_event** link = link_to(event);
  emu_event* found = *link;
  if (found != NULL) {
    *link = found->next;
  }
  (void)pthread_mutex_unlock(&table);
  if (found == NULL) {
    return EMU_INVALID_HANDLE;
  }
  unref(found->mark);
  free(found);
  emu_made(EMU_EVENTS, -1);
  return EMU_OK;
}

emu_result emu_event_record(emu_event* event, emu_stream* stream) {
  emu_result unlocked = emu_lock_await("the recording of an event");
  if (unlocked != EMU_OK) {
    return unlocked;
  }
  emu_mark* mark = calloc(1, sizeof *mark);
  mark_work* work = mark == NULL ? NULL : new_work(run_record, drop_record, mark);
  if (work == NULL) {
    free(mark);
    return EMU_OUT_OF_MEMORY;
  }
  atomic_init(&mark->references, 2);
  mark->at = emu_capture_here(stream);
  atomic_init(&mark->now, mark->at == NULL ? PENDING : NOTED);
  emu_mark* before = NULL;
  if (!swap_mark(event, mark, &before)) {
    free(work);
    free(mark->at);
    free(mark);
    return EMU_INVALID_HANDLE;
  }
  unref(before);
  emu_result result = emu_stream_queue(stream, &work->work);
  if (result != EMU_OK) {
    drop_record(&work->work);
  }
  return result;
}

emu_result emu_event_query(emu_event* event) {
  emu_mark* mark = NULL;
  if (!latest(event, &mark)) {
    return EMU_INVALID_HANDLE;
  }
  state now = mark == NULL ? REACHED : atomic_load(&mark->now);
  if (now == NOTED) {
    emu_capture_spoil(mark->at->number);
  }
  unref(mark);
  if (now == NOTED) {
    return EMU_CAPTURED_EVENT;
  }
  emu_result permitted = emu_capture_permit();
  return permitted != EMU_OK ? permitted : now == REACHED ? EMU_OK : now == PENDING ? EMU_NOT_READY : EMU_STREAM_FAILED;
}

emu_result emu_event_wait(emu_event* event, emu_stream* stream) {
  emu_mark* mark = NULL;
  if (!latest(event, &mark)) {
    return EMU_INVALID_HANDLE;
  }
  if (mark == NULL) {
    return EMU_OK;
  }
  bool is_noted = atomic_load(&mark->now) == NOTED;
  emu_result captured = is_noted ? emu_capture_join(mark->at, stream) : emu_capture_isolate(stream);
  if (is_noted || captured != EMU_OK) {
    unref(mark);
    return captured;
  }
  mark_work* work = new_work(run_wait, drop_wait, mark);
  if (work == NULL) {
    unref(mark);
    return EMU_OUT_OF_MEMORY;
  }
  emu_result result = emu_stream_queue(stream, &work->work);
  if (result != EMU_OK) {
    drop_wait(&work->work);
  }
  return result;
}
