// SPDX-License-Identifier: Apache-2.0
/*
 * Members' memory, reached from outside: process_vm_readv and process_vm_writev, one copy without a segment between. The
 * system allows it to processes of one user (and one pid namespace) unless ptrace is restricted; whether it does is tried
 * once, when members meet. Addresses come from the members themselves, who stay in the call until everyone is done.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine_internal.h"

typedef ssize_t transfer(pid_t, const struct iovec*, unsigned long, const struct iovec*, unsigned long, unsigned long);

/* Moves `bytes` between `here` and member `rank`'s `there`; the system may stop half way. */
static enum engine_result move(const struct engine_comm* comm, int rank, transfer* some, void* here, void* there, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    struct iovec ours = {(unsigned char*)here + done, bytes - done};
    struct iovec theirs = {(unsigned char*)there + done, bytes - done};
    ssize_t now = some(comm->segment->members[rank].process, &ours, 1, &theirs, 1, 0);
    if (now <= 0) {
      return engine_error(ENGINE_REMOTE, "rank %d cannot %s %zu bytes of rank %d: %s", comm->rank,
                          some == process_vm_readv ? "read" : "write", bytes - done, rank, strerror(errno));
    }
    done += (size_t)now;
  }
  return ENGINE_OK;
}

enum engine_result engine_read(const struct engine_comm* comm, int rank, void* to, const void* from, size_t bytes) {
  if (rank == comm->rank) {
    memmove(to, from, bytes);
    return ENGINE_OK;
  }
  return move(comm, rank, process_vm_readv, to, (void*)(uintptr_t)from, bytes);
}

enum engine_result engine_write(const struct engine_comm* comm, int rank, void* to, const void* from, size_t bytes) {
  if (rank == comm->rank) {
    memmove(to, from, bytes);
    return ENGINE_OK;
  }
  return move(comm, rank, process_vm_writev, (void*)(uintptr_t)from, to, bytes);
}

/*
 * A word that only this communicator's members know tells that it is the right memory. Writing asks for the same permission
 * as reading; that no filter forbids the call itself, one of no bytes tells.
 */
static bool reaches(struct engine_comm* comm, int rank) {
  uint64_t seen = 0;
  return engine_read(comm, rank, &seen, comm->segment->members[rank].send[1], sizeof seen) == ENGINE_OK &&
         seen == comm->greeting + (uint64_t)rank &&
         process_vm_writev(comm->segment->members[rank].process, NULL, 0, NULL, 0, 0) == 0;
}

enum engine_result engine_get_to_know(struct engine_comm* comm, int64_t deadline_ns) {
  struct engine_member* self = &comm->segment->members[comm->rank];
  uint64_t word = comm->greeting + (uint64_t)comm->rank;
  self->process = (int32_t)getpid();
  self->send[1] = &word;
  enum engine_result result = engine_exchange(comm, 0, deadline_ns);
  self->reaches_all = engine_wants_direct();
  for (int rank = 0; result == ENGINE_OK && rank < comm->size; rank++) {
    self->reaches_all = self->reaches_all && reaches(comm, rank);
  }
  if (result == ENGINE_OK) {
    result = engine_exchange(comm, 1, deadline_ns);
  }
  comm->direct = true;
  for (int rank = 0; rank < comm->size; rank++) {
    comm->direct = comm->direct && comm->segment->members[rank].reaches_all != 0;
  }
  return result;
}
