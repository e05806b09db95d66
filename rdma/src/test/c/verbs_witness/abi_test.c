// SPDX-License-Identifier: Apache-2.0
/* Holds every size, offset and number of abi.h against libibverbs' own header. */
#include <infiniband/verbs.h>

#include "../../../main/c/tombolo_verbs/abi.h"

#define NUMBER(name) _Static_assert((int)VB_##name == (int)IBV_##name, #name)
#define SIZE(type) _Static_assert(sizeof(struct vb_##type) == sizeof(struct ibv_##type), #type)
#define PLACE_AS(ours, field, theirs, their_field)                                                                 \
  _Static_assert(offsetof(struct vb_##ours, field) == offsetof(struct ibv_##theirs, their_field), #ours " " #field); \
  _Static_assert(sizeof(((struct vb_##ours*)0)->field) == sizeof(((struct ibv_##theirs*)0)->their_field),           \
                 #ours " " #field)
#define PLACE(type, field) PLACE_AS(type, field, type, field)

_Static_assert((int)VB_LINK_INFINIBAND == (int)IBV_LINK_LAYER_INFINIBAND, "LINK_LAYER_INFINIBAND");
_Static_assert((int)VB_LINK_ETHERNET == (int)IBV_LINK_LAYER_ETHERNET, "LINK_LAYER_ETHERNET");
NUMBER(TRANSPORT_IB);
NUMBER(QPT_RC);
NUMBER(QPT_UC);
NUMBER(QPT_UD);
NUMBER(QPS_RESET);
NUMBER(QPS_INIT);
NUMBER(QPS_RTR);
NUMBER(QPS_RTS);
NUMBER(QPS_SQD);
NUMBER(QPS_SQE);
NUMBER(QPS_ERR);
NUMBER(MW_TYPE_1);
NUMBER(MTU_256);
NUMBER(MTU_512);
NUMBER(MTU_1024);
NUMBER(MTU_2048);
NUMBER(MTU_4096);
NUMBER(PORT_ACTIVE);
NUMBER(GID_TYPE_IB);
NUMBER(GID_TYPE_ROCE_V1);
NUMBER(GID_TYPE_ROCE_V2);
NUMBER(ACCESS_LOCAL_WRITE);
NUMBER(ACCESS_REMOTE_WRITE);
NUMBER(ACCESS_REMOTE_READ);
NUMBER(ACCESS_MW_BIND);
NUMBER(WC_SUCCESS);
NUMBER(WC_WR_FLUSH_ERR);
NUMBER(WC_REM_ACCESS_ERR);
NUMBER(WC_RETRY_EXC_ERR);
NUMBER(WC_RNR_RETRY_EXC_ERR);
NUMBER(WR_RDMA_WRITE);
NUMBER(WR_RDMA_WRITE_WITH_IMM);
NUMBER(WR_SEND);
NUMBER(WR_SEND_WITH_IMM);
NUMBER(WR_RDMA_READ);
NUMBER(SEND_FENCE);
NUMBER(SEND_SIGNALED);
NUMBER(SEND_SOLICITED);
NUMBER(SEND_INLINE);
NUMBER(WC_WITH_IMM);
NUMBER(QP_STATE);
NUMBER(QP_ACCESS_FLAGS);
NUMBER(QP_PKEY_INDEX);
NUMBER(QP_PORT);
NUMBER(QP_QKEY);
NUMBER(QP_AV);
NUMBER(QP_PATH_MTU);
NUMBER(QP_TIMEOUT);
NUMBER(QP_RETRY_CNT);
NUMBER(QP_RNR_RETRY);
NUMBER(QP_RQ_PSN);
NUMBER(QP_MAX_QP_RD_ATOMIC);
NUMBER(QP_MIN_RNR_TIMER);
NUMBER(QP_SQ_PSN);
NUMBER(QP_MAX_DEST_RD_ATOMIC);
NUMBER(QP_DEST_QPN);
NUMBER(EVENT_CQ_ERR);
NUMBER(EVENT_QP_FATAL);
NUMBER(EVENT_QP_REQ_ERR);
NUMBER(EVENT_QP_ACCESS_ERR);
NUMBER(EVENT_COMM_EST);
NUMBER(EVENT_SQ_DRAINED);
NUMBER(EVENT_PATH_MIG);
NUMBER(EVENT_PATH_MIG_ERR);
NUMBER(EVENT_DEVICE_FATAL);
NUMBER(EVENT_PORT_ACTIVE);
NUMBER(EVENT_PORT_ERR);
NUMBER(EVENT_LID_CHANGE);
NUMBER(EVENT_PKEY_CHANGE);
NUMBER(EVENT_SM_CHANGE);
NUMBER(EVENT_SRQ_ERR);
NUMBER(EVENT_SRQ_LIMIT_REACHED);
NUMBER(EVENT_QP_LAST_WQE_REACHED);
NUMBER(EVENT_CLIENT_REREGISTER);
NUMBER(EVENT_GID_CHANGE);

SIZE(device_attr);
PLACE(device, node_type);
PLACE(device, transport_type);
PLACE(device_attr, fw_ver);
PLACE(device_attr, node_guid);
PLACE(device_attr, sys_image_guid);
PLACE(device_attr, max_mr_size);
PLACE(device_attr, page_size_cap);
PLACE(device_attr, vendor_id);
PLACE(device_attr, vendor_part_id);
PLACE(device_attr, hw_ver);
PLACE(device_attr, max_qp);
PLACE(device_attr, max_qp_wr);
PLACE(device_attr, device_cap_flags);
PLACE(device_attr, max_sge);
PLACE(device_attr, max_sge_rd);
PLACE(device_attr, max_cq);
PLACE(device_attr, max_cqe);
PLACE(device_attr, max_mr);
PLACE(device_attr, max_pd);
PLACE(device_attr, max_qp_rd_atom);
PLACE(device_attr, max_ee_rd_atom);
PLACE(device_attr, max_res_rd_atom);
PLACE(device_attr, max_qp_init_rd_atom);
PLACE(device_attr, max_ee_init_rd_atom);
PLACE(device_attr, atomic_cap);
PLACE(device_attr, max_ee);
PLACE(device_attr, max_rdd);
PLACE(device_attr, max_mw);
PLACE(device_attr, max_raw_ipv6_qp);
PLACE(device_attr, max_raw_ethy_qp);
PLACE(device_attr, max_mcast_grp);
PLACE(device_attr, max_mcast_qp_attach);
PLACE(device_attr, max_total_mcast_qp_attach);
PLACE(device_attr, max_ah);
PLACE(device_attr, max_fmr);
PLACE(device_attr, max_map_per_fmr);
PLACE(device_attr, max_srq);
PLACE(device_attr, max_srq_wr);
PLACE(device_attr, max_srq_sge);
PLACE(device_attr, max_pkeys);
PLACE(device_attr, local_ca_ack_delay);
PLACE(device_attr, phys_port_cnt);

SIZE(port_attr);
PLACE(port_attr, state);
PLACE(port_attr, max_mtu);
PLACE(port_attr, active_mtu);
PLACE(port_attr, gid_tbl_len);
PLACE(port_attr, port_cap_flags);
PLACE(port_attr, max_msg_sz);
PLACE(port_attr, bad_pkey_cntr);
PLACE(port_attr, qkey_viol_cntr);
PLACE(port_attr, pkey_tbl_len);
PLACE(port_attr, lid);
PLACE(port_attr, sm_lid);
PLACE(port_attr, lmc);
PLACE(port_attr, max_vl_num);
PLACE(port_attr, sm_sl);
PLACE(port_attr, subnet_timeout);
PLACE(port_attr, init_type_reply);
PLACE(port_attr, active_width);
PLACE(port_attr, active_speed);
PLACE(port_attr, phys_state);
PLACE(port_attr, link_layer);
PLACE(port_attr, flags);
PLACE(port_attr, port_cap_flags2);

SIZE(gid_entry);
PLACE(gid_entry, gid);
PLACE(gid_entry, gid_index);
PLACE(gid_entry, port_num);
PLACE(gid_entry, gid_type);
PLACE(gid_entry, ndev_ifindex);

SIZE(mr);
PLACE(mr, context);
PLACE(mr, pd);
PLACE(mr, addr);
PLACE(mr, length);
PLACE(mr, handle);
PLACE(mr, lkey);
PLACE(mr, rkey);

SIZE(mw);
PLACE(mw, context);
PLACE(mw, pd);
PLACE(mw, rkey);
PLACE(mw, handle);
PLACE(mw, type);

SIZE(mw_bind_info);
PLACE(mw_bind_info, mr);
PLACE(mw_bind_info, addr);
PLACE(mw_bind_info, length);
PLACE(mw_bind_info, mw_access_flags);

SIZE(mw_bind);
PLACE(mw_bind, wr_id);
PLACE(mw_bind, send_flags);
PLACE(mw_bind, bind_info);

SIZE(global_route);
PLACE(global_route, dgid);
PLACE(global_route, flow_label);
PLACE(global_route, sgid_index);
PLACE(global_route, hop_limit);
PLACE(global_route, traffic_class);

SIZE(ah_attr);
PLACE(ah_attr, grh);
PLACE(ah_attr, dlid);
PLACE(ah_attr, sl);
PLACE(ah_attr, src_path_bits);
PLACE(ah_attr, static_rate);
PLACE(ah_attr, is_global);
PLACE(ah_attr, port_num);

PLACE(srq, context);

SIZE(srq_init_attr);
PLACE(srq_init_attr, srq_context);
PLACE_AS(srq_init_attr, max_wr, srq_init_attr, attr.max_wr);
PLACE_AS(srq_init_attr, max_sge, srq_init_attr, attr.max_sge);
PLACE_AS(srq_init_attr, srq_limit, srq_init_attr, attr.srq_limit);

PLACE(cq, context);
PLACE(cq, channel);
PLACE(cq, cq_context);
PLACE(cq, handle);
PLACE(cq, cqe);

PLACE_AS(comp_channel_head, context, comp_channel, context);
PLACE_AS(comp_channel_head, fd, comp_channel, fd);

PLACE(qp, context);
PLACE(qp, qp_context);
PLACE(qp, pd);
PLACE(qp, send_cq);
PLACE(qp, recv_cq);
PLACE(qp, srq);
PLACE(qp, handle);
PLACE(qp, qp_num);

SIZE(qp_cap);
PLACE(qp_cap, max_send_wr);
PLACE(qp_cap, max_recv_wr);
PLACE(qp_cap, max_send_sge);
PLACE(qp_cap, max_recv_sge);
PLACE(qp_cap, max_inline_data);

SIZE(qp_init_attr);
PLACE(qp_init_attr, qp_context);
PLACE(qp_init_attr, send_cq);
PLACE(qp_init_attr, recv_cq);
PLACE(qp_init_attr, srq);
PLACE(qp_init_attr, cap);
PLACE(qp_init_attr, qp_type);
PLACE(qp_init_attr, sq_sig_all);

SIZE(qp_attr);
PLACE(qp_attr, qp_state);
PLACE(qp_attr, cur_qp_state);
PLACE(qp_attr, path_mtu);
PLACE(qp_attr, path_mig_state);
PLACE(qp_attr, qkey);
PLACE(qp_attr, rq_psn);
PLACE(qp_attr, sq_psn);
PLACE(qp_attr, dest_qp_num);
PLACE(qp_attr, qp_access_flags);
PLACE(qp_attr, cap);
PLACE(qp_attr, ah_attr);
PLACE(qp_attr, alt_ah_attr);
PLACE(qp_attr, pkey_index);
PLACE(qp_attr, alt_pkey_index);
PLACE(qp_attr, en_sqd_async_notify);
PLACE(qp_attr, sq_draining);
PLACE(qp_attr, max_rd_atomic);
PLACE(qp_attr, max_dest_rd_atomic);
PLACE(qp_attr, min_rnr_timer);
PLACE(qp_attr, port_num);
PLACE(qp_attr, timeout);
PLACE(qp_attr, retry_cnt);
PLACE(qp_attr, rnr_retry);
PLACE(qp_attr, alt_port_num);
PLACE(qp_attr, alt_timeout);
PLACE(qp_attr, rate_limit);

SIZE(sge);
PLACE(sge, addr);
PLACE(sge, length);
PLACE(sge, lkey);

SIZE(send_wr);
PLACE(send_wr, wr_id);
PLACE(send_wr, next);
PLACE(send_wr, sg_list);
PLACE(send_wr, num_sge);
PLACE(send_wr, opcode);
PLACE(send_wr, send_flags);
PLACE(send_wr, imm_data);
PLACE(send_wr, wr.rdma.remote_addr);
PLACE(send_wr, wr.rdma.rkey);
PLACE(send_wr, wr.atomic.remote_addr);
PLACE(send_wr, wr.atomic.compare_add);
PLACE(send_wr, wr.atomic.swap);
PLACE(send_wr, wr.atomic.rkey);
PLACE(send_wr, wr.ud.ah);
PLACE(send_wr, wr.ud.remote_qpn);
PLACE(send_wr, wr.ud.remote_qkey);
PLACE_AS(send_wr, remote_srqn, send_wr, qp_type.xrc.remote_srqn);
PLACE(send_wr, bind_mw.mw);
PLACE(send_wr, bind_mw.rkey);
PLACE(send_wr, bind_mw.bind_info);

SIZE(recv_wr);
PLACE(recv_wr, wr_id);
PLACE(recv_wr, next);
PLACE(recv_wr, sg_list);
PLACE(recv_wr, num_sge);

SIZE(wc);
PLACE(wc, wr_id);
PLACE(wc, status);
PLACE(wc, opcode);
PLACE(wc, vendor_err);
PLACE(wc, byte_len);
PLACE(wc, imm_data);
PLACE(wc, qp_num);
PLACE(wc, src_qp);
PLACE(wc, wc_flags);
PLACE(wc, pkey_index);
PLACE(wc, slid);
PLACE(wc, sl);
PLACE(wc, dlid_path_bits);

SIZE(async_event);
PLACE(async_event, element.cq);
PLACE(async_event, element.qp);
PLACE(async_event, element.srq);
PLACE(async_event, element.port_num);
PLACE(async_event, event_type);

SIZE(context_ops);
PLACE(context_ops, alloc_mw);
PLACE(context_ops, bind_mw);
PLACE(context_ops, dealloc_mw);
PLACE(context_ops, poll_cq);
PLACE(context_ops, req_notify_cq);
PLACE(context_ops, post_srq_recv);
PLACE(context_ops, post_send);
PLACE(context_ops, post_recv);

PLACE(context, device);
PLACE(context, ops);
PLACE(context, cmd_fd);
PLACE(context, async_fd);
PLACE(context, num_comp_vectors);

PLACE_AS(pd_head, context, pd, context);

_Static_assert(sizeof(vb_gid) == sizeof(union ibv_gid) && _Alignof(vb_gid) == _Alignof(union ibv_gid), "gid");

/* The prototypes of what is looked up by name agree, but for the names of the structs. */
int main(void) { return 0; }
