// SPDX-License-Identifier: Apache-2.0
/* Batches of datagrams between two sockets of one process, over IPv4 and, where there is one, IPv6; marks of routers. */
#include "../../../main/c/tombolo_rdma/udp_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COUNT = 100, ROOM = 64, BUFFER = 1 << 20, ECT0 = 2, CE = 3 };

static const uint8_t LOOPBACK_V4[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
static const uint8_t ANY_V6[16] = {0};
static const uint8_t LOOPBACK_V6[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

static void check(bool holds, const char* what, int64_t detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s (%lld)\n", what, (long long)detail);
    exit(1);
  }
}

struct block {
  struct udp_packet packets[COUNT];
  int32_t order[COUNT];
  char bytes[COUNT][ROOM];
};

static void lay_out(struct block* block, const uint8_t ip[16], int port) {
  memset(block, 0, sizeof *block);
  for (int i = 0; i < COUNT; i++) {
    block->order[i] = COUNT - 1 - i;
    block->packets[i].bytes = (uint64_t)(uintptr_t)block->bytes[i];
    block->packets[i].capacity = ROOM;
    block->packets[i].size = (uint32_t)snprintf(block->bytes[i], ROOM, "packet %d", i);
    block->packets[i].port = (uint32_t)port;
    block->packets[i].ecn = ECT0;
    memcpy(block->packets[i].ip, ip, 16);
  }
}

/* Those of two digits are as long as each other, and go in one piece where the kernel cuts; then come shorter ones. */
static void a_batch_crosses_in_its_order(const uint8_t ip[16], int kind) {
  int from = udp_open(ip, 0, BUFFER);
  int to = udp_open(ip, 0, BUFFER);
  check(from >= 0 && to >= 0, "open", to);
  static struct block out;
  static struct block in;
  lay_out(&out, ip, udp_port(to));
  lay_out(&in, ip, 0);
  check(udp_receive(to, in.packets, in.order, COUNT) == 0, "nothing has come yet", 0);
  int sent = udp_send(from, kind, out.packets, out.order, COUNT);
  check(sent == 64, "a batch is 64", sent);
  int got = udp_receive(to, in.packets, in.order, COUNT);
  check(got == sent, "all of it arrives", got);
  for (int i = 0; i < got; i++) {
    const struct udp_packet* there = &in.packets[in.order[i]];
    const struct udp_packet* here = &out.packets[out.order[i]];
    check(there->size == here->size, "its size", there->size);
    check(memcmp((void*)(uintptr_t)there->bytes, (void*)(uintptr_t)here->bytes, here->size) == 0, "its bytes", i);
    check(there->ecn == ECT0, "that it may be marked", there->ecn);
    check(there->port == (uint32_t)udp_port(from) && memcmp(there->ip, ip, 16) == 0, "who sent it", there->port);
  }
  check(close(from) == 0 && close(to) == 0, "close", 0);
}

/* As a router marks packets whose queue is long. */
static void a_mark_is_seen(const uint8_t at[16], const uint8_t ip[16], int v6) {
  int from = udp_open(ip, 0, BUFFER);
  int to = udp_open(at, 0, BUFFER);
  check(from >= 0 && to >= 0, "open", to);
  int mark = CE;
  check(setsockopt(from, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_TCLASS : IP_TOS, &mark, sizeof mark) == 0, "mark", errno);
  static struct block block;
  lay_out(&block, ip, udp_port(to));
  check(udp_send(from, v6 ? UDP_V6 : 0, block.packets, block.order, 1) == 1, "send", 0);
  check(udp_receive(to, block.packets, block.order, COUNT) == 1, "receive", 0);
  check(block.packets[block.order[0]].ecn == CE, "the mark", block.packets[block.order[0]].ecn);
  check(memcmp(block.packets[block.order[0]].ip, ip, 16) == 0, "who sent it", 0);
  check(close(from) == 0 && close(to) == 0, "close", 0);
}

/* Packets that may be marked and others take turns, and the others go in pieces as well. */
static void what_may_not_be_marked_says_so(const uint8_t at[16], const uint8_t ip[16], int kind) {
  int from = udp_open(at, 0, BUFFER);
  int to = udp_open(ip, 0, BUFFER);
  static struct block block;
  lay_out(&block, ip, udp_port(to));
  enum { SENT = 40 };
  for (int i = 0; i < SENT; i++) {
    block.packets[block.order[i]].ecn = i / 10 % 2 == 0 ? 0 : ECT0;
  }
  check(udp_send(from, kind, block.packets, block.order, SENT) == SENT, "send", errno);
  check(udp_receive(to, block.packets, block.order, COUNT) == SENT, "receive", 0);
  for (int i = 0; i < SENT; i++) {
    uint8_t ecn = block.packets[block.order[i]].ecn;
    check(ecn == (i / 10 % 2 == 0 ? 0 : ECT0), "as it was sent", i);
  }
  check(close(from) == 0 && close(to) == 0, "close", 0);
}

static void sizes_are(struct block* block, const uint32_t* sizes, int count) {
  lay_out(block, LOOPBACK_V4, 1);
  for (int i = 0; i < count; i++) {
    block->order[i] = i;
    block->packets[i].size = sizes[i];
  }
}

static void a_run_is_what_the_kernel_can_cut(void) {
  static struct block block;
  sizes_are(&block, (uint32_t[]){9, 9, 9, 9}, 4);
  check(udp_run(block.packets, block.order, 4) == 4, "equal", 0);
  check(udp_run(block.packets, block.order, 1) == 1, "one", 0);
  block.packets[2].port = 2;
  check(udp_run(block.packets, block.order, 4) == 2, "to another peer", 0);
  sizes_are(&block, (uint32_t[]){9, 9, 9, 9}, 4);
  block.packets[3].ecn = 0;
  check(udp_run(block.packets, block.order, 4) == 3, "one that may not be marked", 0);
  sizes_are(&block, (uint32_t[]){9, 9, 4, 4}, 4);
  check(udp_run(block.packets, block.order, 4) == 3, "the last may be shorter", 0);
  sizes_are(&block, (uint32_t[]){4, 9, 9, 9}, 4);
  check(udp_run(block.packets, block.order, 4) == 1, "none may be longer", 0);
  sizes_are(&block, (uint32_t[]){4, 0, 4, 4}, 4);
  check(udp_run(block.packets, block.order, 4) == 1, "none is empty", 0);
  sizes_are(&block, (uint32_t[]){30000, 30000, 30000, 30000}, 4);
  check(udp_run(block.packets, block.order, 4) == 2, "no more than a datagram holds", 0);
}

static void a_packet_too_long_for_its_slot_is_empty(void) {
  int socket = udp_open(LOOPBACK_V4, 0, BUFFER);
  static struct block block;
  lay_out(&block, LOOPBACK_V4, udp_port(socket));
  check(udp_send(socket, 0, block.packets, block.order, 1) == 1, "send", 0);
  block.packets[0].capacity = 3;
  int32_t first = 0;
  check(udp_receive(socket, block.packets, &first, 1) == 1, "receive", 0);
  check(block.packets[0].size == 0, "cut off is as good as not there", block.packets[0].size);
  check(close(socket) == 0, "close", 0);
}

static void errors_have_numbers(void) {
  int socket = udp_open(LOOPBACK_V4, 0, BUFFER);
  check(udp_open(LOOPBACK_V4, udp_port(socket), BUFFER) == -EADDRINUSE, "a port is taken once", 0);
  check(udp_receive_buffer(socket) > 0, "the kernel keeps something", 0);
  static struct block block;
  static char longest[70000];
  lay_out(&block, LOOPBACK_V4, udp_port(socket));
  block.packets[COUNT - 1].bytes = (uint64_t)(uintptr_t)longest;
  block.packets[COUNT - 1].size = sizeof longest;
  check(udp_send(socket, 0, block.packets, block.order, 1) == -EMSGSIZE, "longer than any packet", 0);
  check(udp_send(socket, UDP_CUTS, block.packets, block.order, 3) == -EMSGSIZE, "nor can that be cut", 0);
  check(close(socket) == 0, "close", 0);
  check(udp_receive(socket, block.packets, block.order, 1) == -EBADF, "closed", 0);
}

static int cuts(void) {
  int socket = udp_open(LOOPBACK_V4, 0, BUFFER);
  int kind = udp_cuts(socket) ? UDP_CUTS : 0;
  check(close(socket) == 0, "close", 0);
  return kind;
}

int main(void) {
  a_batch_crosses_in_its_order(LOOPBACK_V4, 0);
  a_batch_crosses_in_its_order(LOOPBACK_V4, cuts());
  a_mark_is_seen(LOOPBACK_V4, LOOPBACK_V4, 0);
  what_may_not_be_marked_says_so(LOOPBACK_V4, LOOPBACK_V4, cuts());
  a_run_is_what_the_kernel_can_cut();
  int v6 = udp_open(LOOPBACK_V6, 0, BUFFER);
  if (v6 >= 0) {
    check(close(v6) == 0, "close", 0);
    a_batch_crosses_in_its_order(LOOPBACK_V6, UDP_V6);
    a_batch_crosses_in_its_order(LOOPBACK_V6, UDP_V6 | cuts());
    a_mark_is_seen(LOOPBACK_V6, LOOPBACK_V6, 1);
    what_may_not_be_marked_says_so(LOOPBACK_V6, LOOPBACK_V6, UDP_V6 | cuts());
    what_may_not_be_marked_says_so(ANY_V6, LOOPBACK_V4, UDP_V6 | cuts());
    a_mark_is_seen(ANY_V6, LOOPBACK_V4, 0); /* a socket of both hears those of IPv4, too */
  } else {
    check(v6 == -EAFNOSUPPORT || v6 == -EADDRNOTAVAIL, "no IPv6 here", v6);
  }
  a_packet_too_long_for_its_slot_is_empty();
  errors_have_numbers();
  return 0;
}
