// SPDX-License-Identifier: Apache-2.0
/* A communicator's life: join, the order of its calls, failure, abort, the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "engine_internal.h"

static enum engine_result map_segment(struct engine_comm* comm, int fd) {
  comm->mapped_bytes = engine_segment_bytes(comm->size);
  void* mapped = mmap(NULL, comm->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    return engine_error(ENGINE_SYSTEM, "cannot map %zu bytes: %s", comm->mapped_bytes, strerror(errno));
  }
  comm->segment = mapped;
  comm->slots = (unsigned char*)mapped + sizeof(struct engine_segment);
  comm->pairs = (struct engine_pair*)(comm->slots + (size_t)comm->size * ENGINE_SLOTS_PER_RANK * ENGINE_SLOT_BYTES);
  return ENGINE_OK;
}

static void release(struct engine_comm* comm) {
  if (atomic_fetch_sub(&comm->references, 1) > 1) {
    return;
  }
  engine_before_release(comm);
  if (comm->segment != NULL) {
    (void)munmap(comm->segment, comm->mapped_bytes);
  }
  (void)pthread_cond_destroy(&comm->changed);
  (void)pthread_mutex_destroy(&comm->lock);
  free(comm);
}

static struct engine_comm* new_comm(int rank, int size) {
  struct engine_comm* comm = calloc(1, sizeof *comm);
  if (comm == NULL) {
    return NULL;
  }
  comm->rank = rank;
  comm->size = size;
  atomic_init(&comm->references, 1);
  if (pthread_mutex_init(&comm->lock, NULL) != 0 || pthread_cond_init(&comm->changed, NULL) != 0) {
    free(comm);
    return NULL;
  }
  return comm;
}

static enum engine_result meet(struct engine_comm* comm, const unsigned char id[ENGINE_ID_BYTES]) {
  int64_t deadline_ns = engine_now_ns() + engine_join_timeout_ns();
  int fd;
  enum engine_result result = engine_rendezvous(id, comm->rank, comm->size, deadline_ns, &fd);
  if (result != ENGINE_OK) {
    return result;
  }
  memcpy(&comm->greeting, id + 32, sizeof comm->greeting); /* of the id's secret */
  result = map_segment(comm, fd);
  (void)close(fd);
  result = result == ENGINE_OK ? engine_get_to_know(comm, deadline_ns) : result;
  return result == ENGINE_OK ? engine_after_join(comm) : result;
}

enum engine_result engine_join(struct engine_comm** result, const unsigned char id[ENGINE_ID_BYTES], int rank, int size) {
  *result = NULL;
  if (size < 1 || size > ENGINE_MAX_RANKS || rank < 0 || rank >= size) {
    return engine_error(ENGINE_ARGUMENT, "rank %d of %d: ranks count from 0, and there are at most %d", rank, size,
                         ENGINE_MAX_RANKS);
  }
  engine_before_join();
  struct engine_comm* comm = new_comm(rank, size);
  if (comm == NULL) {
    return engine_error(ENGINE_SYSTEM, "no memory for a communicator");
  }
  enum engine_result met = meet(comm, id);
  if (met != ENGINE_OK) {
    release(comm);
    return met;
  }
  *result = comm;
  return ENGINE_OK;
}

void engine_lock(struct engine_comm* comm) {
  engine_order_lock();
  (void)pthread_mutex_lock(&comm->lock);
}

void engine_unlock(struct engine_comm* comm) {
  (void)pthread_mutex_unlock(&comm->lock);
  engine_order_unlock();
}

struct engine_ticket engine_ticket(struct engine_comm* comm) {
  atomic_fetch_add(&comm->references, 1);
  return (struct engine_ticket){comm->next_ticket++, engine_order_take()};
}

void engine_return_ticket(struct engine_comm* comm, struct engine_ticket ticket) {
  comm->next_ticket = ticket.in_comm;
  engine_order_return(ticket.in_process);
  atomic_fetch_sub(&comm->references, 1); /* the caller's own reference keeps it alive */
}

