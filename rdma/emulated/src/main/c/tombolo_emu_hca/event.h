// SPDX-License-Identifier: Apache-2.0
#ifndef HCA_EVENT_H
#define HCA_EVENT_H

#include "hca.h"

/* Tells the queue's channel that there is a completion. */
void hca_cq_event(hca_cq* cq);

/* Takes back what nobody has asked for. */
void hca_cq_silence(hca_cq* cq);

#endif
