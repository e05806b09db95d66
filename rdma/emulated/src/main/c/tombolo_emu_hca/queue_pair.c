// SPDX-License-Identifier: Apache-2.0
/* Queue pairs: made, taken through their states, broken, gone. And the addresses that datagrams go to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "efa.h"
#include "event.h"
#include "hca.h"
#include "settings.h"
#include "verbs.h"

enum { FIRST_NUMBER = 0x11, LAST_NUMBER = 0xfffff, DEQUEUED = 16 };

static hca_qp** bucket(hca_context* context, uint32_t number) { return &context->pairs[number % HCA_BUCKETS]; }

hca_qp* hca_qp_find(hca_context* context, uint32_t number) {
  hca_qp* qp = *bucket(context, number);
  while (qp != NULL && qp->base.qp_num != number) {
    qp = qp->next;
  }
  return qp;
}

static uint32_t inline_limit(const hca_profile* profile) {
  int64_t limit = hca_fault(HCA_INLINE_LIMIT);
  return limit > 0 && limit < profile->max_inline ? (uint32_t)limit : profile->max_inline;
}

static bool is_valid(const hca_profile* profile, const struct ib_qp_init_attr* init) {
  return (init->qp_type == IBV_QPT_RC || init->qp_type == IBV_QPT_UC || init->qp_type == IBV_QPT_UD) &&
         init->send_cq != NULL && init->recv_cq != NULL && init->cap.max_send_wr <= profile->max_requests &&
         init->cap.max_recv_wr <= profile->max_requests && init->cap.max_send_sge <= HCA_MAX_SGE &&
         init->cap.max_recv_sge <= HCA_MAX_SGE && init->cap.max_inline_data <= inline_limit(profile);
}

/* All processes with NICs of this port share its numbers: the socket's name decides. */
static bool take_number(hca_context* context, hca_qp* qp) {
  for (uint32_t number = FIRST_NUMBER; number <= LAST_NUMBER; number++) {
    errno = EADDRINUSE;
    qp->socket = hca_qp_find(context, number) == NULL ? hca_listen(context, number) : -1;
    if (qp->socket >= 0) {
      qp->base.qp_num = qp->base.handle = number;
      return true;
    }
    if (errno != EADDRINUSE) {
      return false;
    }
  }
  return false;
}

static bool attach(hca_context* context, hca_qp* qp) {
  if (!take_number(context, qp)) {
    return false;
  }
  struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = qp->base.qp_num};
  if (epoll_ctl(context->epoll, EPOLL_CTL_ADD, qp->socket, &wanted) != 0) {
    (void)close(qp->socket);
    return false;
  }
  qp->next = *bucket(context, qp->base.qp_num);
  *bucket(context, qp->base.qp_num) = qp;
  return true;
}

static void use(hca_qp* qp, int change) {
  hca_use_domain(qp->base.pd, change);
  ((hca_cq*)qp->base.send_cq)->users += change;
  ((hca_cq*)qp->base.recv_cq)->users += change;
  if (qp->base.srq != NULL) {
    ((hca_srq*)qp->base.srq)->users += change;
  }
}

static void release(hca_qp* qp) {
  free(qp->requests);
  free(qp->receives.ring);
  free(qp);
}

static bool has_memory(hca_qp* qp, const struct ib_qp_init_attr* init) {
  unsigned depth = init->srq == NULL ? init->cap.max_recv_wr : 0;
  qp->requests = calloc(init->cap.max_send_wr + 1, sizeof *qp->requests);
  return qp->requests != NULL && hca_receive_queue_make(&qp->receives, depth, init->cap.max_recv_sge);
}

