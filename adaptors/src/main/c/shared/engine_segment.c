// SPDX-License-Identifier: Apache-2.0
/* Steps through the shared segment: publish, wait (spin, then yield, then sleep on a futex), read. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine_internal.h"

enum { FEW_SPINS = 20, MANY_SPINS = 2000, TRIED_EVERY = 32, YIELDS = 300, NAP_MS = 50 };

int64_t engine_now_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

size_t engine_segment_bytes(int size) {
  return sizeof(struct engine_segment) + (size_t)size * ENGINE_SLOTS_PER_RANK * ENGINE_SLOT_BYTES +
         (size_t)size * (size_t)size * sizeof(struct engine_pair);
}

static unsigned char* slot(const struct engine_comm* comm, int rank, uint32_t step) {
  size_t index = (size_t)rank * ENGINE_SLOTS_PER_RANK + step % ENGINE_SLOTS_PER_RANK;
  return comm->slots + index * ENGINE_SLOT_BYTES;
}

static struct engine_note* note(const struct engine_comm* comm, int rank, uint32_t step) {
  return &comm->segment->members[rank].notes[step % ENGINE_SLOTS_PER_RANK];
}

static unsigned char* place(const struct engine_comm* comm, int rank, uint32_t step, size_t bytes) {
  return bytes <= ENGINE_NOTE_BYTES ? note(comm, rank, step)->data : slot(comm, rank, step);
}

unsigned char* engine_outbox(struct engine_comm* comm, size_t bytes) {
  return place(comm, comm->rank, comm->step + 1, bytes);
}

const unsigned char* engine_inbox(const struct engine_comm* comm, int rank, size_t bytes) {
  return place(comm, rank, comm->step, bytes);
}

/* A futex that is not what was expected, a signal, the end of the nap: all mean "look again". */
static void nap(_Atomic uint32_t* word, uint32_t seen) {
  struct timespec at_most = {.tv_sec = 0, .tv_nsec = NAP_MS * 1000000L};
  (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &at_most, NULL, 0);
}

