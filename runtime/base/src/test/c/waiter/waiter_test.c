// SPDX-License-Identifier: Apache-2.0
/* What ends a wait, and what does not. */
#include "../../../main/c/tombolo_base/waiter.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { AT_ONCE = 0, LONG_MS = 60000, SIGNALS = 20000 };

static void check(bool holds, const char* what, int detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s (%d)\n", what, detail);
    exit(1);
  }
}

static void expect(struct waiter by, int timeout_ms, int why, const char* what) {
  int found = waiter_wait(by, timeout_ms);
  check(found == why, what, found);
}

static void watch(struct waiter by, int fd) { check(waiter_watch(by, fd) == 0, "watch", errno); }

static void signals(struct waiter by) {
  expect(by, AT_ONCE, WAITER_TIME, "nothing has come");
  check(waiter_signal(by) == 0 && waiter_signal(by) == 0, "signal", errno);
  expect(by, LONG_MS, WAITER_SIGNAL, "a signal before the wait");
  expect(by, AT_ONCE, WAITER_TIME, "signals add up to one");
}

static void descriptors(struct waiter by) {
  int ends[2];
  check(pipe(ends) == 0, "pipe", errno);
  check(waiter_watch(by, -1) == -EBADF, "watch what is none", 0);
  check(write(ends[1], "xy", 2) == 2, "write", errno);
  expect(by, AT_ONCE, WAITER_TIME, "what is not watched ends nothing");
  watch(by, ends[0]);
  watch(by, ends[0]);
  expect(by, LONG_MS, WAITER_DESCRIPTOR, "it was readable before it was watched");
  expect(by, AT_ONCE, WAITER_TIME, "it ends one wait only");
  watch(by, ends[0]);
  check(waiter_signal(by) == 0, "signal", errno);
  expect(by, LONG_MS, WAITER_DESCRIPTOR | WAITER_SIGNAL, "both");
  char bytes[2];
  check(read(ends[0], bytes, 2) == 2, "read", errno);
  watch(by, ends[0]);
  expect(by, AT_ONCE, WAITER_TIME, "it is read");

  check(close(ends[1]) == 0, "close", errno);
  expect(by, LONG_MS, WAITER_DESCRIPTOR, "the other end is gone");
  watch(by, ends[0]);
  check(close(ends[0]) == 0, "close", errno);
  expect(by, AT_ONCE, WAITER_TIME, "what is closed is forgotten");

  int again[2];
  check(pipe(again) == 0 && again[0] == ends[0], "a descriptor with the number of one that is gone", again[0]);
  watch(by, again[0]);
  check(write(again[1], "x", 1) == 1, "write", errno);
  expect(by, LONG_MS, WAITER_DESCRIPTOR, "it is another one");
  check(close(again[0]) == 0 && close(again[1]) == 0, "close", errno);
}

static int answered;

static void* sign(void* to) {
  struct waiter by = *(struct waiter*)to;
  for (int i = 1; i <= SIGNALS; i++) {
    check(waiter_signal(by) == 0, "signal", errno);
    while (__atomic_load_n(&answered, __ATOMIC_ACQUIRE) < i) sched_yield();
  }
  return NULL;
}

/* Each is answered before the next is made: one that is lost is a wait of a minute. */
static void threads(struct waiter by) {
  pthread_t thread;
  check(pthread_create(&thread, NULL, sign, &by) == 0, "a thread", errno);
  for (int i = 1; i <= SIGNALS; i++) {
    expect(by, LONG_MS, WAITER_SIGNAL, "a signal of another thread");
    __atomic_store_n(&answered, i, __ATOMIC_RELEASE);
  }
  check(pthread_join(thread, NULL) == 0, "join", errno);
}

int main(void) {
  struct waiter by;
  check(waiter_open(&by) == 0, "open", errno);
  signals(by);
  descriptors(by);
  threads(by);
  waiter_close(by);
  return 0;
}
