// SPDX-License-Identifier: Apache-2.0
/*
 * The least that 4 KiB can cost a processor here, in ns: what a program pays that has nothing else to do.
 *
 *   copy      a memcpy out of a message of 1 MiB into packets' places, as ud has to
 *   send      over UDP and the loopback interface, 60 KiB in one call that the kernel cuts (UDP_SEGMENT, Linux 4.18)
 *   receive   the same, as many packets a call (recvmmsg)
 *
 * Prints one line for each: the median of rounds, by the thread's own processor time.
 */
#include <arpa/inet.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

enum { CHUNK = 4096, HEAD = 20, PACKET = CHUNK + HEAD, TOGETHER = 15, MESSAGE = 1 << 20, PLACES = 512, ROUNDS = 400, BATCHES = 16 };

static unsigned char message[MESSAGE];
static unsigned char places[PLACES][PACKET];

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double now_ns(void) {
  struct timespec t;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) {
    fail("clock_gettime");
  }
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void report(const char* what, double* ns) {
  qsort(ns, ROUNDS, sizeof *ns, ascending);
  printf("%-8s %5.0f ns\n", what, ns[ROUNDS / 2]);
}

static void copy(void) {
  static double ns[ROUNDS];
  for (int round = 0, place = 0; round < ROUNDS; round++) {
    double from = now_ns();
    for (int at = 0; at < MESSAGE; at += CHUNK, place = (place + 1) % PLACES) {
      memcpy(places[place] + HEAD, message + at, CHUNK);
    }
    ns[round] = (now_ns() - from) * CHUNK / MESSAGE;
  }
  report("copy", ns);
}

static int open_socket(struct sockaddr_in* address) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  int room = 4 << 20;
  socklen_t size = sizeof *address;
  *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) != 0 ||
      bind(fd, (struct sockaddr*)address, size) != 0 || getsockname(fd, (struct sockaddr*)address, &size) != 0) {
    fail("a socket");
  }
  return fd;
}

/* Packets' places are taken in turn, as a fabric takes them, so that no cache has them at hand. */
static int next_place(int* turn) {
  int place = *turn;
  *turn = (place + TOGETHER) % (PLACES - TOGETHER);
  return place;
}

static void exchange(void) {
  static double sending[ROUNDS], receiving[ROUNDS];
  struct sockaddr_in here, there;
  int out = open_socket(&here), in = open_socket(&there);
  int segment = PACKET;
  if (setsockopt(out, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment) != 0) {
    fail("UDP_SEGMENT");
  }
  struct iovec parts[TOGETHER];
  struct msghdr sent = {.msg_name = &there, .msg_namelen = sizeof there, .msg_iov = parts, .msg_iovlen = TOGETHER};
  struct mmsghdr came[TOGETHER];
  struct iovec slots[TOGETHER];
  for (int i = 0; i < TOGETHER; i++) {
    came[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &slots[i], .msg_iovlen = 1}};
  }
  int turn = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double sender = 0, receiver = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
      for (int i = 0, first = next_place(&turn); i < TOGETHER; i++) {
        parts[i] = (struct iovec){places[first + i], PACKET};
      }
      for (int i = 0, first = next_place(&turn); i < TOGETHER; i++) {
        slots[i] = (struct iovec){places[first + i], PACKET};
      }
      double from = now_ns();
      if (sendmsg(out, &sent, 0) != TOGETHER * PACKET) {
        fail("sendmsg");
      }
      double between = now_ns();
      int count = 0;
      while (count < TOGETHER) {
        int more = recvmmsg(in, came, (unsigned)(TOGETHER - count), 0, NULL);
        if (more < 0) {
          fail("recvmmsg");
        }
        count += more;
      }
      sender += between - from;
      receiver += now_ns() - between;
    }
    sending[round] = sender / (BATCHES * TOGETHER);
    receiving[round] = receiver / (BATCHES * TOGETHER);
  }
  report("send", sending);
  report("receive", receiving);
}

int main(void) {
  memset(message, 1, sizeof message);
  memset(places, 1, sizeof places);
  copy();
  exchange();
  return 0;
}
