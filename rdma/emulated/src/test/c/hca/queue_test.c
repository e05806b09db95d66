// SPDX-License-Identifier: Apache-2.0
/* Queues: their room, their states, their events. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static int post_quietly(struct end* end, unsigned flags) {
  struct ibv_sge piece = {at(end, 0), 8, end->mr->lkey};
  struct ibv_send_wr wr = {.sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = flags};
  struct ibv_send_wr* bad = NULL;
  return ibv_post_send(end->qp, &wr, &bad);
}

static void should_give_room_back_only_when_a_completion_is_polled(void) {
  struct both both = both_open(IBV_QPT_UC);
  for (int i = 0; i < BENCH_DEPTH - 1; i++) {
    check(post_quietly(&both.a, 0) == 0, "post without asking for a completion", i);
  }
  check_silent(&both.a);
  check(post_quietly(&both.a, IBV_SEND_SIGNALED) == 0, "the last place", 0);
  check(post_quietly(&both.a, 0) == ENOMEM, "the queue is full", 0);
  (void)next_well(&both.a, 0);
  check(post_quietly(&both.a, 0) == 0, "all of it has come back", 0);
  both_close(&both);
}

static void should_ring_once_when_armed(void) {
  struct both both = both_open(IBV_QPT_RC);
  struct pollfd wanted = {both.b.channel->fd, POLLIN, 0};
  struct ibv_cq* cq = NULL;
  void* user = NULL;
  check(ibv_req_notify_cq(both.b.cq, 0) == 0, "arm", 0);
  check(poll(&wanted, 1, 0) == 0, "nothing yet", 0);
  post_receive(&both.b, 1, 0, 10);
  post_receive(&both.b, 2, 0, 10);
  post_send(&both.a, 3, 0, 10);
  check(poll(&wanted, 1, 20000) == 1 && ibv_get_cq_event(both.b.channel, &cq, &user) == 0, "the bell", 0);
  check(cq == both.b.cq, "whose", 0);
  post_send(&both.a, 4, 0, 10);
  (void)next_well(&both.b, 1);
  (void)next_well(&both.b, 2);
  check(poll(&wanted, 1, 0) == 0, "armed once, rung once", 0);
  ibv_ack_cq_events(cq, 1);
  both_close(&both);
}

static void should_forget_the_bell_of_a_queue_that_goes(void) {
  struct both both = both_open(IBV_QPT_RC);
  check(ibv_req_notify_cq(both.b.cq, 0) == 0, "arm", 0);
  post_receive(&both.b, 1, 0, 10);
  post_send(&both.a, 2, 0, 10);
  (void)next_well(&both.b, 1);
  both_close(&both); /* which destroys the queue before its channel */
}

static void should_break_a_queue_that_overruns_and_its_pair(void) {
  struct both both = both_open(IBV_QPT_UC);
  struct ibv_cq* small = ibv_create_cq(both.b.context, 2, NULL, NULL, 0);
  struct ibv_qp_init_attr init = {.send_cq = small, .recv_cq = small, .qp_type = IBV_QPT_UC, .cap = {4, 8, 1, 1, 0}};
  struct end other = both.b;
  other.qp = ibv_create_qp(both.b.pd, &init);
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
  check(ibv_modify_qp(other.qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0,
        "INIT", 0);
  struct end sender = end_open(0, IBV_QPT_UC, false);
  end_connect(&other, end_card(&sender));
  end_connect(&sender, end_card(&other));
  for (uint64_t i = 0; i < 3; i++) {
    post_receive(&other, i, 0, 10);
    post_send(&sender, i, 0, 10);
  }
  next_event(&both.b, IBV_EVENT_CQ_ERR);
  next_event(&both.b, IBV_EVENT_QP_FATAL);
  check(other.qp->state == IBV_QPS_ERR, "the pair is broken", other.qp->state);
  check(ibv_destroy_qp(other.qp) == 0 && ibv_destroy_cq(small) == 0, "away with them", 0);
  end_close(&sender);
  both_close(&both);
}

static void should_go_only_the_ways_that_the_standard_has(void) {
  struct end end = end_open(0, IBV_QPT_RC, false);
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS, .path_mtu = IBV_MTU_1024, .ah_attr = {.port_num = 1}};
  check(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN) == EINVAL, "INIT to RTS", 0);
  attr.qp_state = IBV_QPS_RTR;
  check(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU) == EINVAL, "half of RTR", 0);
  check(post_quietly(&end, 0) == EINVAL, "no sending before RTS", 0);
  attr.qp_state = IBV_QPS_ERR;
  check(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE) == 0, "to ERR, from anywhere", 0);
  check(post_quietly(&end, 0) == 0 && next(&end).status == IBV_WC_WR_FLUSH_ERR, "what is posted there is flushed", 0);
  attr.qp_state = IBV_QPS_RESET;
  check(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE) == 0, "to RESET, from anywhere", 0);
  end_close(&end);
}

static void should_copy_inline_data_at_once(void) {
  struct both both = both_open(IBV_QPT_RC);
  unsigned char bytes[32];
  fill(bytes, sizeof bytes, 3);
  struct ibv_sge piece = {(uintptr_t)bytes, sizeof bytes, 0};
  struct ibv_send_wr wr = {.sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_SEND,
                           .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE};
  struct ibv_send_wr* bad = NULL;
  check(ibv_post_send(both.a.qp, &wr, &bad) == 0, "post inline, without a key", 0);
  memset(bytes, 0, sizeof bytes);
  post_receive(&both.b, 1, 0, 100);
  (void)next_well(&both.b, 1);
  fill(bytes, sizeof bytes, 3);
  check(memcmp(bytes, both.b.bytes, sizeof bytes) == 0, "as it was when it was posted", 0);
  both_close(&both);
}

