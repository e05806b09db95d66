// SPDX-License-Identifier: Apache-2.0
/*
 * SynapseAI, the runtime of Intel's Gaudis. A process acquires a device, by the number of its module, before it can do more
 * than look at it, and no device twice: so who opens one again shares it. Calls name the device, which here is the one that
 * was made current on the thread. What of this the headers say is in the row.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "driver.h"

enum { MAX_MODULES = 64, NO_SUCH_MODULE = -1, TEXT_BYTES = 64, END_ROUNDS = 10000, ROUND_NS = 100000 };

typedef struct acquired {
  const void* library; /* NULL: this place is free */
  uint32_t module;
  uint32_t id;
  int users;
} acquired;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static acquired all[MAX_MODULES];
static _Thread_local uint32_t current;

static bool failed(const driver* by, int code) { return code != by->constant[SUCCESS]; }

/* One for the process; whoever else is in it may have started it. Which of the codes says so depends on the version. */
static int start(const driver* by) {
  int code = CALL(by, INIT, void)();
  bool before = code == by->constant[STARTED_BEFORE] || code == by->constant[STARTED_TWICE];
  return before ? (int)by->constant[SUCCESS] : code;
}

/* "1.19.0.561" becomes 11900; five digits of each part, so that the sum has room. */
static int version(const driver* by, int* version) {
  char text[TEXT_BYTES] = "";
  int major = 0;
  int minor = 0;
  int patch = 0;
  int code = CALL(by, DRIVER_VERSION, char*, int)(text, TEXT_BYTES);
  text[TEXT_BYTES - 1] = '\0';
  *version = sscanf(text, "%5d.%5d.%5d", &major, &minor, &patch) < 2 ? 0 : major * 10000 + minor * 100 + patch;
  return code;
}

static int device_count(const driver* by, int* count) {
  uint32_t found = 0;
  int code = CALL(by, DEVICE_COUNT, uint32_t*)(&found);
  *count = (int)found;
  return code;
}

/* A device's handle is the number of its module. */
static int device_get(const driver* by, int* device, int ordinal) {
  uint32_t modules[MAX_MODULES];
  uint32_t count = MAX_MODULES;
  int code = CALL(by, DEVICE_GET, uint32_t*, uint32_t*)(modules, &count);
  if (failed(by, code)) {
    return code;
  }
  if (ordinal < 0 || (uint32_t)ordinal >= count || count > MAX_MODULES) {
    return NO_SUCH_MODULE;
  }
  *device = (int)modules[ordinal];
  return code;
}

/* Of the kind that this host has: Synapse does not look at which device it is asked for, and needs none acquired. */
static int device_name(const driver* by, char* text, int size, int device) {
  (void)device;
  return CALL(by, DEVICE_NAME, char*, int, uint32_t)(text, size, 0);
}

/* Told of acquired devices alone. */
static int pci_bus_id(const driver* by, char* text, int size, int device) {
  (void)device;
  (void)snprintf(text, (size_t)size, "%s", "");
  return (int)by->constant[SUCCESS];
}

static int total_memory(const driver* by, size_t* bytes, int device) {
  uint64_t size = 0;
  int attribute = (int)by->constant[MEMORY_KIND];
  int code = CALL(by, TOTAL_MEMORY, uint64_t*, const int*, unsigned, uint32_t)(&size, &attribute, 1, (uint32_t)device);
  *bytes = (size_t)size;
  return code;
}

/* Where the module is noted, or a place that is free; NULL if there is none. */
static acquired* find(const driver* by, uint32_t module) {
  acquired* unused = NULL;
  for (int i = 0; i < MAX_MODULES; i++) {
    if (all[i].library == by->library && all[i].module == module) {
      return &all[i];
    }
    unused = all[i].library == NULL ? &all[i] : unused;
  }
  return unused;
}

static int acquire(device* on, acquired* at) {
  const driver* by = on->driver;
  int code = (int)by->constant[SUCCESS];
  if (at->library == NULL) {
    uint32_t id = 0;
    code = CALL(by, CONTEXT_RETAIN, uint32_t*, uint32_t)(&id, (uint32_t)on->device);
    if (failed(by, code)) {
      return code;
    }
    *at = (acquired){by->library, (uint32_t)on->device, id, 0};
  }
  at->users++;
  on->context = (void*)(uintptr_t)at->id;
  return code;
}

