/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs from C: all_reduce of 8 bytes, in ns: the median of batches, and the best. As JavaCost.java does it from Java. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tombolo.h>

enum { WARM_UP = 30000, BATCHES = 41, CALLS = 2000 };

static void check(tombolo_status status) {
  if (status != TOMBOLO_OK) {
    (void)fprintf(stderr, "%s: %s\n", tombolo_status_name(status), tombolo_last_error());
    exit(1);
  }
}

static long long now_ns(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static tombolo_comm comm;
static double number;

static void blocking(void) {
  tombolo_call call = TOMBOLO_CALL_INIT;
  call.flags = TOMBOLO_BLOCKING;
  check(tombolo_all_reduce(comm, &number, &number, 1, TOMBOLO_F64, TOMBOLO_MAX, &call, NULL));
}

static void queued(void) {
  tombolo_work work;
  check(tombolo_all_reduce(comm, &number, &number, 1, TOMBOLO_F64, TOMBOLO_MAX, NULL, &work));
  check(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  check(tombolo_release(work));
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a;
  double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void time_it(const char* what, void (*call)(void), int warm_up, int calls) {
  double batches[BATCHES];
  for (int i = 0; i < warm_up; i++) {
    call();
  }
  for (int batch = 0; batch < BATCHES; batch++) {
    long long from = now_ns();
    for (int i = 0; i < calls; i++) {
      call();
    }
    batches[batch] = (double)(now_ns() - from) / calls;
  }
  qsort(batches, BATCHES, sizeof batches[0], compare);
  int32_t rank;
  check(tombolo_comm_rank(comm, &rank));
  if (rank == 0) {
    (void)printf("C     %-10s %9.0f ns, best %9.0f\n", what, batches[BATCHES / 2], batches[0]);
  }
}

static tombolo_work ended;

static void test(void) {
  int is_ended;
  check(tombolo_test(ended, &is_ended));
}

int main(void) {
  check(tombolo_comm_init(NULL, &comm));
  time_it("blocking", blocking, WARM_UP, CALLS);
  time_it("queued", queued, WARM_UP / 10, CALLS / 10);
  check(tombolo_all_reduce(comm, &number, &number, 1, TOMBOLO_F64, TOMBOLO_MAX, NULL, &ended));
  check(tombolo_wait(ended, TOMBOLO_STANDARD_TIME));
  time_it("test", test, WARM_UP, CALLS);
  check(tombolo_comm_destroy(comm));
  return 0;
}
