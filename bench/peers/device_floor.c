// SPDX-License-Identifier: Apache-2.0
/*
 * device_floor RANKS CUDA SIZE...: what a device's own copies and waits cost: a vector goes to the host and comes back, each
 * copy is waited for, and nobody waits for another rank. RANKS processes do so at once, each on the device of its rank. CUDA
 * is a library with CUDA's driver interface, real or emulated; the emulated devices of all vendors copy and wait in one way.
 */
#include "ranks.h"

#include "cuda_calls.h"
#include "times.h"

static const char* library;
static char** sizes;

static copying to_host, to_device;

static int there_and_back(uint64_t out, uint64_t in, uint64_t host, size_t bytes, void* stream) {
  int code = end_of(to_host(host, in, bytes, stream), stream);
  return code != 0 ? code : end_of(to_device(out, host, bytes, stream), stream);
}

static int measure(int rank) {
  cuda = open_library(library);
  (void)use_device(rank);
  to_host = (copying)symbol(cuda, "cuMemcpyDtoHAsync_v2");
  to_device = (copying)symbol(cuda, "cuMemcpyHtoDAsync_v2");
  void* stream = new_stream();
  for (char** size = sizes; *size != NULL; size++) {
    size_t bytes = strtoull(*size, NULL, 10);
    uint64_t in = (uint64_t)device_memory(bytes);
    uint64_t out = (uint64_t)device_memory(bytes);
    float* host = pinned_memory(bytes);
    for (size_t i = 0; i < bytes / sizeof *host; i++) host[i] = (float)i;
    copy("cuMemcpyHtoDAsync_v2", in, (uint64_t)host, bytes, stream);
    MEASURE(bytes, there_and_back(out, in, (uint64_t)host, bytes, stream));
    require(((int (*)(void*))symbol(cuda, "cuMemFreeHost"))(host), "cuMemFreeHost");
    require(((int (*)(uint64_t))symbol(cuda, "cuMemFree_v2"))(in), "cuMemFree_v2");
    require(((int (*)(uint64_t))symbol(cuda, "cuMemFree_v2"))(out), "cuMemFree_v2");
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 4 || atoi(argv[1]) < 1) {
    fprintf(stderr, "usage: device_floor RANKS CUDA SIZE...\n");
    return 2;
  }
  library = argv[2];
  sizes = argv + 3;
  return on_ranks(atoi(argv[1]), measure);
}
