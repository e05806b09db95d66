// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT_MS = 20000, SILENCE_MS = 30, QKEY = 0x11111111, TIMEOUT_17_MS = 12, RNR_10_US = 1 };

static const char* running = "";

void run(const char* name, void (*test)(void)) {
  running = name;
  test();
}

void check(bool holds, const char* what, int64_t detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s: %s (%lld)\n", running, what, (long long)detail);
    exit(1);
  }
}

void fault(const char* name, const char* value) { check(tombolo_hca_set(name, value) == 0, name, 0); }

void no_faults(void) {
  fault("LOSS_PERCENT", "0");
  fault("DUPLICATE_PERCENT", "0");
  fault("REORDER_PERCENT", "0");
  fault("DELAY_US", "0");
  fault("DOWN", "");
}

static struct ibv_context* open_nic(int nic) {
  int count = 0;
  struct ibv_device** list = ibv_get_device_list(&count);
  check(list != NULL && nic < count, "a device list with that NIC", count);
  struct ibv_context* context = ibv_open_device(list[nic]);
  check(context != NULL, "open the device", nic);
  ibv_free_device_list(list);
  return context;
}

static struct ibv_qp* make_pair(const struct end* end, enum ibv_qp_type type) {
  struct ibv_qp_init_attr init = {.send_cq = end->cq, .recv_cq = end->cq, .srq = end->srq, .qp_type = type,
                                  .cap = {BENCH_DEPTH, BENCH_DEPTH, 2, 2, 32}}; /* which all devices have */
  struct ibv_qp* qp = ibv_create_qp(end->pd, &init);
  check(qp != NULL, "create a queue pair", type);
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
                             .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
  int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
  mask |= type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
  check(ibv_modify_qp(qp, &attr, mask) == 0, "RESET to INIT", type);
  return qp;
}

static bool has_windows(const struct end* end) {
  struct ibv_device_attr device;
  check(ibv_query_device(end->context, &device) == 0, "query the device", 0);
  return (device.device_cap_flags & IBV_DEVICE_MEM_WINDOW) != 0;
}

struct end end_open(int nic, enum ibv_qp_type type, bool has_srq) {
  struct end end = {.context = open_nic(nic)};
  end.pd = ibv_alloc_pd(end.context);
  end.channel = ibv_create_comp_channel(end.context);
  end.cq = ibv_create_cq(end.context, 4 * BENCH_DEPTH, NULL, end.channel, 0);
  end.bytes = calloc(1, BENCH_BYTES);
  check(end.pd != NULL && end.channel != NULL && end.cq != NULL && end.bytes != NULL, "make an end", nic);
  if (has_srq) {
    struct ibv_srq_init_attr init = {.attr = {BENCH_DEPTH, 1, 0}};
    end.srq = ibv_create_srq(end.pd, &init);
    check(end.srq != NULL, "create a shared receive queue", 0);
  }
  int rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  end.mr = ibv_reg_mr(end.pd, end.bytes, BENCH_BYTES, rights | (has_windows(&end) ? IBV_ACCESS_MW_BIND : 0));
  check(end.mr != NULL, "register memory", 0);
  end.qp = make_pair(&end, type);
  return end;
}

static void close_end(struct end* end, int outcome) {
  check(ibv_destroy_qp(end->qp) == outcome, "destroy the queue pair", 0);
  check(end->srq == NULL || ibv_destroy_srq(end->srq) == 0, "destroy the shared receive queue", 0);
  check(ibv_dereg_mr(end->mr) == outcome, "deregister", 0);
  check(ibv_destroy_cq(end->cq) == 0, "destroy the completion queue", 0);
  check(ibv_destroy_comp_channel(end->channel) == 0, "destroy the channel", 0);
  check(ibv_dealloc_pd(end->pd) == 0, "give the protection domain back", 0);
  check(ibv_close_device(end->context) == 0, "close the device", 0);
  free(end->bytes);
}

void end_close(struct end* end) { close_end(end, 0); }

void end_close_dead(struct end* end) { close_end(end, EIO); }

static struct ibv_port_attr port_of(const struct end* end) {
  struct ibv_port_attr port;
  check(ibv_query_port(end->context, 1, &port) == 0, "query the port", 0);
  return port;
}

struct card end_card(const struct end* end) {
  struct ibv_port_attr port = port_of(end);
  struct card card = {.lid = port.lid, .number = end->qp->qp_num};
  check(ibv_query_gid(end->context, 1, port.gid_tbl_len - 1, &card.gid) == 0, "query the GID", 0);
  return card;
}

static struct ibv_ah_attr route(const struct end* from, struct card to) {
  struct ibv_port_attr port = port_of(from);
  bool is_global = port.link_layer != IBV_LINK_LAYER_INFINIBAND;
  return (struct ibv_ah_attr){.port_num = 1, .dlid = to.lid, .is_global = is_global,
                              .grh = {.dgid = to.gid, .sgid_index = (uint8_t)(port.gid_tbl_len - 1), .hop_limit = 1}};
}

void end_connect(struct end* end, struct card to) {
  bool is_reliable = end->qp->qp_type == IBV_QPT_RC;
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = to.number,
                             .rq_psn = 0xfffff0, .sq_psn = 0xfffff0, .max_dest_rd_atomic = 4, .max_rd_atomic = 4,
                             .min_rnr_timer = RNR_10_US, .timeout = TIMEOUT_17_MS, .retry_cnt = 7, .rnr_retry = 7,
                             .ah_attr = route(end, to)};
  int ready = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  ready |= is_reliable ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0;
  check(ibv_modify_qp(end->qp, &attr, ready) == 0, "INIT to RTR", 0);
  attr.qp_state = IBV_QPS_RTS;
  int sends = IBV_QP_STATE | IBV_QP_SQ_PSN;
  sends |= is_reliable ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0;
  check(ibv_modify_qp(end->qp, &attr, sends) == 0, "RTR to RTS", 0);
}

