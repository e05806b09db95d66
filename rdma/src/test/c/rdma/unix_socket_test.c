// SPDX-License-Identifier: Apache-2.0
/* Sockets and segments between two ends in one process, and what a hostile end can try. */
#include "../../../main/c/tombolo_rdma/process_memory.h"
#include "../../../main/c/tombolo_rdma/unix_socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const int64_t SEGMENT_BYTES = 12345;

static void check(bool holds, const char* what, int64_t detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s (%lld)\n", what, (long long)detail);
    exit(1);
  }
}

static void end(int fd) { check(close(fd) == 0, "close", fd); }

struct pair {
  int listener;
  int dialled;
  int accepted;
};

static struct pair connected(void) {
  char name[64];
  int length = snprintf(name, sizeof name, "tombolo-test-%d", (int)getpid());
  struct pair pair = {.listener = unix_listen(name, (size_t)length)};
  check(pair.listener >= 0, "listen", pair.listener);
  check(unix_accept(pair.listener) == -EAGAIN, "nobody dials yet", 0);
  check(unix_listen(name, (size_t)length) == -EADDRINUSE, "a name is taken once", 0);
  pair.dialled = unix_connect(name, (size_t)length);
  check(pair.dialled >= 0, "connect", pair.dialled);
  pair.accepted = unix_accept(pair.listener);
  check(pair.accepted >= 0, "accept", pair.accepted);
  return pair;
}

static void ended(struct pair pair) {
  end(pair.dialled);
  end(pair.accepted);
  end(pair.listener);
}

static void bytes_cross_and_the_end_is_seen(void) {
  struct pair pair = connected();
  char got[8];
  check(unix_read(pair.accepted, got, sizeof got) == -EAGAIN, "nothing to read yet", 0);
  check(unix_peer_gone(pair.accepted) == 0, "the peer is there", 0);
  check(unix_write(pair.dialled, "abc", 3) == 3, "write", 0);
  check(unix_read(pair.accepted, got, sizeof got) == 3 && memcmp(got, "abc", 3) == 0, "read", 0);
  end(pair.dialled);
  check(unix_peer_gone(pair.accepted) == 1, "the peer is gone", 0);
  check(unix_read(pair.accepted, got, sizeof got) == -EPIPE, "end of stream", 0);
  check(unix_write(pair.accepted, "x", 1) == -EPIPE, "writing raises no signal", 0);
  end(pair.accepted);
  end(pair.listener);
}

static void a_segment_crosses(void) {
  struct pair pair = connected();
  int mine = segment_create(SEGMENT_BYTES);
  check(mine >= 0, "create", mine);
  check(ftruncate(mine, 1) != 0 && errno == EPERM, "its size is sealed", errno);
  check(unix_send_fd(pair.dialled, mine) == 0, "send", 0);
  int theirs = unix_receive_fd(pair.accepted);
  check(theirs >= 0, "receive", theirs);
  check(segment_check(theirs, SEGMENT_BYTES) == 0, "the right size", 0);
  check(segment_check(theirs, SEGMENT_BYTES + 1) == -EBADMSG, "another size", 0);
  end(mine);
  end(theirs);
  ended(pair);
}

static void what_is_no_sealed_segment_is_refused(void) {
  struct pair pair = connected();
  check(unix_write(pair.dialled, "x", 1) == 1, "write", 0);
  check(unix_receive_fd(pair.accepted) == -EBADMSG, "a byte without a descriptor", 0);
  check(segment_check(pair.accepted, 0) == -EBADMSG, "a socket", 0);
  int loose = memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  check(loose >= 0 && ftruncate(loose, SEGMENT_BYTES) == 0, "loose", loose);
  check(segment_check(loose, SEGMENT_BYTES) == -EBADMSG, "a segment that could shrink", 0);
  end(loose);
  ended(pair);
}

static void a_shut_down_is_seen_though_a_copy_is_open(void) {
  struct pair pair = connected();
  check(unix_peer_process(pair.accepted) == (int)getpid(), "who has dialled", unix_peer_process(pair.accepted));
  check(unix_peer_process(pair.dialled) == (int)getpid(), "who listens", unix_peer_process(pair.dialled));
  int copy = dup(pair.dialled);
  check(copy >= 0, "copy", errno);
  check(unix_shut_down(pair.dialled) == 0, "shut down", 0);
  end(pair.dialled);
  check(unix_peer_gone(pair.accepted) == 1, "the peer is gone", 0);
  end(copy);
  end(pair.accepted);
  end(pair.listener);
}

static void memory_is_read_where_it_is(void) {
  int self = (int)getpid();
  const char there[] = "some bytes";
  char here[sizeof there] = {0};
  check(process_may_be_read(self) == 1, "this process", self);
  check(process_read(self, here, (uint64_t)(uintptr_t)there, sizeof there) == 0, "read", 0);
  check(memcmp(here, there, sizeof there) == 0, "what was read", 0);
  check(process_read(self, here, 0, sizeof here) == -EFAULT, "where nothing is", 0);
  check(process_may_be_read(0) == 0, "one that cannot be seen", 0);
  check(process_read(0, here, (uint64_t)(uintptr_t)there, sizeof there) == -ESRCH, "of nobody", 0);
}

static void names_have_bounds(void) {
  char name[200];
  memset(name, 'n', sizeof name);
  check(unix_listen(name, sizeof name) == -EINVAL, "too long", 0);
  check(unix_connect(name, 0) == -EINVAL, "empty", 0);
  check(unix_connect("tombolo-nobody", 14) == -ECONNREFUSED, "nobody listens", 0);
}

int main(void) {
  bytes_cross_and_the_end_is_seen();
  a_segment_crosses();
  what_is_no_sealed_segment_is_refused();
  a_shut_down_is_seen_though_a_copy_is_open();
  memory_is_read_where_it_is();
  names_have_bounds();
  return 0;
}
