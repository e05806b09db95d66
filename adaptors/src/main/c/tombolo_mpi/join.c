// SPDX-License-Identifier: Apache-2.0
/* From the engine's members to an MPI communicator of them. */
#include <stdlib.h>
#include <sys/statvfs.h>

#include "mpi.h"

enum { SEGMENT_KIB = 4 << 10 | 4 };

/* This process's place in the one MPI job that it can be part of. */
struct place {
  uint64_t job; /* 0: none yet */
  int32_t rank;
  int32_t reserved;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one join at a time */
static struct place mine;

static enum engine_result initialise(const struct mpi* mpi) {
  int provided = 0;
  enum engine_result result = mpi_check(mpi, mpi->Init_thread(NULL, NULL, MPI_MULTIPLE_VALUE, &provided), "MPI_Init_thread");
  if (result == ENGINE_OK && provided != MPI_MULTIPLE_VALUE) {
    return engine_error(ENGINE_SYSTEM, "this Open MPI does not let several threads call it (level %d)", provided);
  }
  return result;
}

/*
 * Each rank of Open MPI makes a sparse file in /dev/shm (btl_vader_segment_size and a page). If there is no room for one,
 * initialising ends the process without a word.
 */
static enum engine_result check_shared_memory(void) {
  struct statvfs room;
  if (statvfs("/dev/shm", &room) != 0) {
    return ENGINE_OK; /* Open MPI finds another place */
  }
  unsigned long long free_kib = (unsigned long long)room.f_bavail * room.f_frsize >> 10;
  return free_kib >= SEGMENT_KIB
             ? ENGINE_OK
             : engine_error(ENGINE_SYSTEM,
                            "/dev/shm has %llu KiB free, and each rank of Open MPI needs %d there; enlarge it (mount -o "
                            "remount,size=1G /dev/shm; docker run --shm-size=1g)",
                            free_kib, SEGMENT_KIB);
}

static enum engine_result start_job(struct mpi_job* job, int32_t size) {
  enum engine_result result = check_shared_memory();
  return result == ENGINE_OK ? mpi_job_start(job, size) : result;
}

/* The member that starts the job tells the others, in one broadcast; an empty job is its failure. */
static enum engine_result enter_job(struct engine_comm* comm, const struct mpi* mpi, struct mpi_job* job) {
  enum engine_result started = comm->rank == 0 ? start_job(job, comm->size) : ENGINE_OK;
  if (started != ENGINE_OK) {
    job->name = 0;
  }
  struct engine_call tell = {.what = ENGINE_BROADCAST, .send = job, .receive = job, .count = sizeof *job, .type = ENGINE_U8};
  enum engine_result result = engine_collective(comm, &tell);
  if (result == ENGINE_OK && job->name == 0) {
    result = comm->rank == 0 ? started : check_shared_memory(); /* which is the same for all */
  }
  if (result == ENGINE_OK && job->name == 0) {
    result = engine_error(ENGINE_REMOTE, "rank 0 could not start mpirun");
  }
  if (result == ENGINE_OK) {
    result = mpi_job_enter(job, comm->rank);
  }
  if (result == ENGINE_OK) {
    result = initialise(mpi);
  }
  if (result == ENGINE_OK) {
    mine = (struct place){.job = job->name, .rank = comm->rank};
  }
  return result;
}

static enum engine_result make_job(struct engine_comm* comm, const struct mpi* mpi) {
  struct mpi_job* job = calloc(1, sizeof *job);
  enum engine_result result = job == NULL ? engine_error(ENGINE_SYSTEM, "no memory") : enter_job(comm, mpi, job);
  free(job);
  return result;
}

/* Where everyone is; all must be new, or all in one job. */
static enum engine_result ask_around(struct engine_comm* comm, struct place places[ENGINE_MAX_RANKS]) {
  struct engine_call ask = {
      .what = ENGINE_ALL_GATHER, .send = &mine, .receive = places, .count = sizeof mine, .type = ENGINE_U8};
  enum engine_result result = engine_collective(comm, &ask);
  for (int rank = 0; result == ENGINE_OK && rank < comm->size; rank++) {
    if (places[rank].job != places[0].job) {
      result = engine_error(ENGINE_USAGE,
                            "ranks 0 and %d were not in one MPI job before: the members of a process's later communicators are "
                            "among those of its first",
                            rank);
    }
  }
  return result;
}

static enum engine_result make_communicator(struct engine_comm* comm, const struct mpi* mpi, const struct place* places) {
  int ranks[ENGINE_MAX_RANKS];
  for (int rank = 0; rank < comm->size; rank++) {
    ranks[rank] = places[rank].rank;
  }
  mpi_group all, members;
  int tag = (int)(comm->greeting & 0x7fff); /* no tag is below this bound, by the standard; concurrent makings should differ */
  enum engine_result result = mpi_check(mpi, mpi->Comm_group(mpi->world, &all), "MPI_Comm_group");
  if (result != ENGINE_OK) {
    return result;
  }
  result = mpi_check(mpi, mpi->Group_incl(all, comm->size, ranks, &members), "MPI_Group_incl");
  if (result == ENGINE_OK) {
    result = mpi_check(mpi, mpi->Comm_create_group(mpi->world, members, tag, &comm->extension), "MPI_Comm_create_group");
    (void)mpi->Group_free(&members);
  }
  (void)mpi->Group_free(&all);
  return result == ENGINE_OK ? mpi_check(mpi, mpi->Comm_set_errhandler(comm->extension, mpi->errors_return), "MPI_Comm_set_errhandler")
                             : result;
}

enum engine_result engine_after_join(struct engine_comm* comm) {
  const struct mpi* mpi = mpi_library();
  if (mpi == NULL) {
    return ENGINE_SYSTEM;
  }
  struct place places[ENGINE_MAX_RANKS];
  (void)pthread_mutex_lock(&lock);
  enum engine_result result = ask_around(comm, places);
  if (result == ENGINE_OK && places[0].job == 0) {
    result = make_job(comm, mpi);
    for (int rank = 0; rank < comm->size; rank++) {
      places[rank].rank = rank;
    }
  }
  if (result == ENGINE_OK) {
    result = make_communicator(comm, mpi, places);
  }
  (void)pthread_mutex_unlock(&lock);
  return result;
}

void engine_before_release(struct engine_comm* comm) {
  if (comm->extension != NULL) {
    (void)mpi_library()->Comm_free(&comm->extension);
  }
}
