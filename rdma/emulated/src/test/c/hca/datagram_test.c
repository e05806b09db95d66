// SPDX-License-Identifier: Apache-2.0
/* Unreliable datagrams. */
#include <string.h>

#include "bench.h"

enum { GRH = 40, IPV4_AT = 20, IPV4_TARGET = 36, QKEY = 0x11111111 };

static struct both open_datagrams(void) {
  struct both both = {end_open(0, IBV_QPT_UD, false), end_open(1, IBV_QPT_UD, false)};
  end_activate(&both.a);
  end_activate(&both.b);
  return both;
}

static void send_to(struct end* from, struct ibv_ah* ah, const struct end* to, uint32_t qkey, uint32_t length) {
  struct ibv_sge piece = {at(from, 0), length, from->mr->lkey};
  struct ibv_send_wr wr = {.wr_id = length, .sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM,
                           .imm_data = 77, .send_flags = IBV_SEND_SIGNALED,
                           .wr.ud = {ah, to->qp->qp_num, qkey}};
  struct ibv_send_wr* bad = NULL;
  check(ibv_post_send(from->qp, &wr, &bad) == 0, "post a datagram", length);
}

static void should_put_the_payload_behind_a_route_header(void) {
  struct both both = open_datagrams();
  struct card to = end_card(&both.b);
  struct ibv_ah* ah = end_address(&both.a, to);
  fill(both.a.bytes, 4096, 5);
  post_receive(&both.b, 1, 0, 4096 + GRH);
  send_to(&both.a, ah, &both.b, QKEY, 4096);
  struct ibv_wc wc = next_well(&both.b, 1);
  check(wc.byte_len == 4096 + GRH && wc.imm_data == 77 && wc.src_qp == both.a.qp->qp_num, "completion", wc.byte_len);
  check(memcmp(both.a.bytes, both.b.bytes + GRH, 4096) == 0, "payload", 0);
  check(to.lid != 0 || (wc.wc_flags & IBV_WC_GRH) != 0, "on Ethernet there always is a route", wc.wc_flags);
  check(to.lid != 0 || both.b.bytes[IPV4_AT] == 0x45, "an IPv4 header of five words", both.b.bytes[IPV4_AT]);
  check(to.lid != 0 || memcmp(both.b.bytes + IPV4_TARGET, to.gid.raw + 12, 4) == 0, "where it went", 0);
  check(to.lid == 0 || wc.slid == end_card(&both.a).lid, "on InfiniBand there is a LID", wc.slid);
  (void)next_well(&both.a, 4096);
  check(ibv_destroy_ah(ah) == 0, "destroy the address handle", 0);
  both_close(&both);
}

/* Who may carry marks (ECT, RFC 3168) comes with one where a queue is long; who may not, never. */
static void should_mark_only_what_may_be_marked(void) {
  static const uint8_t classes[][2] = {{0x00, 0x00}, {0x02, 0x03}, {0x69, 0x6b}};
  fault("MARK_PERCENT", "100");
  struct both both = open_datagrams();
  struct card to = end_card(&both.b);
  for (int i = 0; i < 3; i++) {
    struct ibv_ah* ah = end_address_of_class(&both.a, to, classes[i][0]);
    post_receive(&both.b, 1, 0, 64 + GRH);
    send_to(&both.a, ah, &both.b, QKEY, 64);
    (void)next_well(&both.b, 1);
    uint8_t seen = (uint8_t)both.b.bytes[IPV4_AT + 1];
    check(to.lid != 0 || seen == classes[i][1], "the class that arrives", seen);
    (void)next_well(&both.a, 64);
    check(ibv_destroy_ah(ah) == 0, "destroy the address handle", 0);
  }
  fault("MARK_PERCENT", "0");
  both_close(&both);
}

static void should_drop_silently_with_a_wrong_key_or_without_a_receive(void) {
  struct both both = open_datagrams();
  struct ibv_ah* ah = end_address(&both.a, end_card(&both.b));
  send_to(&both.a, ah, &both.b, QKEY, 10);
  (void)next_well(&both.a, 10);
  check_silent(&both.b);
  post_receive(&both.b, 1, 0, 1000);
  send_to(&both.a, ah, &both.b, QKEY + 1, 20);
  (void)next_well(&both.a, 20);
  check_silent(&both.b);
  send_to(&both.a, ah, &both.b, QKEY, 30);
  check(next_well(&both.b, 1).byte_len == 30 + GRH, "the right one", 0);
  (void)next_well(&both.a, 30);
  check(ibv_destroy_ah(ah) == 0, "destroy the address handle", 0);
  both_close(&both);
}

static void should_refuse_more_than_one_packet_and_go_on_when_put_right(void) {
  struct both both = open_datagrams();
  struct ibv_ah* ah = end_address(&both.a, end_card(&both.b));
  send_to(&both.a, ah, &both.b, QKEY, 4097);
  check(next(&both.a).status == IBV_WC_LOC_LEN_ERR, "local length error", 0);
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};
  check(both.a.qp->state == IBV_QPS_SQE && ibv_modify_qp(both.a.qp, &attr, IBV_QP_STATE) == 0, "SQE to RTS", 0);
  post_receive(&both.b, 1, 0, 1000);
  send_to(&both.a, ah, &both.b, QKEY, 10);
  (void)next_well(&both.b, 1);
  (void)next_well(&both.a, 10);
  check(ibv_destroy_ah(ah) == 0, "destroy the address handle", 0);
  both_close(&both);
}

/* What failed is said before what is flushed because of it. */
static void should_break_a_pair_by_the_receive_that_is_to_fail(void) {
  struct both both = open_datagrams();
  struct ibv_ah* ah = end_address(&both.b, end_card(&both.a));
  for (int id = 1; id <= 3; id++) {
    post_receive(&both.a, (uint64_t)id, 0, 1000);
  }
  fault("FAIL_RECEIVE_AT", "2");
  send_to(&both.b, ah, &both.a, QKEY, 10);
  (void)next_well(&both.a, 1);
  send_to(&both.b, ah, &both.a, QKEY, 20);
  struct ibv_wc failed = next(&both.a);
  check(failed.wr_id == 2 && failed.status == IBV_WC_LOC_PROT_ERR, "local protection error", failed.status);
  struct ibv_wc flushed = next(&both.a);
  check(flushed.wr_id == 3 && flushed.status == IBV_WC_WR_FLUSH_ERR, "flushed", flushed.status);
  next_event(&both.a, IBV_EVENT_QP_FATAL);
  (void)next_well(&both.b, 10);
  (void)next_well(&both.b, 20);
  check(ibv_destroy_ah(ah) == 0, "destroy the address handle", 0);
  both_close(&both);
}

void datagram_tests(void) {
  RUN(should_put_the_payload_behind_a_route_header);
  RUN(should_mark_only_what_may_be_marked);
  RUN(should_drop_silently_with_a_wrong_key_or_without_a_receive);
  RUN(should_refuse_more_than_one_packet_and_go_on_when_put_right);
  RUN(should_break_a_pair_by_the_receive_that_is_to_fail);
}
