// SPDX-License-Identifier: Apache-2.0
/*
 * The receiving half of connected queue pairs. IBTA 1.3, 9.7 and 9.8: RC takes packets in sequence only, and says what is
 * wrong; UC starts afresh with the first packet of any message, drops a message of which a packet is missing, and is
 * silent. What UC refuses costs a shared receive entry, as it does in Linux's Soft-RoCE, and no entry of a pair's own.
 */
#include <string.h>

#include "hca.h"
#include "posted.h"

static bool is_reliable(const hca_qp* qp) { return qp->base.qp_type == IBV_QPT_RC; }

static void owe(hca_qp* qp, uint8_t syndrome, uint32_t psn) { qp->reply = (hca_reply){true, syndrome, psn}; }

/* ---- refusing ---- */

static void complete(hca_qp* qp, const struct hca_header* header, int status) {
  bool is_write = header->kind == HCA_WRITE;
  struct ib_wc wc = {.status = status,
                     .opcode = is_write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV,
                     .byte_len = (uint32_t)qp->open_bytes,
                     .imm_data = header->immediate,
                     .src_qp = header->source_qpn,
                     .slid = header->source_lid,
                     .sl = header->service_level};
  wc.wc_flags = (header->flags & HCA_IMMEDIATE) != 0 ? IBV_WC_WITH_IMM : 0u;
  qp->has_taken = false;
  hca_receive_complete(qp, &qp->taken, wc, (header->flags & HCA_SOLICITED) != 0);
}

/* An unreliable message ends without its end. */
static void abandon(hca_qp* qp, const struct hca_header* header, int status) {
  qp->is_open = false;
  if (qp->has_taken && qp->base.srq != NULL) {
    complete(qp, header, status);
  }
}

static int event_of(uint8_t syndrome) {
  return syndrome == HCA_ACCESS_ERROR ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR;
}

/* Tells the peer before the pair breaks: afterwards it says nothing more. */
static void refuse(hca_qp* qp, const struct hca_header* header, uint8_t syndrome, int status) {
  if (!is_reliable(qp)) {
    if (!qp->has_taken && qp->base.srq != NULL && (header->flags & HCA_IMMEDIATE) != 0) {
      qp->has_taken = hca_take_receive(qp, &qp->taken);
    }
    abandon(qp, header, status);
    return;
  }
  owe(qp, syndrome, header->psn);
  (void)hca_reply_step(qp);
  if (qp->has_taken) {
    complete(qp, header, status);
  }
  hca_qp_fail(qp, event_of(syndrome));
}

/* ---- taking ---- */

static bool needs_receive(const struct hca_header* header) {
  return header->kind == HCA_SEND || (header->flags & HCA_IMMEDIATE) != 0;
}

/* An unreliable message for which there is no receive entry is dropped; a reliable one is asked to come again. */
static bool has_receive(hca_qp* qp, const struct hca_header* header) {
  if (!needs_receive(header) || qp->has_taken) {
    return true;
  }
  qp->has_taken = hca_take_receive(qp, &qp->taken);
  if (qp->has_taken) {
    return true;
  }
  if (is_reliable(qp)) {
    owe(qp, (uint8_t)(HCA_NOT_READY | qp->attr.min_rnr_timer), header->psn);
  } else {
    qp->is_open = false;
  }
  return false;
}

static bool place_send(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  if (hca_receive_room(&qp->taken) < qp->open_bytes + header->payload) {
    refuse(qp, header, HCA_INVALID_REQUEST, IBV_WC_LOC_LEN_ERR);
    return false;
  }
  if (!hca_scatter(qp, qp->taken.sge, qp->taken.pieces, qp->open_bytes, payload, header->payload)) {
    refuse(qp, header, HCA_OPERATION_ERROR, IBV_WC_LOC_PROT_ERR);
    return false;
  }
  return true;
}

static bool may_write(hca_qp* qp, uint64_t length) {
  return length == 0 || ((qp->attr.qp_access_flags & IBV_ACCESS_REMOTE_WRITE) != 0 &&
                         hca_remote(hca_context_of(qp), qp->base.pd, qp->open_rkey, qp->open_address, length,
                                    IBV_ACCESS_REMOTE_WRITE) != NULL);
}

/* The whole range must be allowed before its first byte is written, and each part still when it comes. */
static bool place_write(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  bool is_first = (header->flags & HCA_FIRST) != 0;
  if (is_first) {
    qp->open_address = header->address;
    qp->open_rkey = header->rkey;
  }
  if (!may_write(qp, is_first ? header->length : header->payload) || (is_first && header->payload > header->length)) {
    refuse(qp, header, HCA_ACCESS_ERROR, IBV_WC_REM_ACCESS_ERR);
    return false;
  }
  if (header->payload > 0) {
    unsigned char* to = hca_remote(hca_context_of(qp), qp->base.pd, qp->open_rkey, qp->open_address, header->payload,
                                   IBV_ACCESS_REMOTE_WRITE);
    hca_place(hca_region_of(hca_context_of(qp), qp->open_rkey), to, payload, header->payload);
    qp->open_address += header->payload;
  }
  return true;
}

/* One packet in its place; false if it was refused. */
static bool take(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  if ((header->flags & HCA_FIRST) != 0) {
    qp->is_open = true;
    qp->open_kind = header->kind;
    qp->open_bytes = 0;
  }
  if (!has_receive(qp, header)) {
    return false;
  }
  bool is_placed = header->kind == HCA_SEND ? place_send(qp, header, payload) : place_write(qp, header, payload);
  if (!is_placed) {
    return false;
  }
  qp->open_bytes += header->payload;
  if ((header->flags & HCA_LAST) != 0) {
    qp->is_open = false;
    if (needs_receive(header)) {
      complete(qp, header, IBV_WC_SUCCESS);
    }
  }
  return true;
}

