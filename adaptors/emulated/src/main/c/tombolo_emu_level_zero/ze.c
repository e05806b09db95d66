// SPDX-License-Identifier: Apache-2.0
/*
 * Level Zero in front of the emulated device; numbers and prototypes as in ze_api.h (witness/level_zero.tsv).
 *
 * Two drivers: one with half of the GPUs and a CPU between them, one with the rest. Stricter than the original where that finds
 * mistakes: descriptors must have their type, a pool its counting events or plain ones, a list must be asynchronous and in
 * order and of the group that computes and copies, a counting event cannot be asked for before it was signalled nor be
 * signalled by the host, nothing has no bytes, and handles are of the driver and the context that they are used with.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/device_engine.h"
#include "emu_numbers.h"
#include "witness_level_zero.h"

#define API __attribute__((visibility("default")))

enum { API_VERSION = 1 << 16 | 9, DRIVERS = 2, GROUPS = 2, COPIES_ONLY = 0, COMPUTES = 1 };

typedef struct driver {
  int index;
} driver;

typedef struct context {
  driver* of;
} context;

typedef struct gpu {
  driver* of;
  int ordinal; /* -1: a CPU */
} gpu;

typedef struct desc {
  uint32_t type;
  const struct desc* next;
  uint32_t field[5];
} desc;

typedef struct pool {
  bool counts;
  int events;
} pool;

typedef struct event {
  pool* of;
  emu_event* counting;
  _Atomic uint64_t* plain;
  atomic_bool used;
} event;

typedef struct device_properties {
  uint32_t type;
  void* next;
  uint32_t kind;
  uint32_t ids[5];
  uint64_t most;
  uint32_t counts[7];
  uint64_t resolution;
  uint32_t bits[2];
  uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE];
  char name[ZE_MAX_DEVICE_NAME];
} device_properties;

typedef struct memory_properties {
  uint32_t type;
  void* next;
  uint32_t flags;
  uint32_t clock;
  uint32_t width;
  uint64_t size;
  char name[ZE_MAX_DEVICE_NAME];
} memory_properties;

typedef struct allocation_properties {
  uint32_t type;
  void* next;
  uint32_t kind;
  uint64_t id;
  uint64_t page;
} allocation_properties;

typedef struct group_properties {
  uint32_t type;
  void* next;
  uint32_t flags;
  size_t pattern;
  uint32_t queues;
} group_properties;

typedef struct pci_properties {
  uint32_t type;
  void* next;
  uint32_t address[4];
  int32_t lanes[2];
  int64_t speed;
} pci_properties;

static driver drivers[DRIVERS] = {{0}, {1}};
static context contexts[DRIVERS] = {{&drivers[0]}, {&drivers[1]}};
static gpu cpu = {&drivers[0], -1};

static int number(emu_result result) {
  switch (result) {
    case EMU_OK: return ZE_RESULT_SUCCESS;
    case EMU_NOT_READY: return ZE_RESULT_NOT_READY;
    case EMU_OUT_OF_MEMORY: return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    case EMU_OUT_OF_HOST_MEMORY: return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    case EMU_INVALID_HANDLE: return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    case EMU_STREAM_FAILED: return emu_fault_code(ZE_RESULT_ERROR_DEVICE_LOST);
    default: return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  }
}

/* Contexts have several devices; a thread's frees wait for the one that it named last. */
static void choose(const gpu* device) { emu_use_device(device->ordinal < 0 ? 0 : device->ordinal); }

static int valid(bool holds) { return holds ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT; }

API int zeInit(uint32_t flags) { return valid(flags == 0); }

API int zeDriverGet(uint32_t* count, driver** handles) {
  for (uint32_t i = 0; i < DRIVERS && i < *count; i++) {
    handles[i] = &drivers[i];
  }
  *count = DRIVERS;
  return ZE_RESULT_SUCCESS;
}

API int zeDriverGetApiVersion(driver* of, uint32_t* version) {
  *version = API_VERSION;
  return valid(of == &drivers[0]);
}

static int half(void) { return emu_device_count() / DRIVERS; }

static gpu* gpu_of(int ordinal) {
  enum { MOST = 64 };
  static gpu gpus[MOST];
  gpus[ordinal % MOST] = (gpu){&drivers[ordinal < half() ? 0 : 1], ordinal};
  return &gpus[ordinal % MOST];
}

API int zeDeviceGet(driver* of, uint32_t* count, gpu** handles) {
  int first = of->index == 0 ? 0 : half();
  int end = of->index == 0 ? half() : emu_device_count();
  uint32_t made = 0;
  for (int ordinal = first; ordinal < end && made + 1 < *count; ordinal++) {
    handles[made++] = gpu_of(ordinal);
    if (of->index == 0 && ordinal == first) {
      handles[made++] = &cpu;
    }
  }
  *count = made;
  return ZE_RESULT_SUCCESS;
}

