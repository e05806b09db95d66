// SPDX-License-Identifier: Apache-2.0
/* The machine and its network: what devices say of themselves, ports that go down, peers that die, strangers. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { QKEY = 0x11111111 }; /* of the bench's pairs */

static void should_say_that_they_are_emulated_and_of_which_kind(void) {
  int count = 0;
  struct ibv_device** list = ibv_get_device_list(&count);
  check(count == 2 && strcmp(ibv_get_device_name(list[0]), "emu-mlx5_0") == 0 &&
            strcmp(ibv_get_device_name(list[1]), "emu-mlx5_1") == 0,
        "two devices", count);
  ibv_free_device_list(list);
  struct end end = end_open(1, IBV_QPT_RC, false);
  struct ibv_port_attr port;
  struct ibv_device_attr device;
  check(ibv_query_port(end.context, 1, &port) == 0 && ibv_query_device(end.context, &device) == 0, "query", 0);
  bool is_ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
  check(is_ethernet == (strstr(getenv("TOMBOLO_HCA_NICS"), "ethernet") != NULL), "link layer", port.link_layer);
  check((port.lid == 0) == is_ethernet && port.gid_tbl_len == (is_ethernet ? 4 : 1), "LID and GIDs", port.lid);
  check(port.state == IBV_PORT_ACTIVE && port.active_mtu == IBV_MTU_4096 && device.phys_port_cnt == 1, "port", 0);
  struct ibv_gid_entry entry;
  check(ibv_query_gid_ex(end.context, 1, (uint32_t)port.gid_tbl_len - 1, &entry, 0) == 0, "last GID", 0);
  check(entry.gid_type == (is_ethernet ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_IB), "its type", entry.gid_type);
  const unsigned char ipv4[6] = {0xff, 0xff, 10, 78, 0, 2};
  check(!is_ethernet || memcmp(entry.gid.raw + 10, ipv4, sizeof ipv4) == 0, "its address", 0);
  check(ibv_query_gid_ex(end.context, 1, (uint32_t)port.gid_tbl_len, &entry, 0) != 0, "no more GIDs", 0);
  end_close(&end);
}

static void should_lose_what_is_in_flight_when_the_port_goes_down(void) {
  struct both reliable = both_open(IBV_QPT_RC);
  struct both unreliable = both_open(IBV_QPT_UC);
  fault("DOWN", "emu-mlx5_0");
  next_event(&reliable.a, IBV_EVENT_PORT_ERR);
  post_receive(&unreliable.b, 1, 0, 100);
  post_send(&unreliable.a, 2, 0, 100);
  (void)next_well(&unreliable.a, 2);
  check_silent(&unreliable.b);
  struct ibv_port_attr port;
  check(ibv_query_port(reliable.a.context, 1, &port) == 0 && port.state == IBV_PORT_DOWN, "the port is down", 0);
  post_write(&reliable.a, 3, 0, 100, at(&reliable.b, 0), reliable.b.mr->rkey);
  check(next(&reliable.a).status == IBV_WC_RETRY_EXC_ERR, "retries exceeded", 0);
  no_faults();
  next_event(&reliable.a, IBV_EVENT_PORT_ACTIVE);
  post_send(&unreliable.a, 4, 0, 100);
  (void)next_well(&unreliable.b, 1);
  both_close(&reliable);
  both_close(&unreliable);
}

static void should_ride_a_short_outage_out_when_reliable(void) {
  struct both both = both_open(IBV_QPT_RC);
  fault("DOWN", "emu-mlx5_1");
  fill(both.a.bytes, 50000, 4);
  post_write(&both.a, 1, 0, 50000, at(&both.b, 0), both.b.mr->rkey);
  next_event(&both.b, IBV_EVENT_PORT_ERR);
  no_faults();
  (void)next_well(&both.a, 1);
  check(memcmp(both.a.bytes, both.b.bytes, 50000) == 0, "all of it", 0);
  both_close(&both);
}

static void should_be_up_again_when_the_time_for_that_is_over(void) {
  struct both both = both_open(IBV_QPT_UC);
  fault("DOWN_MS", "200");
  fault("DOWN", "emu-mlx5_0");
  next_event(&both.a, IBV_EVENT_PORT_ERR);
  next_event(&both.a, IBV_EVENT_PORT_ACTIVE);
  fault("DOWN_MS", "0");
  post_receive(&both.b, 1, 0, 100);
  post_send(&both.a, 2, 0, 100);
  (void)next_well(&both.b, 1);
  both_close(&both);
}

