// SPDX-License-Identifier: Apache-2.0
/* Unreliable connections: whole messages or none, and no word of those that are lost. */
#include <string.h>

#include "bench.h"

static void should_carry_messages_of_many_packets(void) {
  struct both both = both_open(IBV_QPT_UC);
  fill(both.a.bytes, 100001, 1);
  post_receive(&both.b, 1, 0, 0);
  post_write_imm(&both.a, 2, 0, 100001, at(&both.b, 0), both.b.mr->rkey, 9);
  check(next_well(&both.b, 1).byte_len == 100001, "bytes", 0);
  (void)next_well(&both.a, 2);
  check(memcmp(both.a.bytes, both.b.bytes, 100001) == 0, "what was written", 0);
  both_close(&both);
}

/* Of 300 messages of 8 packets each, at 5 %: some are lost, none is torn, and the last comes once the loss ends. */
static void should_lose_only_the_message_whose_packet_was_lost(void) {
  struct both both = both_open(IBV_QPT_UC);
  enum { ROUNDS = 30, BATCH = 10, BYTES = 8 * 1024 };
  int arrived = 0;
  for (unsigned round = 0; round <= ROUNDS; round++) {
    fault("LOSS_PERCENT", round < ROUNDS ? "2" : "0");
    for (uint32_t i = 0; i < BATCH; i++) {
      fill(both.a.bytes + i * BYTES, BYTES, round * BATCH + i);
      /* more receives are out than messages get lost: the others come, however late, and there is room then */
      while ((int)(round * BATCH + i) - arrived > BENCH_DEPTH / 2) {
        arrived += next(&both.b).status == IBV_WC_SUCCESS;
      }
      post_receive(&both.b, 0, 0, 0);
      post_write_imm(&both.a, i, i * BYTES, BYTES, at(&both.b, i * BYTES), both.b.mr->rkey, i);
    }
    for (uint32_t i = 0; i < BATCH; i++) {
      (void)next_well(&both.a, i);
    }
    struct ibv_wc wc = next(&both.b);
    for (int count = 1; count == 1 || ibv_poll_cq(both.b.cq, 1, &wc) == 1; count++) {
      check(wc.status == IBV_WC_SUCCESS && wc.byte_len == BYTES, "a whole message", wc.byte_len);
      arrived++;
    }
    check(round < ROUNDS || wc.imm_data < BATCH, "which one", wc.imm_data);
  }
  while (arrived < ROUNDS * BATCH / 2 + BATCH || memcmp(both.a.bytes, both.b.bytes, BATCH * BYTES) != 0) {
    arrived += next(&both.b).status == IBV_WC_SUCCESS;
  }
  check(arrived < (ROUNDS + 1) * BATCH, "2 percent of the packets were lost, and no message", arrived);
  no_faults();
  both_close(&both);
}

static void should_deliver_duplicates_twice(void) {
  struct both both = both_open(IBV_QPT_UC);
  fault("DUPLICATE_PERCENT", "100");
  post_receive(&both.b, 1, 0, 100);
  post_receive(&both.b, 2, 0, 100);
  post_send(&both.a, 3, 0, 100);
  (void)next_well(&both.b, 1);
  (void)next_well(&both.b, 2);
  (void)next_well(&both.a, 3);
  no_faults();
  both_close(&both);
}

/* A late packet waits 2 ms at most for others to overtake it, which a busy machine may need for posting them. */
static void should_let_later_messages_overtake(void) {
  struct both both = both_open(IBV_QPT_UC);
  bool was_overtaken = false;
  for (int attempt = 0; attempt < 100 && !was_overtaken; attempt++) {
    post_receive(&both.b, 4, 0, 0);
    post_receive(&both.b, 5, 0, 0);
    fault("REORDER_PERCENT", "100");
    post_write_imm(&both.a, 6, 0, 10, at(&both.b, 0), both.b.mr->rkey, 1);
    (void)next_well(&both.a, 6);
    no_faults();
    post_write_imm(&both.a, 7, 0, 10, at(&both.b, 0), both.b.mr->rkey, 2);
    (void)next_well(&both.a, 7);
    uint32_t first = next_well(&both.b, 4).imm_data;
    check(first + next_well(&both.b, 5).imm_data == 3, "both came", first);
    was_overtaken = first == 2;
  }
  check(was_overtaken, "the later one came first", 0);
  both_close(&both);
}

/* More packets than the receiver's socket holds, and nothing else that would wake the NIC when they are due. */
static void should_deliver_delayed_messages_in_order_and_by_itself(void) {
  struct both both = both_open(IBV_QPT_UC);
  fill(both.a.bytes, 100001, 4);
  fault("DELAY_US", "2000");
  post_receive(&both.b, 1, 0, 0);
  post_write_imm(&both.a, 2, 0, 100001, at(&both.b, 0), both.b.mr->rkey, 9);
  (void)next_well(&both.a, 2);
  (void)next_well(&both.b, 1);
  check(memcmp(both.a.bytes, both.b.bytes, 100001) == 0, "what was written", 0);
  no_faults();
  both_close(&both);
}

static void should_drop_silently_when_no_receive_is_there(void) {
  struct both both = both_open(IBV_QPT_UC);
  post_send(&both.a, 1, 0, 100);
  (void)next_well(&both.a, 1);
  check_silent(&both.b);
  post_receive(&both.b, 2, 0, 100);
  post_send(&both.a, 3, 0, 50);
  check(next_well(&both.b, 2).byte_len == 50, "the next one is taken", 0);
  both_close(&both);
}

static void should_drop_what_has_an_old_key_and_stay_usable(void) {
  struct both both = both_open(IBV_QPT_UC);
  post_receive(&both.b, 1, 0, 0);
  memset(both.b.bytes, 0, 100);
  fill(both.a.bytes, 100, 3);
  post_write_imm(&both.a, 2, 0, 100, at(&both.b, 0), both.b.mr->rkey + 1, 0);
  (void)next_well(&both.a, 2);
  check_silent(&both.b);
  check(both.b.bytes[50] == 0, "nothing was written", both.b.bytes[50]);
  post_write_imm(&both.a, 3, 0, 100, at(&both.b, 0), both.b.mr->rkey, 0);
  (void)next_well(&both.b, 1);
  both_close(&both);
}

/* As Soft-RoCE does: the entry is gone, and says why; the pair lives. */
static void should_spend_a_shared_receive_on_what_has_an_old_key(void) {
  struct both both = both_open_shared(IBV_QPT_UC);
  post_receive(&both.b, 1, 0, 10);
  post_receive(&both.b, 2, 0, 10);
  post_write_imm(&both.a, 3, 0, 100, at(&both.b, 0), both.b.mr->rkey + 1, 0);
  check(next(&both.b).status == IBV_WC_REM_ACCESS_ERR, "the first entry says what happened", 0);
  post_write_imm(&both.a, 4, 0, 100, at(&both.b, 0), both.b.mr->rkey, 0);
  (void)next_well(&both.b, 2);
  both_close(&both);
}

void unreliable_tests(void) {
  RUN(should_carry_messages_of_many_packets);
  RUN(should_lose_only_the_message_whose_packet_was_lost);
  RUN(should_deliver_duplicates_twice);
  RUN(should_let_later_messages_overtake);
  RUN(should_deliver_delayed_messages_in_order_and_by_itself);
  RUN(should_drop_silently_when_no_receive_is_there);
  RUN(should_drop_what_has_an_old_key_and_stay_usable);
  RUN(should_spend_a_shared_receive_on_what_has_an_old_key);
}
