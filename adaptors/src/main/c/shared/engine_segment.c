/* Steps through the shared segment: publish, wait (spin, then yield, then sleep on a futex), read. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "engine_internal.h"

enum { SPINS = 5, YIELDS = 300, NAP_MS = 50 };

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

unsigned char* engine_outbox(struct engine_comm* comm) { return slot(comm, comm->rank, comm->step + 1); }

const unsigned char* engine_inbox(const struct engine_comm* comm, int rank) { return slot(comm, rank, comm->step); }

/* A futex that is not what was expected, a signal, the end of the nap: all mean "look again". */
static void nap(_Atomic uint32_t* word, uint32_t seen) {
  struct timespec at_most = {.tv_sec = 0, .tv_nsec = NAP_MS * 1000000L};
  (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &at_most, NULL, 0);
}

static void wake(_Atomic uint32_t* word) { (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

static bool reached(struct engine_member* peer, uint32_t step) {
  return (int32_t)(atomic_load(&peer->arrived) - step) >= 0;
}

/* Tells the processor that this is a spin, where it has a word for that. */
static void pause_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static bool soon(struct engine_member* peer, uint32_t step) {
  for (int i = 0; i < SPINS; i++) {
    if (reached(peer, step)) {
      return true;
    }
    pause_cpu();
  }
  for (int i = 0; i < YIELDS; i++) {
    if (reached(peer, step)) {
      return true;
    }
    (void)sched_yield();
  }
  return false;
}

static enum engine_result await_member(struct engine_comm* comm, int rank, int64_t deadline_ns) {
  struct engine_member* peer = &comm->segment->members[rank];
  uint32_t step = comm->step;
  if (soon(peer, step)) {
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

enum engine_result engine_exchange(struct engine_comm* comm, uint64_t meaning, int64_t deadline_ns) {
  struct engine_member* self = &comm->segment->members[comm->rank];
  unsigned index = (comm->step + 1) % ENGINE_SLOTS_PER_RANK;
  atomic_store(&self->meaning[index], meaning);
  atomic_store(&self->arrived, ++comm->step);
  if (atomic_load(&self->waiters) > 0) {
    wake(&self->arrived);
  }
  for (int rank = 0; rank < comm->size; rank++) {
    enum engine_result result = await_member(comm, rank, deadline_ns);
    if (result != ENGINE_OK) {
      return result;
    }
    if (atomic_load(&comm->segment->members[rank].meaning[index]) != meaning) {
      return engine_error(ENGINE_USAGE, "ranks %d and %d disagree about a call", comm->rank, rank);
    }
  }
  return ENGINE_OK;
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
  for (int i = 0; i < SPINS + YIELDS; i++) {
    if (atomic_load(&self->bell) != seen) {
      return;
    }
    if (i < SPINS) {
      pause_cpu();
    } else {
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
