// SPDX-License-Identifier: Apache-2.0
/*
 * XRE, Kunlunxin's own runtime (xpu/runtime.h). It tells no errors in words, fills no memory, and cannot be asked for streams;
 * an event that nobody recorded counts as not done there, and as an error where a stream waits for it, so we keep a note of
 * that. What of this its header says is in the row.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { SHADES = 256, SHADE_BYTES = 1 << 16 };

/* Ours, behind the handle of an event. */
typedef struct mark {
  void* event;
  atomic_bool recorded;
} mark;

/* Pinned blocks of one byte's value each, for fills: made when first needed, and kept. */
typedef struct palette {
  const driver* by;
  void* shades[SHADES];
  struct palette* next;
} palette;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static palette* palettes;

static int success(const driver* by) { return (int)by->constant[SUCCESS]; }

static bool failed(const driver* by, int code) { return code != by->constant[SUCCESS]; }

/* There is nothing to start. */
static int start(const driver* by) { return success(by); }

static int version(const driver* by, int* version) {
  uint32_t major = 0;
  uint32_t minor = 0;
  int code = CALL(by, DRIVER_VERSION, uint32_t*, uint32_t*)(&major, &minor);
  *version = (int)(major * 10000 + minor * 100);
  return code;
}

static int device_get(const driver* by, int* device, int ordinal) {
  *device = ordinal;
  return success(by);
}

/* What it has is a number for its model: the caller calls it by the runtime. */
static int device_name(const driver* by, char* text, int size, int device) {
  (void)device;
  (void)snprintf(text, (size_t)size, "%s", "");
  return success(by);
}

/* Bits 31 to 16, 15 to 8, 7 to 3 and 2 to 0: domain, bus, slot and function. */
static int pci_bus_id(const driver* by, char* text, int size, int device) {
  uint64_t at = 0;
  int code = CALL(by, PCI_BUS_ID, uint64_t*, int, int)(&at, (int)by->constant[DEVICE_PCI], device);
  (void)snprintf(text, (size_t)size, "%04x:%02x:%02x.%x", (unsigned)(at >> 16 & 0xffff), (unsigned)(at >> 8 & 0xff),
                 (unsigned)(at >> 3 & 0x1f), (unsigned)(at & 0x7));
  return code;
}

/* Its unit is not public. */
static int total_memory(const driver* by, size_t* bytes, int device) {
  (void)device;
  *bytes = 0;
  return success(by);
}

static const char* text(const driver* of, role which, int code) {
  (void)of;
  (void)which;
  (void)code;
  return NULL;
}

static int allocate(const driver* by, uint64_t* address, size_t size) {
  return CALL(by, ALLOCATE, uint64_t*, uint64_t, int)(address, size, (int)by->constant[MEMORY_KIND]);
}

static int new_stream(const driver* by, void** stream) { return CALL(by, STREAM_CREATE, void**)(stream); }

static int new_event(const driver* by, void** event) {
  mark* made = calloc(1, sizeof *made);
  if (made == NULL) {
    return (int)by->constant[OUT_OF_MEMORY];
  }
  int code = CALL(by, EVENT_CREATE, void**)(&made->event);
  if (failed(by, code)) {
    free(made);
  } else {
    *event = made;
  }
  return code;
}

static int end_event(const driver* by, void* event) {
  mark* ended = event;
  int code = CALL(by, EVENT_DESTROY, void*)(ended->event);
  free(ended);
  return code;
}

static int record(const driver* by, void* event, void* stream) {
  mark* at = event;
  int code = CALL(by, EVENT_RECORD, void*, void*)(at->event, stream);
  if (!failed(by, code)) {
    atomic_store(&at->recorded, true);
  }
  return code;
}

/* Of an event: the row has no call for streams. */
static int query(const driver* by, role what, void* of) {
  const mark* at = of;
  return atomic_load(&at->recorded) ? CALL(by, what, void*)(at->event) : success(by);
}

static int wait_event(const driver* by, void* stream, void* event) {
  const mark* at = event;
  return atomic_load(&at->recorded) ? CALL(by, STREAM_WAIT_EVENT, void*, void*)(stream, at->event) : success(by);
}

static int copy(const driver* by, role direction, uint64_t to, uint64_t from, size_t size, void* stream) {
  constant kind = direction == COPY_TO_DEVICE ? KIND_TO_DEVICE : direction == COPY_TO_HOST ? KIND_TO_HOST : KIND_ON_DEVICE;
  return size == 0 ? success(by)
                   : CALL(by, direction, uint64_t, uint64_t, uint64_t, int, void*)(to, from, size, (int)by->constant[kind],
                                                                                  stream);
}

static palette* palette_of(const driver* by) {
  palette* found = palettes;
  while (found != NULL && found->by != by) {
    found = found->next;
  }
  if (found == NULL && (found = calloc(1, sizeof *found)) != NULL) {
    found->by = by;
    found->next = palettes;
    palettes = found;
  }
  return found;
}

static int shade_of(const driver* by, unsigned char value, void** shade) {
  (void)pthread_mutex_lock(&lock);
  palette* of = palette_of(by);
  int code = of == NULL ? (int)by->constant[OUT_OF_MEMORY] : success(by);
  if (of != NULL && of->shades[value] == NULL) {
    code = by->calls.allocate_pinned(by, &of->shades[value], SHADE_BYTES);
    if (failed(by, code)) {
      of->shades[value] = NULL;
    } else {
      (void)memset(of->shades[value], value, SHADE_BYTES);
    }
  }
  *shade = of == NULL ? NULL : of->shades[value];
  (void)pthread_mutex_unlock(&lock);
  return code;
}

/* The first bytes come from the host; what is filled then fills as much again. */
static int fill(const driver* by, uint64_t to, unsigned char value, size_t size, void* stream) {
  void* shade = NULL;
  int code = shade_of(by, value, &shade);
  size_t done = size < SHADE_BYTES ? size : SHADE_BYTES;
  code = failed(by, code) ? code : copy(by, COPY_TO_DEVICE, to, (uint64_t)(uintptr_t)shade, done, stream);
  while (!failed(by, code) && done < size) {
    size_t more = size - done < done ? size - done : done;
    code = copy(by, COPY_ON_DEVICE, to + done, to, more, stream);
    done += more;
  }
  return code;
}

void kunlunxin_xre(calls* of) {
  of->start = start;
  of->version = version;
  of->device_get = device_get;
  of->device_name = device_name;
  of->pci_bus_id = pci_bus_id;
  of->total_memory = total_memory;
  of->text = text;
  of->allocate = allocate;
  of->new_stream = new_stream;
  of->new_event = new_event;
  of->end_event = end_event;
  of->record = record;
  of->query = query;
  of->wait_event = wait_event;
  of->copy = copy;
  of->fill = fill;
}