static void post_datagram(struct end* from, uint64_t id, struct ibv_ah* ah, const struct end* to) {
  struct ibv_sge piece = {at(from, 0), 10, from->mr->lkey};
  struct ibv_send_wr wr = {.wr_id = id, .sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_SEND,
                           .send_flags = IBV_SEND_SIGNALED, .wr.ud = {ah, to->qp->qp_num, QKEY}};
  struct ibv_send_wr* bad = NULL;
  check(ibv_post_send(from->qp, &wr, &bad) == 0, "post a datagram", 0);
}

/* InfiniBand's packets find their way by LIDs. */
static void should_reach_nobody_over_ethernet_under_an_address_that_is_gone(void) {
  struct both both = both_open(IBV_QPT_UC);
  bool is_ethernet = end_card(&both.a).lid == 0;
  post_receive(&both.a, 1, 0, 100);
  post_receive(&both.b, 2, 0, 100);
  fault("GID_CHANGED", "emu-mlx5_0");
  next_event(&both.a, IBV_EVENT_GID_CHANGE);
  post_send(&both.a, 3, 0, 100);
  (void)next_well(&both.a, 3);
  post_send(&both.b, 4, 0, 100);
  if (is_ethernet) {
    (void)next_well(&both.b, 4);
    check_silent(&both.a);
    check_silent(&both.b);
  } else {
    (void)next_well(&both.a, 1);
  }
  fault("GID_CHANGED", "");
  next_event(&both.a, IBV_EVENT_GID_CHANGE);
  if (is_ethernet) {
    post_send(&both.a, 5, 0, 100);
    (void)next_well(&both.b, 2);
  }
  both_close(&both);
}

static void should_go_well(struct both* both) {
  post_receive(&both->a, 1, 0, 100);
  post_receive(&both->b, 2, 0, 100);
  post_send(&both->a, 3, 0, 100);
  (void)next_well(&both->b, 2);
  (void)next_well(&both->a, 3);
  post_send(&both->b, 4, 0, 100);
  (void)next_well(&both->a, 1);
  (void)next_well(&both->b, 4);
}

/* As long as it has that. Reliable, so that what the pair answers has to get through as well. */
static void should_reach_pairs_that_are_made_under_the_new_address(void) {
  struct both former = both_open(IBV_QPT_UC);
  bool is_ethernet = end_card(&former.a).lid == 0;
  fault("GID_CHANGED", "emu-mlx5_0");
  struct both both = both_open(IBV_QPT_RC);
  should_go_well(&both);
  fault("GID_CHANGED", "");
  next_event(&both.a, IBV_EVENT_GID_CHANGE);
  should_go_well(&former);
  post_receive(&both.b, 5, 0, 100);
  post_send(&both.a, 6, 0, 100);
  enum ibv_wc_status outcome = next(&both.a).status;
  check(outcome == (is_ethernet ? IBV_WC_RETRY_EXC_ERR : IBV_WC_SUCCESS), "under an address that is gone", outcome);
  both_close(&both);
  both_close(&former);
}

/* What was addressed before the change is lost, whichever end's address it is. */
static void should_lose_datagrams_to_and_from_an_address_that_is_gone(void) {
  struct both both = {end_open(0, IBV_QPT_UD, false), end_open(1, IBV_QPT_UD, false)};
  end_activate(&both.a);
  end_activate(&both.b);
  bool is_ethernet = end_card(&both.a).lid == 0;
  struct ibv_ah* former[2] = {end_address(&both.a, end_card(&both.b)), end_address(&both.b, end_card(&both.a))};
  fault("GID_CHANGED", "emu-mlx5_0");
  next_event(&both.a, IBV_EVENT_GID_CHANGE);
  struct ibv_ah* later[2] = {end_address(&both.a, end_card(&both.b)), end_address(&both.b, end_card(&both.a))};
  for (int way = 0; way < 2; way++) {
    struct end* from = way == 0 ? &both.a : &both.b;
    struct end* to = way == 0 ? &both.b : &both.a;
    post_receive(to, 1, 0, 100);
    post_receive(to, 2, 0, 100);
    post_datagram(from, 3, former[way], to);
    (void)next_well(from, 3);
    if (is_ethernet) {
      check_silent(to);
    } else {
      (void)next_well(to, 1);
    }
    post_datagram(from, 4, later[way], to);
    (void)next_well(from, 4);
    (void)next_well(to, is_ethernet ? 1 : 2);
    check(ibv_destroy_ah(former[way]) == 0 && ibv_destroy_ah(later[way]) == 0, "destroy the address handles", way);
  }
  fault("GID_CHANGED", "");
  both_close(&both);
}