static void wake(_Atomic uint32_t* word) { (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

/* Looks at the line that will be read anyway. */
static bool reached(const struct engine_note* note, uint32_t step) {
  return atomic_load_explicit(&note->stamp, memory_order_acquire) == step;
}

/*
 * How often to look before the processor is yielded. Spinning is the fastest way to hear from another processor, and the
 * slowest one to hear from a member that waits for this one: so it goes on only while it helps, and is tried now and then.
 */
static int patience(struct engine_comm* comm) {
  return comm->spinning_helps || comm->waits++ % TRIED_EVERY == 0 ? MANY_SPINS : FEW_SPINS;
}

/* Spins without the processor's word for it: hypervisors take a loop of those as a reason to leave the guest. */
static bool soon(struct engine_comm* comm, const struct engine_note* note) {
  int spins = patience(comm);
  for (int i = 0; i < spins; i++) {
    if (reached(note, comm->step)) {
      comm->spinning_helps = true;
      return true;
    }
  }
  comm->spinning_helps = false;
  for (int i = 0; i < YIELDS; i++) {
    if (reached(note, comm->step)) {
      return true;
    }
    (void)sched_yield();
  }
  return false;
}

static enum engine_result await_member(struct engine_comm* comm, int rank, int64_t deadline_ns) {
  struct engine_member* peer = &comm->segment->members[rank];
  uint32_t step = comm->step;
  if (soon(comm, note(comm, rank, step))) {
    return ENGINE_OK;
  }
  enum engine_result result = ENGINE_OK;
  atomic_fetch_add(&peer->waiters, 1);
  for (uint32_t seen = atomic_load(&peer->arrived); (int32_t)(seen - step) < 0; seen = atomic_load(&peer->arrived)) {
    if (atomic_load(&comm->aborted)) {
      result = engine_error(ENGINE_REMOTE, "rank %d gave up waiting for rank %d: aborted", comm->rank, rank);
      break;
    }
    if (deadline_ns != 0 && engine_now_ns() > deadline_ns) {
      result = engine_error(ENGINE_REMOTE, "rank %d of %d waits for rank %d, which never came", comm->rank, comm->size, rank);
      break;
    }
    nap(&peer->arrived, seen);
  }
  atomic_fetch_sub(&peer->waiters, 1);
  return result;
}

void engine_publish(struct engine_comm* comm, uint64_t meaning) {
  struct engine_member* self = &comm->segment->members[comm->rank];
  struct engine_note* mine = note(comm, comm->rank, ++comm->step);
  mine->meaning = meaning;
  atomic_store_explicit(&mine->stamp, comm->step, memory_order_release);
  atomic_store(&self->arrived, comm->step);
  if (atomic_load(&self->waiters) > 0) {
    wake(&self->arrived);
  }
}

static enum engine_result meet(struct engine_comm* comm, int rank, uint64_t meaning, int64_t deadline_ns) {
  enum engine_result result = await_member(comm, rank, deadline_ns);
  if (result == ENGINE_OK && note(comm, rank, comm->step)->meaning != meaning) {
    return engine_error(ENGINE_USAGE, "ranks %d and %d disagree about a call", comm->rank, rank);
  }
  return result;
}

/* Of those `left`, one that has come, if there is one; from this member on, so that not all look at the same one at once. */
static int next_of(const struct engine_comm* comm, uint64_t left) {
  int first = comm->size;
  for (int step = comm->size - 1; step >= 0; step--) {
    int rank = (comm->rank + step) % comm->size;
    bool is_left = (left >> rank & 1) != 0;
    bool is_better = first == comm->size || reached(note(comm, rank, comm->step), comm->step) ||
                     !reached(note(comm, first, comm->step), comm->step);
    first = is_left && is_better ? rank : first;
  }
  return first;
}

enum engine_result engine_meet_next(struct engine_comm* comm, uint64_t meaning, uint64_t* left, int* rank) {
  *rank = next_of(comm, *left);
  *left &= ~(UINT64_C(1) << *rank);
  return meet(comm, *rank, meaning, 0);
}

enum engine_result engine_meet_all(struct engine_comm* comm, uint64_t meaning, int64_t deadline_ns) {
  enum engine_result result = ENGINE_OK;
  for (int rank = 0; result == ENGINE_OK && rank < comm->size; rank++) {
    result = meet(comm, rank, meaning, deadline_ns);
  }
  return result;
}

enum engine_result engine_exchange(struct engine_comm* comm, uint64_t meaning, int64_t deadline_ns) {
  engine_publish(comm, meaning);
  return engine_meet_all(comm, meaning, deadline_ns);
}

uint32_t engine_bell(const struct engine_comm* comm) { return atomic_load(&comm->segment->members[comm->rank].bell); }

void engine_ring(struct engine_comm* comm, int rank) {
  struct engine_member* peer = &comm->segment->members[rank];
  atomic_fetch_add(&peer->bell, 1);
  if (atomic_load(&peer->listeners) > 0) {
    wake(&peer->bell);
  }
}

void engine_listen(struct engine_comm* comm, uint32_t seen) {
  struct engine_member* self = &comm->segment->members[comm->rank];
  for (int i = 0; i < FEW_SPINS + YIELDS; i++) {
    if (atomic_load(&self->bell) != seen) {
      return;
    }
    if (i >= FEW_SPINS) {
      (void)sched_yield();
    }
  }
  atomic_fetch_add(&self->listeners, 1);
  if (atomic_load(&self->bell) == seen && !atomic_load(&comm->aborted)) {
    nap(&self->bell, seen);
  }
  atomic_fetch_sub(&self->listeners, 1);
}

void engine_wake_all(struct engine_comm* comm) {
  for (int rank = 0; rank < comm->size; rank++) {
    wake(&comm->segment->members[rank].arrived);
    wake(&comm->segment->members[rank].bell);
  }
}
