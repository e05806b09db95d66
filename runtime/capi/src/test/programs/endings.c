/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 1 ends without a word, with a message under way; rank 0 learns of it, and then does the same. Two ranks. */
#include "program.h"

int main(void) {
  tombolo_comm comm;
  tombolo_work work;
  int32_t rank;
  void* vector;
  void* word;
  tombolo_call call = TOMBOLO_CALL_INIT;
  call.flags = TOMBOLO_HOST_ORDER;
  OK(tombolo_comm_init(NULL, &comm));
  OK(tombolo_comm_rank(comm, &rank));
  OK(tombolo_allocate(comm, sizeof(float), &word));
  if (rank == 1) {
    OK(tombolo_allocate(comm, 4 * sizeof(float), &vector));
    OK(tombolo_receive(comm, vector, 4, TOMBOLO_F32, 0, 0, &call, &work));
    OK(tombolo_receive(comm, word, 1, TOMBOLO_F32, 0, 1, &call, &work)); /* by then rank 0 waits for nothing any more */
    OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
    return 0;
  }
  OK(tombolo_send(comm, word, 1, TOMBOLO_F32, 1, 1, &call, NULL));
  tombolo_status status = tombolo_barrier(comm, NULL, &work);
  if (status == TOMBOLO_OK) {
    status = tombolo_wait(work, TOMBOLO_STANDARD_TIME);
  }
  REQUIRE(status != TOMBOLO_OK, "rank 1 is gone");
  FAILS(TOMBOLO_PEER_FAILED, "rank 1", tombolo_comm_error(comm));
  (void)printf("rank 0 knows\n");
  return 0;
}
