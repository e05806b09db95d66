// SPDX-License-Identifier: Apache-2.0
#include "waiter.h"

#include <errno.h>

#ifdef __linux__

#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Which descriptor it was does not matter: who is woken looks at all. Two, so that a signal is seen beside another. */
enum { MAX_EVENTS = 2 };

static int watch(struct waiter by, int fd, uint32_t once) {
  struct epoll_event wanted = {.events = EPOLLIN | EPOLLRDHUP | once, .data = {.fd = fd}};
  if (epoll_ctl(by.set, EPOLL_CTL_MOD, fd, &wanted) == 0) return 0;
  if (errno != ENOENT) return -errno;
  return epoll_ctl(by.set, EPOLL_CTL_ADD, fd, &wanted) == 0 ? 0 : -errno;
}

/* Once only: what its owner no longer waits for, such as data it has no room for, must not keep the process awake. */
int waiter_watch(struct waiter by, int fd) { return watch(by, fd, EPOLLONESHOT); }

int waiter_open(struct waiter* made) {
  struct waiter by = {.set = epoll_create1(EPOLL_CLOEXEC), .event = -1};
  int failed = by.set < 0 ? -errno : 0;
  if (failed == 0) {
    by.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    failed = by.event < 0 ? -errno : watch(by, by.event, 0);
  }
  if (failed < 0) {
    waiter_close(by);
    return failed;
  }
  *made = by;
  return 0;
}

int waiter_signal(struct waiter by) {
  uint64_t one = 1;
  ssize_t written = write(by.event, &one, sizeof one);
  return written == (ssize_t)sizeof one || errno == EAGAIN ? 0 : -errno; /* full: it is signalled already */
}

static bool take_signal(struct waiter by) {
  uint64_t count;
  return read(by.event, &count, sizeof count) == (ssize_t)sizeof count;
}

int waiter_wait(struct waiter by, int timeout_ms) {
  struct epoll_event ready[MAX_EVENTS];
  int found = epoll_wait(by.set, ready, MAX_EVENTS, timeout_ms);
  if (found < 0) {
    return errno == EINTR ? WAITER_TIME : -errno; /* interrupted: its caller looks around, and comes again */
  }
  int why = take_signal(by) ? WAITER_SIGNAL : WAITER_TIME;
  for (int i = 0; i < found; i++) {
    why |= ready[i].data.fd == by.event ? 0 : WAITER_DESCRIPTOR;
  }
  return why;
}

void waiter_close(struct waiter by) {
  if (by.set >= 0) (void)close(by.set);
  if (by.event >= 0) (void)close(by.event);
}

#else

int waiter_open(struct waiter* made) {
  (void)made;
  return -ENOSYS;
}

int waiter_watch(struct waiter by, int fd) {
  (void)by;
  (void)fd;
  return -ENOSYS;
}

int waiter_signal(struct waiter by) {
  (void)by;
  return -ENOSYS;
}

int waiter_wait(struct waiter by, int timeout_ms) {
  (void)by;
  (void)timeout_ms;
  return -ENOSYS;
}

void waiter_close(struct waiter by) { (void)by; }

#endif
