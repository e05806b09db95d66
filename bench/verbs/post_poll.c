// SPDX-License-Identifier: Apache-2.0
/*
 * What posting and polling cost from C over the emulated HCA: the same work as PostPollBench.java does through JNI, on
 * the ends that the tests of the emulated HCA stand on. Its argument is the size of a write. Prints, for each size of a
 * batch: the batch, and in ns for one request the median post, the median poll, and the time that a write takes from its
 * post to its completion.
 *
 * Posts and polls are timed on a pair in the error state, where requests complete at once, as flushed: no thread of the
 * emulated NIC has a part in it. Writes are timed on a connected one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

enum { REQUESTS = 20000, WARM_UP = REQUESTS, MOST = 32, MOST_INLINE = 64, LIMIT_NS = 1000000000 };

static const int batches[] = {1, 8, MOST};
enum { BATCHES = sizeof batches / sizeof *batches };

struct samples {
  double ns[REQUESTS + MOST];
  int count;
};

static uint32_t size;
static struct samples posts;
static struct samples polls;

static int64_t now_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a;
  double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(struct samples* of) {
  qsort(of->ns, (size_t)of->count, sizeof *of->ns, by_value);
  return of->ns[of->count / 2];
}

static void post(const struct both* both, int batch) {
  struct ibv_send_wr requests[MOST];
  struct ibv_sge pieces[MOST];
  struct ibv_send_wr* bad = NULL;
  unsigned flags = IBV_SEND_SIGNALED | (size <= MOST_INLINE ? IBV_SEND_INLINE : 0u);
  int64_t before = now_ns();
  for (int i = 0; i < batch; i++) {
    pieces[i] = (struct ibv_sge){at(&both->a, 0), size, both->a.mr->lkey};
    requests[i] = (struct ibv_send_wr){.wr_id = (uint64_t)i,
                                       .next = i + 1 < batch ? &requests[i + 1] : NULL,
                                       .sg_list = &pieces[i],
                                       .num_sge = 1,
                                       .opcode = IBV_WR_RDMA_WRITE,
                                       .send_flags = flags,
                                       .wr.rdma = {at(&both->b, 0), both->b.mr->rkey}};
  }
  int error = ibv_post_send(both->a.qp, requests, &bad);
  posts.ns[posts.count++] = (double)(now_ns() - before) / batch;
  check(error == 0, "post", error);
}

static void poll_all(const struct both* both, int batch, enum ibv_wc_status expected) {
  struct ibv_wc done[MOST];
  int64_t begin = now_ns();
  for (int left = batch; left > 0;) {
    int64_t before = now_ns();
    int found = ibv_poll_cq(both->a.cq, MOST, done);
    int64_t after = now_ns();
    check(found >= 0, "poll", found);
    check(after - begin < LIMIT_NS, "nothing completes", left);
    for (int i = 0; i < found; i++) {
      check(done[i].status == expected, ibv_wc_status_str(done[i].status), (int64_t)done[i].wr_id);
    }
    if (found > 0) {
      polls.ns[polls.count++] = (double)(after - before) / found;
    }
    left -= found;
  }
}

static void repeat(const struct both* both, int count, int batch, enum ibv_wc_status expected) {
  posts.count = polls.count = 0;
  for (int i = 0; i < count; i += batch) {
    post(both, batch);
    poll_all(both, batch, expected);
  }
}

/* Posts and polls; ns for one request, all in all. */
static double measure(const struct both* both, int batch, enum ibv_wc_status expected) {
  repeat(both, WARM_UP, batch, expected);
  int64_t begin = now_ns();
  repeat(both, REQUESTS, batch, expected);
  return (double)(now_ns() - begin) / REQUESTS;
}

int main(int count, char** arguments) {
  check(count == 2, "post_poll SIZE", count);
  size = (uint32_t)strtoul(arguments[1], NULL, 10);
  check(size > 0 && size <= BENCH_BYTES, "a size", size);
  double writes[BATCHES];
  struct both both = both_open(IBV_QPT_RC);
  for (int i = 0; i < BATCHES; i++) {
    writes[i] = measure(&both, batches[i], IBV_WC_SUCCESS);
  }
  struct ibv_qp_attr broken = {.qp_state = IBV_QPS_ERR};
  check(ibv_modify_qp(both.a.qp, &broken, IBV_QP_STATE) == 0, "to the error state", 0);
  for (int i = 0; i < BATCHES; i++) {
    (void)measure(&both, batches[i], IBV_WC_WR_FLUSH_ERR);
    (void)printf("%d %.1f %.1f %.1f\n", batches[i], median(&posts), median(&polls), writes[i]);
  }
  both_close(&both);
  return 0;
}
