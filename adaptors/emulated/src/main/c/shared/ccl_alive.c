// SPDX-License-Identifier: Apache-2.0
#include "ccl_alive.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../../../../src/main/c/shared/engine_internal.h"
#include "emu_settings.h"
#include "emu_strict.h"

enum { REMEMBERED = 256, INSIDE = 64 };

typedef struct caller {
  const struct engine_comm* comm; /* NULL: nobody */
  emu_use use;
  long thread;
} caller;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static const struct engine_comm* freed[REMEMBERED]; /* the latest */
static unsigned freed_next;
static caller inside[INSIDE]; /* whoever finds no place is not looked at */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static long question_us;

/* The system is asked once: each call of a library comes by here several times. */
static long own_thread(void) {
  static _Thread_local long number;
  number = number == 0 ? syscall(SYS_gettid) : number;
  return number;
}

static bool is_freed(const struct engine_comm* comm) {
  for (int i = 0; i < REMEMBERED; i++) {
    if (freed[i] == comm && comm != NULL) {
      return true;
    }
  }
  return false;
}

static caller* place_of(const struct engine_comm* comm, long thread) {
  for (int i = 0; i < INSIDE; i++) {
    if (inside[i].comm == comm && (comm == NULL || inside[i].thread == thread)) {
      return &inside[i];
    }
  }
  return NULL;
}

static const char* text_of(emu_use use) { return use == EMU_COLLECTIVE ? "a collective" : "a question for its error"; }

bool emu_comm_enter(const struct engine_comm* comm, emu_use use) {
  if (!emu_is_strict(EMU_ABORTS)) {
    return true;
  }
  long thread = own_thread();
  (void)pthread_mutex_lock(&lock);
  bool gone = is_freed(comm);
  caller* place = gone ? NULL : place_of(NULL, 0);
  if (place != NULL) {
    *place = (caller){comm, use, thread};
  }
  (void)pthread_mutex_unlock(&lock);
  if (gone) {
    emu_report("use after free: %s on thread %ld is of a communicator that was aborted or destroyed", text_of(use), thread);
  }
  return !gone;
}

static void read_environment(void) { question_us = emu_setting("TOMBOLO_EMU_SLOW_QUESTION_US", 0); }

void emu_comm_think(void) {
  (void)pthread_once(&once, read_environment);
  if (question_us > 0) {
    (void)nanosleep(&(struct timespec){question_us / 1000000, question_us % 1000000 * 1000}, NULL);
  }
}

void emu_comm_leave(const struct engine_comm* comm, emu_use use) {
  (void)use;
  (void)pthread_mutex_lock(&lock);
  caller* place = place_of(comm, own_thread());
  if (place != NULL) {
    place->comm = NULL;
    (void)pthread_cond_broadcast(&left);
  }
  (void)pthread_mutex_unlock(&lock);
}

void emu_comm_born(const struct engine_comm* comm) {
  (void)pthread_mutex_lock(&lock);
  for (int i = 0; i < REMEMBERED; i++) {
    freed[i] = freed[i] == comm ? NULL : freed[i];
  }
  (void)pthread_mutex_unlock(&lock);
}

static void report_questions(const struct engine_comm* comm, const char* call) {
  for (int i = 0; i < INSIDE; i++) {
    if (inside[i].comm == comm && inside[i].use == EMU_QUESTION) {
      emu_report("use after free: %s on thread %ld frees the communicator, while thread %ld is in %s", call,
                 own_thread(), inside[i].thread, text_of(inside[i].use));
    }
  }
}

bool emu_comm_free(const struct engine_comm* comm, const char* call) {
  if (!emu_is_strict(EMU_ABORTS)) {
    return true;
  }
  (void)pthread_mutex_lock(&lock);
  bool again = is_freed(comm);
  if (!again) {
    freed[freed_next++ % REMEMBERED] = comm;
    report_questions(comm, call);
  }
  (void)pthread_mutex_unlock(&lock);
  if (again) {
    emu_report("use after free: %s of a communicator that was aborted or destroyed before", call);
  }
  return !again;
}

static bool is_inside(const struct engine_comm* comm) {
  for (int i = 0; i < INSIDE; i++) {
    if (inside[i].comm == comm) {
      return true;
    }
  }
  return false;
}

/* The emulation itself must not crash: the communicator's memory stays until all have left. */
void emu_comm_abort(struct engine_comm* comm) {
  atomic_fetch_add(&comm->references, 1);
  engine_abort(comm);
  (void)pthread_mutex_lock(&lock);
  while (is_inside(comm)) {
    (void)pthread_cond_wait(&left, &lock);
  }
  (void)pthread_mutex_unlock(&lock);
  engine_destroy(comm);
}