static int retain(device* on) {
  (void)pthread_mutex_lock(&lock);
  acquired* at = find(on->driver, (uint32_t)on->device);
  int code = at == NULL ? NO_SUCH_MODULE : acquire(on, at);
  (void)pthread_mutex_unlock(&lock);
  return code;
}

static int release(const device* on) {
  const driver* by = on->driver;
  int code = (int)by->constant[SUCCESS];
  (void)pthread_mutex_lock(&lock);
  acquired* at = find(by, (uint32_t)on->device);
  if (at != NULL && at->library != NULL && --at->users == 0) {
    code = CALL(by, CONTEXT_RELEASE, uint32_t)(at->id);
    at->library = NULL;
  }
  (void)pthread_mutex_unlock(&lock);
  return code;
}

static int set_current(const device* on) {
  current = (uint32_t)(uintptr_t)on->context;
  return (int)on->driver->constant[SUCCESS];
}

static const char* text(const driver* of, role which, int code) {
  static _Thread_local char text[TEXT_BYTES];
  bool told = which == ERROR_TEXT && !failed(of, CALL(of, ERROR_TEXT, int, char*, size_t)(code, text, sizeof text));
  return told ? text : NULL;
}

static int allocate(const driver* by, uint64_t* address, size_t size) {
  return CALL(by, ALLOCATE, uint32_t, uint64_t, uint64_t, uint32_t, uint64_t*)(current, size, 0, 0, address);
}

static int free_device(const driver* by, uint64_t address) {
  return CALL(by, FREE, uint32_t, uint64_t, uint32_t)(current, address, 0);
}

static int allocate_pinned(const driver* by, void** address, size_t size) {
  return CALL(by, HOST_ALLOCATE, uint32_t, uint64_t, uint32_t, void**)(current, size, 0, address);
}

static int free_pinned(const driver* by, uint64_t address) {
  return CALL(by, HOST_FREE, uint32_t, uint64_t, uint32_t)(current, address, 0);
}

static int register_host(const driver* by, void* address, size_t size) {
  return CALL(by, HOST_REGISTER, uint32_t, uint64_t, const void*)(current, size, address);
}

static int unregister_host(const driver* by, uint64_t address) {
  return CALL(by, HOST_UNREGISTER, uint32_t, uint64_t)(current, address);
}

static int new_stream(const driver* by, void** stream) {
  return CALL(by, STREAM_CREATE, void**, uint32_t, uint32_t)(stream, current, 0);
}

/* A stream that is not idle stays; one whose last event is done may take a moment more. */
static int end_stream(const driver* by, void* stream) {
  int code = CALL(by, STREAM_DESTROY, void*)(stream);
  for (int round = 0; code == by->constant[NOT_READY] && round < END_ROUNDS; round++) {
    (void)nanosleep(&(struct timespec){0, ROUND_NS}, NULL);
    code = CALL(by, STREAM_DESTROY, void*)(stream);
  }
  return code;
}

static int new_event(const driver* by, void** event) {
  uint32_t flags = (uint32_t)by->constant[EVENT_NO_TIMING];
  return CALL(by, EVENT_CREATE, void**, uint32_t, uint32_t)(event, current, flags);
}

static int copy(const driver* by, role direction, uint64_t to, uint64_t from, size_t size, void* stream) {
  constant kind = direction == COPY_TO_DEVICE ? KIND_TO_DEVICE : direction == COPY_TO_HOST ? KIND_TO_HOST : KIND_ON_DEVICE;
  return size == 0 ? (int)by->constant[SUCCESS]
                   : CALL(by, direction, void*, uint64_t, uint64_t, uint64_t, int)(stream, from, size, to,
                                                                                  (int)by->constant[kind]);
}

static int fill(const driver* by, uint64_t to, unsigned char value, size_t size, void* stream) {
  return size == 0 ? (int)by->constant[SUCCESS]
                   : CALL(by, FILL, uint64_t, unsigned char, size_t, void*)(to, value, size, stream);
}

void synapse_ai(calls* of) {
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
  of->text = text;
  of->allocate = allocate;
  of->free = free_device;
  of->allocate_pinned = allocate_pinned;
  of->free_pinned = free_pinned;
  of->register_host = register_host;
  of->unregister_host = unregister_host;
  of->new_stream = new_stream;
  of->end_stream = end_stream;
  of->new_event = new_event;
  of->copy = copy;
  of->fill = fill;
}