void end_activate(struct end* end) {
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
  check(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE) == 0, "INIT to RTR", 0);
  attr.qp_state = IBV_QPS_RTS;
  check(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN) == 0, "RTR to RTS", 0);
}

static struct both open_both(enum ibv_qp_type type, bool has_srq) {
  struct both both = {end_open(0, type, has_srq), end_open(1, type, has_srq)};
  end_connect(&both.a, end_card(&both.b));
  end_connect(&both.b, end_card(&both.a));
  return both;
}

struct both both_open(enum ibv_qp_type type) { return open_both(type, false); }

struct both both_open_shared(enum ibv_qp_type type) { return open_both(type, true); }

void both_close(struct both* both) {
  end_close(&both->a);
  end_close(&both->b);
}

struct ibv_ah* end_address(const struct end* from, struct card to) { return end_address_of_class(from, to, 0); }

struct ibv_ah* end_address_of_class(const struct end* from, struct card to, uint8_t traffic_class) {
  struct ibv_ah_attr attr = route(from, to);
  attr.grh.traffic_class = traffic_class;
  struct ibv_ah* ah = ibv_create_ah(from->pd, &attr);
  check(ah != NULL, "create an address handle", 0);
  return ah;
}

void fill(unsigned char* bytes, size_t length, unsigned seed) {
  for (size_t i = 0; i < length; i++) {
    bytes[i] = (unsigned char)(i * 31 + i / 251 + seed);
  }
}

void post_receive(struct end* end, uint64_t id, size_t offset, uint32_t length) {
  struct ibv_sge piece = {at(end, offset), length, end->mr->lkey};
  struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &piece, .num_sge = 1};
  struct ibv_recv_wr* bad = NULL;
  int error = end->srq != NULL ? ibv_post_srq_recv(end->srq, &wr, &bad) : ibv_post_recv(end->qp, &wr, &bad);
  check(error == 0, "post a receive", error);
}

static void post(struct end* end, struct ibv_send_wr wr, size_t offset, uint32_t length) {
  struct ibv_sge piece = {at(end, offset), length, end->mr->lkey};
  struct ibv_send_wr* bad = NULL;
  wr.sg_list = &piece;
  wr.num_sge = length > 0;
  wr.send_flags |= IBV_SEND_SIGNALED;
  int error = ibv_post_send(end->qp, &wr, &bad);
  check(error == 0, "post", error);
}

void post_send(struct end* end, uint64_t id, size_t offset, uint32_t length) {
  post(end, (struct ibv_send_wr){.wr_id = id, .opcode = IBV_WR_SEND}, offset, length);
}

void post_write(struct end* end, uint64_t id, size_t offset, uint32_t length, uint64_t to, uint32_t rkey) {
  struct ibv_send_wr wr = {.wr_id = id, .opcode = IBV_WR_RDMA_WRITE, .wr.rdma = {to, rkey}};
  post(end, wr, offset, length);
}

void post_write_imm(struct end* end, uint64_t id, size_t offset, uint32_t length, uint64_t to, uint32_t rkey,
                    uint32_t immediate) {
  struct ibv_send_wr wr = {.wr_id = id, .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .imm_data = immediate,
                           .wr.rdma = {to, rkey}};
  post(end, wr, offset, length);
}

void post_read(struct end* end, uint64_t id, size_t offset, uint32_t length, uint64_t from, uint32_t rkey) {
  struct ibv_send_wr wr = {.wr_id = id, .opcode = IBV_WR_RDMA_READ, .wr.rdma = {from, rkey}};
  post(end, wr, offset, length);
}

uint64_t at(const struct end* end, size_t offset) { return (uint64_t)(uintptr_t)(end->bytes + offset); }

static void nap(void) {
  struct timespec time = {0, 1000000};
  (void)nanosleep(&time, NULL); /* fixed time: who calls this looks again */
}

struct ibv_wc next(struct end* end) {
  struct ibv_wc wc;
  for (int ms = 0; ms < LIMIT_MS; ms++) {
    int count = ibv_poll_cq(end->cq, 1, &wc);
    check(count >= 0, "poll", count);
    if (count == 1) {
      return wc;
    }
    nap();
  }
  check(false, "no completion came", LIMIT_MS);
  return wc;
}

struct ibv_wc next_well(struct end* end, uint64_t id) {
  struct ibv_wc wc = next(end);
  check(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status), (int64_t)wc.wr_id);
  check(wc.wr_id == id, "another request's completion", (int64_t)wc.wr_id);
  return wc;
}

void check_silent(struct end* end) {
  struct ibv_wc wc;
  for (int ms = 0; ms < SILENCE_MS; ms++) {
    nap();
    check(ibv_poll_cq(end->cq, 1, &wc) == 0, "a completion where there is none", 0);
  }
}

void next_event(struct end* end, enum ibv_event_type type) {
  struct ibv_async_event event;
  struct pollfd wanted = {end->context->async_fd, POLLIN, 0};
  check(poll(&wanted, 1, LIMIT_MS) == 1, "no event came", type);
  check(ibv_get_async_event(end->context, &event) == 0, "take the event", type);
  check(event.event_type == type, ibv_event_type_str(event.event_type), event.event_type);
  ibv_ack_async_event(&event);
}
