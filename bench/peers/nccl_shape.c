// SPDX-License-Identifier: Apache-2.0
/*
 * nccl_shape RANKS LIBRARY PREFIX ID_BYTES KIND SIZE...: all_reduce of f32 by a library with NCCL's shape, in processes that
 * were forked. KIND is private, or registered for memory from PREFIXMemAlloc. Each result is checked once.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "times.h"

struct id128 { char bytes[128]; };
struct id4096 { char bytes[4096]; };

static void* library;
static const char* prefix;

static void* symbol(const char* name) {
  char full[128];
  (void)snprintf(full, sizeof full, "%s%s", prefix, name);
  void* found = dlsym(library, full);
  if (found == NULL) {
    fprintf(stderr, "no symbol %s\n", full);
    exit(1);
  }
  return found;
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

static int measure(int rank, int ranks, int big_id, char* id, bool registered, char** sizes) {
  void* comm = NULL;
  if (big_id) {
    struct id4096 value;
    memcpy(&value, id, sizeof value);
    if (((int (*)(void**, size_t, struct id4096, int))symbol("CommInitRank"))(&comm, (size_t)ranks, value, rank) != 0) return 1;
  } else {
    struct id128 value;
    memcpy(&value, id, sizeof value);
    if (((int (*)(void**, int, struct id128, int))symbol("CommInitRank"))(&comm, ranks, value, rank) != 0) return 1;
  }
  int (*all_reduce)(const void*, void*, size_t, int, int, void*, void*) = symbol("AllReduce");
  int f32 = big_id ? 7 : 10;
  for (; *sizes != NULL; sizes++) {
    size_t bytes = strtoull(*sizes, NULL, 10);
    size_t count = bytes / 4;
    float* in = memory(comm, registered, bytes);
    float* out = memory(comm, registered, bytes);
    for (size_t i = 0; i < count; i++) in[i] = (float)(i % 1000 + (size_t)rank);
    MEASURE(bytes, all_reduce(in, out, count, f32, 0, comm, NULL));
    for (size_t i = 0; i < count; i++) {
      float expected = (float)((i % 1000) * (size_t)ranks + (size_t)ranks * (size_t)(ranks - 1) / 2);
      if (out[i] != expected) {
        fprintf(stderr, "rank %d: element %zu of %zu is %g, not %g\n", rank, i, count, (double)out[i], (double)expected);
        return 1;
      }
    }
    if (!registered) {
      free(in);
      free(out);
    }
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  int ranks = atoi(argv[1]);
  prefix = argv[3];
  int big_id = atoi(argv[4]) > 128;
  char* id = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  volatile int* ready = (volatile int*)(id + 4096);
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
        *ready = ((int (*)(void*))symbol("GetUniqueId"))(id) == 0 ? 1 : -1;
      }
      while (!*ready) usleep(1000);
      if (*ready < 0) _exit(1);
      int status = measure(rank, ranks, big_id, id, strcmp(argv[5], "registered") == 0, argv + 6);
      fflush(stdout);
      _exit(status);
    }
  }
  int failed = 0, status;
  for (int rank = 0; rank < ranks; rank++) failed += wait(&status) < 0 || status != 0;
  return failed != 0;
}
