// SPDX-License-Identifier: Apache-2.0
/* Completion queues. One that overruns is broken, and so is every queue pair that still completes into it. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "efa.h"
#include "event.h"
#include "verbs.h"

HCA_VERB struct ib_cq* ibv_create_cq(struct ib_context* base, int entries, void* user, struct ib_comp_channel* channel,
                                     int vector) {
  if (entries < 1 || (unsigned)entries > hca_of(base)->profile->max_completions || vector < 0 || vector >= base->num_comp_vectors) {
    errno = EINVAL;
    return NULL;
  }
  if (!hca_may_make()) {
    return NULL;
  }
  hca_cq* cq = calloc(1, sizeof *cq);
  hca_cqe* ring = calloc((size_t)entries, sizeof *ring);
  if (cq == NULL || ring == NULL) {
    free(cq);
    free(ring);
    errno = ENOMEM;
    return NULL;
  }
  cq->base.context = base;
  cq->base.channel = channel;
  cq->base.cq_context = user;
  cq->base.cqe = entries;
  cq->ring = ring;
  cq->depth = (unsigned)entries;
  hca_context* context = hca_of(base);
  hca_lock(context);
  hca_own(context, 1);
  if (channel != NULL) {
    channel->refcnt++;
  }
  hca_unlock(context);
  return &cq->base;
}

/* Where a real library waits for all events to be acknowledged, this one refuses. */
HCA_VERB int ibv_destroy_cq(struct ib_cq* base) {
  if (hca_refuses(hca_of(base->context))) {
    return EIO;
  }
  hca_cq* cq = (hca_cq*)base;
  hca_context* context = hca_of(base->context);
  hca_lock(context);
  bool is_free = cq->users == 0 && cq->events == 0;
  if (is_free) {
    hca_own(context, -1);
    hca_cq_silence(cq);
    if (base->channel != NULL) {
      base->channel->refcnt--;
    }
  }
  hca_unlock(context);
  if (!is_free) {
    return EBUSY;
  }
  free(cq->ring);
  free(cq);
  return 0;
}

void hca_cq_push(hca_cq* cq, const hca_cqe* entry, bool is_solicited) {
  unsigned count = atomic_load(&cq->count);
  if (hca_is_silent(hca_of(cq->base.context))) {
    return;
  }
  if (cq->is_overrun || count == cq->depth) {
    if (!cq->is_overrun) {
      cq->is_overrun = true;
      hca_event(hca_of(cq->base.context), IBV_EVENT_CQ_ERR, cq);
      entry->qp->fail(entry->qp, IBV_EVENT_QP_FATAL);
    }
    return;
  }
  cq->ring[(cq->head + count) % cq->depth] = *entry;
  atomic_store(&cq->count, count + 1);
  if (cq->is_armed && (is_solicited || !cq->only_solicited)) {
    cq->is_armed = false;
    hca_cq_event(cq);
  }
}

void hca_cq_forget(hca_cq* cq, const hca_qp* qp) {
  unsigned kept = 0;
  unsigned count = atomic_load(&cq->count);
  for (unsigned i = 0; i < count; i++) {
    const hca_cqe* entry = &cq->ring[(cq->head + i) % cq->depth];
    if (entry->qp != qp) {
      cq->ring[(cq->head + kept++) % cq->depth] = *entry;
    }
  }
  atomic_store(&cq->count, kept);
}

int hca_poll_cq(struct ib_cq* base, int entries, struct ib_wc* wc) {
  hca_cq* cq = (hca_cq*)base;
  if (atomic_load(&cq->count) == 0 && !cq->is_overrun) {
    (void)sched_yield(); /* a NIC with a processor of its own would not need it */
    return 0;
  }
  hca_context* context = hca_of(base->context);
  int taken = 0;
  hca_lock(context);
  while (taken < entries && atomic_load(&cq->count) > 0) {
    const hca_cqe* entry = &cq->ring[cq->head];
    wc[taken++] = entry->wc;
    entry->qp->held -= entry->retires;
    cq->head = (cq->head + 1) % cq->depth;
    atomic_fetch_sub(&cq->count, 1);
  }
  if (taken == 0 && cq->is_overrun) {
    taken = -1;
  }
  hca_unlock(context);
  return taken;
}

/* What is there already does not ring: arm, then poll once more. */
int hca_req_notify_cq(struct ib_cq* base, int solicited_only) {
  hca_cq* cq = (hca_cq*)base;
  if (solicited_only != 0 && hca_is_efa(hca_of(base->context))) {
    return EOPNOTSUPP; /* rdma-core, providers/efa/verbs.c, efa_arm_cq */
  }
  hca_lock(hca_of(base->context));
  cq->only_solicited = solicited_only != 0 && (!cq->is_armed || cq->only_solicited);
  cq->is_armed = true;
  hca_unlock(hca_of(base->context));
  return 0;
}
