/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 1 ends without a word; the others agree, and go on without it. Three ranks. */
#include <unistd.h>

#include "program.h"

static tombolo_status barrier(tombolo_comm comm) {
  tombolo_work work;
  tombolo_status status = tombolo_barrier(comm, NULL, &work);
  if (status == TOMBOLO_OK) {
    status = tombolo_wait(work, TOMBOLO_STANDARD_TIME);
    OK(tombolo_release(work));
  }
  return status;
}

/* Rank 1 ends once both others have told it that they have passed the barrier: the news of a death overtakes what is
 * still waited for. */
static void let_rank_1_end(tombolo_comm all, int32_t rank) {
  tombolo_work work;
  tombolo_call call = TOMBOLO_CALL_INIT;
  call.flags = TOMBOLO_HOST_ORDER;
  void* word;
  OK(tombolo_allocate(all, sizeof(float), &word));
  if (rank == 1) {
    for (int32_t other = 0; other <= 2; other += 2) {
      OK(tombolo_receive(all, word, 1, TOMBOLO_F32, other, 0, &call, &work));
      OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
    }
    _exit(0);
  }
  OK(tombolo_send(all, word, 1, TOMBOLO_F32, 1, 0, &call, NULL));
}

int main(void) {
  tombolo_comm all;
  tombolo_comm survivors = 7;
  int32_t rank;
  int32_t now;
  int32_t size;
  OK(tombolo_comm_init(NULL, &all));
  OK(tombolo_comm_rank(all, &rank));
  FAILS(TOMBOLO_USAGE, "that has failed", tombolo_comm_shrink(all, 0, &survivors));
  REQUIRE(survivors == 0, "a failing call gives nothing");
  FAILS(TOMBOLO_USAGE, "NULL", tombolo_comm_shrink(all, 0, NULL));
  int64_t flags = ~(INT64_C(1) << rank);
  OK(tombolo_comm_agree(all, 0, &flags));
  REQUIRE(flags == ~INT64_C(7), "all three brought their bits: %lld", (long long)flags);
  FAILS(TOMBOLO_USAGE, "NULL", tombolo_comm_agree(all, 0, NULL));
  OK(barrier(all));
  let_rank_1_end(all, rank);
  REQUIRE(barrier(all) != TOMBOLO_OK, "rank 1 is gone");
  flags = ~(INT64_C(1) << rank);
  OK(tombolo_comm_agree(all, 0, &flags));
  REQUIRE(flags == ~INT64_C(5), "ranks 0 and 2 brought theirs: %lld", (long long)flags);
  OK(tombolo_comm_shrink(all, 0, &survivors));
  OK(tombolo_comm_rank(survivors, &now));
  OK(tombolo_comm_size(survivors, &size));
  REQUIRE(size == 2 && now == rank / 2, "rank %d is %d of %d", rank, now, size);
  OK(barrier(survivors));
  OK(tombolo_comm_destroy(survivors));
  OK(tombolo_comm_destroy(all));
  return 0;
}
