// SPDX-License-Identifier: Apache-2.0
/*
 * Unreliable datagrams: one packet each, with room for a route header before the payload, dropped without a word. Of RoCE v2
 * over IPv4 that header is the IP header, in the latter half of the room; what is in the former is left open. Of EFA only the
 * room is known (libfabric, prov/efa/src/efa_prov_info.c: msg_prefix_size), and no flag tells of a header (rdma-core,
 * providers/efa/verbs.c, efa_process_cqe).
 */
#include <arpa/inet.h>
#include <string.h>

#include "efa.h"
#include "hca.h"

enum {
  GRH_BYTES = sizeof(struct ib_grh),
  IPV4_AT = 20,
  VERSION_6 = 6 << 28,
  CLASS_SHIFT = 20,
  IPV4_VERSION_AND_WORDS = 0x45,
  IPV4_SOURCE = IPV4_AT + 12,
  IPV4_TARGET = IPV4_AT + 16,
  GID_TAIL = 12,
  UNDEFINED = 0xa5,
  NEXT_IS_TRANSPORT = 0x1b
};

_Static_assert(GRH_BYTES == 40, "IBTA 1.3, 8.3");

static bool is_local_fault(hca_qp* qp, const hca_request* request, unsigned char* payload) {
  if (request->length > hca_context_of(qp)->mtu) {
    hca_qp_fail_send(qp, IBV_WC_LOC_LEN_ERR);
    return true;
  }
  if (!hca_gather(qp, request, 0, payload, request->length)) {
    hca_qp_fail_send(qp, IBV_WC_LOC_PROT_ERR);
    return true;
  }
  return false;
}

static void fill(const hca_request* request, const hca_ah* to, struct hca_header* header) {
  bool has_immediate = request->wr.opcode == IBV_WR_SEND_WITH_IMM;
  *header = (struct hca_header){.kind = HCA_DATAGRAM,
                                .service_level = to->attr.sl,
                                .traffic_class = to->attr.is_global != 0 ? to->attr.grh.traffic_class : 0,
                                .qpn = request->wr.wr.ud.remote_qpn,
                                .qkey = request->wr.wr.ud.remote_qkey,
                                .immediate = request->wr.imm_data,
                                .payload = (uint32_t)request->length};
  header->flags = (uint8_t)(HCA_FIRST | HCA_LAST | (has_immediate ? HCA_IMMEDIATE : 0) |
                            ((request->wr.send_flags & IBV_SEND_SOLICITED) != 0 ? HCA_SOLICITED : 0) |
                            (to->attr.is_global != 0 ? HCA_GLOBAL : 0));
}

enum hca_step hca_datagram_step(hca_qp* qp) {
  unsigned char payload[HCA_MAX_MTU];
  if (qp->base.state != IBV_QPS_RTS || qp->count == 0) {
    return HCA_IDLE;
  }
  hca_efa_shuffle(qp);
  const hca_request* request = &qp->requests[qp->first];
  if (is_local_fault(qp, request, payload)) {
    return HCA_WENT_ON;
  }
  const hca_ah* to = (const hca_ah*)request->wr.wr.ud.ah;
  if (to->reaches) {
    struct hca_header header;
    hca_peer peer;
    fill(request, to, &header);
    hca_peer_make(hca_context_of(qp), to->port, header.qpn, &to->attr, to->from_new_gid, &peer);
    if (hca_send(qp, &peer, &header, payload) == HCA_BLOCKED) {
      return HCA_WAITS;
    }
  }
  hca_request_complete(qp, IBV_WC_SUCCESS);
  return HCA_WENT_ON;
}

static bool is_ipv4(const struct hca_header* header) {
  static const unsigned char prefix[GID_TAIL] = {[10] = 0xff, [11] = 0xff};
  return memcmp(header->gid, prefix, sizeof prefix) == 0;
}

static void fill_ipv4(const struct hca_header* header, unsigned char* room) {
  memset(room, UNDEFINED, GRH_BYTES);
  room[IPV4_AT] = IPV4_VERSION_AND_WORDS;
  room[IPV4_AT + 1] = header->traffic_class;
  memcpy(room + IPV4_SOURCE, header->source_gid + GID_TAIL, sizeof(uint32_t));
  memcpy(room + IPV4_TARGET, header->gid + GID_TAIL, sizeof(uint32_t));
}

static void fill_ipv6(const struct hca_header* header, unsigned char* room) {
  struct ib_grh route = {.version_tclass_flow = htonl(VERSION_6 | (uint32_t)header->traffic_class << CLASS_SHIFT),
                         .paylen = htons((uint16_t)header->payload),
                         .next_hdr = NEXT_IS_TRANSPORT,
                         .hop_limit = 64};
  memcpy(route.sgid.raw, header->source_gid, sizeof route.sgid.raw);
  memcpy(route.dgid.raw, header->gid, sizeof route.dgid.raw);
  memcpy(room, &route, sizeof route);
}

static bool place(hca_qp* qp, const hca_receive* receive, const struct hca_header* header,
                  const unsigned char* payload) {
  unsigned char route[GRH_BYTES];
  if (hca_is_efa(hca_context_of(qp))) {
    memset(route, UNDEFINED, sizeof route);
  } else if (is_ipv4(header)) {
    fill_ipv4(header, route);
  } else {
    fill_ipv6(header, route);
  }
  bool has_route = (header->flags & HCA_GLOBAL) != 0;
  return (!has_route ||
          hca_scatter(qp, receive->sge, receive->pieces, 0, route, sizeof route)) &&
         hca_scatter(qp, receive->sge, receive->pieces, GRH_BYTES, payload, header->payload);
}

static bool is_asked_to_fail(const hca_qp* qp) {
  return hca_context_of(qp)->port.nic == 0 && hca_counts_down(HCA_FAIL_RECEIVE_AT);
}

void hca_on_datagram(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  bool is_ready = qp->base.state == IBV_QPS_RTR || qp->base.state == IBV_QPS_RTS || qp->base.state == IBV_QPS_SQE;
  hca_receive receive;
  if (!is_ready || header->qkey != qp->attr.qkey || !hca_take_receive(qp, &receive)) {
    return;
  }
  struct ib_wc wc = {.status = IBV_WC_SUCCESS,
                     .opcode = IBV_WC_RECV,
                     .byte_len = header->payload + GRH_BYTES,
                     .imm_data = header->immediate,
                     .src_qp = header->source_qpn,
                     .slid = header->source_lid,
                     .sl = header->service_level};
  bool tells_route = (header->flags & HCA_GLOBAL) != 0 && !hca_is_efa(hca_context_of(qp));
  wc.wc_flags = ((header->flags & HCA_IMMEDIATE) != 0 ? IBV_WC_WITH_IMM : 0u) | (tells_route ? IBV_WC_GRH : 0u);
  if (hca_receive_room(&receive) < wc.byte_len) {
    wc.status = IBV_WC_LOC_LEN_ERR;
  } else if (is_asked_to_fail(qp) || !place(qp, &receive, header, payload)) {
    wc.status = IBV_WC_LOC_PROT_ERR;
  }
  hca_receive_complete(qp, &receive, wc, (header->flags & HCA_SOLICITED) != 0);
  if (wc.status != IBV_WC_SUCCESS) {
    hca_qp_fail(qp, IBV_EVENT_QP_FATAL);
  }
}
