// SPDX-License-Identifier: Apache-2.0
#ifndef HCA_EVENT_H
#define HCA_EVENT_H

#include "hca.h"

/* Tells the queue's channel that there is a completion. */
void hca_cq_event(hca_cq* cq);

/* Takes back what nobody has asked for. */
void hca_cq_silence(hca_cq* cq);

/* Takes back what the queue pair's end leaves of its events: those that nobody has asked for. */
void hca_event_silence(hca_context* context, const hca_qp* qp);

#endif