static void should_tell_when_shared_receives_run_low(void) {
  struct both both = both_open_shared(IBV_QPT_RC);
  post_receive(&both.b, 1, 0, 10);
  post_receive(&both.b, 2, 0, 10);
  struct ibv_srq_attr attr = {.srq_limit = 2};
  check(ibv_modify_srq(both.b.srq, &attr, IBV_SRQ_LIMIT) == 0, "set the limit", 0);
  post_send(&both.a, 3, 0, 10);
  (void)next_well(&both.b, 1);
  next_event(&both.b, IBV_EVENT_SRQ_LIMIT_REACHED);
  both_close(&both);
}

static void should_fail_to_make_the_object_that_was_asked_for_and_count_the_others(void) {
  int64_t before = tombolo_hca_living();
  struct end end = end_open(0, IBV_QPT_RC, true);
  int64_t all = tombolo_hca_living();
  fault("FAIL_CREATE_AT", "2");
  struct ibv_pd* first = ibv_alloc_pd(end.context);
  check(first != NULL, "the first is made", 0);
  check(ibv_create_comp_channel(end.context) == NULL && errno == ENOMEM, "the second is not", errno);
  struct ibv_mw* third = ibv_alloc_mw(first, IBV_MW_TYPE_1);
  check(third != NULL, "the third is made again", 0);
  check(tombolo_hca_living() == all + 2, "two more are alive", tombolo_hca_living() - all);
  check(ibv_dealloc_mw(third) == 0 && ibv_dealloc_pd(first) == 0, "away with them", 0);
  end_close(&end);
  check(tombolo_hca_living() == before, "nothing of this is left", tombolo_hca_living() - before);
}

static int64_t now_ms(void) {
  struct timespec now;
  check(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "the clock", 0);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* In the state INIT, and it stays there: the same call may follow. */
static void should_not_resolve_as_many_addresses_as_asked_for(void) {
  struct end end = end_open(0, IBV_QPT_UC, false);
  struct end other = end_open(1, IBV_QPT_UC, false);
  struct ibv_ah_attr to = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 2}};
  check(ibv_query_gid(other.context, 1, 2, &to.grh.dgid) == 0, "an address", 0);
  struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1};
  check(ibv_modify_qp(end.qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0, "init", 0);
  struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = end.qp->qp_num, .ah_attr = to};
  int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  fault("UNRESOLVED", "3");
  check(ibv_modify_qp(end.qp, &rtr, mask) == ETIMEDOUT, "the first", 0);
  check(end.qp->state == IBV_QPS_INIT, "nothing has changed", end.qp->state);
  int64_t from_ms = now_ms();
  fault("UNRESOLVED_MS", "30");
  check(ibv_create_ah(end.pd, &to) == NULL && errno == ETIMEDOUT, "the second, of datagrams", errno);
  check(now_ms() - from_ms >= 29, "takes a while", now_ms() - from_ms);
  fault("UNRESOLVED_MS", "0");
  check(ibv_modify_qp(end.qp, &rtr, mask) == ETIMEDOUT, "the third", 0);
  check(ibv_modify_qp(end.qp, &rtr, mask) == 0 && end.qp->state == IBV_QPS_RTR, "the last", end.qp->state);
  end_close(&end);
  end_close(&other);
}

/* By then what was posted is flushed. Its own event, or one that lays it to what its peer asked for. */
static void should_say_late_that_a_pair_broke(void) {
  for (int is_of_peer = 0; is_of_peer < 2; is_of_peer++) {
    struct both both = both_open(IBV_QPT_UC);
    char number[16];
    (void)snprintf(number, sizeof number, "%u", both.a.qp->qp_num);
    post_receive(&both.a, 1, 0, 100);
    fault("EVENT_MS", "200");
    fault("BREAK_BY_PEER", is_of_peer ? "1" : "0");
    int64_t from_ms = now_ms();
    fault("BREAK_PAIR", number);
    check(next(&both.a).status == IBV_WC_WR_FLUSH_ERR, "flushed", 0);
    next_event(&both.a, is_of_peer ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_FATAL);
    check(now_ms() - from_ms >= 199, "takes a while", now_ms() - from_ms);
    fault("BREAK_PAIR", "0");
    fault("BREAK_BY_PEER", "0");
    fault("EVENT_MS", "0");
    both_close(&both);
  }
}

void queue_tests(void) {
  RUN(should_give_room_back_only_when_a_completion_is_polled);
  RUN(should_ring_once_when_armed);
  RUN(should_forget_the_bell_of_a_queue_that_goes);
  RUN(should_break_a_queue_that_overruns_and_its_pair);
  RUN(should_go_only_the_ways_that_the_standard_has);
  RUN(should_copy_inline_data_at_once);
  RUN(should_not_resolve_as_many_addresses_as_asked_for);
  RUN(should_say_late_that_a_pair_broke);
  RUN(should_tell_when_shared_receives_run_low);
  RUN(should_fail_to_make_the_object_that_was_asked_for_and_count_the_others);
}
