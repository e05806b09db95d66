// SPDX-License-Identifier: Apache-2.0
/* An all-reduce through the slots, in which nothing is combined twice. */
#ifndef TOMBOLO_HOST_CCL_PIPED_H
#define TOMBOLO_HOST_CCL_PIPED_H

#include "../shared/engine_internal.h"

/* Sums, or what the call says, of everyone's vector; for two members or more. */
enum engine_result piped_all_reduce(struct engine_comm* comm, const struct engine_call* call);

#endif
