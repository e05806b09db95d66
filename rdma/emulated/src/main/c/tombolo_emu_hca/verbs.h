// SPDX-License-Identifier: Apache-2.0
/*
 * The entry points of libibverbs that this library has, as its own header declares them but for the types' names; the
 * inline functions of that header reach the rest through the context's ops.
 */
#ifndef HCA_VERBS_H
#define HCA_VERBS_H

#include "witness_verbs.h"

struct ib_device** ibv_get_device_list(int* count);
void ibv_free_device_list(struct ib_device** list);
const char* ibv_get_device_name(struct ib_device* device);
uint64_t ibv_get_device_guid(struct ib_device* device);
struct ib_context* ibv_open_device(struct ib_device* device);
int ibv_close_device(struct ib_context* context);
int ibv_query_device(struct ib_context* context, struct ib_device_attr* attr);
int ibv_query_port(struct ib_context* context, uint8_t port, struct ib_port_attr* attr);
int ibv_query_gid(struct ib_context* context, uint8_t port, int index, union ib_gid* gid);
int _ibv_query_gid_ex(struct ib_context* context, uint32_t port, uint32_t index, struct ib_gid_entry* entry,
                      uint32_t flags, size_t entry_bytes);
int ibv_query_pkey(struct ib_context* context, uint8_t port, int index, uint16_t* pkey);
int ibv_fork_init(void);

struct ib_pd* ibv_alloc_pd(struct ib_context* context);
int ibv_dealloc_pd(struct ib_pd* pd);
struct ib_mr* ibv_reg_mr(struct ib_pd* pd, void* address, size_t length, int access);
struct ib_mr* ibv_reg_mr_iova(struct ib_pd* pd, void* address, size_t length, uint64_t iova, int access);
struct ib_mr* ibv_reg_mr_iova2(struct ib_pd* pd, void* address, size_t length, uint64_t iova, unsigned access);
struct ib_mr* ibv_reg_dmabuf_mr(struct ib_pd* pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access);
int ibv_dereg_mr(struct ib_mr* mr);

struct ib_comp_channel* ibv_create_comp_channel(struct ib_context* context);
int ibv_destroy_comp_channel(struct ib_comp_channel* channel);
struct ib_cq* ibv_create_cq(struct ib_context* context, int entries, void* user, struct ib_comp_channel* channel,
                            int vector);
int ibv_destroy_cq(struct ib_cq* cq);
int ibv_get_cq_event(struct ib_comp_channel* channel, struct ib_cq** cq, void** user);
void ibv_ack_cq_events(struct ib_cq* cq, unsigned count);
int ibv_get_async_event(struct ib_context* context, struct ib_async_event* event);
void ibv_ack_async_event(struct ib_async_event* event);

struct ib_srq* ibv_create_srq(struct ib_pd* pd, struct ib_srq_init_attr* init);
int ibv_modify_srq(struct ib_srq* srq, struct ib_srq_attr* attr, int mask);
int ibv_query_srq(struct ib_srq* srq, struct ib_srq_attr* attr);
int ibv_destroy_srq(struct ib_srq* srq);
struct ib_qp* ibv_create_qp(struct ib_pd* pd, struct ib_qp_init_attr* init);
int ibv_modify_qp(struct ib_qp* qp, struct ib_qp_attr* attr, int mask);
int ibv_query_qp(struct ib_qp* qp, struct ib_qp_attr* attr, int mask, struct ib_qp_init_attr* init);
int ibv_destroy_qp(struct ib_qp* qp);
struct ib_ah* ibv_create_ah(struct ib_pd* pd, struct ib_ah_attr* attr);
int ibv_destroy_ah(struct ib_ah* ah);

const char* ibv_wc_status_str(int status);
const char* ibv_event_type_str(int type);
const char* ibv_node_type_str(int type);
const char* ibv_port_state_str(int state);

/* Ours: what goes wrong from now on, see settings.h; and how many objects of any kind were made and not given back. */
int tombolo_hca_set(const char* name, const char* value);
int64_t tombolo_hca_living(void);

/* How often requests were posted: real NICs are told of each batch by a write to their doorbell. */
int64_t tombolo_hca_doorbells(void);

/* Whether memory was protected from forks before any was registered. */
int tombolo_hca_is_fork_safe(void);

#endif
