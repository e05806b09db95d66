// SPDX-License-Identifier: Apache-2.0
/*
 * device_floor HOW RANKS CUDA SIZE...: what a device's own copies and waits cost: a vector goes to the host and comes back, and
 * each copy is waited for. RANKS processes do so at once, each on the device of its rank. HOW is alone, where nobody waits for
 * another rank, or together: what came to the host is handed over in a slot of shared memory, and the next rank's goes to the
 * device, as no operation of several ranks does with less. Who waits for the others yields its core, which the devices need.
 * CUDA is a library with CUDA's driver interface, real or emulated; the emulated devices of all vendors copy and wait in one way.
 */
#include "ranks.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda_calls.h"
#include "times.h"

/* No two ranks write to what a processor fetches at once. */
enum { APART = 128 };

/* The number of the meeting that a rank has come to. */
struct turn {
  _Alignas(APART) atomic_uint meeting;
};

static const char* library;
static int ranks;
static bool together;
static struct turn* turns;   /* of each rank */
static unsigned char* slots; /* two of each rank: who is a meeting ahead writes into the other */
static size_t slot_bytes;

static unsigned meetings; /* of this rank */
static char** sizes;

static copying to_host, to_device;

static void* shared(size_t bytes) {
  void* at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  return at;
}

static unsigned char* slot_of(int rank) { return slots + (2 * (size_t)rank + meetings % 2) * slot_bytes; }

static void hand_over(int rank, void* host, size_t bytes) {
  meetings++;
  memcpy(slot_of(rank), host, bytes);
  atomic_store_explicit(&turns[rank].meeting, meetings, memory_order_release);
  for (int other = 0; other < ranks; other++) {
    while ((int)(atomic_load_explicit(&turns[other].meeting, memory_order_acquire) - meetings) < 0) (void)sched_yield();
  }
  memcpy(host, slot_of((rank + 1) % ranks), bytes);
}

static int there_and_back(int rank, uint64_t out, uint64_t in, void* host, size_t bytes, void* stream) {
  int code = end_of(to_host((uint64_t)host, in, bytes, stream), stream);
  if (code == 0 && together) hand_over(rank, host, bytes);
  return code != 0 ? code : end_of(to_device(out, (uint64_t)host, bytes, stream), stream);
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
    MEASURE(bytes, there_and_back(rank, out, in, host, bytes, stream));
    require(((int (*)(void*))symbol(cuda, "cuMemFreeHost"))(host), "cuMemFreeHost");
    require(((int (*)(uint64_t))symbol(cuda, "cuMemFree_v2"))(in), "cuMemFree_v2");
    require(((int (*)(uint64_t))symbol(cuda, "cuMemFree_v2"))(out), "cuMemFree_v2");
  }
  return 0;
}

int main(int argc, char** argv) {
  together = argc > 1 && strcmp(argv[1], "together") == 0;
  if (argc < 5 || (!together && strcmp(argv[1], "alone") != 0) || atoi(argv[2]) < 1) {
    fprintf(stderr, "usage: device_floor alone|together RANKS CUDA SIZE...\n");
    return 2;
  }
  ranks = atoi(argv[2]);
  library = argv[3];
  sizes = argv + 4;
  for (char** size = sizes; *size != NULL; size++) {
    size_t bytes = strtoull(*size, NULL, 10);
    slot_bytes = bytes > slot_bytes ? bytes : slot_bytes;
  }
  slot_bytes = (slot_bytes + APART - 1) / APART * APART;
  turns = shared((size_t)ranks * sizeof *turns);
  slots = shared(2 * (size_t)ranks * slot_bytes);
  return on_ranks(ranks, measure);
}
