// SPDX-License-Identifier: Apache-2.0
/*
 * SynapseAI in front of the emulated device; numbers and prototypes as in synapse_api.h (witness/synapse.tsv).
 *
 * Stricter than the original where that finds mistakes: modules come in another order than their numbers, a device's id is not
 * its module, whoever starts twice is told, and one that is acquired already is refused. As the original, it names a device
 * that nobody has acquired, and keeps streams that are not idle.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "../shared/device_engine.h"
#include "emu_numbers.h"
#include "witness_synapse.h"

#define API __attribute__((visibility("default")))

enum { MAX_MODULES = 64, FIRST_ID = 100 };

static atomic_bool initialised;
static atomic_bool acquired[MAX_MODULES];

static int number(emu_result result) {
  switch (result) {
    case EMU_OK: return synSuccess;
    case EMU_NOT_READY: return synBusy;
    case EMU_OUT_OF_MEMORY: return synOutOfDeviceMemory;
    case EMU_OUT_OF_HOST_MEMORY: return synOutOfHostMemory;
    case EMU_INVALID_HANDLE: return synInvalidEventHandle;
    case EMU_STREAM_FAILED: return emu_fault_code(synFail);
    default: return synInvalidArgument;
  }
}

static int count(void) { return emu_device_count() < MAX_MODULES ? emu_device_count() : MAX_MODULES; }

static bool is_module(uint32_t module) { return module < (uint32_t)count(); }

static bool is_acquired(uint32_t id) { return id >= FIRST_ID && is_module(id - FIRST_ID) && atomic_load(&acquired[id - FIRST_ID]); }

static void choose(uint32_t id) { emu_use_device((int)(id - FIRST_ID)); }

/* The call is not made where the device is not ours, or a flag is set. */
#define ON_DEVICE(id, flags, call) (is_acquired(id) && (flags) == 0 ? (choose(id), number(call)) : synInvalidArgument)

API int synInitialize(void) { return atomic_exchange(&initialised, true) ? synAlreadyInitialized : synSuccess; }

API int synDriverGetVersion(char* text, int length) {
  (void)snprintf(text, (size_t)length, "%s", "1.19.0.561");
  return synSuccess;
}

static const char* name_of(int status) {
  switch (status) {
    case synSuccess: return "Success";
    case synInvalidArgument: return "Invalid argument";
    case synOutOfHostMemory: return "Out of Host memory (OOM)";
    case synOutOfDeviceMemory: return "Out of Device memory (OOM)";
    case synDeviceAlreadyAcquired: return "Device already acquired";
    case synBusy: return "Busy";
    case synFail: return "Generic failure (emulated)";
    case synUninitialized: return "Uninitialized";
    case synInvalidEventHandle: return "Invalid event handle";
    default: return NULL;
  }
}

API int synStatusGetBriefDescription(int status, char* text, size_t length) {
  const char* name = name_of(status);
  (void)snprintf(text, length, "%s", name == NULL ? "" : name);
  return name == NULL ? synInvalidArgument : synSuccess;
}

API int synDeviceGetCount(uint32_t* found) {
  *found = (uint32_t)count();
  return atomic_load(&initialised) ? synSuccess : synUninitialized;
}

API int synDeviceGetModuleIDs(uint32_t* modules, uint32_t* size) {
  if (*size < (uint32_t)count()) {
    return synInvalidArgument;
  }
  *size = (uint32_t)count();
  for (uint32_t i = 0; i < *size; i++) {
    modules[i] = *size - 1 - i;
  }
  return synSuccess;
}

API int synDeviceGetName(char* name, int length, uint32_t id) {
  (void)id;
  emu_device_name(0, "emulated Gaudi", name, (size_t)length);
  return synSuccess;
}

API int synDeviceGetAttributeByModuleId(uint64_t* values, const int* attributes, unsigned wanted, uint32_t module) {
  if (!is_module(module) || wanted != 1 || attributes[0] != DEVICE_ATTRIBUTE_DRAM_SIZE) {
    return synInvalidArgument;
  }
  values[0] = emu_total_memory();
  return synSuccess;
}

API int synDeviceAcquireByModuleId(uint32_t* id, uint32_t module) {
  if (!is_module(module)) {
    return synNoDeviceFound;
  }
  *id = FIRST_ID + module;
  return atomic_exchange(&acquired[module], true) ? synDeviceAlreadyAcquired : synSuccess;
}

API int synDeviceRelease(uint32_t id) {
  return is_acquired(id) && atomic_exchange(&acquired[id - FIRST_ID], false) ? synSuccess : synInvalidArgument;
}

API int synDeviceMalloc(uint32_t id, uint64_t size, uint64_t wanted, uint32_t flags, uint64_t* address) {
  void* block = NULL;
  int code = ON_DEVICE(id, flags | wanted, emu_allocate(size, &block));
  *address = (uint64_t)(uintptr_t)block;
  return code;
}

API int synDeviceFree(uint32_t id, uint64_t address, uint32_t flags) {
  return ON_DEVICE(id, flags, emu_release((void*)(uintptr_t)address, EMU_DEVICE));
}

API int synHostMalloc(uint32_t id, uint64_t size, uint32_t flags, void** address) {
  return ON_DEVICE(id, flags, emu_allocate_pinned(size, address));
}

API int synHostFree(uint32_t id, void* address, uint32_t flags) { return ON_DEVICE(id, flags, emu_release(address, EMU_PINNED)); }

API int synHostMap(uint32_t id, uint64_t size, void* address) { return ON_DEVICE(id, 0, emu_register(address, size)); }

API int synHostUnmap(uint32_t id, void* address) { return ON_DEVICE(id, 0, emu_release(address, EMU_REGISTERED)); }

API int synStreamCreateGeneric(emu_stream** stream, uint32_t id, uint32_t flags) {
  return ON_DEVICE(id, flags, emu_stream_create(stream));
}

API int synStreamDestroy(emu_stream* stream) {
  return emu_stream_query(stream) == EMU_NOT_READY ? synBusy : number(emu_stream_destroy(stream));
}

API int synStreamQuery(emu_stream* stream) { return number(emu_stream_query(stream)); }

API int synStreamWaitEvent(emu_stream* stream, emu_event* event, uint32_t flags) {
  return flags == 0 ? number(emu_event_wait(event, stream)) : synInvalidArgument;
}

API int synEventCreate(emu_event** event, uint32_t id, uint32_t flags) { return ON_DEVICE(id, flags, emu_event_create(event)); }

API int synEventDestroy(emu_event* event) { return number(emu_event_destroy(event)); }

API int synEventRecord(emu_event* event, emu_stream* stream) { return number(emu_event_record(event, stream)); }

API int synEventQuery(emu_event* event) { return number(emu_event_query(event)); }

API int synMemCopyAsync(emu_stream* on, uint64_t source, uint64_t size, uint64_t destination, int direction) {
  void* to = (void*)(uintptr_t)destination;
  void* from = (void*)(uintptr_t)source;
  switch (direction) {
    case HOST_TO_DRAM: return number(emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_HOST, size, on));
    case DRAM_TO_HOST: return number(emu_copy(to, EMU_ANY_HOST, from, EMU_ANY_DEVICE, size, on));
    case DRAM_TO_DRAM: return number(emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_DEVICE, size, on));
    default: return synInvalidArgument;
  }
}

API int synMemsetD8Async(uint64_t to, unsigned char value, size_t elements, emu_stream* on) {
  return number(emu_fill((void*)(uintptr_t)to, value, elements, on));
}