static void await_turn(struct engine_comm* comm, struct engine_ticket ticket) {
  (void)pthread_mutex_lock(&comm->lock);
  while (comm->turn != ticket.in_comm && !atomic_load(&comm->aborted)) {
    (void)pthread_cond_wait(&comm->changed, &comm->lock);
  }
  (void)pthread_mutex_unlock(&comm->lock);
  engine_order_await(comm, ticket.in_process);
}

static void end_turn(struct engine_comm* comm, struct engine_ticket ticket) {
  (void)pthread_mutex_lock(&comm->lock);
  comm->turn++;
  (void)pthread_cond_broadcast(&comm->changed);
  (void)pthread_mutex_unlock(&comm->lock);
  engine_order_end(ticket.in_process);
}

void engine_await_abort(struct engine_comm* comm) {
  (void)pthread_mutex_lock(&comm->lock);
  while (!atomic_load(&comm->aborted)) {
    (void)pthread_cond_wait(&comm->changed, &comm->lock);
  }
  (void)pthread_mutex_unlock(&comm->lock);
}

static enum engine_result ensure_sound(struct engine_comm* comm) {
  if (atomic_load(&comm->aborted)) {
    return engine_error(ENGINE_REMOTE, "rank %d: the communicator was aborted", comm->rank);
  }
  if (atomic_load(&comm->failure) != ENGINE_OK) {
    return engine_error(ENGINE_USAGE, "rank %d: the communicator has failed before", comm->rank);
  }
  return ENGINE_OK;
}

static enum engine_result run_in_turn(struct engine_comm* comm, uint64_t nth, const struct engine_call* calls, int count) {
  enum engine_result sound = ensure_sound(comm);
  if (sound == ENGINE_OK) {
    sound = engine_before_work(comm, nth, calls, count);
  }
  if (sound == ENGINE_OK) {
    sound = ensure_sound(comm);
  }
  if (sound != ENGINE_OK) {
    return sound;
  }
  return calls->what < ENGINE_SEND ? engine_perform(comm, calls) : engine_transfers(comm, calls, count);
}

/* Notes the first failure, lets the next work begin, and drops the ticket's reference. */
static enum engine_result ended(struct engine_comm* comm, struct engine_ticket ticket, enum engine_result result) {
  int none = ENGINE_OK;
  (void)atomic_compare_exchange_strong(&comm->failure, &none, result);
  end_turn(comm, ticket);
  release(comm);
  return result;
}

enum engine_result engine_run(struct engine_comm* comm, struct engine_ticket ticket, const struct engine_call* calls, int count) {
  await_turn(comm, ticket);
  return ended(comm, ticket, run_in_turn(comm, ticket.in_comm + 1, calls, count));
}

enum engine_result engine_run_work(struct engine_comm* comm, struct engine_ticket ticket, engine_work work, void* context) {
  await_turn(comm, ticket);
  enum engine_result sound = ensure_sound(comm);
  return ended(comm, ticket, sound == ENGINE_OK ? work(comm, context) : sound);
}

enum engine_result engine_async_error(struct engine_comm* comm) {
  int failure = atomic_load(&comm->failure);
  for (int rank = 0; failure == ENGINE_OK && rank < comm->size; rank++) {
    if (atomic_load(&comm->segment->members[rank].gone) != 0) {
      failure = engine_error(ENGINE_REMOTE, "rank %d gave up", rank);
    }
  }
  return (enum engine_result)failure;
}

int engine_rank(const struct engine_comm* comm) { return comm->rank; }

int engine_size(const struct engine_comm* comm) { return comm->size; }

void engine_destroy(struct engine_comm* comm) { release(comm); }

void engine_abort(struct engine_comm* comm) {
  atomic_store(&comm->segment->members[comm->rank].gone, 1);
  (void)pthread_mutex_lock(&comm->lock);
  atomic_store(&comm->aborted, true);
  (void)pthread_cond_broadcast(&comm->changed);
  (void)pthread_mutex_unlock(&comm->lock);
  engine_order_wake();
  engine_wake_all(comm);
  release(comm);
}
