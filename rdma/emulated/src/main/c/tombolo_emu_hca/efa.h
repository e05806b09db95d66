// SPDX-License-Identifier: Apache-2.0
/*
 * What EFA alone refuses or does otherwise. Each call says 0, and changes nothing, for devices that are no EFA.
 *
 * The sources, in efa.c: "provider" is rdma-core 44 to 64, providers/efa/verbs.c; "driver" is Linux 6.1 to 6.12,
 * drivers/infiniband/hw/efa/efa_verbs.c.
 */
#ifndef HCA_EFA_H
#define HCA_EFA_H

#include "hca.h"

bool hca_is_efa(const hca_context* context);

/* Why a pair, rights to memory, a change of a pair or a request is refused: its errno. */
int hca_efa_refuses_pair(const hca_context* context, const struct ib_qp_init_attr* init);
int hca_efa_refuses_rights(const hca_context* context, unsigned access);
int hca_efa_refuses_change(const hca_qp* qp, const struct ib_qp_attr* attr, int mask);
int hca_efa_refuses_send(const hca_qp* qp, const struct ib_send_wr* wr);

/* What the device is told of a route. */
void hca_efa_route(const hca_context* context, struct ib_ah_attr* route);

/* Puts another request into the oldest one's place, by the seed: they are sent, and complete, in any order. */
void hca_efa_shuffle(hca_qp* qp);

#endif
