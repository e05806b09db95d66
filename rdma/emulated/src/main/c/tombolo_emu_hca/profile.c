// SPDX-License-Identifier: Apache-2.0
/*
 * The drivers, as their sources have them: Linux 6.1 to 6.12 (drivers/infiniband) and rdma-core 44 to 56 (providers). What
 * a driver refuses is refused here with its errno: EOPNOTSUPP for a kind of object, EINVAL for too much of something.
 */
#include "profile.h"

#include <stddef.h>
#include <string.h>

#include "witness_verbs.h"

enum { RC = 1 << IBV_QPT_RC, UC = 1 << IBV_QPT_UC, UD = 1 << IBV_QPT_UD };

static const hca_profile profiles[HCA_PROFILES] = {
    /* hw/mlx5/qp.c and providers/mlx5/qp.c: all kinds; more inline data than this, by the size of a request. */
    {"mlx5", IBV_NODE_CA, IBV_TRANSPORT_IB, HCA_LINK_OF_NIC, RC | UC | UD, HCA_MAX_INLINE, HCA_MAX_DEPTH, HCA_MAX_COMPLETIONS,
     true, HCA_MAX_WINDOWS, true, true, false},
    /* hw/bnxt_re/ib_verbs.c, __from_ib_qp_type: RC and UD; qplib_fp.h, BNXT_QPLIB_SWQE_MAX_INLINE_LENGTH: 96.
       IB_DEVICE_MEM_WINDOW is set in the kernel, and providers/bnxt_re has no alloc_mw and bind_mw. */
    {"bnxt", IBV_NODE_CA, IBV_TRANSPORT_IB, HCA_LINK_OF_NIC, RC | UD, 96, HCA_MAX_DEPTH, HCA_MAX_COMPLETIONS, true, 0, true,
     true, false},
    /* hw/irdma/verbs.c, irdma_validate_qp_attrs: RC and UD over RoCE, inline data up to max_hw_inline, 101 in the second
       generation (i40iw and E810), which has no create_srq. hw/irdma/user.h, IRDMA_MAX_QP_WRS: (32768 - 258) / 8.
       hw/irdma/hw.c, irdma_set_flush_fields: IRDMA_AE_LLP_TOO_MANY_RETRIES is IRDMA_QP_EVENT_CATASTROPHIC, of which
       hw/irdma/verbs.c, irdma_ib_qp_event, makes IB_EVENT_QP_FATAL. */
    {"irdma", IBV_NODE_CA, IBV_TRANSPORT_IB, HCA_LINK_OF_NIC, RC | UD, 101, 4063, HCA_MAX_COMPLETIONS, true, HCA_MAX_WINDOWS,
     false, true, true},
    /* providers/hns/hns_roce_u.h, HNS_ROCE_MAX_INLINE_DATA_LEN of HIP08: 32; hns_roce_u_verbs.c: RC and UD. Windows with
       HNS_ROCE_CAP_FLAG_MW, from HIP08 revision B on. No reg_user_mr_dmabuf. */
    {"hns", IBV_NODE_CA, IBV_TRANSPORT_IB, HCA_LINK_OF_NIC, RC | UD, 32, HCA_MAX_DEPTH, HCA_MAX_COMPLETIONS, true,
     HCA_MAX_WINDOWS, true, false, false},
    /* hw/efa/efa_verbs.c: efa_port_link_layer says UNSPECIFIED, efa_qp_validate_attr allows UD and SRD and no SRQ; the
       device's inline_buf_size is 32. hw/efa/efa_main.c: RDMA_NODE_UNSPECIFIED. */
    {"efa", IBV_NODE_UNSPECIFIED, IBV_TRANSPORT_UNSPECIFIED, IBV_LINK_LAYER_UNSPECIFIED, UD, 32, HCA_MAX_DEPTH,
     HCA_MAX_COMPLETIONS, false, 0, false, true, false},
    /* sw/rxe/rxe_param.h: RXE_MAX_INLINE_DATA is 512, of which this HCA has 256; no reg_user_mr_dmabuf. */
    {"rxe", IBV_NODE_CA, IBV_TRANSPORT_IB, HCA_LINK_OF_NIC, RC | UC | UD, HCA_MAX_INLINE, HCA_MAX_DEPTH, HCA_MAX_COMPLETIONS,
     true, HCA_MAX_WINDOWS, true, false, false},
    /* hw/cxgb4, hw/irdma over iWARP, sw/siw: RC alone, which only rdma_cm connects; node type RNIC. */
    {"iwarp", IBV_NODE_RNIC, IBV_TRANSPORT_IWARP, IBV_LINK_LAYER_ETHERNET, RC, 64, HCA_MAX_DEPTH, HCA_MAX_COMPLETIONS, false, 0,
     true, false, false},
    /* No driver's: all kinds, and little of everything, as firmware leaves to one of many virtual functions. */
    {"least", IBV_NODE_CA, IBV_TRANSPORT_IB, HCA_LINK_OF_NIC, RC | UC | UD, 0, 128, 512, true, 32, true, false, false},
};

const hca_profile* hca_profile_at(int64_t number) {
  return number >= 0 && number < HCA_PROFILES ? &profiles[number] : NULL;
}

int hca_profile_called(const char* name) {
  for (int i = 0; i < HCA_PROFILES; i++) {
    if (strcmp(profiles[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}
