// SPDX-License-Identifier: Apache-2.0
/* Modules of kernels, and launches of them as work of a stream. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_kernels.h"
#include "device_lock.h"
#include "device_sync.h"
#include "emu_numbers.h"

enum { MOST_OPERANDS = 3, MAX_THREADS = 1024, CODE_BYTES = 96 };

/* Of one source, one module is like the other: its handle is the address of their number. */
static atomic_int loaded[EMU_SOURCES];

static const char* const words[EMU_SOURCES] = {[EMU_REDUCTIONS] = "reductions", [EMU_CHECKSUM] = "a checksum"};

/* Whether the code of a kernel has come to the device, since a module of its source was last loaded. */
static atomic_bool on_device[EMU_KERNELS];

/* Names the vendor, so that no other vendor's driver takes it. */
const char* emu_kernels_code(emu_source source) {
  static _Thread_local char code[EMU_SOURCES][CODE_BYTES];
  (void)snprintf(code[source], sizeof code[source], "// emulated code of %s for %s\n", words[source], emu_numbers.vendor);
  return code[source];
}

/* EMU_SOURCES if it is not one. */
static emu_source source_of(const void* image) {
  int source = EMU_REDUCTIONS;
  while (source < EMU_SOURCES && (image == NULL || strcmp(image, emu_kernels_code((emu_source)source)) != 0)) {
    source++;
  }
  return (emu_source)source;
}

emu_result emu_kernels_load(const void* image, void** module) {
  emu_source source = source_of(image);
  if (source == EMU_SOURCES) {
    return EMU_INVALID_VALUE;
  }
  emu_result ready = emu_synchronise(EMU_MODULES, EMU_LOCKED, "loading code");
  if (ready != EMU_OK) {
    return ready;
  }
  for (size_t i = 0; i < EMU_KERNELS; i++) {
    if (emu_kernels[i].source == source) {
      atomic_store(&on_device[i], false);
    }
  }
  atomic_fetch_add(&loaded[source], 1);
  *module = &loaded[source];
  return EMU_OK;
}

/* The number that a handle is the address of; NULL if it is none. */
static atomic_int* number_of(const void* module) {
  for (int source = EMU_REDUCTIONS; source < EMU_SOURCES; source++) {
    if (module == &loaded[source]) {
      return &loaded[source];
    }
  }
  return NULL;
}

emu_result emu_kernels_unload(const void* module) {
  atomic_int* number = number_of(module);
  if (number == NULL) {
    return EMU_INVALID_HANDLE;
  }
  emu_result ready = emu_synchronise(EMU_MODULES, EMU_UNLOCKED, "unloading code");
  int count = atomic_load(number);
  while (ready == EMU_OK && count > 0) {
    if (atomic_compare_exchange_weak(number, &count, count - 1)) {
      return EMU_OK;
    }
  }
  return ready == EMU_OK ? EMU_INVALID_HANDLE : ready;
}

/* Loading is put off until the function is wanted. */
static emu_result bring(size_t kernel) {
  emu_result ready =
      atomic_load(&on_device[kernel]) ? EMU_OK : emu_synchronise(EMU_MODULES, EMU_UNLOCKED, "the first look-up of a function");
  atomic_store(&on_device[kernel], ready == EMU_OK);
  return ready;
}

emu_result emu_kernels_find(const void* module, const char* name, const emu_kernel** kernel) {
  atomic_int* number = number_of(module);
  for (size_t i = 0; number != NULL && atomic_load(number) > 0 && i < EMU_KERNELS; i++) {
    if (number == &loaded[emu_kernels[i].source] && strcmp(emu_kernels[i].name, name) == 0) {
      *kernel = &emu_kernels[i];
      return bring(i);
    }
  }
  return EMU_INVALID_VALUE;
}

typedef struct launch {
  emu_work work;
  const emu_kernel* kernel;
  emu_grid grid;
  uint64_t count;
  void* operand[MOST_OPERANDS];
} launch;

static size_t operands_of(const launch* made) { return (size_t)made->kernel->operands; }

/* The first is where the result goes. */
static size_t bytes_of(const launch* made, size_t operand) {
  size_t result = operand == 0 ? made->kernel->result : 0;
  return result > 0 ? result : made->count * made->kernel->element;
}

static bool is_new(emu_block* const block[MOST_OPERANDS], size_t at) {
  for (size_t i = 0; i < at; i++) {
    if (block[i] == block[at]) {
      return false;
    }
  }
  return true;
}

/* Finds the operands' blocks, and where the emulator sees them; how many could be entered, each block once. */
static size_t enter(const launch* made, emu_block* block[MOST_OPERANDS], void* alias[MOST_OPERANDS]) {
  for (size_t i = 0; i < operands_of(made); i++) {
    block[i] = emu_block_find(made->operand[i], bytes_of(made, i), EMU_ANY);
    if (block[i] == NULL) {
      return i;
    }
    if (is_new(block, i) && !emu_block_enter(block[i])) {
      emu_block_unref(block[i]);
      return i;
    }
    alias[i] = emu_block_alias(block[i], made->operand[i]);
  }
  return operands_of(made);
}

static void leave(emu_block* block[MOST_OPERANDS], size_t entered) {
  for (size_t i = entered; i > 0; i--) {
    if (is_new(block, i - 1)) {
      emu_block_leave(block[i - 1]);
    }
    emu_block_unref(block[i - 1]);
  }
}

static bool run(emu_work* work) {
  launch* made = (launch*)work;
  emu_block* block[MOST_OPERANDS];
  void* alias[MOST_OPERANDS] = {NULL};
  size_t entered = enter(made, block, alias);
  bool can_run = entered == operands_of(made);
  if (can_run) {
    emu_grid_run(made->grid, made->kernel->thread, alias[0], alias[1], alias[2], made->count);
  }
  leave(block, entered);
  free(made);
  return can_run;
}

static void drop(emu_work* work) { free(work); }

static bool is_kernel(const emu_kernel* kernel) {
  return kernel >= emu_kernels && kernel < emu_kernels + EMU_KERNELS && atomic_load(&loaded[kernel->source]) > 0;
}

emu_result emu_launch(const emu_kernel* kernel, emu_grid grid, void** arguments, emu_stream* on) {
  if (!is_kernel(kernel)) {
    return EMU_INVALID_HANDLE;
  }
  if (arguments == NULL || grid.blocks == 0 || grid.threads == 0 || grid.threads > MAX_THREADS) {
    return EMU_INVALID_VALUE;
  }
  emu_result unlocked = emu_lock_await("a launch");
  if (unlocked != EMU_OK) {
    return unlocked;
  }
  launch* made = calloc(1, sizeof *made);
  if (made == NULL) {
    return EMU_OUT_OF_MEMORY;
  }
  *made = (launch){.work = {.run = run, .drop = drop}, .kernel = kernel, .grid = grid};
  for (size_t i = 0; i < operands_of(made); i++) {
    memcpy(&made->operand[i], arguments[i], sizeof(uint64_t));
  }
  memcpy(&made->count, arguments[operands_of(made)], sizeof made->count);
  emu_result result = emu_stream_queue(on, &made->work);
  if (result != EMU_OK) {
    free(made);
  }
  return result;
}