API int zeDeviceGetProperties(gpu* device, device_properties* into) {
  into->kind = device->ordinal < 0 ? ZE_DEVICE_TYPE_CPU : ZE_DEVICE_TYPE_GPU;
  emu_device_name(device->ordinal, "emulated Intel GPU", into->name, sizeof into->name);
  return valid(into->type == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
}

API int zeDeviceGetMemoryProperties(gpu* device, uint32_t* count, memory_properties* into) {
  bool right = device->ordinal >= 0 && *count >= 2 && into[0].type == ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
  *count = 2; /* as a GPU of two tiles has */
  into[0].size = into[1].size = emu_total_memory() / 2;
  return valid(right && into[1].type == ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
}

API int zeDeviceGetCommandQueueGroupProperties(gpu* device, uint32_t* count, group_properties* into) {
  bool right = device->ordinal >= 0 && *count >= GROUPS;
  for (int i = 0; i < GROUPS; i++) {
    right = right && into[i].type == ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
  }
  into[COPIES_ONLY].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
  into[COMPUTES].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
  *count = GROUPS;
  return valid(right);
}

API int zeDevicePciGetPropertiesExt(gpu* device, pci_properties* into) {
  into->address[0] = 0;
  into->address[1] = 0x60 + (uint32_t)device->ordinal;
  into->address[2] = into->address[3] = 0;
  return valid(into->type == ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
}

/* "If both device and peer device are the same then return true", says ze_api.h, unlike other runtimes. */
API int zeDeviceCanAccessPeer(gpu* device, gpu* peer, uint8_t* reaches) {
  if (device == NULL || peer == NULL) {
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  }
  *reaches = device == peer || (device->of == peer->of && emu_peer_reaches(device->ordinal, peer->ordinal));
  return ZE_RESULT_SUCCESS;
}

API int zeContextCreate(driver* of, const desc* wanted, context** made) {
  *made = &contexts[of->index];
  return valid(wanted->type == ZE_STRUCTURE_TYPE_CONTEXT_DESC);
}

API int zeMemAllocDevice(context* in, const desc* wanted, size_t size, size_t alignment, gpu* device, void** address) {
  bool right = wanted->type == ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC && device->of == in->of && alignment <= 4096;
  choose(device);
  return right ? number(emu_allocate(size, address)) : valid(false);
}

API int zeMemAllocHost(context* in, const desc* wanted, size_t size, size_t alignment, void** address) {
  bool right = in != NULL && wanted->type == ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC && alignment <= 4096;
  return right ? number(emu_allocate_pinned(size, address)) : valid(false);
}

/* Without a device it would be the context's to place; the row always names one. */
API int zeMemAllocShared(context* in, const desc* on_device, const desc* on_host, size_t size, size_t alignment, gpu* device,
                         void** address) {
  bool right = on_device->type == ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC &&
               on_host->type == ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC && device->of == in->of && alignment <= 4096;
  choose(device);
  return right ? number(emu_allocate_managed(size, address)) : valid(false);
}

API int zeMemFree(context* in, void* address) {
  return in == NULL ? valid(false) : number(emu_release(address, EMU_DEVICE | EMU_PINNED | EMU_MANAGED));
}

/*
 * Of what is unrelated to the context "the returned identifier and associated device is unspecified", says ze_api.h: here it is
 * a device of the context. Host memory has none. Whether imported memory is an allocation, nobody says: it is not.
 */
API int zeMemGetAllocProperties(context* in, const void* address, allocation_properties* into, gpu** device) {
  emu_kind kind = EMU_REGISTERED;
  int ordinal = 0;
  if (in == NULL) {
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  }
  if (address == NULL || into == NULL) {
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  }
  bool known = emu_place(address, &kind, &ordinal) && kind != EMU_REGISTERED;
  bool related = known && (kind == EMU_PINNED || gpu_of(ordinal)->of == in->of);
  into->kind = !related              ? ZE_MEMORY_TYPE_UNKNOWN
               : kind == EMU_PINNED  ? ZE_MEMORY_TYPE_HOST
               : kind == EMU_MANAGED ? ZE_MEMORY_TYPE_SHARED
                                     : ZE_MEMORY_TYPE_DEVICE;
  if (device != NULL) {
    *device = !related ? gpu_of(in->of->index * half()) : kind == EMU_PINNED ? NULL : gpu_of(ordinal);
  }
  return valid(into->type == ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
}

static int import_pointer(driver* of, void* address, size_t size) {
  return of == NULL ? valid(false) : number(emu_register(address, size));
}

static int release_pointer(driver* of, void* address) {
  return of == NULL ? valid(false) : number(emu_release(address, EMU_REGISTERED));
}

API int zeDriverGetExtensionFunctionAddress(driver* of, const char* name, void** found) {
  *found = of == NULL ? NULL
           : strcmp(name, "zexDriverImportExternalPointer") == 0 ? (void*)import_pointer
           : strcmp(name, "zexDriverReleaseImportedPointer") == 0 ? (void*)release_pointer
                                                                 : NULL;
  return *found == NULL ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE : ZE_RESULT_SUCCESS;
}

API int zeCommandListCreateImmediate(context* in, gpu* device, const desc* wanted, emu_stream** made) {
  bool right = wanted->type == ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC && device->of == in->of &&
               wanted->field[0] == COMPUTES && wanted->field[1] == 0 && wanted->field[2] == ZE_COMMAND_QUEUE_FLAG_IN_ORDER &&
               wanted->field[3] == ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS && wanted->field[4] <= ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH;
  bool urgent = wanted->field[4] == ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH;
  choose(device);
  return right ? number(emu_stream_create_as((emu_stream_kind){.priority = urgent ? -1 : 0}, made)) : valid(false);
}

API int zeCommandListDestroy(emu_stream* list) { return number(emu_stream_destroy(list)); }

API int zeCommandListHostSynchronize(emu_stream* list, uint64_t timeout) {
  return timeout == 0 ? number(emu_stream_query(list)) : valid(false);
}

API int zeEventPoolCreate(context* in, const desc* wanted, uint32_t count, gpu** devices, pool** made) {
  const desc* next = wanted->next;
  bool right = wanted->type == ZE_STRUCTURE_TYPE_EVENT_POOL_DESC && wanted->field[0] == ZE_EVENT_POOL_FLAG_HOST_VISIBLE &&
               count == 1 && devices[0]->of == in->of;
  right = right && (next == NULL || (next->type == ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC &&
                                     next->field[0] == ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE));
  *made = right ? calloc(1, sizeof **made) : NULL;
  if (*made != NULL) {
    (*made)->counts = next != NULL;
    (*made)->events = (int)wanted->field[1];
  }
  return *made != NULL ? ZE_RESULT_SUCCESS : valid(false);
}

API int zeEventPoolDestroy(pool* of) {
  free(of);
  return ZE_RESULT_SUCCESS;
}

API int zeEventCreate(pool* of, const desc* wanted, event** made) {
  bool right = wanted->type == ZE_STRUCTURE_TYPE_EVENT_DESC && (int)wanted->field[0] < of->events &&
               wanted->field[1] == ZE_EVENT_SCOPE_FLAG_HOST;
  event* fresh = right ? calloc(1, sizeof *fresh) : NULL;
  if (fresh == NULL) {
    return valid(false);
  }
  fresh->of = of;
  emu_result result =
      of->counts ? emu_event_create(&fresh->counting) : emu_allocate_pinned(sizeof *fresh->plain, (void**)&fresh->plain);
  *made = fresh;
  return number(result);
}

API int zeEventDestroy(event* of) {
  emu_result result = of->counting != NULL ? emu_event_destroy(of->counting) : emu_release((void*)of->plain, EMU_PINNED);
  free(of);
  return number(result);
}

API int zeEventQueryStatus(event* of) {
  if (of->counting != NULL) {
    return atomic_load(&of->used) ? number(emu_event_query(of->counting)) : ZE_RESULT_NOT_READY;
  }
  return atomic_load(of->plain) != 0 ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

static int set_by_host(event* of, uint64_t value) {
  if (of->plain == NULL) {
    return valid(false);
  }
  atomic_store(of->plain, value);
  return ZE_RESULT_SUCCESS;
}

API int zeEventHostSignal(event* of) { return set_by_host(of, 1); }

API int zeEventHostReset(event* of) { return set_by_host(of, 0); }

API int zeCommandListAppendSignalEvent(emu_stream* list, event* of) {
  if (of->counting == NULL) {
    return number(emu_write_value((void*)of->plain, 1, list));
  }
  atomic_store(&of->used, true);
  return number(emu_event_record(of->counting, list));
}

static bool is_set(uint64_t word, uint64_t value) { return word == value; }

API int zeCommandListAppendWaitOnEvents(emu_stream* list, uint32_t count, event** events) {
  event* of = events[0];
  if (count != 1 || (of->counting != NULL && !atomic_load(&of->used))) {
    return valid(false);
  }
  return number(of->counting != NULL ? emu_event_wait(of->counting, list)
                                     : emu_wait_value((void*)of->plain, 1, UINT64_MAX, is_set, list));
}

API int zeCommandListAppendMemoryCopy(emu_stream* list, void* to, const void* from, size_t size, event* signal, uint32_t waits,
                                      event** events) {
  (void)events;
  return size == 0 || signal != NULL || waits != 0 ? ZE_RESULT_ERROR_INVALID_SIZE
                                                   : number(emu_copy(to, EMU_ANY, from, EMU_ANY, size, list));
}

API int zeCommandListAppendMemoryFill(emu_stream* list, void* to, const void* pattern, size_t width, size_t size, event* signal,
                                      uint32_t waits, event** events) {
  (void)events;
  return size == 0 || width != 1 || signal != NULL || waits != 0
             ? ZE_RESULT_ERROR_INVALID_SIZE
             : number(emu_fill(to, *(const unsigned char*)pattern, size, list));
}
