// SPDX-License-Identifier: Apache-2.0
/*
 * Level Zero, below Intel's GPU software. Devices belong to drivers and memory to a context, of which there is one per driver
 * here; a stream is an immediate command list that runs in order; an event is one that counts, so that it can be recorded
 * again and again as CUDA's can; and words are watched, with events that the host signals as gates.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "watch.h"
#include "ze_abi.h"

enum { MAX_DEVICES = 64, MAX_DRIVERS = 8, MAX_GROUPS = 16, MAX_MEMORIES = 16, ALIGNMENT = 64 };

typedef struct place {
  void* driver;
  void* context;
  void* device;
  uint32_t group; /* of queues that both compute and copy */
} place;

/* The devices of one library, by ordinal: its drivers' GPUs one after the other. Made once, and never ended. */
typedef struct machine {
  const driver* by;
  int count;
  place places[MAX_DEVICES];
  struct machine* next;
} machine;

/* Ours, behind the handle of an event or a gate. */
typedef struct mark {
  void* pool;
  void* event;
  atomic_bool recorded;
} mark;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static machine* machines;
static _Thread_local const place* current;

static bool failed(const driver* by, int code) { return code != by->constant[SUCCESS]; }

static int success(const driver* by) { return (int)by->constant[SUCCESS]; }

static machine* find_machine(const driver* by) {
  (void)pthread_mutex_lock(&lock);
  machine* found = machines;
  while (found != NULL && found->by != by) {
    found = found->next;
  }
  (void)pthread_mutex_unlock(&lock);
  return found;
}

static const place* place_of(const driver* by, int ordinal) {
  const machine* all = find_machine(by);
  return all != NULL && ordinal >= 0 && ordinal < all->count ? &all->places[ordinal] : NULL;
}

static int find_group(const driver* by, place* at) {
  tombolo_ze_group groups[MAX_GROUPS];
  uint32_t count = MAX_GROUPS;
  for (int i = 0; i < MAX_GROUPS; i++) {
    groups[i] = (tombolo_ze_group){.type = TOMBOLO_ZE_TYPE_QUEUE_GROUP};
  }
  int code = CALL(by, STREAM_KINDS, void*, uint32_t*, tombolo_ze_group*)(at->device, &count, groups);
  uint32_t both = TOMBOLO_ZE_GROUP_COMPUTES | TOMBOLO_ZE_GROUP_COPIES;
  for (uint32_t i = count < MAX_GROUPS ? count : MAX_GROUPS; i-- > 0;) {
    at->group = (groups[i].flags & both) == both ? i : at->group;
  }
  return code;
}

static int add_device(const driver* by, machine* to, void* driver, void* context, void* device) {
  tombolo_ze_device properties = {.type = TOMBOLO_ZE_TYPE_DEVICE_PROPERTIES};
  int code = CALL(by, DEVICE_NAME, void*, tombolo_ze_device*)(device, &properties);
  if (failed(by, code) || properties.kind != TOMBOLO_ZE_IS_GPU || to->count == MAX_DEVICES) {
    return code;
  }
  place* at = &to->places[to->count++];
  *at = (place){driver, context, device, 0};
  return find_group(by, at);
}

static int add_driver(const driver* by, machine* to, void* driver) {
  void* devices[MAX_DEVICES];
  uint32_t count = MAX_DEVICES;
  void* context = NULL;
  tombolo_ze_desc plain = {.type = TOMBOLO_ZE_TYPE_CONTEXT};
  int code = CALL(by, DEVICE_GET, void*, uint32_t*, void**)(driver, &count, devices);
  code = failed(by, code) ? code
                          : CALL(by, CONTEXT_RETAIN, void*, const tombolo_ze_desc*, void**)(driver, &plain, &context);
  for (uint32_t i = 0; !failed(by, code) && i < count && i < MAX_DEVICES; i++) {
    code = add_device(by, to, driver, context, devices[i]);
  }
  return code;
}

static int look_round(const driver* by, machine* into) {
  void* drivers[MAX_DRIVERS];
  uint32_t count = MAX_DRIVERS;
  int code = CALL(by, INIT, uint32_t)(0);
  code = failed(by, code) ? code : CALL(by, DEVICE_COUNT, uint32_t*, void**)(&count, drivers);
  for (uint32_t i = 0; !failed(by, code) && i < count && i < MAX_DRIVERS; i++) {
    code = add_driver(by, into, drivers[i]);
  }
  return code;
}

