// SPDX-License-Identifier: Apache-2.0
/*
 * The part of libibverbs' binary interface that is used here, so that building needs none of its headers.
 *
 * Entered from rdma-core's libibverbs/verbs.h, release 44; the interface has been frozen since version 1.1 (2006), and
 * later additions are appended. src/test/c/verbs_witness holds every size, offset and number against the real header.
 * Names are those of the header with vb_ for ibv_.
 */
#ifndef TOMBOLO_VERBS_ABI_H
#define TOMBOLO_VERBS_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { VB_TRANSPORT_IB = 0 };
enum { VB_LINK_INFINIBAND = 1, VB_LINK_ETHERNET = 2 };
enum { VB_QPT_RC = 2, VB_QPT_UC = 3, VB_QPT_UD = 4 };
enum { VB_QPS_RESET, VB_QPS_INIT, VB_QPS_RTR, VB_QPS_RTS, VB_QPS_SQD, VB_QPS_SQE, VB_QPS_ERR };
enum { VB_MW_TYPE_1 = 1 };
enum { VB_MTU_256 = 1, VB_MTU_512, VB_MTU_1024, VB_MTU_2048, VB_MTU_4096 };
enum { VB_PORT_ACTIVE = 4 };
enum { VB_GID_TYPE_IB, VB_GID_TYPE_ROCE_V1, VB_GID_TYPE_ROCE_V2 };
enum { VB_ACCESS_LOCAL_WRITE = 1, VB_ACCESS_REMOTE_WRITE = 2, VB_ACCESS_REMOTE_READ = 4, VB_ACCESS_MW_BIND = 16 };
enum {
  VB_WC_SUCCESS = 0,
  VB_WC_WR_FLUSH_ERR = 5,
  VB_WC_REM_ACCESS_ERR = 10,
  VB_WC_RETRY_EXC_ERR = 12,
  VB_WC_RNR_RETRY_EXC_ERR = 13
};

enum {
  VB_WR_RDMA_WRITE = 0,
  VB_WR_RDMA_WRITE_WITH_IMM = 1,
  VB_WR_SEND = 2,
  VB_WR_SEND_WITH_IMM = 3,
  VB_WR_RDMA_READ = 4
};
enum { VB_SEND_FENCE = 1, VB_SEND_SIGNALED = 2, VB_SEND_SOLICITED = 4, VB_SEND_INLINE = 8 };
enum { VB_WC_WITH_IMM = 2 };

enum {
  VB_QP_STATE = 1 << 0,
  VB_QP_ACCESS_FLAGS = 1 << 3,
  VB_QP_PKEY_INDEX = 1 << 4,
  VB_QP_PORT = 1 << 5,
  VB_QP_QKEY = 1 << 6,
  VB_QP_AV = 1 << 7,
  VB_QP_PATH_MTU = 1 << 8,
  VB_QP_TIMEOUT = 1 << 9,
  VB_QP_RETRY_CNT = 1 << 10,
  VB_QP_RNR_RETRY = 1 << 11,
  VB_QP_RQ_PSN = 1 << 12,
  VB_QP_MAX_QP_RD_ATOMIC = 1 << 13,
  VB_QP_MIN_RNR_TIMER = 1 << 15,
  VB_QP_SQ_PSN = 1 << 16,
  VB_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
  VB_QP_DEST_QPN = 1 << 20
};

enum {
  VB_EVENT_CQ_ERR = 0,
  VB_EVENT_QP_FATAL = 1,
  VB_EVENT_QP_REQ_ERR = 2,
  VB_EVENT_QP_ACCESS_ERR = 3,
  VB_EVENT_COMM_EST = 4,
  VB_EVENT_SQ_DRAINED = 5,
  VB_EVENT_PATH_MIG = 6,
  VB_EVENT_PATH_MIG_ERR = 7,
  VB_EVENT_DEVICE_FATAL = 8,
  VB_EVENT_PORT_ACTIVE = 9,
  VB_EVENT_PORT_ERR = 10,
  VB_EVENT_LID_CHANGE = 11,
  VB_EVENT_PKEY_CHANGE = 12,
  VB_EVENT_SM_CHANGE = 13,
  VB_EVENT_SRQ_ERR = 14,
  VB_EVENT_SRQ_LIMIT_REACHED = 15,
  VB_EVENT_QP_LAST_WQE_REACHED = 16,
  VB_EVENT_CLIENT_REREGISTER = 17,
  VB_EVENT_GID_CHANGE = 18
};