HCA_VERB struct ib_qp* ibv_create_qp(struct ib_pd* pd, struct ib_qp_init_attr* init) {
  const hca_profile* profile = hca_of(pd->context)->profile;
  if (!hca_profile_makes(profile, init->qp_type) || (init->qp_type == IBV_QPT_UC && hca_fault(HCA_NO_UC) != 0)) {
    errno = EOPNOTSUPP;
    return NULL;
  }
  bool makes_sense = is_valid(profile, init) && hca_efa_refuses_pair(hca_of(pd->context), init) == 0;
  hca_qp* qp = makes_sense && hca_may_make() ? calloc(1, sizeof *qp) : NULL;
  if (qp == NULL || !has_memory(qp, init)) {
    errno = makes_sense ? ENOMEM : EINVAL;
    free(qp == NULL ? NULL : qp->requests);
    free(qp);
    return NULL;
  }
  init->cap.max_inline_data = inline_limit(profile);
  qp->base = (struct ib_qp){.context = pd->context, .qp_context = init->qp_context, .pd = pd,
                            .send_cq = init->send_cq, .recv_cq = init->recv_cq, .srq = init->srq,
                            .state = IBV_QPS_RESET, .qp_type = init->qp_type};
  qp->cap = init->cap;
  qp->signals_all = init->sq_sig_all != 0;
  qp->mtu = HCA_MAX_MTU;
  qp->fate = -1;
  qp->fail = hca_qp_fail;
  hca_context* context = hca_of(pd->context);
  hca_lock(context);
  bool is_attached = attach(context, qp);
  int error = errno;
  if (is_attached) {
    use(qp, 1);
  }
  hca_unlock(context);
  if (!is_attached) {
    release(qp);
    errno = error;
    return NULL;
  }
  return &qp->base;
}

/*
 * A pair that shares its receives has to be in the error state before it goes, as what it has dequeued by then goes with
 * it: IBTA 1.3, 10.3.1, on the event of the last one. An HCA may dequeue before a message comes; this one has a burst.
 */
static void lose_receives(hca_qp* qp) {
  hca_receive lost;
  bool is_live = qp->base.state == IBV_QPS_RTR || qp->base.state == IBV_QPS_RTS || qp->base.state == IBV_QPS_SQE;
  for (int i = 0; i < DEQUEUED && is_live && qp->base.srq != NULL && hca_take_receive(qp, &lost); i++) {
  }
}

HCA_VERB int ibv_destroy_qp(struct ib_qp* base) {
  if (hca_refuses(hca_of(base->context))) {
    return EIO;
  }
  hca_qp* qp = (hca_qp*)base;
  hca_context* context = hca_of(base->context);
  hca_lock(context);
  hca_qp** link = bucket(context, base->qp_num);
  while (*link != qp) {
    link = &(*link)->next;
  }
  *link = qp->next;
  lose_receives(qp);
  (void)close(qp->socket); /* which takes it out of the epoll set */
  hca_cq_forget((hca_cq*)base->send_cq, qp);
  hca_cq_forget((hca_cq*)base->recv_cq, qp);
  hca_event_silence(context, qp);
  use(qp, -1);
  int error = hca_end(context);
  hca_unlock(context);
  release(qp);
  return error;
}

static void reset(hca_qp* qp) {
  hca_cq_forget((hca_cq*)qp->base.send_cq, qp);
  hca_cq_forget((hca_cq*)qp->base.recv_cq, qp);
  qp->first = qp->count = qp->sent = qp->packet = qp->held = qp->to_retire = 0;
  qp->timeout_ns = qp->resume_ns = 0;
  qp->receives.head = qp->receives.count = 0;
  qp->has_taken = qp->is_open = qp->has_asked = false;
  qp->reply = (hca_reply){false, 0, 0};
  qp->answer_count = 0;
}

static int set_path(hca_qp* qp, const struct ib_qp_attr* attr) {
  uint32_t mtu = (uint32_t)hca_mtu_bytes((int)attr->path_mtu);
  if (attr->ah_attr.port_num != 1 || mtu == 0 || mtu > hca_context_of(qp)->mtu) {
    return EINVAL;
  }
  if (hca_context_of(qp)->profile->transport == IBV_TRANSPORT_IWARP) {
    return EINVAL; /* only rdma_cm connects */
  }
  struct hca_port port;
  qp->mtu = mtu;
  qp->attr.ah_attr = attr->ah_attr;
  qp->attr.path_mtu = attr->path_mtu;
  qp->attr.dest_qp_num = attr->dest_qp_num;
  qp->attr.rq_psn = attr->rq_psn;
  qp->expected = hca_psn(attr->rq_psn);
  qp->reaches_peer = hca_route(hca_context_of(qp), &attr->ah_attr, &port);
  if (qp->reaches_peer) {
    hca_peer_make(hca_context_of(qp), port, attr->dest_qp_num, &attr->ah_attr, hca_context_of(qp)->has_new_gid,
                  &qp->peer);
  }
  return 0;
}

static void set_start(hca_qp* qp, const struct ib_qp_attr* attr) {
  qp->attr.sq_psn = attr->sq_psn;
  qp->next_psn = qp->unacknowledged = hca_psn(attr->sq_psn);
}

