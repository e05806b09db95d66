// SPDX-License-Identifier: Apache-2.0
/* What candidates ask of a library with CUDA's driver interface, real or emulated. What fails ends the process. */
#ifndef CUDA_CALLS_H
#define CUDA_CALLS_H

#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NON_BLOCKING = 1, NOT_READY = 600 };

static void* cuda;

static int (*query)(void*);

static inline void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "no symbol %s\n", name);
    exit(1);
  }
  return found;
}

static inline void require(int code, const char* what) {
  if (code != 0) {
    fprintf(stderr, "%s failed: %d\n", what, code);
    exit(1);
  }
}

static inline void* open_library(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return library;
}

/* The device of this rank, or one that it shares where there are fewer; how many there are. */
static inline int use_device(int rank) {
  int count = 0, device = 0;
  void* context = NULL;
  require(((int (*)(unsigned))symbol(cuda, "cuInit"))(0), "cuInit");
  require(((int (*)(int*))symbol(cuda, "cuDeviceGetCount"))(&count), "cuDeviceGetCount");
  require(((int (*)(int*, int))symbol(cuda, "cuDeviceGet"))(&device, rank % count), "cuDeviceGet");
  require(((int (*)(void**, int))symbol(cuda, "cuDevicePrimaryCtxRetain"))(&context, device), "cuDevicePrimaryCtxRetain");
  require(((int (*)(void*))symbol(cuda, "cuCtxSetCurrent"))(context), "cuCtxSetCurrent");
  query = (int (*)(void*))symbol(cuda, "cuStreamQuery");
  return count;
}

static inline void* new_stream(void) {
  void* stream = NULL;
  require(((int (*)(void**, unsigned))symbol(cuda, "cuStreamCreate"))(&stream, NON_BLOCKING), "cuStreamCreate");
  return stream;
}

static inline void* device_memory(size_t bytes) {
  uint64_t at = 0;
  require(((int (*)(uint64_t*, size_t))symbol(cuda, "cuMemAlloc_v2"))(&at, bytes), "cuMemAlloc_v2");
  return (void*)at;
}

static inline float* pinned_memory(size_t bytes) {
  float* at = NULL;
  require(((int (*)(float**, size_t, unsigned))symbol(cuda, "cuMemHostAlloc"))(&at, bytes, 0), "cuMemHostAlloc");
  return at;
}

static inline int end_of(int code, void* stream) {
  if (code != 0) return code;
  while ((code = query(stream)) == NOT_READY) (void)sched_yield();
  return code;
}

/* cuMemcpyHtoDAsync_v2 or cuMemcpyDtoHAsync_v2. */
typedef int (*copying)(uint64_t to, uint64_t from, size_t bytes, void* stream);

static inline void copy(const char* name, uint64_t to, uint64_t from, size_t bytes, void* stream) {
  require(end_of(((copying)symbol(cuda, name))(to, from, bytes, stream), stream), name);
}

#endif