/* The head of it. */
struct vb_device {
  void* ops[2];
  int node_type;
  int transport_type;
};

struct vb_context;
struct vb_pd;
struct vb_ah;
struct vb_comp_channel;

struct vb_device_attr {
  char fw_ver[64];
  uint64_t node_guid;
  uint64_t sys_image_guid;
  uint64_t max_mr_size;
  uint64_t page_size_cap;
  uint32_t vendor_id;
  uint32_t vendor_part_id;
  uint32_t hw_ver;
  int max_qp;
  int max_qp_wr;
  unsigned device_cap_flags;
  int max_sge;
  int max_sge_rd;
  int max_cq;
  int max_cqe;
  int max_mr;
  int max_pd;
  int max_qp_rd_atom;
  int max_ee_rd_atom;
  int max_res_rd_atom;
  int max_qp_init_rd_atom;
  int max_ee_init_rd_atom;
  int atomic_cap;
  int max_ee;
  int max_rdd;
  int max_mw;
  int max_raw_ipv6_qp;
  int max_raw_ethy_qp;
  int max_mcast_grp;
  int max_mcast_qp_attach;
  int max_total_mcast_qp_attach;
  int max_ah;
  int max_fmr;
  int max_map_per_fmr;
  int max_srq;
  int max_srq_wr;
  int max_srq_sge;
  uint16_t max_pkeys;
  uint8_t local_ca_ack_delay;
  uint8_t phys_port_cnt;
};

struct vb_port_attr {
  int state;
  int max_mtu;
  int active_mtu;
  int gid_tbl_len;
  uint32_t port_cap_flags;
  uint32_t max_msg_sz;
  uint32_t bad_pkey_cntr;
  uint32_t qkey_viol_cntr;
  uint16_t pkey_tbl_len;
  uint16_t lid;
  uint16_t sm_lid;
  uint8_t lmc;
  uint8_t max_vl_num;
  uint8_t sm_sl;
  uint8_t subnet_timeout;
  uint8_t init_type_reply;
  uint8_t active_width;
  uint8_t active_speed;
  uint8_t phys_state;
  uint8_t link_layer;
  uint8_t flags;
  uint16_t port_cap_flags2;
};

typedef union vb_gid {
  uint8_t raw[16];
  uint64_t aligned[2];
} vb_gid;

struct vb_gid_entry {
  vb_gid gid;
  uint32_t gid_index;
  uint32_t port_num;
  uint32_t gid_type;
  uint32_t ndev_ifindex;
};

struct vb_mr {
  struct vb_context* context;
  struct vb_pd* pd;
  void* addr;
  size_t length;
  uint32_t handle;
  uint32_t lkey;
  uint32_t rkey;
};

struct vb_mw {
  struct vb_context* context;
  struct vb_pd* pd;
  uint32_t rkey;
  uint32_t handle;
  int type;
};

struct vb_mw_bind_info {
  struct vb_mr* mr;
  uint64_t addr;
  uint64_t length;
  unsigned mw_access_flags;
};

struct vb_mw_bind {
  uint64_t wr_id;
  unsigned send_flags;
  struct vb_mw_bind_info bind_info;
};

struct vb_global_route {
  vb_gid dgid;
  uint32_t flow_label;
  uint8_t sgid_index;
  uint8_t hop_limit;
  uint8_t traffic_class;
};

struct vb_ah_attr {
  struct vb_global_route grh;
  uint16_t dlid;
  uint8_t sl;
  uint8_t src_path_bits;
  uint8_t static_rate;
  uint8_t is_global;
  uint8_t port_num;
};

/* The head of it: what follows is the library's own. */
struct vb_srq {
  struct vb_context* context;
};

struct vb_srq_init_attr {
  void* srq_context;
  uint32_t max_wr;
  uint32_t max_sge;
  uint32_t srq_limit;
};

/* The head of it. */
struct vb_cq {
  struct vb_context* context;
  struct vb_comp_channel* channel;
  void* cq_context;
  uint32_t handle;
  int cqe;
};

/* The head of it. */
struct vb_comp_channel_head {
  struct vb_context* context;
  int fd;
};

/* The head of it. */
struct vb_qp {
  struct vb_context* context;
  void* qp_context;
  struct vb_pd* pd;
  struct vb_cq* send_cq;
  struct vb_cq* recv_cq;
  struct vb_srq* srq;
  uint32_t handle;
  uint32_t qp_num;
};

