// SPDX-License-Identifier: Apache-2.0
/* libibverbs, or a library that stands in for it, opened at run time. */
#ifndef TOMBOLO_VERBS_LIBRARY_H
#define TOMBOLO_VERBS_LIBRARY_H

#include "abi.h"

/* X(name, result, parameters): what has to be there */
#define VERBS_MUSTS(X)                                                                                         \
  X(get_device_list, struct vb_device**, (int* count))                                                         \
  X(free_device_list, void, (struct vb_device * *list))                                                        \
  X(get_device_name, const char*, (struct vb_device * device))                                                 \
  X(open_device, struct vb_context*, (struct vb_device * device))                                              \
  X(close_device, int, (struct vb_context * context))                                                          \
  X(query_device, int, (struct vb_context * context, struct vb_device_attr * attr))                            \
  X(query_port, int, (struct vb_context * context, uint8_t port, struct vb_port_attr* attr))                   \
  X(query_gid, int, (struct vb_context * context, uint8_t port, int index, vb_gid* gid))                       \
  X(alloc_pd, struct vb_pd*, (struct vb_context * context))                                                    \
  X(dealloc_pd, int, (struct vb_pd * pd))                                                                      \
  X(reg_mr, struct vb_mr*, (struct vb_pd * pd, void* address, size_t length, int access))                      \
  X(dereg_mr, int, (struct vb_mr * mr))                                                                        \
  X(create_comp_channel, struct vb_comp_channel*, (struct vb_context * context))                               \
  X(destroy_comp_channel, int, (struct vb_comp_channel * channel))                                             \
  X(create_cq, struct vb_cq*,                                                                                  \
    (struct vb_context * context, int entries, void* user, struct vb_comp_channel* channel, int vector))       \
  X(destroy_cq, int, (struct vb_cq * cq))                                                                      \
  X(get_cq_event, int, (struct vb_comp_channel * channel, struct vb_cq * *cq, void** user))                    \
  X(ack_cq_events, void, (struct vb_cq * cq, unsigned count))                                                  \
  X(create_srq, struct vb_srq*, (struct vb_pd * pd, struct vb_srq_init_attr * attr))                           \
  X(destroy_srq, int, (struct vb_srq * srq))                                                                   \
  X(create_qp, struct vb_qp*, (struct vb_pd * pd, struct vb_qp_init_attr * attr))                              \
  X(modify_qp, int, (struct vb_qp * qp, struct vb_qp_attr * attr, int mask))                                   \
  X(destroy_qp, int, (struct vb_qp * qp))                                                                      \
  X(create_ah, struct vb_ah*, (struct vb_pd * pd, struct vb_ah_attr * attr))                                   \
  X(destroy_ah, int, (struct vb_ah * ah))                                                                      \
  X(get_async_event, int, (struct vb_context * context, struct vb_async_event * event))                        \
  X(ack_async_event, void, (struct vb_async_event * event))                                                    \
  X(event_type_str, const char*, (int type))                                                                   \
  X(wc_status_str, const char*, (int status))

/* What older libraries lack: reg_mr_iova came with rdma-core 24, query_gid_ex with 34, reg_dmabuf_mr with 34. */
#define VERBS_EXTRAS(X)                                                                                        \
  X(fork_init, int, (void))                                                                                    \
  X(reg_mr_iova, struct vb_mr*, (struct vb_pd * pd, void* address, size_t length, uint64_t iova, int access))  \
  X(reg_mr_iova2, struct vb_mr*,                                                                               \
    (struct vb_pd * pd, void* address, size_t length, uint64_t iova, unsigned access))                         \
  X(reg_dmabuf_mr, struct vb_mr*,                                                                              \
    (struct vb_pd * pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access))

typedef struct verbs_library {
#define VERBS_FIELD(name, result, parameters) result(*name) parameters;
  VERBS_MUSTS(VERBS_FIELD)
  VERBS_EXTRAS(VERBS_FIELD)
#undef VERBS_FIELD
  /* _ibv_query_gid_ex: the leading underscore is the symbol's own */
  int (*query_gid_ex)(struct vb_context* context, uint32_t port, uint32_t index, struct vb_gid_entry* entry,
                      uint32_t flags, size_t entry_bytes);
} verbs_library;

/*
 * Opens the library called `name` (a file, or a name for the loader). It stays loaded for the life of the process; the
 * struct is the caller's. NULL with the reason in `problem` if it cannot be opened or lacks a symbol.
 */
verbs_library* verbs_open(const char* name, char* problem, size_t problem_bytes);

#endif
