// SPDX-License-Identifier: Apache-2.0
/*
 * What the environment asks of the emulated device, read once:
 *
 *   TOMBOLO_EMU_DEVICES            devices in the machine (8)
 *   TOMBOLO_EMU_MODELS             what they are called, separated by commas (emulated ... device 0, ...)
 *   TOMBOLO_EMU_MEMORY_MIB         memory of a device (4096)
 *   TOMBOLO_EMU_PINNED_MIB         MiB of page-locked memory that a process may have (as much as there is)
 *   TOMBOLO_EMU_SLOW_US            microseconds that every piece of stream work takes longer (0); of one vendor: emu-amd:150
 *   TOMBOLO_EMU_FAIL_ALLOCATION    the n-th allocation of device memory fails (0: none)
 *   TOMBOLO_EMU_FAIL_COPY          the n-th copy fails, and its stream with it (0: none)
 *   TOMBOLO_EMU_FAULTS             a folder; of a file there that is called like the vendor, see emu_thing (none)
 *   TOMBOLO_EMU_COHERENT           1: the device sees what NICs write without a flush (0)
 *   TOMBOLO_EMU_NO_PEERS           1: no device reaches another one's memory (0)
 *   TOMBOLO_EMU_STRANGE_CODE       failed streams report this number, as newer drivers report new ones (0: the usual)
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "device_engine.h"
#include "emu_numbers.h"
#include "emu_settings.h"

static struct {
  long devices;
  long memory_mib;
  long pinned_mib;
  long slow_us;
  long fail_allocation;
  long fail_copy;
  long coherent;
  long no_peers;
  long strange_code;
} wanted;

/* What the file in TOMBOLO_EMU_FAULTS holds of one kind of thing. */
typedef struct ordered {
  _Atomic int64_t due; /* so many more are made, and the last of them fails; 0: none does */
  _Atomic int64_t living;
} ordered;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_long allocations;
static atomic_long copies;
static ordered* things; /* NULL: there is no such file */

static ordered* mapped(int file) {
  struct stat at;
  if (fstat(file, &at) != 0 || at.st_size < (off_t)(EMU_THINGS * sizeof(ordered))) {
    return NULL;
  }
  void* map = mmap(NULL, EMU_THINGS * sizeof(ordered), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return map == MAP_FAILED ? NULL : map;
}

/* The file stays mapped; a folder without one orders nothing of this vendor. */
static void read_orders(void) {
  const char* folder = getenv("TOMBOLO_EMU_FAULTS");
  char path[PATH_MAX];
  if (folder == NULL || snprintf(path, sizeof path, "%s/%s", folder, emu_numbers.vendor) >= (int)sizeof path) {
    return;
  }
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file >= 0) {
    things = mapped(file);
    (void)close(file);
  }
}

static void read_environment(void) {
  read_orders();
  wanted.devices = emu_setting("TOMBOLO_EMU_DEVICES", 8);
  wanted.memory_mib = emu_setting("TOMBOLO_EMU_MEMORY_MIB", 4096);
  wanted.pinned_mib = emu_setting("TOMBOLO_EMU_PINNED_MIB", LONG_MAX >> 20);
  wanted.slow_us = emu_setting_of("TOMBOLO_EMU_SLOW_US", emu_numbers.vendor, 0);
  wanted.fail_allocation = emu_setting("TOMBOLO_EMU_FAIL_ALLOCATION", 0);
  wanted.fail_copy = emu_setting("TOMBOLO_EMU_FAIL_COPY", 0);
  wanted.coherent = emu_setting("TOMBOLO_EMU_COHERENT", 0);
  wanted.no_peers = emu_setting("TOMBOLO_EMU_NO_PEERS", 0);
  wanted.strange_code = emu_setting("TOMBOLO_EMU_STRANGE_CODE", 0);
}

static void ready(void) { (void)pthread_once(&once, read_environment); }

static bool is_due(atomic_long* counter, long due) { return due != 0 && atomic_fetch_add(counter, 1) + 1 == due; }

int emu_device_count(void) {
  ready();
  return (int)wanted.devices;
}

void emu_device_name(int ordinal, const char* usual, char* name, size_t length) {
  const char* word = getenv("TOMBOLO_EMU_MODELS");
  for (int skip = ordinal; skip > 0 && word != NULL; skip--) {
    word = strchr(word, ',');
    word = word == NULL ? NULL : word + 1;
  }
  if (word == NULL || *word == '\0') {
    (void)snprintf(name, length, "%s %d", usual, ordinal);
  } else {
    (void)snprintf(name, length, "%.*s", (int)strcspn(word, ","), word);
  }
}

size_t emu_total_memory(void) {
  ready();
  return (size_t)wanted.memory_mib << 20;
}

size_t emu_pinned_limit(void) {
  ready();
  return (size_t)wanted.pinned_mib << 20;
}

bool emu_is_coherent(void) {
  ready();
  return wanted.coherent != 0;
}

bool emu_is_without_peers(void) {
  ready();
  return wanted.no_peers != 0;
}

bool emu_fault_allocation(void) {
  ready();
  return is_due(&allocations, wanted.fail_allocation);
}

bool emu_fault_making(emu_thing thing) {
  ready();
  if (things == NULL) {
    return false;
  }
  _Atomic int64_t* due = &things[thing].due;
  int64_t left = atomic_load(due);
  while (left > 0 && !atomic_compare_exchange_weak(due, &left, left - 1)) {
  }
  return left == 1;
}

void emu_made(emu_thing thing, int more) {
  ready();
  if (things != NULL) {
    atomic_fetch_add(&things[thing].living, more);
  }
}

bool emu_fault_copy(void) {
  ready();
  return is_due(&copies, wanted.fail_copy);
}

int emu_fault_code(int usual) {
  ready();
  return wanted.strange_code != 0 ? (int)wanted.strange_code : usual;
}

void emu_fault_slowness(void) {
  ready();
  if (wanted.slow_us > 0) {
    struct timespec rest = {wanted.slow_us / 1000000, wanted.slow_us % 1000000 * 1000};
    (void)nanosleep(&rest, NULL);
  }
}

void emu_pause(unsigned* rounds) {
  unsigned round = (*rounds)++;
  if (round < 100) {
    atomic_thread_fence(memory_order_seq_cst);
  } else if (round < 150) {
    (void)sched_yield();
  } else {
    struct timespec rest = {0, 50000};
    (void)nanosleep(&rest, NULL);
  }
}
