// SPDX-License-Identifier: Apache-2.0
/*
 * Members that have to agree on a call before they make it would meet twice: to agree, and in the call. Offered calls have
 * them meet once, as what each contributes is there when they have agreed.
 */
#include "offer.h"

#include "way.h"

/* Others may read and write a member's own memory only in its call, so what goes that way is not begun ahead. */
static enum engine_result begin_ahead(struct engine_comm* comm, void* context) {
  const struct engine_call* call = context;
  size_t bytes = call->count * engine_type_bytes(call->type);
  if (comm->size > 1 && !way_tries_windows(comm, bytes) && way_of(comm, call, bytes) == BY_SLOTS) {
    engine_begin_collective(comm, call);
  }
  return ENGINE_OK;
}

enum engine_result offer_call(struct engine_comm* comm, struct engine_call call) {
  engine_lock(comm);
  bool is_idle = comm->turn == comm->next_ticket;
  struct engine_ticket ticket = {0, 0};
  if (is_idle) {
    ticket = engine_ticket(comm);
  }
  engine_unlock(comm);
  return is_idle ? engine_run_work(comm, ticket, begin_ahead, &call) : ENGINE_OK;
}
