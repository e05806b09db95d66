// SPDX-License-Identifier: Apache-2.0
/* Batches of datagrams between two sockets of one process, over IPv4 and, where there is one, IPv6. */
#include "../../../main/c/tombolo_rdma/udp_socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 100, ROOM = 64, BUFFER = 1 << 20 };

static const uint8_t LOOPBACK_V4[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};
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
    memcpy(block->packets[i].ip, ip, 16);
  }
}

static void a_batch_crosses_in_its_order(const uint8_t ip[16], int v6) {
  int from = udp_open(ip, 0, BUFFER);
  int to = udp_open(ip, 0, BUFFER);
  check(from >= 0 && to >= 0, "open", to);
  static struct block out;
  static struct block in;
  lay_out(&out, ip, udp_port(to));
  lay_out(&in, ip, 0);
  check(udp_receive(to, in.packets, in.order, COUNT) == 0, "nothing has come yet", 0);
  int sent = udp_send(from, v6, out.packets, out.order, COUNT);
  check(sent == 64, "a batch is 64", sent);
  int got = udp_receive(to, in.packets, in.order, COUNT);
  check(got == sent, "all of it arrives", got);
  for (int i = 0; i < got; i++) {
    const struct udp_packet* there = &in.packets[in.order[i]];
    const struct udp_packet* here = &out.packets[out.order[i]];
    check(there->size == here->size, "its size", there->size);
    check(memcmp((void*)(uintptr_t)there->bytes, (void*)(uintptr_t)here->bytes, here->size) == 0, "its bytes", i);
    check(there->port == (uint32_t)udp_port(from) && memcmp(there->ip, ip, 16) == 0, "who sent it", there->port);
  }
  check(close(from) == 0 && close(to) == 0, "close", 0);
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
  check(close(socket) == 0, "close", 0);
  check(udp_receive(socket, block.packets, block.order, 1) == -EBADF, "closed", 0);
}

int main(void) {
  a_batch_crosses_in_its_order(LOOPBACK_V4, 0);
  int v6 = udp_open(LOOPBACK_V6, 0, BUFFER);
  if (v6 >= 0) {
    check(close(v6) == 0, "close", 0);
    a_batch_crosses_in_its_order(LOOPBACK_V6, 1);
  } else {
    check(v6 == -EAFNOSUPPORT || v6 == -EADDRNOTAVAIL, "no IPv6 here", v6);
  }
  a_packet_too_long_for_its_slot_is_empty();
  errors_have_numbers();
  return 0;
}
