/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on streams of the program's own. Rank 0 has an emulated CUDA device, and asks its driver itself; rank 1 has none. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <unistd.h>

#include "program.h"

enum { BYTES = 1 << 16, NON_BLOCKING = 1, NOT_READY = 600, PATIENCE = 20000 /* ms */, FIRST = 3 };

static tombolo_comm comm;
static int32_t rank;
static void* vector; /* of which each byte is 1 before a call on rank 0, 2 on rank 1, and 3 after it */
static unsigned char* seen;

/* ---- rank 0's driver --------------------------------------------------------------------------------------------- */

static void* driver;
static void* stream;
static void* other;

static size_t address_of(const char* name) {
  size_t address = (size_t)dlsym(driver, name);
  REQUIRE(address != 0, "%s", name);
  return address;
}

#define ASK(name, types, ...) (((int(*) types)address_of(name))(__VA_ARGS__))
#define DRIVE(name, types, ...)                                \
  do {                                                         \
    int status_ = ASK(name, types, __VA_ARGS__);               \
    REQUIRE(status_ == 0, "%s failed with %d", name, status_); \
  } while (0)

/* Tombolo has loaded the library: the dynamic linker knows it by its soname. */
static void open_driver(void) {
  void* context;
  driver = dlopen("libtombolo_emu_nvidia.so", RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(driver != NULL, "%s", dlerror());
  DRIVE("cuDevicePrimaryCtxRetain", (void**, int), &context, 0);
  DRIVE("cuCtxSetCurrent", (void*), context);
  DRIVE("cuStreamCreate", (void**, unsigned), &stream, NON_BLOCKING);
  DRIVE("cuStreamCreate", (void**, unsigned), &other, NON_BLOCKING);
  DRIVE("cuMemHostAlloc", (void**, size_t, unsigned), (void**)&seen, BYTES, 0);
}

static void close_driver(void) {
  DRIVE("cuMemFreeHost", (void*), seen);
  DRIVE("cuStreamDestroy_v2", (void*), stream);
  DRIVE("cuStreamDestroy_v2", (void*), other);
  DRIVE("cuDevicePrimaryCtxRelease_v2", (int), 0);
}

static void fill_on(void* which, unsigned char byte) {
  DRIVE("cuMemsetD8Async", (uint64_t, unsigned char, size_t, void*), (uint64_t)vector, byte, BYTES, which);
}

static void read_on(void* which) {
  DRIVE("cuMemcpyDtoHAsync_v2", (void*, uint64_t, size_t, void*), seen, (uint64_t)vector, BYTES, which);
}

static int is_busy(void* which) {
  int status = ASK("cuStreamQuery", (void*), which);
  REQUIRE(status == 0 || status == NOT_READY, "the stream failed with %d", status);
  return status == NOT_READY;
}

static void finish(void* which) {
  for (int i = 0; i < PATIENCE && is_busy(which); i++) {
    (void)usleep(1000);
  }
  REQUIRE(!is_busy(which), "the stream is not done");
}

static atomic_int opened;

/* Holds its stream until it is opened. */
static void hold(void* ignored) {
  (void)ignored;
  for (int i = 0; i < PATIENCE && !atomic_load(&opened); i++) {
    (void)usleep(1000);
  }
  REQUIRE(atomic_load(&opened), "a call has held up its caller");
}

/* ---- both ranks -------------------------------------------------------------------------------------------------- */

static void check(const unsigned char* bytes) {
  for (int i = 0; i < BYTES; i++) {
    REQUIRE(bytes[i] == 3, "byte %d is %d", i, bytes[i]);
  }
}

static tombolo_work sum(uint32_t flags) {
  tombolo_work work;
  tombolo_call call = TOMBOLO_CALL_INIT;
  call.stream = stream;
  call.flags = flags;
  OK(tombolo_all_reduce(comm, vector, vector, BYTES, TOMBOLO_U8, TOMBOLO_SUM, &call, &work));
  return work;
}

/* There is nothing to make wait but the caller. */
static void sum_without_streams(void) {
  int ended;
  memset(vector, 2, BYTES);
  tombolo_work work = sum(0);
  OK(tombolo_make_wait(work, NULL));
  OK(tombolo_test(work, &ended));
  REQUIRE(ended == 1, "the caller has waited");
  check(vector);
  OK(tombolo_release(work));
}

/* First calls register memory, which waits for all work of the device: nothing may be held. */
static void sum_first(void) {
  fill_on(stream, 1);
  tombolo_work work = sum(0);
  read_on(stream);
  finish(stream);
  check(seen);
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_release(work));
}

/* The call starts when the stream reaches it, and the stream goes on when it has ended. */
static void sum_in_order(void) {
  tombolo_work_info info = {.size = sizeof info};
  fill_on(stream, 0);
  DRIVE("cuLaunchHostFunc", (void*, void (*)(void*), void*), stream, hold, NULL);
  fill_on(stream, 1);
  tombolo_work work = sum(0);
  read_on(stream);
  OK(tombolo_work_query(work, &info));
  REQUIRE(info.started == 0 && info.status == TOMBOLO_IN_PROGRESS, "a held stream, and status %d", info.status);
  atomic_store(&opened, 1);
  finish(stream);
  check(seen);
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_release(work));
}

/* The call's stream goes on without rank 1, and another waits. */
static void sum_beside(void) {
  fill_on(stream, 1);
  tombolo_work work = sum(TOMBOLO_ASYNC);
  finish(stream);
  OK(tombolo_make_wait(work, other));
  read_on(other);
  REQUIRE(is_busy(other), "rank 1 has not come");
  OK(tombolo_comm_meet(comm, PATIENCE));
  finish(other);
  check(seen);
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_release(work));
}

int main(void) {
  int has_streams;
  OK(tombolo_comm_init(NULL, &comm));
  OK(tombolo_comm_rank(comm, &rank));
  OK(tombolo_allocate(comm, BYTES, &vector));
  OK(tombolo_comm_has_streams(comm, &has_streams));
  REQUIRE(has_streams == (rank == 0), "rank %d", rank);
  if (rank == 0) {
    open_driver();
    for (int i = 0; i < FIRST; i++) {
      sum_first();
    }
    sum_in_order();
    sum_beside();
  } else {
    for (int i = 0; i <= FIRST; i++) {
      sum_without_streams();
    }
    OK(tombolo_comm_meet(comm, PATIENCE));
    sum_without_streams();
  }
  OK(tombolo_comm_destroy(comm));
  if (rank == 0) {
    close_driver();
  }
  return 0;
}
