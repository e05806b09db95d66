// SPDX-License-Identifier: Apache-2.0
/* Reliable connections: everything, once, in order, whatever the network does; or an error that says so. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const uint32_t sizes[] = {0, 1, 1023, 1024, 1025, 5000, 100001};

static void should_carry_every_size_by_write_send_and_read(void) {
  struct both both = both_open(IBV_QPT_RC);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint32_t size = sizes[i];
    fill(both.a.bytes, size, size);
    memset(both.b.bytes, 0, BENCH_BYTES);
    post_receive(&both.b, 1, 0, size + 1);
    post_send(&both.a, 2, 0, size);
    check(next_well(&both.b, 1).byte_len == size, "bytes sent", size);
    (void)next_well(&both.a, 2);
    check(memcmp(both.a.bytes, both.b.bytes, size) == 0, "what was sent", size);
    post_write(&both.a, 3, 0, size, at(&both.b, 300000), both.b.mr->rkey);
    check(next_well(&both.a, 3).opcode == IBV_WC_RDMA_WRITE, "a write", size);
    check(memcmp(both.a.bytes, both.b.bytes + 300000, size) == 0, "what was written", size);
    post_read(&both.a, 4, 500000, size, at(&both.b, 300000), both.b.mr->rkey);
    check(next_well(&both.a, 4).opcode == IBV_WC_RDMA_READ, "a read", size);
    check(memcmp(both.a.bytes, both.a.bytes + 500000, size) == 0, "what was read", size);
  }
  both_close(&both);
}

static void should_tell_the_receiver_of_writes_with_immediate(void) {
  struct both both = both_open(IBV_QPT_RC);
  post_receive(&both.b, 7, 0, 0);
  post_write_imm(&both.a, 1, 0, 3000, at(&both.b, 0), both.b.mr->rkey, 0x12345678);
  struct ibv_wc wc = next_well(&both.b, 7);
  check(wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && wc.byte_len == 3000 && wc.imm_data == 0x12345678, "immediate",
        wc.imm_data);
  check((wc.wc_flags & IBV_WC_WITH_IMM) != 0 && wc.qp_num == both.b.qp->qp_num, "its flags", wc.wc_flags);
  (void)next_well(&both.a, 1);
  both_close(&both);
}

/* Rounds of everything at once, so that acknowledgements, answers and data all get lost. */
static void should_deliver_all_in_order_over_a_bad_network(void) {
  struct both both = both_open(IBV_QPT_RC);
  fault("LOSS_PERCENT", "3");
  fault("DUPLICATE_PERCENT", "3");
  fault("REORDER_PERCENT", "3");
  for (unsigned round = 0; round < 20; round++) {
    fill(both.a.bytes, 20000, round);
    fill(both.b.bytes + 400000, 5000, round + 7);
    for (uint32_t i = 0; i < 4; i++) {
      post_receive(&both.b, i, i * 5000, 5000);
      post_send(&both.a, i, i * 5000, 5000);
    }
    post_read(&both.a, 4, 600000, 5000, at(&both.b, 400000), both.b.mr->rkey);
    for (uint32_t i = 0; i < 4; i++) {
      (void)next_well(&both.b, i);
    }
    for (uint32_t i = 0; i < 5; i++) {
      (void)next_well(&both.a, i);
    }
    check(memcmp(both.a.bytes, both.b.bytes, 20000) == 0, "what was sent, over a bad network", round);
    check(memcmp(both.b.bytes + 400000, both.a.bytes + 600000, 5000) == 0, "what was read, over a bad network", round);
  }
  no_faults();
  check_silent(&both.b);
  both_close(&both);
}

static void should_wait_for_a_receiver_that_is_not_ready(void) {
  struct both both = both_open(IBV_QPT_RC);
  post_send(&both.a, 1, 0, 100);
  check_silent(&both.a);
  post_receive(&both.b, 2, 0, 100);
  (void)next_well(&both.b, 2);
  (void)next_well(&both.a, 1);
  both_close(&both);
}

static void should_break_both_ends_when_a_key_is_wrong(void) {
  struct both both = both_open(IBV_QPT_RC);
  post_write(&both.a, 1, 0, 100, at(&both.b, 0), both.b.mr->rkey + 1);
  post_write(&both.a, 2, 0, 100, at(&both.b, 0), both.b.mr->rkey);
  check(next(&both.a).status == IBV_WC_REM_ACCESS_ERR, "remote access error", 0);
  check(next(&both.a).status == IBV_WC_WR_FLUSH_ERR, "what follows is flushed", 0);
  next_event(&both.b, IBV_EVENT_QP_ACCESS_ERR);
  post_receive(&both.b, 3, 0, 100);
  check(next(&both.b).status == IBV_WC_WR_FLUSH_ERR, "a broken pair receives nothing", 0);
  both_close(&both);
}

