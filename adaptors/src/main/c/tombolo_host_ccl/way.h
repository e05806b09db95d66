// SPDX-License-Identifier: Apache-2.0
/* Which way a collective of the host library goes; the same at all members. */
#ifndef TOMBOLO_HOST_CCL_WAY_H
#define TOMBOLO_HOST_CCL_WAY_H

#include "../shared/engine_internal.h"

/* A way for buffers that are not all in windows. */
enum way { BY_SLOTS, BY_SHARDS, BY_REACH };

/* Of a call of two members or more, with `bytes` of count elements. */
enum way way_of(const struct engine_comm* comm, const struct engine_call* call, size_t bytes);

/* Whether members first look if all buffers are in windows. */
bool way_tries_windows(const struct engine_comm* comm, size_t bytes);

#endif
