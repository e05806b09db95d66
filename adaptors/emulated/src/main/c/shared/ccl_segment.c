/* Steps through the shared segment: publish, wait (spin, then yield, then sleep on a futex), read. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ccl_internal.h"

enum { SPINS = 200, YIELDS = 50, NAP_MS = 50 };

int64_t emu_now_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

size_t emu_segment_bytes(int size) {
  return sizeof(struct emu_segment) + (size_t)size * EMU_SLOTS_PER_RANK * EMU_SLOT_BYTES +
         (size_t)size * (size_t)size * sizeof(struct emu_pair);
}

static unsigned char* slot(const struct emu_comm* comm, int rank, uint32_t step) {
  size_t index = (size_t)rank * EMU_SLOTS_PER_RANK + step % EMU_SLOTS_PER_RANK;
  return comm->slots + index * EMU_SLOT_BYTES;
}

unsigned char* emu_outbox(struct emu_comm* comm) { return slot(comm, comm->rank, comm->step + 1); }

const unsigned char* emu_inbox(const struct emu_comm* comm, int rank) { return slot(comm, rank, comm->step); }

/* A futex that is not what was expected, a signal, the end of the nap: all mean "look again". */
static void nap(_Atomic uint32_t* word, uint32_t seen) {
  struct timespec at_most = {.tv_sec = 0, .tv_nsec = NAP_MS * 1000000L};
  (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &at_most, NULL, 0);
}

static void wake(_Atomic uint32_t* word) { (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

static bool reached(struct emu_member* peer, uint32_t step) {
  return (int32_t)(atomic_load(&peer->arrived) - step) >= 0;
}

/* Tells the processor that this is a spin, where it has a word for that. */
static void pause_cpu(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static bool soon(struct emu_member* peer, uint32_t step) {
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

static enum emu_result await_member(struct emu_comm* comm, int rank, int64_t deadline_ns) {
  struct emu_member* peer = &comm->segment->members[rank];
  uint32_t step = comm->step;
  if (soon(peer, step)) {
    return EMU_OK;
  }
  enum emu_result result = EMU_OK;
  atomic_fetch_add(&peer->waiters, 1);
  for (uint32_t seen = atomic_load(&peer->arrived); (int32_t)(seen - step) < 0; seen = atomic_load(&peer->arrived)) {
    if (atomic_load(&comm->aborted)) {
      result = emu_ccl_error(EMU_REMOTE, "rank %d gave up waiting for rank %d: aborted", comm->rank, rank);
      break;
    }
    if (deadline_ns != 0 && emu_now_ns() > deadline_ns) {
      result = emu_ccl_error(EMU_REMOTE, "rank %d of %d waits for rank %d, which never came", comm->rank, comm->size, rank);
      break;
    }
    nap(&peer->arrived, seen);
  }
  atomic_fetch_sub(&peer->waiters, 1);
  return result;
}

enum emu_result emu_exchange(struct emu_comm* comm, uint64_t meaning, int64_t deadline_ns) {
  struct emu_member* self = &comm->segment->members[comm->rank];
  unsigned index = (comm->step + 1) % EMU_SLOTS_PER_RANK;
  atomic_store(&self->meaning[index], meaning);
  atomic_store(&self->arrived, ++comm->step);
  if (atomic_load(&self->waiters) > 0) {
    wake(&self->arrived);
  }
  for (int rank = 0; rank < comm->size; rank++) {
    enum emu_result result = await_member(comm, rank, deadline_ns);
    if (result != EMU_OK) {
      return result;
    }
    if (atomic_load(&comm->segment->members[rank].meaning[index]) != meaning) {
      return emu_ccl_error(EMU_USAGE, "ranks %d and %d disagree about a call", comm->rank, rank);
    }
  }
  return EMU_OK;
}

uint32_t emu_bell(const struct emu_comm* comm) { return atomic_load(&comm->segment->members[comm->rank].bell); }

void emu_ring(struct emu_comm* comm, int rank) {
  struct emu_member* peer = &comm->segment->members[rank];
  atomic_fetch_add(&peer->bell, 1);
  if (atomic_load(&peer->listeners) > 0) {
    wake(&peer->bell);
  }
}

void emu_listen(struct emu_comm* comm, uint32_t seen) {
  struct emu_member* self = &comm->segment->members[comm->rank];
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

void emu_wake_all(struct emu_comm* comm) {
  for (int rank = 0; rank < comm->size; rank++) {
    wake(&comm->segment->members[rank].arrived);
    wake(&comm->segment->members[rank].bell);
  }
}
