// SPDX-License-Identifier: Apache-2.0
/* EFA's datagrams, and what its driver and its provider refuse; whatever the machine's NICs are else. */
#include <errno.h>
#include <string.h>

#include "bench.h"

enum { GRH = 40, QKEY = 0x11111111, SIGNALED = IBV_SEND_SIGNALED, INLINE = IBV_SEND_INLINE };

static struct both open_efas(void) {
  fault("PROFILE", "efa");
  struct both both = {end_open(0, IBV_QPT_UD, false), end_open(1, IBV_QPT_UD, false)};
  fault("PROFILE", "mlx5");
  end_activate(&both.a);
  end_activate(&both.b);
  return both;
}

static int send_to(struct end* from, struct ibv_ah* ah, const struct end* to, uint64_t id, uint32_t length, unsigned flags) {
  struct ibv_sge piece = {at(from, 0), length, from->mr->lkey};
  struct ibv_send_wr wr = {.wr_id = id, .sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = flags,
                           .wr.ud = {ah, to->qp->qp_num, QKEY}};
  struct ibv_send_wr* bad = NULL;
  return ibv_post_send(from->qp, &wr, &bad);
}

static void should_complete_in_another_order_than_was_posted(void) {
  enum { SENDS = 64 };
  struct both both = open_efas();
  struct ibv_ah* ah = end_address(&both.a, end_card(&both.b));
  uint64_t seen = 0;
  bool is_in_order = true;
  for (uint64_t id = 0; id < SENDS; id++) {
    post_receive(&both.b, id, 0, 100 + GRH);
  }
  struct ibv_sge piece = {at(&both.a, 0), 100, both.a.mr->lkey};
  struct ibv_send_wr wr[SENDS];
  struct ibv_send_wr* bad = NULL;
  for (uint64_t id = 0; id < SENDS; id++) {
    wr[id] = (struct ibv_send_wr){.wr_id = id, .next = id + 1 < SENDS ? &wr[id + 1] : NULL, .sg_list = &piece,
                                  .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = SIGNALED,
                                  .wr.ud = {ah, both.b.qp->qp_num, QKEY}};
  }
  check(ibv_post_send(both.a.qp, wr, &bad) == 0, "post a batch", 0);
  for (uint64_t at = 0; at < SENDS; at++) {
    struct ibv_wc wc = next(&both.a);
    check(wc.status == IBV_WC_SUCCESS && (seen >> wc.wr_id & 1) == 0, "each once", (int64_t)wc.wr_id);
    seen |= UINT64_C(1) << wc.wr_id;
    is_in_order = is_in_order && wc.wr_id == at;
  }
  check(seen == UINT64_MAX && !is_in_order, "all, in any order", (int64_t)seen);
  check(ibv_destroy_ah(ah) == 0, "destroy the address handle", 0);
  both_close(&both);
}

static void should_refuse_requests_that_the_provider_refuses(void) {
  struct both both = open_efas();
  struct ibv_ah* ah = end_address(&both.a, end_card(&both.b));
  check(send_to(&both.a, ah, &both.b, 1, 8, 0) == EINVAL, "no completion asked for", 0);
  check(send_to(&both.a, ah, &both.b, 1, 8, SIGNALED | IBV_SEND_SOLICITED) == EINVAL, "a flag it does not know", 0);
  check(send_to(&both.a, ah, &both.b, 1, 33, SIGNALED | INLINE) == EINVAL, "more inline than it has", 0);
  check(send_to(&both.a, ah, &both.b, 1, 32, SIGNALED | INLINE) == 0, "as much as it has", 0);
  (void)next_well(&both.a, 1);
  check(ibv_req_notify_cq(both.a.cq, 1) == EOPNOTSUPP, "a bell for solicited ones alone", 0);
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
  check(ibv_modify_qp(both.a.qp, &attr, IBV_QP_STATE) == 0, "to ERR", 0);
  check(send_to(&both.a, ah, &both.b, 1, 8, SIGNALED) == EINVAL, "to a pair in error", 0);
  check(ibv_destroy_ah(ah) == 0, "destroy the address handle", 0);
  both_close(&both);
}

static void should_refuse_objects_that_the_driver_refuses(void) {
  struct both both = open_efas();
  struct ibv_qp_init_attr init = {.send_cq = both.a.cq, .recv_cq = both.a.cq, .qp_type = IBV_QPT_RC, .cap = {4, 4, 1, 1, 0}};
  check(ibv_create_qp(both.a.pd, &init) == NULL && errno == EOPNOTSUPP, "a reliable connection", errno);
  init.qp_type = IBV_QPT_UD;
  init.cap.max_send_sge = 3;
  check(ibv_create_qp(both.a.pd, &init) == NULL && errno == EINVAL, "three pieces", errno);
  init.cap.max_send_sge = 1;
  init.cap.max_inline_data = 33;
  check(ibv_create_qp(both.a.pd, &init) == NULL && errno == EINVAL, "more inline than it has", errno);
  struct ibv_srq_init_attr shared = {.attr = {4, 1, 0}};
  check(ibv_create_srq(both.a.pd, &shared) == NULL && errno == EOPNOTSUPP, "shared receives", errno);
  int windows = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
  check(ibv_reg_mr(both.a.pd, both.a.bytes, 8, windows) == NULL && errno == EOPNOTSUPP, "memory for windows", errno);
  struct ibv_qp_attr attr = {.pkey_index = 1};
  check(ibv_modify_qp(both.a.qp, &attr, IBV_QP_PKEY_INDEX) == EOPNOTSUPP, "another partition", 0);
  check(ibv_modify_qp(both.a.qp, &attr, IBV_QP_AV) == EOPNOTSUPP, "an address of its own", 0);
  both_close(&both);
}

static void should_leave_room_before_the_payload_and_say_nothing_of_it(void) {
  struct both both = open_efas();
  struct ibv_port_attr port;
  struct ibv_gid_entry gid;
  check(ibv_query_port(both.a.context, 1, &port) == 0 && port.gid_tbl_len == 1 && port.lid == 0, "one GID, no LID", 0);
  check(ibv_query_gid_ex(both.a.context, 1, 0, &gid, 0) == 0 && gid.gid_type == IBV_GID_TYPE_IB, "its type", 0);
  struct ibv_ah* ah = end_address_of_class(&both.a, end_card(&both.b), 3);
  fill(both.a.bytes, 100, 5);
  post_receive(&both.b, 1, 0, 100 + GRH);
  check(send_to(&both.a, ah, &both.b, 2, 100, SIGNALED) == 0, "post a datagram", 0);
  struct ibv_wc wc = next_well(&both.b, 1);
  check(wc.byte_len == 100 + GRH && wc.wc_flags == 0, "no word of a route header", wc.wc_flags);
  check(memcmp(both.a.bytes, both.b.bytes + GRH, 100) == 0, "payload", 0);
  (void)next_well(&both.a, 2);
  check(ibv_destroy_ah(ah) == 0, "destroy the address handle", 0);
  both_close(&both);
}

void efa_tests(void) {
  RUN(should_complete_in_another_order_than_was_posted);
  RUN(should_refuse_requests_that_the_provider_refuses);
  RUN(should_refuse_objects_that_the_driver_refuses);
  RUN(should_leave_room_before_the_payload_and_say_nothing_of_it);
}