static machine* publish(machine* made) {
  (void)pthread_mutex_lock(&lock);
  machine* present = machines;
  while (present != NULL && present->by != made->by) {
    present = present->next;
  }
  if (present == NULL) {
    made->next = machines;
    machines = present = made;
  }
  (void)pthread_mutex_unlock(&lock);
  return present;
}

static int start(const driver* by) {
  if (find_machine(by) != NULL) {
    return success(by);
  }
  machine* made = calloc(1, sizeof *made);
  if (made == NULL) {
    return TOMBOLO_ZE_OUT_OF_HOST_MEMORY;
  }
  made->by = by;
  int code = look_round(by, made);
  if (failed(by, code) || publish(made) != made) {
    free(made);
  }
  return code;
}

static int version(const driver* by, int* version) {
  const place* first = place_of(by, 0);
  uint32_t both = 0;
  int code = first == NULL ? success(by) : CALL(by, DRIVER_VERSION, void*, uint32_t*)(first->driver, &both);
  *version = (int)(both >> 16) * 100 + (int)(both & 0xFFFF);
  return code;
}

static int device_count(const driver* by, int* count) {
  *count = find_machine(by)->count;
  return success(by);
}

static int device_get(const driver* by, int* device, int ordinal) {
  *device = ordinal;
  return place_of(by, ordinal) == NULL ? TOMBOLO_ZE_INVALID_ARGUMENT : success(by);
}

static int device_name(const driver* by, char* text, int size, int device) {
  tombolo_ze_device properties = {.type = TOMBOLO_ZE_TYPE_DEVICE_PROPERTIES};
  int code = CALL(by, DEVICE_NAME, void*, tombolo_ze_device*)(place_of(by, device)->device, &properties);
  (void)snprintf(text, (size_t)size, "%s", properties.name);
  return code;
}

static int pci_bus_id(const driver* by, char* text, int size, int device) {
  tombolo_ze_pci at = {.type = TOMBOLO_ZE_TYPE_PCI};
  int code = CALL(by, PCI_BUS_ID, void*, tombolo_ze_pci*)(place_of(by, device)->device, &at);
  (void)snprintf(text, (size_t)size, "%04x:%02x:%02x.%x", at.domain, at.bus, at.device, at.function);
  return code;
}

static int total_memory(const driver* by, size_t* bytes, int device) {
  tombolo_ze_memory memories[MAX_MEMORIES];
  uint32_t count = MAX_MEMORIES;
  for (int i = 0; i < MAX_MEMORIES; i++) {
    memories[i] = (tombolo_ze_memory){.type = TOMBOLO_ZE_TYPE_MEMORY_PROPERTIES};
  }
  int code = CALL(by, TOTAL_MEMORY, void*, uint32_t*, tombolo_ze_memory*)(place_of(by, device)->device, &count, memories);
  for (uint32_t i = 0; !failed(by, code) && i < count && i < MAX_MEMORIES; i++) {
    *bytes += memories[i].size;
  }
  return code;
}

static int retain(device* on) { return success(on->driver); }

static int release(const device* on) { return success(on->driver); }

static int set_current(const device* on) {
  current = place_of(on->driver, on->ordinal);
  return success(on->driver);
}

static int can_access_peer(const device* on, const device* peer, int* can) {
  const driver* by = on->driver;
  uint8_t answer = 0;
  int code = CALL(by, PEER_CAN_ACCESS, void*, void*, uint8_t*)(place_of(by, on->ordinal)->device,
                                                             place_of(by, peer->ordinal)->device, &answer);
  *can = answer;
  return code;
}

/* The API tells no texts. */
static const char* text(const driver* of, role which, int code) {
  (void)of;
  (void)which;
  (void)code;
  return NULL;
}

static int allocate(const driver* by, uint64_t* address, size_t size) {
  tombolo_ze_desc plain = {.type = TOMBOLO_ZE_TYPE_DEVICE_MEMORY};
  return CALL(by, ALLOCATE, void*, const tombolo_ze_desc*, size_t, size_t, void*, uint64_t*)(
      current->context, &plain, size, ALIGNMENT, current->device, address);
}

static int allocate_managed(const driver* by, uint64_t* address, size_t size) {
  tombolo_ze_desc device = {.type = TOMBOLO_ZE_TYPE_DEVICE_MEMORY};
  tombolo_ze_desc host = {.type = TOMBOLO_ZE_TYPE_HOST_MEMORY};
  return CALL(by, MANAGED_ALLOCATE, void*, const tombolo_ze_desc*, const tombolo_ze_desc*, size_t, size_t, void*, uint64_t*)(
      current->context, &device, &host, size, ALIGNMENT, current->device, address);
}

