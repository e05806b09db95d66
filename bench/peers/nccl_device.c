// SPDX-License-Identifier: Apache-2.0
/*
 * nccl_device RANKS CUDA NCCL SIZE...: all_reduce of f32 by NCCL on devices with CUDA's driver interface, in processes that
 * were forked, each on the device of its rank, or sharing one where there are fewer. A call is timed until its stream has
 * nothing left to do. Each result is checked once. CUDA and NCCL are libraries, real or emulated.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "times.h"

enum { FLOAT32 = 7, SUM = 0, NON_BLOCKING = 1, NOT_READY = 600 };

struct id128 { char bytes[128]; };

static void* cuda;
static void* nccl;

static void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "no symbol %s\n", name);
    exit(1);
  }
  return found;
}

static void require(int code, const char* what) {
  if (code != 0) {
    fprintf(stderr, "%s failed: %d\n", what, code);
    exit(1);
  }
}

static void* open_library(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return library;
}

/* NCCL refuses two ranks on one device of one host, so those that share one say that they are on different hosts. */
static void pose_as_host(int rank) {
  char name[32];
  (void)snprintf(name, sizeof name, "rank-%d", rank);
  if (setenv("NCCL_HOSTID", name, 1) != 0) {
    perror("setenv");
    exit(1);
  }
}

static void use_device(int rank, int ranks) {
  int count = 0, device = 0;
  void* context = NULL;
  require(((int (*)(unsigned))symbol(cuda, "cuInit"))(0), "cuInit");
  require(((int (*)(int*))symbol(cuda, "cuDeviceGetCount"))(&count), "cuDeviceGetCount");
  require(((int (*)(int*, int))symbol(cuda, "cuDeviceGet"))(&device, rank % count), "cuDeviceGet");
  require(((int (*)(void**, int))symbol(cuda, "cuDevicePrimaryCtxRetain"))(&context, device), "cuDevicePrimaryCtxRetain");
  require(((int (*)(void*))symbol(cuda, "cuCtxSetCurrent"))(context), "cuCtxSetCurrent");
  if (ranks > count) pose_as_host(rank);
}

/* As the other candidates: where a process's threads meet on one core, they meet in the same way for all of them. */
static void use_core(int rank) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((unsigned)(rank % get_nprocs_conf()), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) {
    perror("sched_setaffinity");
    exit(1);
  }
}

static void* device_memory(size_t bytes) {
  uint64_t at = 0;
  require(((int (*)(uint64_t*, size_t))symbol(cuda, "cuMemAlloc_v2"))(&at, bytes), "cuMemAlloc_v2");
  return (void*)at;
}

static int (*query)(void*);

static int end_of(int code, void* stream) {
  if (code != 0) return code;
  while ((code = query(stream)) == NOT_READY) (void)sched_yield();
  return code;
}

static void copy(const char* name, uint64_t to, uint64_t from, size_t bytes, void* stream) {
  require(end_of(((int (*)(uint64_t, uint64_t, size_t, void*))symbol(cuda, name))(to, from, bytes, stream), stream), name);
}

static void measure(int rank, int ranks, const char* id, char** sizes) {
  query = (int (*)(void*))symbol(cuda, "cuStreamQuery");
  void* comm = NULL;
  void* stream = NULL;
  struct id128 value;
  memcpy(&value, id, sizeof value);
  require(((int (*)(void**, int, struct id128, int))symbol(nccl, "ncclCommInitRank"))(&comm, ranks, value, rank),
          "ncclCommInitRank");
  require(((int (*)(void**, unsigned))symbol(cuda, "cuStreamCreate"))(&stream, NON_BLOCKING), "cuStreamCreate");
  int (*all_reduce)(const void*, void*, size_t, int, int, void*, void*) = symbol(nccl, "ncclAllReduce");
  for (; *sizes != NULL; sizes++) {
    size_t bytes = strtoull(*sizes, NULL, 10);
    size_t count = bytes / 4;
    void* in = device_memory(bytes);
    void* out = device_memory(bytes);
    float* host = NULL;
    require(((int (*)(float**, size_t, unsigned))symbol(cuda, "cuMemHostAlloc"))(&host, bytes, 0), "cuMemHostAlloc");
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
      use_device(rank, ranks);
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
