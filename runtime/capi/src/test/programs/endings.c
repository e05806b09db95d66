/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 1 ends without a word, with a message under way; rank 0 learns of it, and then does the same. Two ranks. */
#include "program.h"

int main(void) {
  tombolo_comm comm;
  tombolo_work work;
  int32_t rank;
  void* vector;
  OK(tombolo_comm_init(NULL, &comm));
  OK(tombolo_comm_rank(comm, &rank));
  if (rank == 1) {
    tombolo_call call = TOMBOLO_CALL_INIT;
    call.flags = TOMBOLO_HOST_ORDER;
    OK(tombolo_allocate(comm, 4 * sizeof(float), &vector));
    OK(tombolo_receive(comm, vector, 4, TOMBOLO_F32, 0, 0, &call, &work));
    OK(tombolo_comm_meet(comm, 20000));
    return 0;
  }
  OK(tombolo_comm_meet(comm, 20000));
  tombolo_status status = tombolo_barrier(comm, NULL, &work);
  if (status == TOMBOLO_OK) {
    status = tombolo_wait(work, TOMBOLO_STANDARD_TIME);
  }
  REQUIRE(status != TOMBOLO_OK, "rank 1 is gone");
  FAILS(TOMBOLO_PEER_FAILED, "rank 1", tombolo_comm_error(comm));
  (void)printf("rank 0 knows\n");
  return 0;
}
