// SPDX-License-Identifier: Apache-2.0
/* What the kernel tells of a peer that answers, that has no room, and that is cut off: its socket drops what comes. */
#include "../../../main/c/tombolo_rdma/tcp_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 20, SAMPLE_NS = 50 * 1000 * 1000, PATIENCE = 600, MISSING_MS = 500 };

static void check(bool holds, const char* what, int64_t detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s (%lld)\n", what, (long long)detail);
    exit(1);
  }
}

struct pair {
  int dialled;
  int accepted;
};

static struct pair connected(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  check(bind(listener, (struct sockaddr*)&address, size) == 0, "bind", errno);
  check(listen(listener, 1) == 0, "listen", errno);
  check(getsockname(listener, (struct sockaddr*)&address, &size) == 0, "name", errno);
  struct pair pair = {.dialled = socket(AF_INET, SOCK_STREAM, 0)};
  check(connect(pair.dialled, (struct sockaddr*)&address, size) == 0, "connect", errno);
  pair.accepted = accept(listener, NULL, NULL);
  check(pair.accepted >= 0, "accept", errno);
  check(close(listener) == 0, "close", errno);
  return pair;
}

static void ended(struct pair pair) {
  check(close(pair.dialled) == 0, "close", pair.dialled);
  check(close(pair.accepted) == 0, "close", pair.accepted);
}

static void wait_a_little(void) {
  struct timespec time = {.tv_nsec = SAMPLE_NS};
  (void)nanosleep(&time, NULL); /* fixed time: between two looks */
}

static void all_is_answered_in_the_end(void) {
  struct pair pair = connected();
  check(tcp_unanswered(pair.dialled) == 0, "nothing was sent", 0);
  check(write(pair.dialled, "x", 1) == 1, "write", errno);
  int tries = 0;
  for (; tcp_unanswered(pair.dialled) != 0 && tries < PATIENCE; tries++) wait_a_little();
  check(tries < PATIENCE, "it is answered", tries);
  ended(pair);
}

/* It answers whenever it is asked; between that and its answer it may seem not to. */
static void one_without_room_answers(void) {
  struct pair pair = connected();
  char bytes[4096] = {0};
  check(fcntl(pair.dialled, F_SETFL, O_NONBLOCK) == 0, "does not block", errno);
  while (write(pair.dialled, bytes, sizeof bytes) > 0) continue;
  check(errno == EAGAIN, "it has no more room", errno);
  int answers = 0;
  for (int sample = 0; sample < SAMPLES; sample++) {
    wait_a_little();
    answers += tcp_unanswered(pair.dialled) == 1;
  }
  check(answers > SAMPLES / 2, "it answers", answers);
  ended(pair);
}

static void one_that_is_cut_off_does_not(void) {
  struct pair pair = connected();
  struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  struct sock_fprog cut = {.len = 1, .filter = &nothing};
  check(setsockopt(pair.accepted, SOL_SOCKET, SO_ATTACH_FILTER, &cut, sizeof cut) == 0, "cut", errno);
  check(write(pair.dialled, "x", 1) == 1, "write", errno);
  int64_t seen = 0;
  for (int tries = 0; seen <= MISSING_MS && tries < PATIENCE; tries++) {
    wait_a_little();
    seen = tcp_unanswered(pair.dialled);
  }
  check(seen > MISSING_MS, "answers are missing", seen);
  ended(pair);
}

static void who_is_no_connection_is_an_error(void) {
  check(tcp_unanswered(-1) == -EBADF, "no descriptor", 0);
}

int main(void) {
  all_is_answered_in_the_end();
  one_without_room_answers();
  one_that_is_cut_off_does_not();
  who_is_no_connection_is_an_error();
  return 0;
}