static void should_lose_its_address_after_so_many_packets(void) {
  struct both both = both_open(IBV_QPT_UC);
  post_receive(&both.b, 1, 0, 100);
  fault("GID_CHANGED_AFTER", "1");
  post_send(&both.a, 2, 0, 100);
  next_event(&both.a, IBV_EVENT_GID_CHANGE);
  (void)next_well(&both.b, 1);
  fault("GID_CHANGED_AFTER", "0");
  fault("GID_CHANGED", "");
  both_close(&both);
}

static void should_break_the_pair_that_sends_a_packet(void) {
  struct both both = both_open(IBV_QPT_UC);
  post_receive(&both.b, 1, 0, 100);
  post_receive(&both.b, 2, 0, 100);
  fault("BREAK_AFTER", "2");
  post_send(&both.a, 3, 0, 100);
  (void)next_well(&both.b, 1);
  check(both.a.qp->state == IBV_QPS_RTS, "not before", both.a.qp->state);
  post_send(&both.a, 4, 0, 100);
  next_event(&both.a, IBV_EVENT_QP_FATAL);
  fault("BREAK_AFTER", "0");
  uint32_t broken = both.a.qp->qp_num;
  both_close(&both);
  struct both later = both_open(IBV_QPT_UC);
  check(later.a.qp->qp_num == broken, "a pair of the same number", later.a.qp->qp_num);
  should_go_well(&later);
  both_close(&later);
}

/* What it sends is not flushed beneath it when something else happens in between. */
static void should_break_no_pair_while_it_sends(void) {
  struct both both = both_open(IBV_QPT_UC);
  fault("DOWN_AFTER", "2");
  fault("BREAK_AFTER", "1");
  post_write(&both.a, 1, 0, 2 * 1024, at(&both.b, 0), both.b.mr->rkey);
  next_event(&both.a, IBV_EVENT_PORT_ERR);
  next_event(&both.a, IBV_EVENT_QP_FATAL);
  (void)next_well(&both.a, 1);
  check_silent(&both.a);
  fault("BREAK_AFTER", "0");
  fault("DOWN_AFTER", "0");
  fault("DOWN", "");
  both_close(&both);
}

/* It dies in the middle of a message, of which it has more packets to send at once. */
static void should_send_nothing_more_once_it_is_dead(void) {
  enum { PACKETS = 8, PACKET_BYTES = 1024 }; /* which the receiver has room for at once */
  struct both both = both_open(IBV_QPT_UC);
  post_receive(&both.b, 1, 0, 0);
  fault("FATAL_AFTER", "3");
  post_write_imm(&both.a, 2, 0, PACKETS * PACKET_BYTES, at(&both.b, 0), both.b.mr->rkey, 0);
  next_event(&both.a, IBV_EVENT_DEVICE_FATAL);
  check_silent(&both.b);
  check_silent(&both.a);
  check(ibv_open_device(both.a.context->device) == NULL && errno == EIO, "nobody can open it again", errno);
  fault("FATAL_AFTER", "0");
  fault("FATAL", "");
  end_close_dead(&both.a);
  end_close(&both.b);
}

/* What the peer writes is in a's memory from `offset` on, some time in the next seconds. */
static bool comes_from(struct both* both, size_t offset) {
  for (int looks = 0; looks < 100 && memcmp(both->a.bytes + offset, both->b.bytes, 64) != 0; looks++) {
    check_silent(&both->a);
  }
  return memcmp(both->a.bytes + offset, both->b.bytes, 64) == 0;
}

