// SPDX-License-Identifier: Apache-2.0
/* The call shapes, and NCCL's way of making each call, which most of the others share. */
#ifndef TOMBOLO_CCL_SHAPES_H
#define TOMBOLO_CCL_SHAPES_H

#include "ccl.h"

extern const struct ccl_shape ccl_nccl_shape;
extern const struct ccl_shape ccl_oneccl_shape;
extern const struct ccl_shape ccl_gaudi_shape;
extern const struct ccl_shape ccl_ascend_shape;
extern const struct ccl_shape ccl_cncl_shape;
extern const struct ccl_shape ccl_xccl_shape;

int nccl_version(void* entry, int* version);
int nccl_async_error(void* entry, void* communicator, int* error);
int nccl_reduced(void* entry, void* communicator, const struct ccl_call* call); /* all-reduce, reduce-scatter */
int nccl_reduce(void* entry, void* communicator, const struct ccl_call* call);
int nccl_rooted(void* entry, void* communicator, const struct ccl_call* call); /* broadcast, gather, scatter */
int nccl_moved(void* entry, void* communicator, const struct ccl_call* call); /* all-gather, all-to-all */
int nccl_send(void* entry, void* communicator, const struct ccl_call* call);
int nccl_receive(void* entry, void* communicator, const struct ccl_call* call);

/* NCCL's collectives, for a shape's table. */
#define NCCL_COLLECTIVES                                                                                      \
  [ALL_REDUCE] = nccl_reduced, [REDUCE_SCATTER] = nccl_reduced, [REDUCE] = nccl_reduce,                       \
  [BROADCAST] = nccl_rooted, [GATHER] = nccl_rooted, [SCATTER] = nccl_rooted, [ALL_GATHER] = nccl_moved,      \
  [ALL_TO_ALL] = nccl_moved, [SEND] = nccl_send, [RECEIVE] = nccl_receive

#endif
