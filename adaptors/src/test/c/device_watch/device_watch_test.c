// SPDX-License-Identifier: Apache-2.0
/* Words that are watched, on a vendor of this test's own: a stream is a list of gates and events, and runs when it is told to. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../../../main/c/tombolo_device/watch.h"

enum { NOT_READY_CODE = 600, REFUSED = 9, STEPS = 64 };

static void check(bool holds, const char* what) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

typedef struct stream {
  struct {
    atomic_bool* flag; /* of a gate to wait at, or of an event to set */
    bool is_gate;
  } step[STEPS];
  int count;
  int done;
} stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int gates_made;
static bool refuse_gates;
static bool refuse_records;
static _Thread_local bool chosen;

static atomic_bool* new_flag(void) {
  atomic_bool* flag = malloc(sizeof *flag);
  check(flag != NULL, "memory");
  atomic_init(flag, false);
  return flag;
}

/* Lets the stream run until a gate that is shut. */
static void run(stream* of) {
  (void)pthread_mutex_lock(&lock);
  while (of->done < of->count && !(of->step[of->done].is_gate && !atomic_load(of->step[of->done].flag))) {
    atomic_store(of->step[of->done++].flag, true);
  }
  (void)pthread_mutex_unlock(&lock);
}

static int queue(stream* on, atomic_bool* flag, bool is_gate) {
  (void)pthread_mutex_lock(&lock);
  atomic_store(flag, false);
  on->step[on->count].flag = flag;
  on->step[on->count++].is_gate = is_gate;
  (void)pthread_mutex_unlock(&lock);
  return 0;
}

static int set_current(const device* on) {
  (void)on;
  chosen = true;
  return 0;
}

static int new_event(const driver* by, void** event) {
  (void)by;
  *event = new_flag();
  return 0;
}

static int record(const driver* by, void* event, void* on) {
  (void)by;
  return refuse_records ? REFUSED : queue(on, event, false);
}

static int query(const driver* by, role what, void* event) {
  (void)by;
  check(chosen && what == EVENT_QUERY, "events are asked for, on a thread that has chosen its device");
  return atomic_load((atomic_bool*)event) ? 0 : NOT_READY_CODE;
}

static int new_gate(const driver* by, gate* made) {
  (void)by;
  gates_made++;
  made->handle = (uint64_t)(uintptr_t)new_flag();
  return refuse_gates ? REFUSED : 0;
}

static atomic_bool* flag_of(const gate* at) { return (atomic_bool*)(uintptr_t)at->handle; }

static int wait_gate(const driver* by, void* on, gate* at) {
  (void)by;
  return queue(on, flag_of(at), true);
}

/* fixed time: who calls this looks again, or for what must not happen */
static void a_moment(void) { (void)nanosleep(&(struct timespec){0, 1000000}, NULL); }

static atomic_bool opening_waits;
static atomic_bool is_opening;

static int open_gate(const driver* by, gate* at) {
  (void)by;
  while (atomic_load(&opening_waits)) {
    atomic_store(&is_opening, true);
    a_moment();
  }
  atomic_store(flag_of(at), true);
  return 0;
}

static driver vendor = {.calls = {.set_current = set_current,
                                  .new_event = new_event,
                                  .record = record,
                                  .query = query,
                                  .new_gate = new_gate,
                                  .wait_gate = wait_gate,
                                  .open_gate = open_gate}};

static const device on = {.driver = &vendor};

static bool within_two_seconds(bool (*holds)(void*), void* of) {
  for (int i = 0; i < 2000 && !holds(of); i++) {
    a_moment();
  }
  return holds(of);
}

static bool has_run(void* of) {
  stream* it = of;
  run(it);
  return it->done == it->count;
}

static uint64_t address(_Atomic uint64_t* word) { return (uint64_t)(uintptr_t)word; }

static void a_stream_waits_until_the_word_has_its_value(void) {
  _Atomic uint64_t word = 6;
  stream held = {.count = 0};
  check(watched_wait(&on, &held, address(&word), 7) == 0, "queued");
  for (int i = 0; i < 20; i++) {
    check(!has_run(&held), "6 is not at least 7");
    a_moment();
  }
  atomic_store(&word, 8);
  check(within_two_seconds(has_run, &held), "8 is at least 7");
}

static void counters_may_wrap(void) {
  _Atomic uint64_t word = UINT64_MAX;
  stream held = {.count = 0};
  check(watched_wait(&on, &held, address(&word), 1) == 0, "queued");
  a_moment();
  check(!has_run(&held), "the greatest number is before 1");
  atomic_store(&word, 2);
  check(within_two_seconds(has_run, &held), "2 comes after");
}

static void writes_keep_the_order_of_their_stream(void) {
  _Atomic uint64_t word = 0;
  stream busy = {.count = 0};
  for (uint64_t value = 1; value <= 10; value++) {
    check(watched_write(&on, &busy, address(&word), value) == 0, "queued");
  }
  a_moment();
  check(atomic_load(&word) == 0, "nothing is written before the stream gets there");
  check(within_two_seconds(has_run, &busy), "it runs");
  check(atomic_load(&word) == 10, "a stream that is idle has written, and what it wrote last is there");
}