/* It completes nothing and obeys nothing, but may still write; that it was reset it says when its time is over. */
static void should_say_late_that_it_does_nothing(void) {
  struct both both = both_open(IBV_QPT_UC);
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
  fill(both.b.bytes, 64, 5);
  post_receive(&both.a, 1, 0, 10);
  fault("SILENT", "emu-mlx5_0");
  post_send(&both.a, 2, 0, 10);
  post_write_imm(&both.b, 3, 0, 64, at(&both.a, 500), both.a.mr->rkey, 0);
  check(comes_from(&both, 500), "what the peer writes still comes", 0);
  check_silent(&both.a);
  check(ibv_modify_qp(both.a.qp, &attr, IBV_QP_STATE) == EIO, "it does not stop", 0);
  check(ibv_destroy_qp(both.a.qp) == EIO && ibv_dereg_mr(both.a.mr) == EIO, "it lets go of nothing", 0);
  fault("SILENT_MS", "1");
  next_event(&both.a, IBV_EVENT_DEVICE_FATAL);
  (void)next_well(&both.b, 3);
  post_write(&both.b, 4, 0, 64, at(&both.a, 600), both.a.mr->rkey);
  (void)next_well(&both.b, 4);
  check_silent(&both.a);
  check(both.a.bytes[600] == 0, "it writes no more", 0);
  fault("SILENT", "");
  fault("SILENT_MS", "0");
  fault("FATAL", "");
  end_close_dead(&both.a);
  end_close(&both.b);
}

/* What it had sent of its message by then arrives, and no more; all the time it says nothing. */
static void should_fall_silent_in_the_middle_of_a_message(void) {
  enum { SENT = 3, PACKETS = 8, PACKET_BYTES = 1024 };
  struct both both = both_open(IBV_QPT_UC);
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
  fill(both.a.bytes, PACKETS * PACKET_BYTES, 6);
  check(both.a.bytes[SENT * PACKET_BYTES] != 0, "a packet that is missed if it does not come", 0);
  post_receive(&both.b, 1, 0, 0);
  fault("SILENT_AFTER", "3");
  post_write_imm(&both.a, 2, 0, PACKETS * PACKET_BYTES, at(&both.b, 0), both.b.mr->rkey, 0);
  const size_t sent_bytes = SENT * PACKET_BYTES;
  for (int looks = 0; looks < 100 && memcmp(both.a.bytes, both.b.bytes, sent_bytes) != 0; looks++) {
    check_silent(&both.b);
  }
  check(memcmp(both.a.bytes, both.b.bytes, sent_bytes) == 0, "what it sent before", 0);
  check_silent(&both.b);
  check(both.b.bytes[sent_bytes] == 0, "it sends no more", 0);
  check_silent(&both.a);
  check(ibv_modify_qp(both.a.qp, &attr, IBV_QP_STATE) == EIO, "it does not stop", 0);
  fault("SILENT_AFTER", "0");
  fault("SILENT_MS", "1");
  next_event(&both.a, IBV_EVENT_DEVICE_FATAL);
  fault("SILENT", "");
  fault("SILENT_MS", "0");
  fault("FATAL", "");
  end_close_dead(&both.a);
  end_close(&both.b);
}

static void should_number_pairs_by_itself_in_another_network(void) {
  char another[32];
  (void)snprintf(another, sizeof another, "%s-too", getenv("TOMBOLO_HCA_FABRIC"));
  struct end here = end_open(0, IBV_QPT_UC, false);
  fault("FABRIC", another);
  struct end there = end_open(0, IBV_QPT_UC, false);
  fault("FABRIC", getenv("TOMBOLO_HCA_FABRIC"));
  check(there.qp->qp_num == here.qp->qp_num, "both have the first number", there.qp->qp_num);
  check(tombolo_hca_set("FABRIC", "a name that is longer than any may be") == EINVAL, "too long", 0);
  end_close(&there);
  end_close(&here);
}

/* ---- a peer in another process ---- */

struct news {
  struct card card;
  uint64_t address;
  uint32_t rkey;
};

static void tell(int socket, const struct end* end) {
  struct news news = {end_card(end), at(end, 0), end->mr->rkey};
  check(write(socket, &news, sizeof news) == (ssize_t)sizeof news, "tell", errno);
}

static struct news hear(int socket) {
  struct news news;
  check(read(socket, &news, sizeof news) == (ssize_t)sizeof news, "hear", errno);
  return news;
}

static void be_the_peer(int socket, pid_t parent) {
  check(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0, "end with the parent", errno); /* which ends when a check fails */
  if (getppid() != parent) {
    _exit(1);
  }
  struct end end = end_open(1, IBV_QPT_RC, false);
  tell(socket, &end);
  end_connect(&end, hear(socket).card);
  post_receive(&end, 1, 0, 100);
  tell(socket, &end);
  (void)next_well(&end, 1);
  for (;;) {
    (void)pause(); /* until killed, in the middle of a write */
  }
}