enum wrong_read { BEYOND_THE_END, NOT_FOR_READING, DEREGISTERED, WRONG_READS };

static void should_refuse_reads_that_no_key_allows(void) {
  for (int wrong = 0; wrong < WRONG_READS; wrong++) {
    struct both both = both_open(IBV_QPT_RC);
    int access = wrong == NOT_FOR_READING ? IBV_ACCESS_LOCAL_WRITE : IBV_ACCESS_REMOTE_READ;
    struct ibv_mr* shown = ibv_reg_mr(both.b.pd, both.b.bytes, 1000, access);
    check(shown != NULL, "a region of its own", wrong);
    uint32_t key = shown->rkey;
    if (wrong != NOT_FOR_READING) {
      post_read(&both.a, 1, 0, 1000, at(&both.b, 0), key);
      (void)next_well(&both.a, 1);
    }
    check(wrong != DEREGISTERED || ibv_dereg_mr(shown) == 0, "its end", 0);
    post_read(&both.a, 2, 0, 1000, at(&both.b, wrong == BEYOND_THE_END), key);
    check(next(&both.a).status == IBV_WC_REM_ACCESS_ERR, "a read that is refused", wrong);
    check(wrong == DEREGISTERED || ibv_dereg_mr(shown) == 0, "the region's end", 0);
    both_close(&both);
  }
}

static void should_refuse_what_is_longer_than_its_receive(void) {
  struct both both = both_open(IBV_QPT_RC);
  post_receive(&both.b, 1, 0, 1500);
  post_send(&both.a, 2, 0, 3000);
  check(next(&both.a).status == IBV_WC_REM_INV_REQ_ERR, "remote invalid request", 0);
  check(next(&both.b).status == IBV_WC_LOC_LEN_ERR, "local length error", 0);
  both_close(&both);
}

static void should_give_up_when_the_peer_is_gone(void) {
  struct both both = both_open(IBV_QPT_RC);
  end_close(&both.b);
  post_write(&both.a, 1, 0, 100, 4096, 1);
  check(next(&both.a).status == IBV_WC_RETRY_EXC_ERR, "retries exceeded", 0);
  end_close(&both.a);
}

static void should_say_twice_what_a_request_did_as_irdma_does(void) {
  fault("PROFILE", "irdma");
  struct both both = both_open(IBV_QPT_RC);
  fault("PROFILE", "mlx5");
  end_close(&both.b);
  post_write(&both.a, 1, 0, 100, 4096, 1);
  check(next(&both.a).status == IBV_WC_RETRY_EXC_ERR, "retries exceeded", 0);
  next_event(&both.a, IBV_EVENT_QP_FATAL);
  end_close(&both.a);
}

static void should_flush_receives_before_the_request_that_broke_the_pair(void) {
  struct both both = both_open(IBV_QPT_RC);
  fault("RECEIVES_FIRST", "1");
  post_receive(&both.a, 1, 0, 100);
  end_close(&both.b);
  post_write(&both.a, 2, 0, 100, 4096, 1);
  struct ibv_wc flushed = next(&both.a);
  check(flushed.wr_id == 1 && flushed.status == IBV_WC_WR_FLUSH_ERR, "the receive", flushed.status);
  struct ibv_wc failed = next(&both.a);
  check(failed.wr_id == 2 && failed.status == IBV_WC_RETRY_EXC_ERR, "retries exceeded", failed.status);
  fault("RECEIVES_FIRST", "0");
  end_close(&both.a);
}

void reliable_tests(void) {
  RUN(should_carry_every_size_by_write_send_and_read);
  RUN(should_tell_the_receiver_of_writes_with_immediate);
  RUN(should_deliver_all_in_order_over_a_bad_network);
  RUN(should_wait_for_a_receiver_that_is_not_ready);
  RUN(should_break_both_ends_when_a_key_is_wrong);
  RUN(should_refuse_reads_that_no_key_allows);
  RUN(should_refuse_what_is_longer_than_its_receive);
  RUN(should_give_up_when_the_peer_is_gone);
  RUN(should_say_twice_what_a_request_did_as_irdma_does);
  RUN(should_flush_receives_before_the_request_that_broke_the_pair);
}
