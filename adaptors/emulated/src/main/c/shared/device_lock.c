// SPDX-License-Identifier: Apache-2.0
#include "device_lock.h"

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static emu_holder* holders;
static atomic_int holding; /* so that whoever finds none takes no lock */
static atomic_int awaiting;

void emu_lock_hold(emu_holder* holder) {
  (void)pthread_mutex_lock(&table);
  holder->next = holders;
  holders = holder;
  atomic_fetch_add(&holding, 1);
  (void)pthread_mutex_unlock(&table);
}

void emu_lock_leave(emu_holder* holder) {
  (void)pthread_mutex_lock(&table);
  emu_holder** link = &holders;
  while (*link != holder) {
    link = &(*link)->next;
  }
  *link = holder->next;
  atomic_fetch_sub(&holding, 1);
  (void)pthread_mutex_unlock(&table);
}

static emu_holder* holder_of(int device) {
  emu_holder* holder = holders;
  while (holder != NULL && holder->device != device) {
    holder = holder->next;
  }
  return holder;
}

/* A look at whoever holds it now: true if the caller has to look again. */
static bool waits_on(const emu_caller* caller, int64_t begun, int64_t bound, emu_result* result) {
  (void)pthread_mutex_lock(&table);
  const emu_holder* holder = holder_of(emu_used_device());
  const emu_stream* stuck = holder == NULL ? NULL : emu_stuck_stream(holder->goals, holder->count, begun, bound);
  if (stuck != NULL) {
    emu_report_deadlock(caller, &holder->caller, stuck, EMU_LOCKS, bound);
    *result = EMU_DEADLOCK;
  }
  (void)pthread_mutex_unlock(&table);
  return holder != NULL && stuck == NULL;
}

bool emu_lock_is_awaited(void) { return atomic_load(&awaiting) > 0; }

emu_result emu_lock_await_in(const char* what, const void* caller) {
  if (atomic_load(&holding) == 0) {
    return EMU_OK;
  }
  emu_caller waiting = emu_caller_at(what, caller);
  emu_result result = EMU_OK;
  int64_t begun = emu_now_ns();
  int64_t bound = emu_patience_ns();
  unsigned rounds = 0;
  atomic_fetch_add(&awaiting, 1);
  while (waits_on(&waiting, begun, bound, &result)) {
    emu_pause(&rounds);
  }
  atomic_fetch_sub(&awaiting, 1);
  return result;
}
