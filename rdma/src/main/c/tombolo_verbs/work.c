// SPDX-License-Identifier: Apache-2.0
#include "work.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "handles.h"

static const int opcodes[WORK_OPCODES] = {VB_WR_RDMA_WRITE, VB_WR_RDMA_WRITE_WITH_IMM, VB_WR_SEND, VB_WR_SEND_WITH_IMM,
                                          VB_WR_RDMA_READ};

static int smaller(int a, int b) { return a < b ? a : b; }

static unsigned send_flags(uint8_t flags) {
  return (flags & WORK_SIGNALLED ? VB_SEND_SIGNALED : 0u) | (flags & WORK_INLINE ? VB_SEND_INLINE : 0u) |
         (flags & WORK_FENCE ? VB_SEND_FENCE : 0u) | (flags & WORK_SOLICITED ? VB_SEND_SOLICITED : 0u);
}

static int lay_out_send(const send_record* from, int is_datagram, struct vb_send_wr* to, struct vb_sge* piece) {
  if (from->opcode >= WORK_OPCODES) return -EINVAL;
  *piece = (struct vb_sge){from->address, from->length, from->local_key};
  to->wr_id = from->id;
  to->sg_list = piece;
  to->num_sge = from->length > 0;
  to->opcode = opcodes[from->opcode];
  to->send_flags = send_flags(from->flags);
  to->imm_data = htonl(from->immediate);
  if (is_datagram) {
    const handle_entry* peer = handle_find(from->peer, PEER_ADDRESS);
    if (peer == NULL) return -EBADF;
    to->wr.ud.ah = peer->object;
    to->wr.ud.remote_qpn = from->remote_qpn;
    to->wr.ud.remote_qkey = from->remote_qkey;
  } else {
    to->wr.rdma.remote_addr = from->remote_address;
    to->wr.rdma.rkey = from->remote_key;
  }
  return 0;
}

/* How many of a batch were taken: the library answers a positive errno, and points to the first it refused. */
static int taken_of(int error, int count, int64_t before_bad) {
  if (error == 0) return count;
  if (before_bad > 0) return (int)before_bad;
  return error > 0 ? -error : -EIO;
}

static int send_batch(struct vb_qp* qp, const send_record* records, int count, int is_datagram) {
  struct vb_send_wr requests[WORK_BATCH];
  struct vb_sge pieces[WORK_BATCH];
  struct vb_send_wr* bad = NULL;
  for (int i = 0; i < count; i++) {
    int problem = lay_out_send(&records[i], is_datagram, &requests[i], &pieces[i]);
    if (problem != 0) return problem;
    requests[i].next = i + 1 < count ? &requests[i + 1] : NULL;
  }
  int error = qp->context->ops.post_send(qp, requests, &bad);
  return taken_of(error, count, bad == NULL ? 0 : bad - requests);
}

int work_send(struct vb_qp* qp, const send_record* records, int count, int is_datagram) {
  int taken = 0;
  while (taken < count) {
    int size = smaller(count - taken, WORK_BATCH);
    int now = send_batch(qp, records + taken, size, is_datagram);
    if (now < 0) return taken > 0 ? taken : now;
    taken += now;
    if (now < size) break;
  }
  return taken;
}

typedef int (*receiver)(void* queue, struct vb_recv_wr* first, struct vb_recv_wr** bad);

static int receive_on_pair(void* queue, struct vb_recv_wr* first, struct vb_recv_wr** bad) {
  struct vb_qp* qp = queue;
  return qp->context->ops.post_recv(qp, first, bad);
}

static int receive_on_shared(void* queue, struct vb_recv_wr* first, struct vb_recv_wr** bad) {
  struct vb_srq* srq = queue;
  return srq->context->ops.post_srq_recv(srq, first, bad);
}

static int receive_batch(receiver post, void* queue, const receive_record* records, int count) {
  struct vb_recv_wr requests[WORK_BATCH];
  struct vb_sge pieces[WORK_BATCH];
  struct vb_recv_wr* bad = NULL;
  for (int i = 0; i < count; i++) {
    pieces[i] = (struct vb_sge){records[i].address, records[i].length, records[i].local_key};
    requests[i] = (struct vb_recv_wr){records[i].id, i + 1 < count ? &requests[i + 1] : NULL, &pieces[i],
                                      records[i].length > 0};
  }
  int error = post(queue, requests, &bad);
  return taken_of(error, count, bad == NULL ? 0 : bad - requests);
}

static int receive_all(receiver post, void* queue, const receive_record* records, int count) {
  int taken = 0;
  while (taken < count) {
    int size = smaller(count - taken, WORK_BATCH);
    int now = receive_batch(post, queue, records + taken, size);
    if (now < 0) return taken > 0 ? taken : now;
    taken += now;
    if (now < size) break;
  }
  return taken;
}

int work_receive(struct vb_qp* qp, const receive_record* records, int count) {
  return receive_all(receive_on_pair, qp, records, count);
}

int work_receive_shared(struct vb_srq* srq, const receive_record* records, int count) {
  return receive_all(receive_on_shared, srq, records, count);
}

static void copy_out(const struct vb_wc* from, completion_record* to) {
  *to = (completion_record){.id = from->wr_id,
                            .status = (uint32_t)from->status,
                            .bytes = from->byte_len,
                            .immediate = ntohl(from->imm_data),
                            .qpn = from->qp_num,
                            .source_qpn = from->src_qp,
                            .vendor_code = from->vendor_err,
                            .has_immediate = (from->wc_flags & VB_WC_WITH_IMM) != 0};
}

int work_poll(struct vb_cq* cq, completion_record* records, int most) {
  struct vb_wc found[WORK_BATCH];
  int taken = 0;
  while (taken < most) {
    int size = smaller(most - taken, WORK_BATCH);
    int now = cq->context->ops.poll_cq(cq, size, found);
    /* The library says only that it failed. */
    if (now < 0) return taken > 0 ? taken : -EIO;
    for (int i = 0; i < now; i++) copy_out(&found[i], &records[taken + i]);
    taken += now;
    if (now < size) break;
  }
  return taken;
}