static void streams_may_wait_for_each_other(void) {
  _Atomic uint64_t words[8] = {0};
  stream ring[8] = {{.count = 0}};
  for (int i = 7; i > 0; i--) {
    check(watched_wait(&on, &ring[i], address(&words[i - 1]), 1) == 0, "queued");
    check(watched_write(&on, &ring[i], address(&words[i]), 1) == 0, "queued");
  }
  check(watched_write(&on, &ring[0], address(&words[0]), 1) == 0, "queued");
  for (int i = 0; i < 8; i++) {
    check(within_two_seconds(has_run, &ring[i]), "each goes on after the one before it");
  }
}

static void gates_are_used_again(void) {
  int before = gates_made;
  _Atomic uint64_t word = 0;
  for (uint64_t i = 1; i <= 200; i++) {
    stream one = {.count = 0};
    check(watched_write(&on, &one, address(&word), i) == 0, "queued");
    check(within_two_seconds(has_run, &one), "done");
    a_moment(); /* so that its watch is given back */
  }
  check(gates_made - before < 20, "two hundred writes need no two hundred gates");
}

static void a_word_that_is_gone_is_left_alone(void) {
  _Atomic uint64_t* word = calloc(1, sizeof *word);
  check(word != NULL, "memory");
  stream writer = {.count = 0};
  stream waiter = {.count = 0};
  check(watched_write(&on, &writer, address(word), 3) == 0 && watched_wait(&on, &waiter, address(word), 3) == 0, "queued");
  watch_forget(address(word), sizeof *word);
  free(word); /* the sanitizer sees who touches it now */
  for (int i = 0; i < 20; i++) {
    check(!has_run(&waiter) && !has_run(&writer), "both are stuck, and nobody is told otherwise");
    a_moment();
  }
}

static void a_wait_that_was_over_goes_on_though_its_word_is_gone(void) {
  _Atomic uint64_t word = 5;
  stream waiter = {.count = 0};
  check(watched_wait(&on, &waiter, address(&word), 5) == 0, "queued");
  watch_forget(address(&word), sizeof word);
  atomic_store(&word, 0);
  check(within_two_seconds(has_run, &waiter), "it had its value");
}

static void what_the_vendor_refuses_is_told(void) {
  _Atomic uint64_t word = 0;
  stream none = {.count = 0};
  device other = {.driver = &vendor, .ordinal = 1};
  refuse_gates = true;
  check(watched_wait(&other, &none, address(&word), 1) == REFUSED && none.count == 0, "the vendor's code");
  refuse_gates = false;
  check(watched_write(&other, &none, address(&word), 4) == 0, "and the next try is a new one");
  check(within_two_seconds(has_run, &none) && atomic_load(&word) == 4, "which works");
}

static void a_gate_that_a_stream_has_still_to_pass_is_not_used_again(void) {
  _Atomic uint64_t word = 0;
  stream late = {.count = 0};
  stream next = {.count = 0};
  device other = {.driver = &vendor, .ordinal = 2};
  refuse_records = true;
  check(watched_wait(&other, &late, address(&word), 1) == REFUSED && late.count == 1, "the gate is on the stream");
  refuse_records = false;
  check(watched_wait(&other, &next, address(&word), 1) == 0, "queued");
  check(has_run(&late), "nobody has shut its gate again");
  atomic_store(&word, 1);
  check(within_two_seconds(has_run, &next), "the next has a gate of its own");
}

static bool is_set(void* flag) { return atomic_load((atomic_bool*)flag); }

static void* try_a_gate(void* unused) {
  (void)unused;
  check(watch_try(&on) == 0, "it is opened at last");
  return NULL;
}

static void* forget_a_word(void* has_returned) {
  static _Atomic uint64_t word;
  watch_forget(address(&word), sizeof word);
  atomic_store((atomic_bool*)has_returned, true);
  return NULL;
}

static void a_gate_is_tried_in_nobody_s_way(void) {
  _Atomic uint64_t word = 0;
  stream later = {.count = 0};
  atomic_bool has_returned = false;
  pthread_t trying;
  pthread_t other;
  atomic_store(&opening_waits, true);
  check(pthread_create(&trying, NULL, try_a_gate, NULL) == 0 && within_two_seconds(is_set, &is_opening), "it waits");
  check(pthread_create(&other, NULL, forget_a_word, &has_returned) == 0, "a thread");
  check(within_two_seconds(is_set, &has_returned), "nobody waits for who tries a gate");
  atomic_store(&opening_waits, false);
  check(pthread_join(trying, NULL) == 0 && pthread_join(other, NULL) == 0, "both end");
  check(watched_wait(&on, &later, address(&word), 1) == 0 && !has_run(&later), "a gate that was tried can be used");
  atomic_store(&word, 1);
  check(within_two_seconds(has_run, &later), "and opened");
}

int main(void) {
  vendor.constant[NOT_READY] = NOT_READY_CODE;
  vendor.constant[OUT_OF_MEMORY] = 2;
  a_stream_waits_until_the_word_has_its_value();
  counters_may_wrap();
  writes_keep_the_order_of_their_stream();
  streams_may_wait_for_each_other();
  gates_are_used_again();
  a_word_that_is_gone_is_left_alone();
  a_wait_that_was_over_goes_on_though_its_word_is_gone();
  what_the_vendor_refuses_is_told();
  a_gate_that_a_stream_has_still_to_pass_is_not_used_again();
  a_gate_is_tried_in_nobody_s_way();
  puts("watched words: all as they should be");
  (void)fflush(stdout);
  _exit(0); /* the watching thread has no end, and what it holds is no leak */
}