static void should_reach_another_process_and_notice_that_it_was_killed(void) {
  int sockets[2];
  check(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "socketpair", errno);
  pid_t parent = getpid();
  pid_t child = fork();
  check(child >= 0, "fork", errno);
  if (child == 0) {
    be_the_peer(sockets[1], parent);
  }
  struct end end = end_open(0, IBV_QPT_RC, false);
  struct news peer = hear(sockets[0]);
  end_connect(&end, peer.card);
  tell(sockets[0], &end);
  (void)hear(sockets[0]);
  post_send(&end, 1, 0, 100);
  (void)next_well(&end, 1);
  post_write(&end, 2, 0, BENCH_BYTES, peer.address, peer.rkey);
  (void)next_well(&end, 2);
  check(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child, "kill the peer", errno);
  post_write(&end, 3, 0, BENCH_BYTES, peer.address, peer.rkey);
  check(next(&end).status == IBV_WC_RETRY_EXC_ERR, "retries exceeded", 0);
  (void)close(sockets[0]);
  (void)close(sockets[1]);
  end_close(&end);
}

/* ---- strangers ---- */

static uint64_t draw(uint64_t* state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return *state >> 33;
}

/* A real header at first, and then anything from it: what is wrong with a packet may be any of its bytes. */
static void should_shrug_packets_of_strangers_off(void) {
  struct both both = both_open_shared(IBV_QPT_UC);
  bool is_ethernet = end_card(&both.a).lid == 0;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "tombolo-hca.%s.%c.0.1.%u",
                        getenv("TOMBOLO_HCA_FABRIC"), is_ethernet ? 'e' : 'i', both.b.qp->qp_num);
  int stranger = socket(AF_UNIX, SOCK_DGRAM, 0);
  socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
  check(connect(stranger, (struct sockaddr*)&name, bytes) == 0, "reach the pair", errno);
  uint64_t state = 42;
  for (int i = 0; i < 5000; i++) {
    unsigned char packet[6000];
    size_t size = draw(&state) % 3 == 0 ? draw(&state) % sizeof packet : 88 + draw(&state) % 100;
    for (size_t b = 0; b < size; b++) {
      packet[b] = (unsigned char)draw(&state);
    }
    const uint32_t magic = 0x74686361;
    const uint32_t payload = size >= 88 ? (uint32_t)(size - 88) : 0;
    if (size >= 88) {
      memcpy(packet, &magic, sizeof magic);
      packet[4] = (unsigned char)(draw(&state) % 7);
      memcpy(packet + 12, &both.b.qp->qp_num, 4);
      memcpy(packet + 28, draw(&state) % 2 == 0 ? &both.b.mr->rkey : &payload, 4);
      memcpy(packet + 48, &payload, sizeof payload);
    }
    check(send(stranger, packet, size, 0) == (ssize_t)size, "send", errno);
  }
  (void)close(stranger);
  check_silent(&both.b); /* and all of it has been looked at */
  post_receive(&both.b, 1, 0, 100);
  post_send(&both.a, 2, 0, 100);
  (void)next_well(&both.b, 1);
  both_close(&both);
}

void network_tests(void) {
  RUN(should_say_that_they_are_emulated_and_of_which_kind);
  RUN(should_lose_what_is_in_flight_when_the_port_goes_down);
  RUN(should_ride_a_short_outage_out_when_reliable);
  RUN(should_be_up_again_when_the_time_for_that_is_over);
  RUN(should_reach_nobody_over_ethernet_under_an_address_that_is_gone);
  RUN(should_reach_pairs_that_are_made_under_the_new_address);
  RUN(should_lose_datagrams_to_and_from_an_address_that_is_gone);
  RUN(should_lose_its_address_after_so_many_packets);
  RUN(should_break_the_pair_that_sends_a_packet);
  RUN(should_break_no_pair_while_it_sends);
  RUN(should_send_nothing_more_once_it_is_dead);
  RUN(should_say_late_that_it_does_nothing);
  RUN(should_fall_silent_in_the_middle_of_a_message);
  RUN(should_number_pairs_by_itself_in_another_network);
  RUN(should_reach_another_process_and_notice_that_it_was_killed);
  RUN(should_shrug_packets_of_strangers_off);
}
