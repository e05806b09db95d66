// SPDX-License-Identifier: Apache-2.0
/* Receive queues, a pair's own and shared ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca.h"
#include "verbs.h"

bool hca_receive_queue_make(hca_receive_queue* queue, unsigned depth, unsigned max_sge) {
  *queue = (hca_receive_queue){.depth = depth, .max_sge = max_sge};
  queue->ring = depth == 0 ? NULL : calloc(depth, sizeof *queue->ring);
  return depth == 0 || queue->ring != NULL;
}

size_t hca_receive_room(const hca_receive* receive) {
  size_t room = 0;
  for (int i = 0; i < receive->pieces; i++) {
    room += receive->sge[i].length;
  }
  return room;
}

static int push(hca_receive_queue* queue, const struct ib_recv_wr* wr) {
  if (wr->num_sge < 0 || (unsigned)wr->num_sge > queue->max_sge) {
    return EINVAL;
  }
  if (queue->count == queue->depth) {
    return ENOMEM;
  }
  hca_receive* entry = &queue->ring[(queue->head + queue->count++) % queue->depth];
  entry->id = wr->wr_id;
  entry->pieces = wr->num_sge;
  for (int i = 0; i < wr->num_sge; i++) {
    entry->sge[i] = wr->sg_list[i];
  }
  return 0;
}

static int push_all(hca_receive_queue* queue, struct ib_recv_wr* wr, struct ib_recv_wr** bad) {
  for (; wr != NULL; wr = wr->next) {
    int error = push(queue, wr);
    if (error != 0) {
      *bad = wr;
      return error;
    }
  }
  return 0;
}

static bool pop(hca_receive_queue* queue, hca_receive* taken) {
  if (queue->count == 0) {
    return false;
  }
  *taken = queue->ring[queue->head];
  queue->head = (queue->head + 1) % queue->depth;
  queue->count--;
  return true;
}

bool hca_take_receive(hca_qp* qp, hca_receive* taken) {
  if (qp->base.srq == NULL) {
    return pop(&qp->receives, taken);
  }
  hca_srq* srq = (hca_srq*)qp->base.srq;
  bool has_one = pop(&srq->queue, taken);
  if (has_one && srq->queue.count < srq->limit) {
    srq->limit = 0;
    hca_event(hca_context_of(qp), IBV_EVENT_SRQ_LIMIT_REACHED, srq);
  }
  return has_one;
}

void hca_receive_complete(hca_qp* qp, const hca_receive* receive, struct ib_wc wc, bool is_solicited) {
  wc.wr_id = receive->id;
  wc.qp_num = qp->base.qp_num;
  hca_cqe entry = {wc, qp, 0};
  hca_cq_push((hca_cq*)qp->base.recv_cq, &entry, is_solicited || wc.status != IBV_WC_SUCCESS);
}

static void flush(hca_qp* qp) {
  hca_receive left;
  while (pop(&qp->receives, &left)) {
    hca_receive_complete(qp, &left, (struct ib_wc){.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV}, false);
  }
}

int hca_post_recv(struct ib_qp* base, struct ib_recv_wr* wr, struct ib_recv_wr** bad) {
  hca_qp* qp = (hca_qp*)base;
  hca_lock(hca_of(base->context));
  bool is_allowed = base->srq == NULL && base->state != IBV_QPS_RESET;
  int error = is_allowed ? push_all(&qp->receives, wr, bad) : EINVAL;
  if (!is_allowed) {
    *bad = wr;
  } else if (base->state == IBV_QPS_ERR) {
    flush(qp);
  }
  hca_unlock(hca_of(base->context));
  return error;
}

int hca_post_srq_recv(struct ib_srq* base, struct ib_recv_wr* wr, struct ib_recv_wr** bad) {
  hca_lock(hca_of(base->context));
  int error = push_all(&((hca_srq*)base)->queue, wr, bad);
  hca_unlock(hca_of(base->context));
  return error;
}

HCA_VERB struct ib_srq* ibv_create_srq(struct ib_pd* pd, struct ib_srq_init_attr* init) {
  if (!hca_of(pd->context)->profile->has_shared_receives) {
    errno = EOPNOTSUPP;
    return NULL;
  }
  if (init->attr.max_wr < 1 || init->attr.max_wr > hca_of(pd->context)->profile->max_requests || init->attr.max_sge > HCA_MAX_SGE) {
    errno = EINVAL;
    return NULL;
  }
  hca_srq* srq = hca_may_make() ? calloc(1, sizeof *srq) : NULL;
  if (srq == NULL || !hca_receive_queue_make(&srq->queue, init->attr.max_wr, init->attr.max_sge)) {
    free(srq);
    errno = ENOMEM;
    return NULL;
  }
  srq->base.context = pd->context;
  srq->base.srq_context = init->srq_context;
  srq->base.pd = pd;
  hca_lock(hca_of(pd->context));
  hca_use_domain(pd, 1);
  hca_unlock(hca_of(pd->context));
  return &srq->base;
}

HCA_VERB int ibv_modify_srq(struct ib_srq* base, struct ib_srq_attr* attr, int mask) {
  if (mask != IBV_SRQ_LIMIT) {
    return EINVAL;
  }
  hca_lock(hca_of(base->context));
  ((hca_srq*)base)->limit = attr->srq_limit;
  hca_unlock(hca_of(base->context));
  return 0;
}

HCA_VERB int ibv_query_srq(struct ib_srq* base, struct ib_srq_attr* attr) {
  hca_lock(hca_of(base->context));
  const hca_srq* srq = (const hca_srq*)base;
  *attr = (struct ib_srq_attr){srq->queue.depth, srq->queue.max_sge, srq->limit};
  hca_unlock(hca_of(base->context));
  return 0;
}

HCA_VERB int ibv_destroy_srq(struct ib_srq* base) {
  if (hca_refuses(hca_of(base->context))) {
    return EIO;
  }
  hca_srq* srq = (hca_srq*)base;
  hca_lock(hca_of(base->context));
  int users = srq->users;
  if (users == 0) {
    hca_use_domain(base->pd, -1);
  }
  hca_unlock(hca_of(base->context));
  if (users != 0) {
    return EBUSY;
  }
  free(srq->queue.ring);
  free(srq);
  return 0;
}
