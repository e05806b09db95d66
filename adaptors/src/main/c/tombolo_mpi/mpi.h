// SPDX-License-Identifier: Apache-2.0
/* Open MPI, opened at run time, and the job of which this process is a rank. */
#ifndef TOMBOLO_MPI_H
#define TOMBOLO_MPI_H

#include "../shared/engine_internal.h"

typedef void* mpi_comm;
typedef void* mpi_group;
typedef void* mpi_type;
typedef void* mpi_op;
typedef void* mpi_request;
typedef void mpi_status;
typedef void* mpi_errhandler;

#include "mpi_names.h"

#define MPI_POINTER(name, arguments) int(*name) arguments;

struct mpi {
  MPI_FUNCTIONS(MPI_POINTER)
  mpi_comm world;
  mpi_errhandler errors_return;
  mpi_type types[ENGINE_TYPES]; /* NULL: MPI has none */
  mpi_op ops[ENGINE_OPS];
};

/* The library; NULL if it cannot be opened, which engine_last_error tells. Thread-safe; it stays open. */
const struct mpi* mpi_library(void);

/* ENGINE_OK, or the error that `code` of `call` stands for. */
enum engine_result mpi_check(const struct mpi* mpi, int code, const char* call);

enum { MPI_JOB_BYTES = 64 * 1024 };

/*
 * What makes processes the ranks of one MPI job: for each of them the variables that mpirun would have given it, as
 * NAME=VALUE strings that end with a zero byte; an empty string ends a rank's.
 */
struct mpi_job {
  uint64_t name;       /* never 0 */
  int32_t process;     /* of the member that keeps the job's server */
  int32_t descriptor;  /* in that process: the server ends when nobody has it open any more */
  uint32_t bytes;      /* used of the following */
  char variables[MPI_JOB_BYTES];
};

/* Whether there is an mpirun to start a job with; no process is started to find out. */
bool mpi_job_can_start(void);

/* Starts the server of a job of `size` ranks, on this host. */
enum engine_result mpi_job_start(struct mpi_job* job, int size);

/* Makes this process rank `rank` of the job, before MPI is initialised. */
enum engine_result mpi_job_enter(const struct mpi_job* job, int rank);

#endif