struct vb_qp_cap {
  uint32_t max_send_wr;
  uint32_t max_recv_wr;
  uint32_t max_send_sge;
  uint32_t max_recv_sge;
  uint32_t max_inline_data;
};

struct vb_qp_init_attr {
  void* qp_context;
  struct vb_cq* send_cq;
  struct vb_cq* recv_cq;
  struct vb_srq* srq;
  struct vb_qp_cap cap;
  int qp_type;
  int sq_sig_all;
};

struct vb_qp_attr {
  int qp_state;
  int cur_qp_state;
  int path_mtu;
  int path_mig_state;
  uint32_t qkey;
  uint32_t rq_psn;
  uint32_t sq_psn;
  uint32_t dest_qp_num;
  unsigned qp_access_flags;
  struct vb_qp_cap cap;
  struct vb_ah_attr ah_attr;
  struct vb_ah_attr alt_ah_attr;
  uint16_t pkey_index;
  uint16_t alt_pkey_index;
  uint8_t en_sqd_async_notify;
  uint8_t sq_draining;
  uint8_t max_rd_atomic;
  uint8_t max_dest_rd_atomic;
  uint8_t min_rnr_timer;
  uint8_t port_num;
  uint8_t timeout;
  uint8_t retry_cnt;
  uint8_t rnr_retry;
  uint8_t alt_port_num;
  uint8_t alt_timeout;
  uint32_t rate_limit;
};

struct vb_sge {
  uint64_t addr;
  uint32_t length;
  uint32_t lkey;
};

struct vb_send_wr {
  uint64_t wr_id;
  struct vb_send_wr* next;
  struct vb_sge* sg_list;
  int num_sge;
  int opcode;
  unsigned send_flags;
  uint32_t imm_data; /* big-endian */
  union {
    struct {
      uint64_t remote_addr;
      uint32_t rkey;
    } rdma;
    struct {
      uint64_t remote_addr;
      uint64_t compare_add;
      uint64_t swap;
      uint32_t rkey;
    } atomic;
    struct {
      struct vb_ah* ah;
      uint32_t remote_qpn;
      uint32_t remote_qkey;
    } ud;
  } wr;
  uint32_t remote_srqn;
  struct {
    struct vb_mw* mw;
    uint32_t rkey;
    struct vb_mw_bind_info bind_info;
  } bind_mw;
};

struct vb_recv_wr {
  uint64_t wr_id;
  struct vb_recv_wr* next;
  struct vb_sge* sg_list;
  int num_sge;
};

struct vb_wc {
  uint64_t wr_id;
  int status;
  int opcode;
  uint32_t vendor_err;
  uint32_t byte_len;
  uint32_t imm_data; /* big-endian */
  uint32_t qp_num;
  uint32_t src_qp;
  unsigned wc_flags;
  uint16_t pkey_index;
  uint16_t slid;
  uint8_t sl;
  uint8_t dlid_path_bits;
};

struct vb_async_event {
  union {
    struct vb_cq* cq;
    struct vb_qp* qp;
    struct vb_srq* srq;
    int port_num;
  } element;
  int event_type;
};

/* What the header's inline functions (ibv_post_send, ibv_poll_cq, …) call. */
struct vb_context_ops {
  void* compat_1[7];
  struct vb_mw* (*alloc_mw)(struct vb_pd* pd, int type);
  int (*bind_mw)(struct vb_qp* qp, struct vb_mw* mw, struct vb_mw_bind* bind);
  int (*dealloc_mw)(struct vb_mw* mw);
  void* compat_2;
  int (*poll_cq)(struct vb_cq* cq, int entries, struct vb_wc* wc);
  int (*req_notify_cq)(struct vb_cq* cq, int solicited_only);
  void* compat_3[7];
  int (*post_srq_recv)(struct vb_srq* srq, struct vb_recv_wr* wr, struct vb_recv_wr** bad);
  void* compat_4[4];
  int (*post_send)(struct vb_qp* qp, struct vb_send_wr* wr, struct vb_send_wr** bad);
  int (*post_recv)(struct vb_qp* qp, struct vb_recv_wr* wr, struct vb_recv_wr** bad);
  void* compat_5[5];
};

/* The head of it. */
struct vb_context {
  struct vb_device* device;
  struct vb_context_ops ops;
  int cmd_fd;
  int async_fd;
  int num_comp_vectors;
};

/* The head of it: the context is all that allocating a memory window needs. */
struct vb_pd_head {
  struct vb_context* context;
};

#endif