/* ---- unreliable ---- */

static void on_unreliable(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  bool is_first = (header->flags & HCA_FIRST) != 0;
  bool follows = qp->is_open && header->psn == qp->expected && header->kind == qp->open_kind;
  if (qp->is_open && (is_first || !follows)) {
    abandon(qp, header, IBV_WC_REM_INV_REQ_ERR);
  }
  if ((is_first || follows) && header->kind != HCA_READ) {
    qp->expected = hca_psn(header->psn + 1);
    (void)take(qp, header, payload);
  }
}

/* ---- reliable ---- */

static void owe_answer(hca_qp* qp, const struct hca_header* header) {
  bool is_allowed = (qp->attr.qp_access_flags & IBV_ACCESS_REMOTE_READ) != 0 &&
                    (header->length == 0 || hca_remote(hca_context_of(qp), qp->base.pd, header->rkey, header->address,
                                                       header->length, IBV_ACCESS_REMOTE_READ) != NULL);
  if (!is_allowed || header->length > HCA_MAX_MESSAGE) {
    refuse(qp, header, HCA_ACCESS_ERROR, IBV_WC_REM_ACCESS_ERR);
    return;
  }
  if (qp->answer_count < HCA_MAX_READS) { /* else it is asked again */
    unsigned index = (qp->first_answer + qp->answer_count++) % HCA_MAX_READS;
    qp->answers[index] = (hca_answer){header->address, header->length, header->rkey, header->psn, false};
  }
}

static uint32_t packets_of(const hca_qp* qp, const struct hca_header* header) {
  return header->kind != HCA_READ || header->length == 0 ? 1 : (uint32_t)((header->length + qp->mtu - 1) / qp->mtu);
}

static void on_next(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  bool is_first = (header->flags & HCA_FIRST) != 0;
  qp->has_asked = false;
  if (is_first == qp->is_open || (qp->is_open && header->kind != qp->open_kind)) {
    refuse(qp, header, HCA_INVALID_REQUEST, IBV_WC_REM_INV_REQ_ERR);
    return;
  }
  if (header->kind == HCA_READ) {
    qp->expected = hca_psn(header->psn + packets_of(qp, header));
    owe_answer(qp, header);
    return;
  }
  bool was_open = qp->is_open;
  if (take(qp, header, payload)) {
    qp->expected = hca_psn(header->psn + 1);
    if ((header->flags & HCA_ASKS_ACK) != 0) {
      owe(qp, HCA_ACKNOWLEDGED, header->psn);
    }
  } else if (qp->base.state != IBV_QPS_ERR) {
    qp->is_open = was_open; /* it will come again */
  }
}

static void on_reliable(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  int32_t after = hca_psn_after(header->psn, qp->expected);
  if (after == 0) {
    on_next(qp, header, payload);
  } else if (after > 0) {
    if (!qp->has_asked) {
      qp->has_asked = true;
      owe(qp, HCA_OUT_OF_SEQUENCE, qp->expected);
    }
  } else if (header->kind == HCA_READ) {
    owe_answer(qp, header);
  } else if (!qp->reply.is_due) {
    owe(qp, HCA_ACKNOWLEDGED, hca_psn(qp->expected - 1));
  }
}

void hca_on_request(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  int state = qp->base.state;
  if (state != IBV_QPS_RTR && state != IBV_QPS_RTS && state != IBV_QPS_SQE) {
    return;
  }
  if (is_reliable(qp)) {
    on_reliable(qp, header, payload);
  } else {
    on_unreliable(qp, header, payload);
  }
}

/* ---- answering ---- */

static enum hca_step send_answer(hca_qp* qp) {
  hca_answer* answer = &qp->answers[qp->first_answer];
  uint32_t part = answer->left < qp->mtu ? (uint32_t)answer->left : qp->mtu;
  struct hca_header header = {.kind = HCA_READ_ANSWER, .qpn = qp->attr.dest_qp_num, .psn = answer->psn,
                              .payload = part};
  const unsigned char* from = part == 0 ? NULL
                                        : hca_remote(hca_context_of(qp), qp->base.pd, answer->rkey, answer->address,
                                                     part, IBV_ACCESS_REMOTE_READ);
  if (part > 0 && from == NULL) { /* allowed when it was asked, and not any more */
    qp->answer_count = 0;
    owe(qp, HCA_ACCESS_ERROR, answer->psn);
    return HCA_WENT_ON;
  }
  if (qp->reaches_peer && hca_send(qp, &qp->peer, &header, from) == HCA_BLOCKED) {
    return HCA_WAITS;
  }
  answer->address += part;
  answer->left -= part;
  answer->psn = hca_psn(answer->psn + 1);
  if (answer->left == 0) {
    qp->first_answer = (qp->first_answer + 1) % HCA_MAX_READS;
    qp->answer_count--;
  }
  return HCA_WENT_ON;
}

enum hca_step hca_reply_step(hca_qp* qp) {
  if (qp->answer_count > 0) {
    return send_answer(qp);
  }
  if (!qp->reply.is_due) {
    return HCA_IDLE;
  }
  struct hca_header header = {.kind = HCA_ACK, .syndrome = qp->reply.syndrome, .qpn = qp->attr.dest_qp_num,
                              .psn = qp->reply.psn};
  if (qp->reaches_peer && hca_send(qp, &qp->peer, &header, NULL) == HCA_BLOCKED) {
    return HCA_WAITS;
  }
  qp->reply.is_due = false;
  return HCA_WENT_ON;
}