static void set_reliability(hca_qp* qp, const struct ib_qp_attr* attr) {
  qp->attr.timeout = attr->timeout;
  qp->attr.retry_cnt = attr->retry_cnt;
  qp->attr.rnr_retry = attr->rnr_retry;
  qp->attr.max_rd_atomic = attr->max_rd_atomic;
  qp->retries = attr->retry_cnt;
  qp->rnr_retries = attr->rnr_retry;
}

static int apply(hca_qp* qp, const struct ib_qp_attr* attr, int mask) {
  if ((mask & IBV_QP_PORT) != 0 && attr->port_num != 1) {
    return EINVAL;
  }
  if ((mask & IBV_QP_PKEY_INDEX) != 0 && attr->pkey_index >= HCA_PKEYS) {
    return EINVAL;
  }
  if ((mask & IBV_QP_AV) != 0 && set_path(qp, attr) != 0) {
    return EINVAL;
  }
  if ((mask & IBV_QP_PKEY_INDEX) != 0) {
    qp->attr.pkey_index = attr->pkey_index;
  }
  if ((mask & IBV_QP_ACCESS_FLAGS) != 0) {
    qp->attr.qp_access_flags = attr->qp_access_flags;
  }
  if ((mask & IBV_QP_QKEY) != 0) {
    qp->attr.qkey = attr->qkey;
  }
  if ((mask & IBV_QP_SQ_PSN) != 0) {
    set_start(qp, attr);
  }
  if ((mask & IBV_QP_MIN_RNR_TIMER) != 0) {
    qp->attr.min_rnr_timer = attr->min_rnr_timer & 31;
  }
  if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) != 0) {
    qp->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
  }
  if ((mask & IBV_QP_RETRY_CNT) != 0) {
    set_reliability(qp, attr);
  }
  return 0;
}

static int change(hca_qp* qp, const struct ib_qp_attr* attr, int mask) {
  int to = (mask & IBV_QP_STATE) != 0 ? attr->qp_state : qp->base.state;
  int error = hca_check_transition(qp->base.qp_type, qp->base.state, to, mask);
  error = error == 0 ? apply(qp, attr, mask) : error;
  if (error != 0) {
    return error;
  }
  if (to == IBV_QPS_ERR) {
    hca_qp_fail(qp, -1);
  } else if (to == IBV_QPS_RESET) {
    reset(qp);
  }
  qp->base.state = to;
  return 0;
}

