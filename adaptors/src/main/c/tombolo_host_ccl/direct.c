// SPDX-License-Identifier: Apache-2.0
/*
 * Buffers of other members. In windows they are mapped; else they are reached through the system (engine_reach.c). Nobody
 * leaves a call before everyone is done with its buffers, or, if the call fails, before nobody writes them any more. If that
 * takes too long, the result says so: a writer that is stopped goes on where it was, however much later.
 */
#include "direct.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "nontemporal.h"

enum {
  PLACES = 1000,                  /* the first stage, where members tell what they have in windows */
  DONE = 2,                       /* the last stage */
  WITHDRAWAL_NS = 1000000000,     /* a member that died while it wrote says so no more */
  CAUSE_BYTES = 128,
  NOBODY = -1
};

size_t direct_send_bytes(const struct direct* direct, int rank) {
  return engine_send_count(direct->call, rank, direct->comm->size) * direct->element_bytes;
}

size_t direct_receive_bytes(const struct direct* direct, int rank) {
  return engine_receive_count(direct->call, rank, direct->comm->size) * direct->element_bytes;
}

/* Where a member's buffers are among its windows. */
struct places {
  struct window_place send;
  struct window_place receive;
};

static struct places places_of(const struct direct* direct) {
  const struct engine_comm* comm = direct->comm;
  return (struct places){window_find(comm, direct->call->send, direct_send_bytes(direct, comm->rank)),
                         window_find(comm, direct->call->receive, direct_receive_bytes(direct, comm->rank))};
}

/* Whether all buffers that have bytes are in windows; all members come to the same end. */
static bool find_mapped(struct direct* direct) {
  struct engine_comm* comm = direct->comm;
  for (int rank = 0; rank < comm->size; rank++) {
    struct places places;
    memcpy(&places, engine_inbox(comm, rank, sizeof places), sizeof places);
    direct->send[rank] = window_at(comm, rank, places.send, direct_send_bytes(direct, rank));
    direct->receive[rank] = window_at(comm, rank, places.receive, direct_receive_bytes(direct, rank));
    bool sends = direct_send_bytes(direct, rank) > 0;
    bool receives = direct_receive_bytes(direct, rank) > 0;
    if ((sends && direct->send[rank] == NULL) || (receives && direct->receive[rank] == NULL)) {
      return false;
    }
  }
  direct->send[comm->rank] = direct->call->send; /* not by another mapping: so what is in place is seen to be */
  direct->receive[comm->rank] = direct->call->receive;
  return true;
}

enum engine_result direct_open(struct direct* direct, bool tries_windows) {
  struct engine_comm* comm = direct->comm;
  unsigned index = (comm->step + 1) % ENGINE_SLOTS_PER_RANK;
  struct engine_member* self = &comm->segment->members[comm->rank];
  self->send[index] = direct->call->send;
  self->receive[index] = direct->call->receive;
  direct->meaning = engine_meaning(direct->call, tries_windows ? PLACES : 0);
  if (!tries_windows) {
    engine_publish(comm, direct->meaning);
    return ENGINE_OK;
  }
  struct places mine = places_of(direct);
  memcpy(engine_outbox(comm, sizeof mine), &mine, sizeof mine);
  enum engine_result result = engine_exchange(comm, direct->meaning, 0);
  direct->mapped = result == ENGINE_OK && find_mapped(direct);
  return result;
}

enum engine_result direct_meet_next(struct direct* direct, uint64_t* left, int* rank) {
  struct engine_comm* comm = direct->comm;
  enum engine_result result = engine_meet_next(comm, direct->meaning, left, rank);
  if (result == ENGINE_OK && !direct->mapped) {
    const struct engine_member* member = &comm->segment->members[*rank];
    direct->send[*rank] = member->send[comm->step % ENGINE_SLOTS_PER_RANK];
    direct->receive[*rank] = member->receive[comm->step % ENGINE_SLOTS_PER_RANK];
  }
  return result;
}

