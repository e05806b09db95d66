// SPDX-License-Identifier: Apache-2.0
/*
 * nccl_device HOW RANKS CUDA NCCL SIZE...: all_reduce of f32 by NCCL on devices with CUDA's driver interface, in processes that
 * were forked, each on the device of its rank, or sharing one where there are fewer. A call is timed until its stream has
 * nothing left to do. Each result is checked once. CUDA and NCCL are libraries, real or emulated.
 *
 * HOW is bare, or the nanoseconds of work that a rank has of its own before each call: then the libraries are also asked what
 * a communicator asks them around such a call. What a communicator adds to 0 is its own, and what the libraries make of that:
 * ranks that do something in between come to a call less evenly.
 */
#include "ranks.h"

#include <string.h>
#include <sys/mman.h>

#include "cuda_calls.h"
#include "times.h"

enum { FLOAT32 = 7, SUM = 0, RELAXED = 2 };

struct id128 { char bytes[128]; };

static void* nccl;
static int (*all_reduce)(const void*, void*, size_t, int, int, void*, void*);
static int (*async_error)(void*, int*);
static int (*context_of_thread)(void**);
static int (*is_capturing)(void*, int*);
static int (*exchange_mode)(int*);

static double own_ns; /* negative: bare */

static void find_calls(void) {
  all_reduce = (int (*)(const void*, void*, size_t, int, int, void*, void*))symbol(nccl, "ncclAllReduce");
  async_error = (int (*)(void*, int*))symbol(nccl, "ncclCommGetAsyncError");
  context_of_thread = (int (*)(void**))symbol(cuda, "cuCtxGetCurrent");
  is_capturing = (int (*)(void*, int*))symbol(cuda, "cuStreamIsCapturing");
  exchange_mode = (int (*)(int*))symbol(cuda, "cuThreadExchangeStreamCaptureMode");
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

static int bare(const void* in, void* out, size_t count, void* comm, void* stream) {
  return end_of(all_reduce(in, out, count, FLOAT32, SUM, comm, stream), stream);
}

/* No capture of another thread's is broken so. */
static int query_relaxed(void* stream) {
  int mode = RELAXED;
  int code = exchange_mode(&mode);
  int found = query(stream);
  code = code == 0 ? exchange_mode(&mode) : code;
  return found != 0 ? found : code;
}

/* Each call of the device shim begins so. */
static int enter(void) {
  void* context = NULL;
  return context_of_thread(&context);
}

static void work_for(double ns) {
  double from = now_us();
  while (ns > 0 && (now_us() - from) * 1000 < ns) {
  }
}

static int asked(const void* in, void* out, size_t count, void* comm, void* stream) {
  int status = 0, error = 0;
  work_for(own_ns);
  int code = enter();
  code = code == 0 ? is_capturing(stream, &status) : code;
  code = code == 0 ? enter() : code;
  code = code == 0 ? query_relaxed(stream) : code;
  code = code == 0 ? enter() : code;
  code = code == 0 ? all_reduce(in, out, count, FLOAT32, SUM, comm, stream) : code;
  code = code == 0 ? enter() : code;
  if (code != 0) return code;
  while ((code = query_relaxed(stream)) == NOT_READY) {
    (void)now_us();
    (void)sched_yield();
  }
  return code == 0 ? async_error(comm, &error) : code;
}

static void measure(int rank, int ranks, const char* id, char** sizes) {
  void* comm = NULL;
  struct id128 value;
  memcpy(&value, id, sizeof value);
  require(((int (*)(void**, int, struct id128, int))symbol(nccl, "ncclCommInitRank"))(&comm, ranks, value, rank),
          "ncclCommInitRank");
  void* stream = new_stream();
  find_calls();
  for (; *sizes != NULL; sizes++) {
    size_t bytes = strtoull(*sizes, NULL, 10);
    size_t count = bytes / 4;
    void* in = device_memory(bytes);
    void* out = device_memory(bytes);
    float* host = pinned_memory(bytes);
    for (size_t i = 0; i < count; i++) host[i] = (float)(i % 1000 + (size_t)rank);
    copy("cuMemcpyHtoDAsync_v2", (uint64_t)in, (uint64_t)host, bytes, stream);
    MEASURE(bytes, (own_ns < 0 ? bare : asked)(in, out, count, comm, stream));
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
  if (argc < 6) return 2;
  own_ns = strcmp(argv[1], "bare") == 0 ? -1 : strtod(argv[1], NULL);
  int ranks = atoi(argv[2]);
  char* id = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  volatile int* ready = (volatile int*)(id + 4096);
  for (int rank = 0; rank < ranks; rank++) {
    if (fork() == 0) {
      (void)alarm(300);
      use_core(rank);
      cuda = open_library(argv[3]);
      if (ranks > use_device(rank)) pose_as_host(rank);
      nccl = open_library(argv[4]);
      if (rank == 0) {
        *ready = ((int (*)(void*))symbol(nccl, "ncclGetUniqueId"))(id) == 0 ? 1 : -1;
      }
      while (!*ready) (void)usleep(1000);
      if (*ready < 0) _exit(1);
      measure(rank, ranks, id, argv + 5);
      (void)fflush(stdout);
      _exit(0);
    }
  }
  int failed = 0, status;
  for (int rank = 0; rank < ranks; rank++) failed += wait(&status) < 0 || status != 0;
  return failed != 0;
}