static void pass_ms(int64_t ms) {
  struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

/*
 * The kernel asks the network for the Ethernet address of a peer before it asks the driver, so that nothing has changed by
 * then, and holds no lock meanwhile that other calls need; nor does who asks this. It knows its own address.
 */
static bool is_unresolved(hca_context* context, const struct ib_ah_attr* to) {
  struct hca_port port;
  bool is_own = hca_route(context, to, &port) && port.host == context->port.host && port.nic == context->port.nic;
  bool is_lost = !context->is_infiniband && !hca_is_efa(context) && !is_own && hca_spends(HCA_UNRESOLVED);
  if (is_lost) {
    pass_ms(hca_fault(HCA_UNRESOLVED_MS));
  }
  return is_lost;
}

HCA_VERB int ibv_modify_qp(struct ib_qp* base, struct ib_qp_attr* attr, int mask) {
  hca_context* context = hca_of(base->context);
  bool is_lost = (mask & IBV_QP_AV) != 0 && is_unresolved(context, &attr->ah_attr);
  hca_lock(context);
  int error = context->is_dead || hca_refuses(context) ? EIO : hca_efa_refuses_change((hca_qp*)base, attr, mask);
  error = error == 0 && is_lost ? ETIMEDOUT : error;
  error = error == 0 ? change((hca_qp*)base, attr, mask) : error;
  hca_ring(context);
  hca_unlock(context);
  return error;
}

HCA_VERB int ibv_query_qp(struct ib_qp* base, struct ib_qp_attr* attr, int mask, struct ib_qp_init_attr* init) {
  (void)mask;
  const hca_qp* qp = (const hca_qp*)base;
  hca_lock(hca_of(base->context));
  *attr = qp->attr;
  attr->qp_state = attr->cur_qp_state = base->state;
  attr->cap = qp->cap;
  attr->port_num = 1;
  hca_unlock(hca_of(base->context));
  memset(init, 0, sizeof *init);
  init->qp_context = base->qp_context;
  init->send_cq = base->send_cq;
  init->recv_cq = base->recv_cq;
  init->srq = base->srq;
  init->cap = qp->cap;
  init->qp_type = base->qp_type;
  init->sq_sig_all = qp->signals_all;
  return 0;
}

static void flush_receives(hca_qp* qp) {
  const struct ib_wc flushed = {.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV};
  hca_receive left = qp->taken;
  if (qp->has_taken) {
    hca_receive_complete(qp, &left, flushed, false);
  }
  qp->has_taken = false;
  while (qp->base.srq == NULL && hca_take_receive(qp, &left)) {
    hca_receive_complete(qp, &left, flushed, false);
  }
  if (qp->base.srq != NULL) {
    hca_event(hca_context_of(qp), IBV_EVENT_QP_LAST_WQE_REACHED, qp);
  }
}

static void flush_requests(hca_qp* qp) {
  while (qp->count > 0) {
    hca_request_complete(qp, IBV_WC_WR_FLUSH_ERR);
  }
}

/* An application polls what is flushed where the device writes it; the event has to go through the kernel. */
static void tell(hca_qp* qp, int event) {
  bool is_of_peer = event == IBV_EVENT_QP_FATAL && hca_fault(HCA_BREAK_BY_PEER) != 0;
  int64_t late_ms = hca_fault(HCA_EVENT_MS);
  qp->late_event = is_of_peer ? IBV_EVENT_QP_ACCESS_ERR : event;
  qp->event_ns = hca_now_ns() + late_ms * INT64_C(1000000);
  if (late_ms == 0) {
    (void)hca_late_event(qp, qp->event_ns);
  } else {
    hca_ring(hca_context_of(qp)); /* to wait for that */
  }
}

int64_t hca_late_event(hca_qp* qp, int64_t now_ns) {
  if (qp->event_ns != 0 && qp->event_ns <= now_ns) {
    qp->event_ns = 0;
    hca_event(hca_context_of(qp), qp->late_event, qp);
  }
  return qp->event_ns == 0 ? INT64_MAX : qp->event_ns;
}

void hca_qp_fail(hca_qp* qp, int event) {
  if (qp->base.state == IBV_QPS_ERR) {
    return;
  }
  qp->base.state = IBV_QPS_ERR;
  qp->timeout_ns = 0;
  qp->is_open = false;
  qp->answer_count = 0;
  if (event >= 0) {
    tell(qp, event);
  }
  flush_requests(qp);
  flush_receives(qp);
}

/* What is reliable breaks; what is not goes on receiving, and may send again once it was put right. */
void hca_qp_fail_send(hca_qp* qp, int status) {
  if (qp->base.qp_type == IBV_QPT_RC && qp->base.srq == NULL && hca_fault(HCA_RECEIVES_FIRST) != 0) {
    flush_receives(qp);
  }
  hca_request_complete(qp, status);
  if (qp->base.qp_type == IBV_QPT_RC) {
    hca_qp_fail(qp, hca_context_of(qp)->profile->tells_of_requests ? IBV_EVENT_QP_FATAL : -1);
  } else {
    qp->base.state = IBV_QPS_SQE;
    flush_requests(qp);
  }
}

HCA_VERB struct ib_ah* ibv_create_ah(struct ib_pd* pd, struct ib_ah_attr* attr) {
  if (is_unresolved(hca_of(pd->context), attr)) {
    errno = ETIMEDOUT;
    return NULL;
  }
  hca_ah* ah = attr->port_num == 1 && hca_may_make() ? calloc(1, sizeof *ah) : NULL;
  if (ah == NULL) {
    errno = attr->port_num == 1 ? ENOMEM : EINVAL;
    return NULL;
  }
  hca_context* context = hca_of(pd->context);
  ah->base.context = pd->context;
  ah->base.pd = pd;
  ah->attr = *attr;
  hca_efa_route(context, &ah->attr);
  ah->reaches = hca_route(context, &ah->attr, &ah->port);
  hca_lock(context);
  ah->from_new_gid = context->has_new_gid;
  hca_use_domain(pd, 1);
  hca_unlock(context);
  return &ah->base;
}

HCA_VERB int ibv_destroy_ah(struct ib_ah* ah) {
  hca_lock(hca_of(ah->context));
  hca_use_domain(ah->pd, -1);
  hca_unlock(hca_of(ah->context));
  free(ah);
  return 0;
}
