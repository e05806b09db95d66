// SPDX-License-Identifier: Apache-2.0
/*
 * The engine's calls made by MPI. Vectors longer than MPI can count go in pieces. Buffers that are the same are MPI_IN_PLACE
 * where MPI has that, since its arguments must not overlap.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../tombolo_host_ccl/offer.h"
#include "mpi.h"

enum { MAX_TRANSFERS = 1024 };

#define IN_PLACE ((void*)MPI_IN_PLACE_VALUE)

/* One call, or a piece of it, in MPI's terms. */
struct job {
  const struct mpi* mpi;
  mpi_comm comm;
  mpi_type type;
  mpi_op op;
  int count;
  int root;
  int rank;
  size_t bytes; /* of `count` elements */
};

static int broadcast(const struct job* job, const void* send, void* receive) {
  if (job->rank == job->root && send != receive) {
    memcpy(receive, send, job->bytes);
  }
  return job->mpi->Bcast(receive, job->count, job->type, job->root, job->comm);
}

static int reduce(const struct job* job, const void* send, void* receive) {
  bool in_place = job->rank == job->root && send == receive;
  return job->mpi->Reduce(in_place ? IN_PLACE : send, receive, job->count, job->type, job->op, job->root, job->comm);
}

static int all_reduce(const struct job* job, const void* send, void* receive) {
  return job->mpi->Allreduce(send == receive ? IN_PLACE : send, receive, job->count, job->type, job->op, job->comm);
}

/* In place, MPI would put the result elsewhere than we promise. */
static int reduce_scatter(const struct job* job, const void* send, void* receive) {
  const unsigned char* shard = (const unsigned char*)send + (size_t)job->rank * job->bytes;
  void* to = receive == shard ? malloc(job->bytes) : receive;
  if (to == NULL) {
    return -1;
  }
  int code = job->mpi->Reduce_scatter_block(send, to, job->count, job->type, job->op, job->comm);
  if (to != receive) {
    memcpy(receive, to, job->bytes);
    free(to);
  }
  return code;
}

/* This member's block of a vector with one block for each. */
static const void* own_block(const struct job* job, const void* vector) {
  return (const unsigned char*)vector + (size_t)job->rank * job->bytes;
}

static int all_gather(const struct job* job, const void* send, void* receive) {
  const void* from = send == own_block(job, receive) ? IN_PLACE : send;
  return job->mpi->Allgather(from, job->count, job->type, receive, job->count, job->type, job->comm);
}

static int gather(const struct job* job, const void* send, void* receive) {
  bool in_place = job->rank == job->root && send == own_block(job, receive);
  return job->mpi->Gather(in_place ? IN_PLACE : send, job->count, job->type, receive, job->count, job->type, job->root,
                          job->comm);
}

static int scatter(const struct job* job, const void* send, void* receive) {
  bool in_place = job->rank == job->root && receive == own_block(job, send);
  return job->mpi->Scatter(send, job->count, job->type, in_place ? IN_PLACE : receive, job->count, job->type, job->root,
                           job->comm);
}

static int make(enum engine_collective what, const struct job* job, const void* send, void* receive) {
  switch (what) {
    case ENGINE_ALL_REDUCE: return all_reduce(job, send, receive);
    case ENGINE_REDUCE: return reduce(job, send, receive);
    case ENGINE_BROADCAST: return broadcast(job, send, receive);
    case ENGINE_REDUCE_SCATTER: return reduce_scatter(job, send, receive);
    case ENGINE_ALL_GATHER: return all_gather(job, send, receive);
    case ENGINE_ALL_TO_ALL: return job->mpi->Alltoall(send, job->count, job->type, receive, job->count, job->type, job->comm);
    case ENGINE_GATHER: return gather(job, send, receive);
    default: return scatter(job, send, receive);
  }
}

/* Whether the call is on vectors that can be cut anywhere. */
static bool is_plain_vector(const struct engine_call* call) {
  return call->what == ENGINE_ALL_REDUCE || call->what == ENGINE_REDUCE || call->what == ENGINE_BROADCAST;
}

/* What MPI needs for `call`; NULL in its type or operator is an error. */
static struct job job_of(struct engine_comm* comm, const struct engine_call* call) {
  const struct mpi* mpi = mpi_library();
  return (struct job){.mpi = mpi,
                      .comm = comm->extension,
                      .type = mpi->types[call->type],
                      .op = mpi->ops[call->op],
                      .root = call->root,
                      .rank = comm->rank};
}

static enum engine_result refuse(const struct engine_call* call) {
  return engine_error(ENGINE_ARGUMENT, "MPI cannot do collective %d on %zu elements of type %d with operator %d",
                      call->what, call->count, call->type, call->op);
}

enum engine_result engine_perform(struct engine_comm* comm, const struct engine_call* call) {
  struct job job = job_of(comm, call);
  if (job.type == NULL || job.op == NULL || (call->count > INT_MAX && !is_plain_vector(call))) {
    return refuse(call);
  }
  size_t element_bytes = engine_type_bytes(call->type);
  enum engine_result result = ENGINE_OK;
  for (size_t done = 0; result == ENGINE_OK && done < call->count; done += (size_t)job.count) {
    size_t left = call->count - done;
    size_t at = done * element_bytes;
    job.count = left < INT_MAX ? (int)left : INT_MAX;
    job.bytes = (size_t)job.count * element_bytes;
    result = mpi_check(
        job.mpi, make(call->what, &job, (const unsigned char*)call->send + at, (unsigned char*)call->receive + at), "MPI");
  }
  return result;
}

/* MPI begins nothing before it is called. */
enum engine_result offer_call(struct engine_comm* comm, struct engine_call call) {
  (void)comm;
  (void)call;
  return ENGINE_OK;
}

/* Starts the pieces of one send or receive; how many, or -1 if `room` is not enough or MPI refuses. */
static int start(const struct job* job, const struct engine_call* call, mpi_request* requests, int room, int* code) {
  size_t element_bytes = engine_type_bytes(call->type);
  int started = 0;
  for (size_t done = 0; *code == MPI_SUCCESS_VALUE && done < call->count; started++) {
    if (started == room) {
      return -1;
    }
    size_t left = call->count - done;
    int count = left < INT_MAX ? (int)left : INT_MAX;
    *code = call->what == ENGINE_SEND
                ? job->mpi->Issend((const unsigned char*)call->send + done * element_bytes, count, job->type, call->root, 0,
                                   job->comm, &requests[started])
                : job->mpi->Irecv((unsigned char*)call->receive + done * element_bytes, count, job->type, call->root, 0,
                                  job->comm, &requests[started]);
    done += (size_t)count;
  }
  return *code == MPI_SUCCESS_VALUE ? started : -1;
}

enum engine_result engine_transfers(struct engine_comm* comm, const struct engine_call* calls, int count) {
  const struct mpi* mpi = mpi_library();
  mpi_request requests[MAX_TRANSFERS];
  int started = 0;
  int code = MPI_SUCCESS_VALUE;
  for (int i = 0; i < count; i++) {
    struct job job = job_of(comm, &calls[i]);
    int more = job.type == NULL ? -1 : start(&job, &calls[i], requests + started, MAX_TRANSFERS - started, &code);
    if (more < 0) {
      return code == MPI_SUCCESS_VALUE ? refuse(&calls[i]) : mpi_check(mpi, code, "starting a send or receive");
    }
    started += more;
  }
  return mpi_check(mpi, mpi->Waitall(started, requests, NULL), "MPI_Waitall");
}
