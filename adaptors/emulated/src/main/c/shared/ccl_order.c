// SPDX-License-Identifier: Apache-2.0
/*
 * The quirk of devices whose operations are scheduled ahead: a process's calls run one at a time, in the order in which
 * they were made, whatever their communicator and stream. Members that make them in different orders wait for ever.
 */
#include <pthread.h>

#include "../../../../../src/main/c/shared/engine_internal.h"
#include "emu_numbers.h"
#include "emu_settings.h"

enum { MAX_PLACES = 1 << 16 }; /* calls that may be queued at a time */

static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t next_place;
static uint64_t turn;
static bool over[MAX_PLACES]; /* an aborted call ends before its turn */

static bool is_asked_for(void) { return emu_quirk("TOMBOLO_EMU_SAME_ORDER_ONLY", emu_numbers.vendor); }

void engine_order_lock(void) { (void)pthread_mutex_lock(&taking); }

void engine_order_unlock(void) { (void)pthread_mutex_unlock(&taking); }

uint64_t engine_order_take(void) { return next_place++; }

void engine_order_return(uint64_t place) { next_place = place; }

void engine_order_await(const struct engine_comm* comm, uint64_t place) {
  if (!is_asked_for()) {
    return;
  }
  (void)pthread_mutex_lock(&lock);
  while (turn != place && !atomic_load(&comm->aborted)) {
    (void)pthread_cond_wait(&changed, &lock);
  }
  (void)pthread_mutex_unlock(&lock);
}

void engine_order_end(uint64_t place) {
  (void)pthread_mutex_lock(&lock);
  over[place % MAX_PLACES] = true;
  while (over[turn % MAX_PLACES]) {
    over[turn++ % MAX_PLACES] = false;
  }
  (void)pthread_cond_broadcast(&changed);
  (void)pthread_mutex_unlock(&lock);
}

void engine_order_wake(void) {
  (void)pthread_mutex_lock(&lock);
  (void)pthread_cond_broadcast(&changed);
  (void)pthread_mutex_unlock(&lock);
}
