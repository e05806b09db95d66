// SPDX-License-Identifier: Apache-2.0
/* The host's library is plain: no quirks, no order among communicators, and the widest arithmetic of the processor. */
#include "../shared/engine_internal.h"
#include "../tombolo_reduce/reduce.h"

int64_t engine_join_timeout_ns(void) { return 600 * 1000000000LL; } /* whoever joins has a deadline of their own */

bool engine_wants_direct(void) { return true; }

void engine_before_join(void) {}

enum engine_result engine_before_work(struct engine_comm* comm, uint64_t nth, const struct engine_call* calls, int count) {
  (void)comm;
  (void)nth;
  (void)calls;
  (void)count;
  return ENGINE_OK;
}

void engine_order_lock(void) {}

void engine_order_unlock(void) {}

uint64_t engine_order_take(void) { return 0; }

void engine_order_return(uint64_t place) { (void)place; }

void engine_order_await(const struct engine_comm* comm, uint64_t place) {
  (void)comm;
  (void)place;
}

void engine_order_end(uint64_t place) { (void)place; }

void engine_order_wake(void) {}

static int best_level(void) {
  return reduce_available(REDUCE_AVX512) ? REDUCE_AVX512 : reduce_available(REDUCE_AVX2) ? REDUCE_AVX2 : REDUCE_BASELINE;
}

/* The facade lets only pairs through that have a kernel. */
void engine_combine(void* destination, const void* a, const void* b, size_t count, enum engine_type type, enum engine_op op) {
  int step = op == ENGINE_AVG ? REDUCE_SUM : (int)op;
  (void)reduce_apply(best_level(), step, (int)type, destination, a, b, count);
}

void engine_divide(void* values, size_t count, enum engine_type type, int divisor) {
  (void)reduce_average(best_level(), (int)type, values, values, count, (uint32_t)divisor);
}
