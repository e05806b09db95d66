// SPDX-License-Identifier: Apache-2.0
/*
 * The sending half of connected queue pairs. RC goes back to what is missing (go-back-N, as NICs do) after a negative
 * acknowledgement or a timeout; UC sends, forgets, and completes. IBTA 1.3, 9.7 and 9.8.
 */
#include <string.h>

#include "hca.h"
#include "settings.h"

enum { WINDOW = 64, ACK_EVERY = 16, NEVER_GIVES_UP = 7 };

/* When a receiver that was not ready wants to be asked again, in units of 10 us: IBTA 1.3, table 45. */
static const int32_t not_ready[32] = {65536, 1,   2,   3,   4,   6,    8,    12,   16,   24,   32,
                                      48,    64,  96,  128, 192, 256,  384,  512,  768,  1024, 1536,
                                      2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

static bool is_reliable(const hca_qp* qp) { return qp->base.qp_type == IBV_QPT_RC; }

static hca_request* at(hca_qp* qp, unsigned index) {
  return &qp->requests[(qp->first + index) % (qp->cap.max_send_wr + 1)];
}

/* ---- timers ---- */

/* 4.096 us * 2^timeout; 0 stands for never. */
static void start_timer(hca_qp* qp) {
  qp->timeout_ns = qp->attr.timeout == 0 ? 0 : hca_now_ns() + (INT64_C(4096) << (qp->attr.timeout & 31));
}

static void rewind_to(hca_qp* qp, uint32_t psn) {
  unsigned index = 0;
  while (index < qp->count && at(qp, index)->is_begun &&
         hca_psn_after(psn, at(qp, index)->psn) >= (int32_t)at(qp, index)->packets) {
    index++;
  }
  qp->sent = index;
  qp->packet = index < qp->count && at(qp, index)->is_begun ? hca_psn(psn - at(qp, index)->psn) : 0;
}

/* Resends from the oldest packet that is not acknowledged, unless that was done too often. */
static void try_again(hca_qp* qp) {
  if (qp->retries == 0) {
    hca_qp_fail_send(qp, IBV_WC_RETRY_EXC_ERR);
    return;
  }
  qp->retries--;
  rewind_to(qp, qp->unacknowledged);
  start_timer(qp);
}

int64_t hca_request_timer(hca_qp* qp, int64_t now_ns) {
  if (qp->base.state != IBV_QPS_RTS || !is_reliable(qp)) {
    return INT64_MAX;
  }
  if (qp->timeout_ns != 0 && qp->timeout_ns <= now_ns) {
    try_again(qp);
  }
  int64_t next_ns = qp->timeout_ns != 0 ? qp->timeout_ns : INT64_MAX;
  return qp->resume_ns > now_ns && qp->resume_ns < next_ns ? qp->resume_ns : next_ns;
}

/* ---- sending ---- */

static uint32_t packets_of(const hca_qp* qp, size_t length) {
  return length == 0 ? 1 : (uint32_t)((length + qp->mtu - 1) / qp->mtu);
}

static void begin(hca_qp* qp, hca_request* request) {
  if (!request->is_begun) {
    request->is_begun = true;
    request->psn = qp->next_psn;
    request->packets = packets_of(qp, request->length);
    qp->next_psn = hca_psn(qp->next_psn + request->packets);
  }
}

static bool is_read(const hca_request* request) { return request->wr.opcode == IBV_WR_RDMA_READ; }

static bool has_immediate(const hca_request* request) {
  return request->wr.opcode == IBV_WR_SEND_WITH_IMM || request->wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static enum hca_kind kind_of(const hca_request* request) {
  if (is_read(request)) {
    return HCA_READ;
  }
  bool is_send = request->wr.opcode == IBV_WR_SEND || request->wr.opcode == IBV_WR_SEND_WITH_IMM;
  return is_send ? HCA_SEND : HCA_WRITE;
}

static uint8_t flags_of(const hca_qp* qp, const hca_request* request, bool is_last) {
  bool asks = is_reliable(qp) && (is_last || qp->packet % ACK_EVERY == ACK_EVERY - 1);
  bool solicits = is_last && (request->wr.send_flags & IBV_SEND_SOLICITED) != 0;
  return (uint8_t)((qp->packet == 0 ? HCA_FIRST : 0) | (is_last ? HCA_LAST : 0) | (asks ? HCA_ASKS_ACK : 0) |
                   (is_last && has_immediate(request) ? HCA_IMMEDIATE : 0) | (solicits ? HCA_SOLICITED : 0));
}

static void fill(const hca_qp* qp, const hca_request* request, struct hca_header* header) {
  size_t offset = (size_t)qp->packet * qp->mtu;
  bool is_last = qp->packet + 1 >= request->packets;
  *header = (struct hca_header){.kind = (uint8_t)kind_of(request),
                                .flags = flags_of(qp, request, is_last),
                                .service_level = qp->attr.ah_attr.sl,
                                .qpn = qp->attr.dest_qp_num,
                                .psn = hca_psn(request->psn + qp->packet),
                                .immediate = request->wr.imm_data,
                                .rkey = request->wr.wr.rdma.rkey,
                                .address = request->wr.wr.rdma.remote_addr,
                                .length = request->length,
                                .payload = (uint32_t)(is_last ? request->length - offset : qp->mtu)};
  if (is_read(request)) { /* asks for the rest of it */
    header->flags = HCA_FIRST | HCA_LAST;
    header->address += offset;
    header->length -= offset;
    header->payload = 0;
  }
}

static void advance(hca_qp* qp, const hca_request* request) {
  qp->packet = is_read(request) ? request->packets : qp->packet + 1;
  if (qp->packet < request->packets) {
    return;
  }
  qp->sent++;
  qp->packet = 0;
  if (!is_reliable(qp)) {
    hca_request_complete(qp, IBV_WC_SUCCESS);
  }
}

/* Is the device still busy with a bind, because it shall be slow at that? */
static bool is_binding(hca_qp* qp, hca_request* request) {
  if (!request->is_binding) {
    request->is_binding = true;
    qp->resume_ns = hca_now_ns() + hca_fault(HCA_BIND_US) * INT64_C(1000);
  }
  return hca_now_ns() < qp->resume_ns;
}

/* A bind takes effect in its turn, once all before it is complete. */
static enum hca_step bind_window(hca_qp* qp, hca_request* request) {
  if (qp->sent > 0) {
    return HCA_IDLE;
  }
  if (is_binding(qp, request)) {
    return HCA_WAITS;
  }
  if (!hca_window_bind((hca_window*)request->wr.bind_mw.mw, &request->wr.bind_mw.bind_info)) {
    hca_qp_fail_send(qp, IBV_WC_MW_BIND_ERR);
    return HCA_WENT_ON;
  }
  hca_key_set(hca_context_of(qp), request->wr.bind_mw.rkey);
  hca_request_complete(qp, IBV_WC_SUCCESS);
  return HCA_WENT_ON;
}

static unsigned reads_out(hca_qp* qp) {
  unsigned reads = 0;
  for (unsigned i = 0; i < qp->sent; i++) {
    reads += is_read(at(qp, i));
  }
  return reads;
}

/* Has the next packet to wait for what is out? */
static bool has_to_wait(hca_qp* qp, const hca_request* request) {
  if (!is_reliable(qp)) {
    return false;
  }
  uint32_t psn = hca_psn(request->psn + qp->packet);
  unsigned reads = is_read(request) || (request->wr.send_flags & IBV_SEND_FENCE) != 0 ? reads_out(qp) : 0;
  return hca_psn_after(psn, qp->unacknowledged) >= WINDOW || hca_now_ns() < qp->resume_ns ||
         ((request->wr.send_flags & IBV_SEND_FENCE) != 0 && reads > 0) ||
         (is_read(request) && reads >= qp->attr.max_rd_atomic);
}

static enum hca_step send_packet(hca_qp* qp, hca_request* request) {
  unsigned char payload[HCA_MAX_MTU];
  struct hca_header header;
  fill(qp, request, &header);
  if (!hca_gather(qp, request, (size_t)qp->packet * qp->mtu, payload, header.payload)) {
    if (qp->sent > 0) {
      return HCA_IDLE; /* its turn to fail comes when all before it is complete */
    }
    hca_qp_fail_send(qp, IBV_WC_LOC_PROT_ERR);
    return HCA_WENT_ON;
  }
  if (qp->reaches_peer && hca_send(qp, &qp->peer, &header, payload) == HCA_BLOCKED) {
    return HCA_WAITS;
  }
  if (is_reliable(qp) && qp->timeout_ns == 0) {
    start_timer(qp);
  }
  advance(qp, request);
  return HCA_WENT_ON;
}

enum hca_step hca_request_step(hca_qp* qp) {
  if (qp->base.state != IBV_QPS_RTS || qp->sent >= qp->count) {
    return HCA_IDLE;
  }
  hca_request* request = at(qp, qp->sent);
  if (request->wr.opcode == IBV_WR_BIND_MW) {
    return bind_window(qp, request);
  }
  begin(qp, request);
  return has_to_wait(qp, request) ? HCA_IDLE : send_packet(qp, request);
}

/* ---- what the peer says ---- */

/* All before `psn` has arrived. A read is complete when its data is here: it can hold this up. */
static void acknowledge(hca_qp* qp, uint32_t psn) {
  uint32_t before = qp->unacknowledged;
  if (hca_psn_after(psn, before) <= 0) {
    return;
  }
  while (qp->count > 0 && at(qp, 0)->is_begun) {
    const hca_request* oldest = at(qp, 0);
    uint32_t done = is_read(oldest) ? oldest->read : oldest->packets;
    if (hca_psn_after(psn, hca_psn(oldest->psn + oldest->packets)) < 0 || done < oldest->packets) {
      uint32_t limit = hca_psn(oldest->psn + done);
      qp->unacknowledged = hca_psn_after(psn, limit) > 0 ? limit : psn;
      break;
    }
    qp->unacknowledged = hca_psn(oldest->psn + oldest->packets);
    hca_request_complete(qp, IBV_WC_SUCCESS);
  }
  if (qp->sent == 0 && qp->count > 0 && at(qp, 0)->is_begun &&
      hca_psn_after(qp->unacknowledged, hca_psn(at(qp, 0)->psn + qp->packet)) > 0) {
    qp->packet = hca_psn(qp->unacknowledged - at(qp, 0)->psn);
  }
  if (qp->unacknowledged != before) {
    qp->retries = qp->attr.retry_cnt;
    qp->rnr_retries = qp->attr.rnr_retry;
    start_timer(qp);
  }
  if (hca_psn_after(qp->next_psn, qp->unacknowledged) == 0) {
    qp->timeout_ns = 0;
  }
}

static void on_not_ready(hca_qp* qp, uint32_t psn, uint8_t code) {
  if (qp->rnr_retries == 0) {
    hca_qp_fail_send(qp, IBV_WC_RNR_RETRY_EXC_ERR);
    return;
  }
  qp->rnr_retries -= qp->attr.rnr_retry != NEVER_GIVES_UP;
  qp->resume_ns = hca_now_ns() + not_ready[code & 31] * INT64_C(10000);
  qp->timeout_ns = 0;
  rewind_to(qp, psn);
}

static int status_of(uint8_t syndrome) {
  return syndrome == HCA_ACCESS_ERROR      ? IBV_WC_REM_ACCESS_ERR
         : syndrome == HCA_INVALID_REQUEST ? IBV_WC_REM_INV_REQ_ERR
                                           : IBV_WC_REM_OP_ERR;
}

static void on_acknowledgement(hca_qp* qp, const struct hca_header* header) {
  if (header->syndrome == HCA_ACKNOWLEDGED) {
    acknowledge(qp, hca_psn(header->psn + 1));
    return;
  }
  acknowledge(qp, header->psn);
  if (qp->count == 0 || qp->unacknowledged != header->psn) {
    return; /* about what is done, or what cannot be yet */
  }
  if (header->syndrome == HCA_OUT_OF_SEQUENCE) {
    rewind_to(qp, header->psn);
  } else if ((header->syndrome & 0x60) == HCA_NOT_READY) {
    on_not_ready(qp, header->psn, header->syndrome);
  } else {
    hca_qp_fail_send(qp, status_of(header->syndrome));
  }
}

static hca_request* read_of(hca_qp* qp, uint32_t psn) {
  for (unsigned i = 0; i < qp->count; i++) {
    hca_request* request = at(qp, i);
    int32_t after = hca_psn_after(psn, request->psn);
    if (request->is_begun && is_read(request) && after >= 0 && after < (int32_t)request->packets) {
      return request;
    }
  }
  return NULL;
}

static void on_answer(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  hca_request* request = read_of(qp, header->psn);
  uint32_t number = request == NULL ? 0 : hca_psn(header->psn - request->psn);
  if (request == NULL || number < request->read) {
    return; /* twice */
  }
  acknowledge(qp, request->psn);
  if (request != at(qp, 0) || number > request->read) { /* something before it is missing: ask once more, once */
    if (!request->asked_again) {
      request->asked_again = true;
      rewind_to(qp, qp->unacknowledged);
    }
    return;
  }
  request->asked_again = false;
  if (!hca_scatter(qp, request->sge, request->wr.num_sge, (size_t)number * qp->mtu, payload, header->payload)) {
    hca_qp_fail_send(qp, IBV_WC_LOC_PROT_ERR);
    return;
  }
  request->read++;
  acknowledge(qp, hca_psn(header->psn + 1));
}

/* Only what was sent can be answered. */
void hca_on_reply(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  bool is_sent = hca_psn_after(header->psn, qp->next_psn) < 0 && hca_psn_after(header->psn, qp->unacknowledged) >= -1;
  if (qp->base.state != IBV_QPS_RTS || !is_reliable(qp) || !is_sent) {
    return;
  }
  if (header->kind == HCA_ACK) {
    on_acknowledgement(qp, header);
  } else {
    on_answer(qp, header, payload);
  }
}
