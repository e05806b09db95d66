// SPDX-License-Identifier: Apache-2.0
#include "efa.h"

#include <errno.h>

#include "chance.h"

/* efa_io_defs.h beside the provider: EFA_IO_TX_DESC_NUM_BUFS. */
enum { SEND_PIECES = 2 };

/* How far the device looks ahead: no source says, and a depth of its queues would let a request starve. */
enum { AHEAD = 16 };

bool hca_is_efa(const hca_context* context) { return context->profile->transport == IBV_TRANSPORT_UNSPECIFIED; }

/* Provider, efa_check_qp_limits. */
int hca_efa_refuses_pair(const hca_context* context, const struct ib_qp_init_attr* init) {
  return hca_is_efa(context) && init->cap.max_send_sge > SEND_PIECES ? EINVAL : 0;
}

/* Driver, efa_alloc_mr, of a device that has both RDMA reads and writes. */
int hca_efa_refuses_rights(const hca_context* context, unsigned access) {
  const unsigned known = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  return hca_is_efa(context) && (access & ~(known | IBV_ACCESS_OPTIONAL_RANGE)) != 0 ? EOPNOTSUPP : 0;
}

/* Driver, efa_modify_qp_validate: no other attributes, and the first partition key alone. */
int hca_efa_refuses_change(const hca_qp* qp, const struct ib_qp_attr* attr, int mask) {
  const int known = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
                    IBV_QP_QKEY | IBV_QP_SQ_PSN | IBV_QP_RNR_RETRY;
  bool is_unknown = (mask & ~known) != 0 || ((mask & IBV_QP_PKEY_INDEX) != 0 && attr->pkey_index != 0);
  return hca_is_efa(hca_context_of(qp)) && is_unknown ? EOPNOTSUPP : 0;
}

/* Provider, efa_post_send_validate: nothing once the pair is in error, no other flags, and no request without a
   completion. */
int hca_efa_refuses_send(const hca_qp* qp, const struct ib_send_wr* wr) {
  bool is_ready = qp->base.state == IBV_QPS_RTS || qp->base.state == IBV_QPS_SQD;
  bool tells = qp->signals_all || (wr->send_flags & IBV_SEND_SIGNALED) != 0;
  bool is_plain = (wr->send_flags & ~(unsigned)(IBV_SEND_SIGNALED | IBV_SEND_INLINE)) == 0;
  return hca_is_efa(hca_context_of(qp)) && !(is_ready && tells && is_plain) ? EINVAL : 0;
}

/* Driver, efa_create_ah: the GID alone, which the kernel's ib_uverbs_create_ah takes from a global route only. */
void hca_efa_route(const hca_context* context, struct ib_ah_attr* route) {
  if (hca_is_efa(context)) {
    *route = (struct ib_ah_attr){.port_num = route->port_num, .is_global = route->is_global,
                                 .grh = {.dgid = route->grh.dgid}};
  }
}

/* Provider, efa_wq_put_wrid_idx_locked: a request's place is free when its own completion is polled, and goes to a pool;
   those posted before it may be under way. */
void hca_efa_shuffle(hca_qp* qp) {
  if (!hca_is_efa(hca_context_of(qp))) {
    return;
  }
  uint64_t draw = hca_mix(hca_mix((uint64_t)hca_fault(HCA_SEED) + qp->base.qp_num) + ++qp->drawn);
  unsigned ahead = (unsigned)(draw % (qp->count < AHEAD ? qp->count : AHEAD));
  hca_request* oldest = &qp->requests[qp->first];
  hca_request* other = &qp->requests[(qp->first + ahead) % (qp->cap.max_send_wr + 1)];
  hca_request taken = *other;
  *other = *oldest;
  *oldest = taken;
}