enum engine_result direct_meet_all(struct direct* direct) {
  enum engine_result result = ENGINE_OK;
  for (uint64_t left = engine_everyone(direct->comm); result == ENGINE_OK && left != 0;) {
    int rank;
    result = direct_meet_next(direct, &left, &rank);
  }
  return result;
}

/* From here on nobody begins to write this member's memory; who had begun and is not done in time. */
static int withdraw(struct engine_comm* comm) {
  atomic_store(&comm->segment->members[comm->rank].withdrawn, 1);
  int64_t deadline_ns = engine_now_ns() + WITHDRAWAL_NS;
  for (int rank = 0; rank < comm->size; rank++) {
    while (rank != comm->rank && atomic_load(&comm->segment->members[rank].writing) != 0) {
      if (engine_now_ns() >= deadline_ns) {
        return rank;
      }
      (void)sched_yield();
    }
  }
  return NOBODY;
}

/* The call has failed with `result`, which becomes another one if its buffers are not this member's again. */
static enum engine_result leave(struct engine_comm* comm, enum engine_result result) {
  char cause[CAUSE_BYTES];
  (void)snprintf(cause, sizeof cause, "%s", engine_last_error());
  int writer = withdraw(comm);
  if (writer == NOBODY) {
    return result;
  }
  return engine_error(ENGINE_WRITTEN, "rank %d may still write rank %d's buffers, so leave them until its process is gone; before: %s",
                      writer, comm->rank, cause);
}

enum engine_result direct_close(struct direct* direct, enum engine_result result) {
  if (result == ENGINE_OK) {
    result = engine_exchange(direct->comm, engine_meaning(direct->call, DONE), 0);
  }
  return result == ENGINE_OK ? ENGINE_OK : leave(direct->comm, result);
}

/* Of what this process can see, to this member's result. */
static void copy_here(const struct direct* direct, unsigned char* to, const unsigned char* from, size_t bytes) {
  if (nontemporal_pays(direct_receive_bytes(direct, direct->comm->rank))) {
    nontemporal_copy(to, from, bytes);
    nontemporal_end();
  } else {
    memcpy(to, from, bytes);
  }
}

enum engine_result direct_copy(const struct direct* direct, int rank, unsigned char* to, const unsigned char* from, size_t bytes) {
  bool is_own = rank == direct->comm->rank;
  if (bytes == 0 || (is_own && to == from)) { /* another process's address says nothing */
    return ENGINE_OK;
  }
  if (is_own || direct->mapped) {
    copy_here(direct, to, from, bytes);
    return ENGINE_OK;
  }
  return engine_read(direct->comm, rank, to, from, bytes);
}

/* Announces the writing before it looks who withdrew: so whoever withdraws sees it, or is seen. */
enum engine_result direct_begin_writing(const struct direct* direct) {
  const struct engine_comm* comm = direct->comm;
  struct engine_member* members = comm->segment->members;
  atomic_store(&members[comm->rank].writing, 1);
  for (int rank = 0; rank < comm->size; rank++) {
    if (atomic_load(&members[rank].withdrawn) != 0) {
      return engine_error(ENGINE_REMOTE, "rank %d cannot give rank %d its result: it gave up", comm->rank, rank);
    }
  }
  return ENGINE_OK;
}

void direct_end_writing(const struct direct* direct) {
  atomic_store_explicit(&direct->comm->segment->members[direct->comm->rank].writing, 0, memory_order_release);
}

enum engine_result direct_write(const struct direct* direct, size_t at, const unsigned char* from, size_t bytes) {
  const struct engine_comm* comm = direct->comm;
  enum engine_result result = ENGINE_OK;
  for (int step = 1; result == ENGINE_OK && step < comm->size; step++) {
    int rank = (comm->rank + step) % comm->size; /* not all to the same one at once */
    result = engine_write(comm, rank, direct->receive[rank] + at, from, bytes);
  }
  return result;
}
