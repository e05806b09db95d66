// SPDX-License-Identifier: Apache-2.0
/* Handles of things that are gone, and things that come and go while other threads look at them. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../main/c/shared/blocks.h"
#include "../../../main/c/tombolo_device/handles.h"

enum { MANY = 2000, MANY_TIMES = 200000, TAKERS = 2, MANY_TAKEN = 50000, SPINS = 1000 };

/* How much later handles of a place are greater: it is free between two of them. */
static const jlong NEXT = (jlong)2 << 32;
static const jlong GONE = (jlong)1 << 32;

static void check(bool holds, const char* what) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

/* All of whose words say which it is. */
static thing number(uint64_t number) {
  return (thing){.kind = STREAM, .on = {.ordinal = (int)number}, .value = number, .size = number};
}

static bool is_whole(const thing* found) {
  return found->kind == STREAM && found->size == found->value && found->on.ordinal == (int)found->value;
}

static void entries_stay_where_they_are(void) {
  static struct blocks of = {.entry_bytes = sizeof(uint32_t)};
  static uint32_t* entries[MANY];
  check(blocks_find(&of, 0) == NULL && blocks_find(&of, UINT32_MAX) == NULL, "there are none at first");
  for (uint32_t i = 0; i < MANY; i++) {
    entries[i] = blocks_make(&of, i);
    check(entries[i] != NULL && *entries[i] == 0, "an entry is made of zeros");
    *entries[i] = i + 1;
  }
  for (uint32_t i = 0; i < MANY; i++) {
    check(blocks_find(&of, i) == entries[i] && blocks_make(&of, i) == entries[i], "an entry stays where it is");
    check(*entries[i] == i + 1, "and is nobody else's");
  }
  check(blocks_find(&of, 16 * MANY) == NULL && blocks_make(&of, UINT32_MAX) == NULL, "others are not there");
}

static void stale_handles_are_refused(void) {
  static jlong handles[MANY];
  thing found = {.value = 1};
  for (uint64_t i = 0; i < MANY; i++) {
    thing made = number(i);
    handles[i] = handle_new(&made);
    check(handles[i] != 0, "a handle is never 0");
  }
  for (uint64_t i = 0; i < MANY; i++) {
    check(handle_get(handles[i], &found) && is_whole(&found) && found.value == i, "a handle finds its own thing");
    check(handle_take(handles[i], &found) && found.value == i, "taking works once");
    check(!handle_get(handles[i] + GONE, &found) && !handle_get(handles[i] + NEXT, &found), "nor has it another handle");
    found.value = MANY;
    check(!handle_take(handles[i], &found) && !handle_get(handles[i], &found), "and only once");
    check(found.value == MANY, "what is not found is not written");
  }
  for (uint64_t i = 0; i < MANY; i++) {
    thing next = number(i);
    jlong handle = handle_new(&next);
    check((uint32_t)handle < MANY, "places are used again");
    check(!handle_get(handles[(uint32_t)handle], &found), "and old handles do not reach what is there");
    handles[(uint32_t)handle] = handle;
  }
  for (uint64_t i = 0; i < MANY; i++) {
    check(handle_take(handles[i], &found) && is_whole(&found), "each was given once");
  }
  check(!handle_get(0, &found) && !handle_get(-1, &found) && !handle_get((jlong)1 << 32 | MANY * 16, &found),
        "other numbers are no handles");
}

static _Atomic jlong shared;

/*
 * Relaxed, so that only the table itself has the reader see what the writer did before. The handle that comes next is tried,
 * too: it must not be there before its thing is.
 */
static void* copy_until_there_is_none(void* nothing) {
  thing found;
  for (jlong handle; (handle = atomic_load_explicit(&shared, memory_order_relaxed)) != 0;) {
    for (jlong tried = handle; tried <= handle + NEXT; tried += NEXT) {
      check(!handle_get(tried, &found) || is_whole(&found), "a copy is of one thing");
    }
  }
  return nothing;
}

static void a_copy_is_of_one_thing_while_rows_change_hands(void) {
  thing made = number(0);
  thing taken;
  pthread_t readers[2];
  jlong handle = handle_new(&made);
  atomic_store(&shared, handle);
  for (int i = 0; i < 2; i++) {
    check(pthread_create(&readers[i], NULL, copy_until_there_is_none, NULL) == 0, "a thread starts");
  }
  for (uint64_t i = 1; i < MANY_TIMES; i++) {
    check(handle_take(handle, &taken) && taken.value == i - 1, "it is taken");
    made = number(i);
    handle = handle_new(&made);
    atomic_store_explicit(&shared, handle, memory_order_relaxed);
  }
  atomic_store(&shared, 0);
  for (int i = 0; i < 2; i++) {
    check(pthread_join(readers[i], NULL) == 0, "a thread ends");
  }
  check(handle_take(handle, &taken), "the last is there still");
}

static void things_are_found_while_others_are_made(void) {
  static jlong others[4 * MANY];
  thing made = number(7);
  thing found;
  pthread_t reader;
  atomic_store(&shared, handle_new(&made));
  check(pthread_create(&reader, NULL, copy_until_there_is_none, NULL) == 0, "a thread starts");
  for (uint64_t i = 0; i < 4 * MANY; i++) {
    made = number(i);
    others[i] = handle_new(&made);
    check(handle_get(atomic_load(&shared), &found) && found.value == 7, "the first stays what it is");
  }
  jlong first = atomic_exchange(&shared, 0);
  check(pthread_join(reader, NULL) == 0 && handle_take(first, &found), "a thread ends");
  for (uint64_t i = 0; i < 4 * MANY; i++) {
    check(handle_take(others[i], &found) && found.value == i, "and so do the others");
  }
}

static jlong contended[MANY_TAKEN];
static atomic_int come;

/* So that all come to the same handle at once: who is woken comes too late for that. */
static void meet(int meeting) {
  atomic_fetch_add(&come, 1);
  for (int spins = 0; atomic_load(&come) < TAKERS * meeting; spins++) {
    if (spins >= SPINS) {
      (void)sched_yield();
    }
  }
}

static void* take_each(void* won) {
  thing found;
  for (int i = 0; i < MANY_TAKEN; i++) {
    meet(i + 1);
    *(int*)won += handle_take(contended[i], &found) ? 1 : 0;
  }
  return NULL;
}

static void of_several_threads_one_takes(void) {
  int won[TAKERS] = {0};
  int all = 0;
  pthread_t takers[TAKERS];
  for (uint64_t i = 0; i < MANY_TAKEN; i++) {
    thing made = number(i);
    contended[i] = handle_new(&made);
  }
  for (int i = 0; i < TAKERS; i++) {
    check(pthread_create(&takers[i], NULL, take_each, &won[i]) == 0, "a thread starts");
  }
  for (int i = 0; i < TAKERS; i++) {
    check(pthread_join(takers[i], NULL) == 0, "a thread ends");
    all += won[i];
  }
  check(all == MANY_TAKEN, "each is taken once");
}

int main(void) {
  entries_stay_where_they_are();
  stale_handles_are_refused();
  a_copy_is_of_one_thing_while_rows_change_hands();
  things_are_found_while_others_are_made();
  of_several_threads_one_takes();
  return 0;
}