static int allocate_pinned(const driver* by, void** address, size_t size) {
  tombolo_ze_desc plain = {.type = TOMBOLO_ZE_TYPE_HOST_MEMORY};
  return CALL(by, HOST_ALLOCATE, void*, const tombolo_ze_desc*, size_t, size_t, void**)(current->context, &plain, size,
                                                                                      ALIGNMENT, address);
}

static int free_memory(const driver* by, uint64_t address) {
  return CALL(by, FREE, void*, uint64_t)(current->context, address);
}

/* A device that is not among ours may be a part of one. */
static int ordinal_of(const driver* by, const void* device) {
  const machine* all = find_machine(by);
  for (int i = 0; i < all->count; i++) {
    if (all->places[i].device == device) {
      return i;
    }
  }
  return PLACE_NOT_TOLD;
}

/*
 * The header calls what does not belong to the context unknown; a driver may know all contexts' memory. Kinds that the header
 * of 1.4 does not have are not told apart.
 */
static int find_place(const driver* by, uint64_t address, int* place) {
  tombolo_ze_allocation of = {.type = TOMBOLO_ZE_TYPE_ALLOCATION};
  void* device = NULL;
  int code = CALL(by, POINTER_ATTRIBUTE, void*, uint64_t, tombolo_ze_allocation*, void**)(current->context, address, &of,
                                                                                     &device);
  if (!failed(by, code)) {
    *place = of.kind == TOMBOLO_ZE_MEMORY_UNKNOWN ? PLACE_UNKNOWN
             : of.kind == TOMBOLO_ZE_MEMORY_OF_HOST ? PLACE_HOST
                                                    : ordinal_of(by, device);
  }
  return code;
}

/* An extension of Intel's driver, and so looked up in the driver. */
static int find_extension(const driver* by, const char* name, void** found) {
  return CALL(by, HOST_REGISTER, void*, const char*, void**)(current->driver, name, found);
}

static int register_host(const driver* by, void* address, size_t size) {
  void* import = NULL;
  int code = find_extension(by, "zexDriverImportExternalPointer", &import);
  return failed(by, code) ? code : ((int (*)(void*, void*, size_t))import)(current->driver, address, size);
}

static int unregister_host(const driver* by, uint64_t address) {
  void* end = NULL;
  int code = find_extension(by, "zexDriverReleaseImportedPointer", &end);
  return failed(by, code) ? code : ((int (*)(void*, uint64_t))end)(current->driver, address);
}

static int new_stream_of(const driver* by, void** stream, uint32_t priority) {
  tombolo_ze_desc wanted = {.type = TOMBOLO_ZE_TYPE_QUEUE};
  wanted.field[QUEUE_ORDINAL] = current->group;
  wanted.field[QUEUE_FLAGS] = TOMBOLO_ZE_IN_ORDER;
  wanted.field[QUEUE_MODE] = TOMBOLO_ZE_ASYNCHRONOUS;
  wanted.field[QUEUE_PRIORITY] = priority;
  return CALL(by, STREAM_CREATE, void*, void*, const tombolo_ze_desc*, void**)(current->context, current->device, &wanted,
                                                                             stream);
}

static int new_stream(const driver* by, void** stream) { return new_stream_of(by, stream, TOMBOLO_ZE_NORMAL); }

static int new_urgent_stream(const driver* by, void** stream) { return new_stream_of(by, stream, TOMBOLO_ZE_URGENT); }

static int end_mark(const driver* by, mark* made) {
  int event = made->event == NULL ? success(by) : CALL(by, EVENT_DESTROY, void*)(made->event);
  int pool = made->pool == NULL ? success(by) : CALL(by, EVENT_POOL_DESTROY, void*)(made->pool);
  free(made);
  return failed(by, event) ? event : pool;
}

/* An event in a pool of its own; `chain` says what is special about it. */
static int new_mark(const driver* by, const void* chain, mark** made) {
  tombolo_ze_desc pool = {.type = TOMBOLO_ZE_TYPE_EVENT_POOL, .next = chain};
  pool.field[POOL_FLAGS] = TOMBOLO_ZE_HOST_SEES_EVENT;
  pool.field[POOL_COUNT] = 1;
  tombolo_ze_desc event = {.type = TOMBOLO_ZE_TYPE_EVENT};
  event.field[EVENT_SIGNAL] = TOMBOLO_ZE_FLUSH_FOR_HOST;
  event.field[EVENT_WAIT] = TOMBOLO_ZE_FLUSH_FOR_HOST;
  mark* fresh = calloc(1, sizeof *fresh);
  if (fresh == NULL) {
    return TOMBOLO_ZE_OUT_OF_HOST_MEMORY;
  }
  void* device = current->device;
  int code = CALL(by, EVENT_POOL_CREATE, void*, const tombolo_ze_desc*, uint32_t, void**, void**)(current->context, &pool, 1,
                                                                                             &device, &fresh->pool);
  code = failed(by, code)
             ? code
             : CALL(by, EVENT_CREATE, void*, const tombolo_ze_desc*, void**)(fresh->pool, &event, &fresh->event);
  if (failed(by, code)) {
    (void)end_mark(by, fresh); /* why there is none is the failure to report */
    return code;
  }
  *made = fresh;
  return code;
}

