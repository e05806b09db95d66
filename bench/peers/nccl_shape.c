// SPDX-License-Identifier: Apache-2.0
/*
 * nccl_shape RANKS LIBRARY PREFIX ID_BYTES KIND OPERATION SIZE...: an operation on f32 by a library with NCCL's shape, in
 * processes that were forked. KIND is private, or registered for memory from PREFIXMemAlloc. Each result is checked once.
 *
 * Or KIND is met: all ranks meet before each call, as those of a communicator do that agree first. So nobody begins with a call
 * while others end the one before; and what it takes to meet is timed, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "operations.h"
#include "times.h"

struct id128 { char bytes[128]; };
struct id4096 { char bytes[4096]; };

enum { SHARED_BYTES = 1 << 16, READY_AT = 4096, TURNS_AT = 8192, APART = 128 };

static void* library;
static const char* prefix;
static char* shared; /* the unique id, whether it is there, and which meeting each rank has come to */

static void* symbol_if_there(const char* name) {
  char full[128];
  (void)snprintf(full, sizeof full, "%s%s", prefix, name);
  return dlsym(library, full);
}

static void* symbol(const char* name) {
  void* found = symbol_if_there(name);
  if (found == NULL) {
    fprintf(stderr, "no symbol %s%s\n", prefix, name);
    exit(1);
  }
  return found;
}

/* Those whose last number is an operator or a root: here 0 in any case, a sum or rank 0. */
typedef int (*numbered)(const void* send, void* receive, size_t count, int type, int number, void* comm, void* stream);
typedef int (*moving)(const void* send, void* receive, size_t count, int type, void* comm, void* stream);
typedef int (*sending)(const void* send, size_t count, int type, int peer, void* comm, void* stream);
typedef int (*receiving)(void* receive, size_t count, int type, int peer, void* comm, void* stream);
typedef int (*grouping)(void);

static numbered all_reduce, reduce_scatter, broadcast;
static moving all_gather, all_to_all;
static sending send_to;
static receiving receive_from;
static grouping group_start, group_end;

static void find(enum operation operation) {
  switch (operation) {
    case ALL_REDUCE: all_reduce = (numbered)symbol("AllReduce"); break;
    case REDUCE_SCATTER: reduce_scatter = (numbered)symbol("ReduceScatter"); break;
    case BROADCAST: broadcast = (numbered)symbol("Broadcast"); break;
    case ALL_GATHER: all_gather = (moving)symbol("AllGather"); break;
    case ALL_TO_ALL: /* NCCL's name, or oneCCL's */
      all_to_all = (moving)symbol_if_there("AlltoAll");
      if (all_to_all == NULL) all_to_all = (moving)symbol("AllToAll");
      break;
    default:
      send_to = (sending)symbol("Send");
      receive_from = (receiving)symbol("Recv");
      group_start = (grouping)symbol("GroupStart");
      group_end = (grouping)symbol("GroupEnd");
  }
}

static int send_receive(const float* in, float* out, size_t count, int f32, int rank, int ranks, void* comm) {
  int code = group_start();
  if (code == 0) code = send_to(in, count, f32, (rank + 1) % ranks, comm, NULL);
  if (code == 0) code = receive_from(out, count, f32, (rank + ranks - 1) % ranks, comm, NULL);
  return code != 0 ? code : group_end();
}

static int call(enum operation operation, const float* in, float* out, size_t count, int f32, int rank, int ranks,
                void* comm) {
  size_t block = count / (size_t)ranks;
  switch (operation) {
    case ALL_REDUCE: return all_reduce(in, out, count, f32, 0, comm, NULL);
    case REDUCE_SCATTER: return reduce_scatter(in, out, block, f32, 0, comm, NULL);
    case BROADCAST: return broadcast(in, out, count, f32, 0, comm, NULL);
    case ALL_GATHER: return all_gather(in, out, block, f32, comm, NULL);
    case ALL_TO_ALL: return all_to_all(in, out, block, f32, comm, NULL);
    default: return send_receive(in, out, count, f32, rank, ranks, comm);
  }
}

static void* memory(void* comm, bool registered, size_t bytes) {
  void* at = NULL;
  if (registered) {
    if (((int (*)(void**, size_t))symbol("MemAlloc"))(&at, bytes) != 0) exit(1);
    if (((int (*)(void*, void*))symbol("CommRegister"))(comm, at) != 0) exit(1);
  } else if (posix_memalign(&at, 4096, bytes) != 0) {
    exit(1);
  }
  memset(at, 0, bytes);
  return at;
}

static _Atomic unsigned* turn(int rank) { return (_Atomic unsigned*)(void*)(shared + TURNS_AT + rank * APART); }

static void meet(int rank, int ranks) {
  unsigned meeting = atomic_load(turn(rank)) + 1;
  atomic_store(turn(rank), meeting);
  for (int other = 0; other < ranks; other++) {
    while ((int)(atomic_load(turn(other)) - meeting) < 0) {
    }
  }
}

static int measure(int rank, int ranks, int big_id, const char* kind, enum operation operation, char** sizes) {
  bool registered = strcmp(kind, "registered") == 0;
  bool meets = strcmp(kind, "met") == 0;
  void* comm = NULL;
  if (big_id) {
    struct id4096 value;
    memcpy(&value, shared, sizeof value);
    int (*join)(void**, size_t, struct id4096, int) = symbol("CommInitRank");
    if (join(&comm, (size_t)ranks, value, rank) != 0) return 1;
  } else {
    struct id128 value;
    memcpy(&value, shared, sizeof value);
    int (*join)(void**, int, struct id128, int) = symbol("CommInitRank");
    if (join(&comm, ranks, value, rank) != 0) return 1;
  }
  find(operation);
  int f32 = big_id ? 7 : 10;
  for (; *sizes != NULL; sizes++) {
    size_t bytes = strtoull(*sizes, NULL, 10);
    size_t count = bytes / 4;
    float* in = memory(comm, registered, bytes);
    float* out = memory(comm, registered, bytes);
    fill(in, given(operation, count, ranks), rank);
    MEASURE(bytes, (meets ? meet(rank, ranks) : (void)0, call(operation, in, out, count, f32, rank, ranks, comm)));
    if (check(operation, out, count, rank, ranks) != 0) return 1;
    if (!registered) {
      free(in);
      free(out);
    }
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 8) return 2;
  int ranks = atoi(argv[1]);
  prefix = argv[3];
  int big_id = atoi(argv[4]) > 128;
  enum operation operation = operation_called(argv[6]);
  shared = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || ranks > (SHARED_BYTES - TURNS_AT) / APART) return 1;
  volatile int* ready = (volatile int*)(void*)(shared + READY_AT);
  for (int rank = 0; rank < ranks; rank++) {
    if (fork() == 0) {
      cpu_set_t own; /* as mpirun does with few ranks */
      CPU_ZERO(&own);
      CPU_SET(rank % (int)sysconf(_SC_NPROCESSORS_ONLN), &own);
      (void)sched_setaffinity(0, sizeof own, &own);
      (void)alarm(300);
      library = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
      if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(1);
      }
      if (rank == 0) {
        *ready = ((int (*)(void*))symbol("GetUniqueId"))(shared) == 0 ? 1 : -1;
      }
      while (!*ready) usleep(1000);
      if (*ready < 0) _exit(1);
      int status = measure(rank, ranks, big_id, argv[5], operation, argv + 7);
      fflush(stdout);
      _exit(status);
    }
  }
  int failed = 0, status;
  for (int rank = 0; rank < ranks; rank++) failed += wait(&status) < 0 || status != 0;
  return failed != 0;
}
