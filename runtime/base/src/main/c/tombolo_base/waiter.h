// SPDX-License-Identifier: Apache-2.0
/*
 * The one place where an idle process sleeps: until a descriptor can be read, somebody signals, or time is up. One thread
 * watches and waits; any may signal. Results below zero are errno, negated.
 */
#ifndef TOMBOLO_WAITER_H
#define TOMBOLO_WAITER_H

#include <stdint.h>

/* What ended a wait; several may at once. */
enum { WAITER_TIME = 0, WAITER_SIGNAL = 1, WAITER_DESCRIPTOR = 2 };

struct waiter {
  int set;   /* epoll */
  int event; /* eventfd, in the set */
};

/* -ENOSYS where the system has no such thing. */
int waiter_open(struct waiter* made);

/*
 * Has the next wait end when `fd` can be read or is at its end, and if that is so already. Only once: what has ended a
 * wait, or is not watched again, ends no other. A descriptor that is closed is forgotten by itself.
 */
int waiter_watch(struct waiter by, int fd);

/* Ends the wait that is on, or the next one. Signals add up to one. */
int waiter_signal(struct waiter by);

/* Waits up to `timeout_ms`; what ended it. Takes the signals. */
int waiter_wait(struct waiter by, int timeout_ms);

void waiter_close(struct waiter by);

#endif
