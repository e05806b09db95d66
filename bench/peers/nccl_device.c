// SPDX-License-Identifier: Apache-2.0
/*
 * nccl_device RANKS CUDA NCCL SIZE...: all_reduce of f32 by NCCL on devices with CUDA's driver interface, in processes that
 * were forked, each on the device of its rank, or sharing one where there are fewer. A call is timed until its stream has
 * nothing left to do. Each result is checked once. CUDA and NCCL are libraries, real or emulated.
 */
#include "ranks.h"

#include <string.h>
#include <sys/mman.h>

#include "cuda_calls.h"
#include "times.h"

enum { FLOAT32 = 7, SUM = 0 };

struct id128 { char bytes[128]; };

static void* nccl;

/* NCCL refuses two ranks on one device of one host, so those that share one say that they are on different hosts. */
static void pose_as_host(int rank) {
  char name[32];
  (void)snprintf(name, sizeof name, "rank-%d", rank);
  if (setenv("NCCL_HOSTID", name, 1) != 0) {
    perror("setenv");
    exit(1);
  }
}

static void measure(int rank, int ranks, const char* id, char** sizes) {
  void* comm = NULL;
  struct id128 value;
  memcpy(&value, id, sizeof value);
  require(((int (*)(void**, int, struct id128, int))symbol(nccl, "ncclCommInitRank"))(&comm, ranks, value, rank),
          "ncclCommInitRank");
  void* stream = new_stream();
  int (*all_reduce)(const void*, void*, size_t, int, int, void*, void*) = symbol(nccl, "ncclAllReduce");
  for (; *sizes != NULL; sizes++) {
    size_t bytes = strtoull(*sizes, NULL, 10);
    size_t count = bytes / 4;
    void* in = device_memory(bytes);
    void* out = device_memory(bytes);
    float* host = pinned_memory(bytes);
    for (size_t i = 0; i < count; i++) host[i] = (float)(i % 1000 + (size_t)rank);
    copy("cuMemcpyHtoDAsync_v2", (uint64_t)in, (uint64_t)host, bytes, stream);
    MEASURE(bytes, end_of(all_reduce(in, out, count, FLOAT32, SUM, comm, stream), stream));
    copy("cuMemcpyDtoHAsync_v2", (uint64_t)host, (uint64_t)out, bytes, stream);
    for (size_t i = 0; i < count; i++) {
      float expected = (float)((i % 1000) * (size_t)ranks + (size_t)ranks * (size_t)(ranks - 1) / 2);
      if (host[i] != expected) {
        fprintf(stderr, "rank %d: element %zu of %zu is %g, not %g\n", rank, i, count, (double)host[i], (double)expected);
        exit(1);
      }
    }
    require(((int (*)(void*))symbol(cuda, "cuMemFreeHost"))(host), "cuMemFreeHost");
  }
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  int ranks = atoi(argv[1]);
  char* id = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  volatile int* ready = (volatile int*)(id + 4096);
  for (int rank = 0; rank < ranks; rank++) {
    if (fork() == 0) {
      (void)alarm(300);
      use_core(rank);
      cuda = open_library(argv[2]);
      if (ranks > use_device(rank)) pose_as_host(rank);
      nccl = open_library(argv[3]);
      if (rank == 0) {
        *ready = ((int (*)(void*))symbol(nccl, "ncclGetUniqueId"))(id) == 0 ? 1 : -1;
      }
      while (!*ready) (void)usleep(1000);
      if (*ready < 0) _exit(1);
      measure(rank, ranks, id, argv + 4);
      (void)fflush(stdout);
      _exit(0);
    }
  }
  int failed = 0, status;
  for (int rank = 0; rank < ranks; rank++) failed += wait(&status) < 0 || status != 0;
  return failed != 0;
}
