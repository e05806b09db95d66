/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums a vector over all ranks of a job, on whatever device each rank has.
 *
 *     gcc -o all_reduce all_reduce.c -I target/dist/include -L target/dist/lib -ltombolo -Wl,-rpath,target/dist/lib
 *     mpirun -n 2 ./all_reduce
 */
#include <stdio.h>
#include <stdlib.h>
#include <tombolo.h>

enum { ELEMENTS = 1 << 20 };

static void check(tombolo_status status, const char* what) {
  if (status != TOMBOLO_OK) {
    fprintf(stderr, "%s: %s: %s\n", what, tombolo_status_name(status), tombolo_last_error());
    exit(1);
  }
}

int main(void) {
  tombolo_comm comm;
  int32_t rank;
  int32_t ranks;
  check(tombolo_comm_init(NULL, &comm), "joining"); /* NULL: the launcher's environment says who we are */
  check(tombolo_comm_rank(comm, &rank), "rank");
  check(tombolo_comm_size(comm, &ranks), "size");

  float* host = malloc(ELEMENTS * sizeof *host);
  void* device;
  if (host == NULL) {
    return 1;
  }
  for (int i = 0; i < ELEMENTS; i++) {
    host[i] = (float)(rank + i % 7);
  }
  check(tombolo_allocate(comm, ELEMENTS * sizeof *host, &device), "allocating");
  check(tombolo_copy_to_device(comm, device, host, ELEMENTS * sizeof *host), "copying in");

  tombolo_work work;
  check(tombolo_all_reduce(comm, device, device, ELEMENTS, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work), "all_reduce");
  check(tombolo_wait(work, TOMBOLO_STANDARD_TIME), "waiting");
  check(tombolo_release(work), "releasing");

  check(tombolo_copy_to_host(comm, host, device, ELEMENTS * sizeof *host), "copying out");
  for (int i = 0; i < ELEMENTS; i++) {
    float expected = (float)(ranks * (ranks - 1) / 2 + ranks * (i % 7));
    if (host[i] != expected) {
      fprintf(stderr, "rank %d: element %d is %f, not %f\n", rank, i, host[i], expected);
      return 1;
    }
  }
  printf("rank %d of %d: the sum is right\n", rank, ranks);
  free(host);
  check(tombolo_comm_destroy(comm), "leaving"); /* and what it has allocated */
  return 0;
}