static int new_event(const driver* by, void** event) {
  tombolo_ze_desc counting = {.type = TOMBOLO_ZE_TYPE_COUNTER_BASED};
  counting.field[0] = TOMBOLO_ZE_COUNTS_IMMEDIATE;
  mark* made = NULL;
  int code = new_mark(by, &counting, &made);
  *event = made;
  return code;
}

static int end_event(const driver* by, void* event) { return end_mark(by, event); }

static int record(const driver* by, void* event, void* stream) {
  mark* of = event;
  int code = CALL(by, EVENT_RECORD, void*, void*)(stream, of->event);
  if (!failed(by, code)) {
    atomic_store(&of->recorded, true);
  }
  return code;
}

/* What an event is before it was ever recorded, the API leaves open. */
static int query(const driver* by, role what, void* of) {
  if (what == STREAM_QUERY) {
    return CALL(by, STREAM_QUERY, void*, uint64_t)(of, 0);
  }
  mark* event = of;
  return atomic_load(&event->recorded) ? CALL(by, EVENT_QUERY, void*)(event->event) : success(by);
}

static int wait_for(const driver* by, void* stream, mark* event) {
  return CALL(by, STREAM_WAIT_EVENT, void*, uint32_t, void**)(stream, 1, &event->event);
}

static int wait_event(const driver* by, void* stream, void* event) {
  mark* of = event;
  return atomic_load(&of->recorded) ? wait_for(by, stream, of) : success(by);
}

static int copy(const driver* by, role direction, uint64_t to, uint64_t from, size_t size, void* stream) {
  return size == 0 ? success(by)
                   : CALL(by, direction, void*, uint64_t, uint64_t, size_t, void*, uint32_t, void**)(stream, to, from, size,
                                                                                                 NULL, 0, NULL);
}

static int fill(const driver* by, uint64_t to, unsigned char value, size_t size, void* stream) {
  return size == 0 ? success(by)
                   : CALL(by, FILL, void*, uint64_t, const void*, size_t, size_t, void*, uint32_t, void**)(
                         stream, to, &value, sizeof value, size, NULL, 0, NULL);
}

static mark* mark_of(const gate* at) { return (mark*)(uintptr_t)at->handle; }

static int new_gate(const driver* by, gate* made) {
  mark* fresh = NULL;
  int code = new_mark(by, NULL, &fresh);
  *made = (gate){(uint64_t)(uintptr_t)fresh, 0};
  return code;
}

static int wait_gate(const driver* by, void* stream, gate* at) {
  int code = at->turn++ == 0 ? success(by) : CALL(by, GATE_SHUT, void*)(mark_of(at)->event);
  return failed(by, code) ? code : wait_for(by, stream, mark_of(at));
}

static int open_gate(const driver* by, gate* at) { return CALL(by, GATE_OPEN, void*)(mark_of(at)->event); }

void level_zero(calls* of) {
  of->start = start;
  of->version = version;
  of->device_count = device_count;
  of->device_get = device_get;
  of->device_name = device_name;
  of->pci_bus_id = pci_bus_id;
  of->total_memory = total_memory;
  of->retain = retain;
  of->release = release;
  of->set_current = set_current;
  of->can_access_peer = can_access_peer;
  of->text = text;
  of->allocate = allocate;
  of->free = free_memory;
  of->allocate_managed = allocate_managed;
  of->allocate_pinned = allocate_pinned;
  of->free_pinned = free_memory;
  of->register_host = register_host;
  of->unregister_host = unregister_host;
  of->find_place = find_place;
  of->new_stream = new_stream;
  of->new_urgent_stream = new_urgent_stream;
  of->new_event = new_event;
  of->end_event = end_event;
  of->record = record;
  of->query = query;
  of->wait_event = wait_event;
  of->copy = copy;
  of->fill = fill;
  of->wait_value = watched_wait;
  of->write_value = watched_write;
  of->new_gate = new_gate;
  of->wait_gate = wait_gate;
  of->open_gate = open_gate;
}
