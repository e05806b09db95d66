// SPDX-License-Identifier: Apache-2.0
/* Posting to the send queue, and completing what was posted. */
#include <errno.h>
#include <string.h>

#include "efa.h"
#include "hca.h"
#include "verbs.h"

enum { WRITE = 1 << IBV_WR_RDMA_WRITE, WRITE_IMM = 1 << IBV_WR_RDMA_WRITE_WITH_IMM, SEND = 1 << IBV_WR_SEND,
       SEND_IMM = 1 << IBV_WR_SEND_WITH_IMM, READ = 1 << IBV_WR_RDMA_READ, BIND = 1 << IBV_WR_BIND_MW };

static unsigned opcodes_of(int type) {
  switch (type) {
    case IBV_QPT_RC:
      return WRITE | WRITE_IMM | SEND | SEND_IMM | READ;
    case IBV_QPT_UC:
      return WRITE | WRITE_IMM | SEND | SEND_IMM;
    default:
      return SEND | SEND_IMM;
  }
}

static size_t length_of(const struct ib_send_wr* wr) {
  size_t length = 0;
  for (int i = 0; i < wr->num_sge; i++) {
    length += wr->sg_list[i].length;
  }
  return length;
}

static bool is_valid(const hca_qp* qp, const struct ib_send_wr* wr, unsigned opcodes) {
  bool is_known = wr->opcode >= 0 && wr->opcode < 32 && (opcodes >> wr->opcode & 1) != 0;
  if (!is_known || wr->num_sge < 0 || (unsigned)wr->num_sge > qp->cap.max_send_sge) {
    return false;
  }
  size_t most = (wr->send_flags & IBV_SEND_INLINE) != 0 ? qp->cap.max_inline_data : HCA_MAX_MESSAGE;
  return length_of(wr) <= most && (qp->base.qp_type != IBV_QPT_UD || wr->wr.ud.ah != NULL);
}

static void copy_inline(hca_request* request) {
  size_t used = 0;
  for (int i = 0; i < request->wr.num_sge; i++) {
    memcpy(request->inline_data + used, (const void*)(uintptr_t)request->sge[i].addr, request->sge[i].length);
    used += request->sge[i].length;
  }
}

static int post(hca_qp* qp, const struct ib_send_wr* wr, unsigned opcodes) {
  if (!is_valid(qp, wr, opcodes) || hca_efa_refuses_send(qp, wr) != 0) {
    return EINVAL;
  }
  if (qp->held >= qp->cap.max_send_wr) {
    return ENOMEM;
  }
  hca_request* request = &qp->requests[(qp->first + qp->count) % (qp->cap.max_send_wr + 1)];
  request->wr = *wr;
  request->wr.next = NULL;
  request->wr.sg_list = NULL;
  for (int i = 0; i < wr->num_sge; i++) {
    request->sge[i] = wr->sg_list[i];
  }
  request->length = length_of(wr);
  request->is_signalled = qp->signals_all || (wr->send_flags & IBV_SEND_SIGNALED) != 0;
  request->is_begun = request->is_binding = request->asked_again = false;
  request->packets = request->read = 0;
  if ((wr->send_flags & IBV_SEND_INLINE) != 0) {
    copy_inline(request);
  }
  qp->count++;
  qp->held++;
  return 0;
}

static bool takes_requests(int state) {
  return state == IBV_QPS_RTS || state == IBV_QPS_SQE || state == IBV_QPS_ERR || state == IBV_QPS_SQD;
}

static int post_all(hca_qp* qp, struct ib_send_wr* wr, struct ib_send_wr** bad, unsigned opcodes) {
  hca_lock(hca_context_of(qp));
  int error = takes_requests(qp->base.state) ? 0 : EINVAL;
  while (error == 0 && wr != NULL) {
    error = post(qp, wr, opcodes);
    wr = error == 0 ? wr->next : wr;
  }
  if (error != 0) {
    *bad = wr;
  }
  while (qp->count > 0 && (qp->base.state == IBV_QPS_ERR || qp->base.state == IBV_QPS_SQE)) {
    hca_request_complete(qp, IBV_WC_WR_FLUSH_ERR);
  }
  if (qp->count > 0) {
    hca_ring(hca_context_of(qp));
  }
  hca_unlock(hca_context_of(qp));
  return error;
}

static _Atomic int64_t doorbells;

HCA_VERB int64_t tombolo_hca_doorbells(void) { return atomic_load(&doorbells); }

int hca_post_send(struct ib_qp* qp, struct ib_send_wr* wr, struct ib_send_wr** bad) {
  atomic_fetch_add(&doorbells, 1);
  return post_all((hca_qp*)qp, wr, bad, opcodes_of(qp->qp_type));
}

/* The window has its new key from here on; peers may use it once the request is complete. */
int hca_bind_mw(struct ib_qp* qp, struct ib_mw* mw, struct ib_mw_bind* bind) {
  if (mw->type != IBV_MW_TYPE_1 || qp->pd != mw->pd || qp->qp_type == IBV_QPT_UD) {
    return EINVAL;
  }
  struct ib_send_wr* bad = NULL;
  struct ib_send_wr wr;
  memset(&wr, 0, sizeof wr);
  wr.wr_id = bind->wr_id;
  wr.opcode = IBV_WR_BIND_MW;
  wr.send_flags = bind->send_flags & ~(unsigned)IBV_SEND_INLINE;
  wr.bind_mw.mw = mw;
  wr.bind_mw.rkey = (mw->rkey & ~0xffu) | hca_next_tag((uint8_t)mw->rkey);
  wr.bind_mw.bind_info = bind->bind_info;
  int error = post_all((hca_qp*)qp, &wr, &bad, BIND);
  if (error == 0) {
    mw->rkey = wr.bind_mw.rkey;
  }
  return error;
}

static int completed_opcode(int opcode) {
  switch (opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      return IBV_WC_RDMA_WRITE;
    case IBV_WR_RDMA_READ:
      return IBV_WC_RDMA_READ;
    case IBV_WR_BIND_MW:
      return IBV_WC_BIND_MW;
    default:
      return IBV_WC_SEND;
  }
}

/*
 * Room in the send queue comes back when a completion is polled, as with real NICs: a sender that never asks for a
 * completion ends with a full queue.
 */
void hca_request_complete(hca_qp* qp, int status) {
  const hca_request* request = &qp->requests[qp->first];
  unsigned retires = qp->to_retire + 1;
  hca_cqe entry = {.wc = {.wr_id = request->wr.wr_id,
                          .status = status,
                          .opcode = completed_opcode(request->wr.opcode),
                          .byte_len = (uint32_t)request->length,
                          .qp_num = qp->base.qp_num},
                   .qp = qp,
                   .retires = retires};
  bool tells = request->is_signalled || status != IBV_WC_SUCCESS;
  qp->first = (qp->first + 1) % (qp->cap.max_send_wr + 1);
  qp->count--;
  if (qp->sent > 0) {
    qp->sent--;
  } else {
    qp->packet = 0;
  }
  qp->to_retire = tells ? 0 : retires;
  if (tells) {
    hca_cq_push((hca_cq*)qp->base.send_cq, &entry, status != IBV_WC_SUCCESS);
  }
}
