// SPDX-License-Identifier: Apache-2.0
/*
 * How a runtime is called: one function per thing that runtimes do in more than other names. A row starts with the calls
 * of CUDA's driver API, and its shapes replace those that differ. All but `text` return the vendor's result code.
 */
#ifndef TOMBOLO_CALLS_H
#define TOMBOLO_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roles.h"

typedef struct driver driver;
typedef struct device device;

/* Where a stream waits until the host lets it go on; it can be used again once the stream has passed. */
typedef struct gate {
  uint64_t handle; /* the vendor's */
  uint64_t turn;   /* how often it was waited at */
} gate;

/* Where memory is that the caller brings, beside the ordinals of devices. As in Java's ForeignMemory. */
enum { PLACE_NOT_TOLD = -1, PLACE_UNKNOWN = -2, PLACE_HOST = -3 };

typedef struct calls {
  int (*start)(const driver* by);
  int (*version)(const driver* by, int* version);
  int (*device_count)(const driver* by, int* count);
  int (*device_get)(const driver* by, int* device, int ordinal);
  int (*device_name)(const driver* by, char* text, int size, int device);
  int (*pci_bus_id)(const driver* by, char* text, int size, int device);
  int (*total_memory)(const driver* by, size_t* bytes, int device);
  int (*retain)(device* on); /* makes the device's context, where devices have one */
  int (*release)(const device* on);
  int (*set_current)(const device* on);
  int (*get_current)(const driver* by, uint64_t* current); /* only where the row has it, as the next two */
  uint64_t (*as_current)(const device* on);                /* what get_current then tells */
  int (*put_current)(const driver* by, uint64_t current);  /* what get_current told */
  int (*can_access_peer)(const device* on, const device* peer, int* can); /* this and the next only where the row has them */
  int (*enable_peer)(const device* on, const device* peer);
  const char* (*text)(const driver* of, role which, int code); /* NULL: nothing to say */
  int (*allocate)(const driver* by, uint64_t* address, size_t size);
  int (*free)(const driver* by, uint64_t address);
  int (*allocate_managed)(const driver* by, uint64_t* address, size_t size);
  int (*allocate_pinned)(const driver* by, void** address, size_t size);
  int (*free_pinned)(const driver* by, uint64_t address);
  int (*register_host)(const driver* by, void* address, size_t size);
  int (*unregister_host)(const driver* by, uint64_t address);
  int (*host_pointer)(const driver* by, uint64_t host, uint64_t* device); /* what devices call registered host memory */
  int (*find_place)(const driver* by, uint64_t address, int* place); /* only where the row has POINTER_ATTRIBUTE */
  int (*new_stream)(const driver* by, void** stream);
  int (*new_urgent_stream)(const driver* by, void** stream); /* of the greatest priority, where there are any */
  int (*end_stream)(const driver* by, void* stream);
  int (*owns)(const device* on, void* stream, bool* owns); /* only where the row has STREAM_CONTEXT */
  int (*capture_status)(const driver* by, void* stream, int* status); /* only where the row has it */
  int (*new_event)(const driver* by, void** event); /* for the host to ask; recording it never waits */
  int (*new_awaited_event)(const driver* by, void** event); /* for streams to wait for, too */
  int (*end_event)(const driver* by, void* event);
  int (*record)(const driver* by, void* event, void* stream);
  int (*query)(const driver* by, role what, void* of); /* the row's NOT_READY while there is work left */
  int (*wait_event)(const driver* by, void* stream, void* event);
  int (*copy)(const driver* by, role direction, uint64_t to, uint64_t from, size_t size, void* stream);
  int (*fill)(const driver* by, uint64_t to, unsigned char value, size_t size, void* stream);
  int (*wait_value)(const device* on, void* stream, uint64_t word, uint64_t value); /* this and the next: NULL where streams cannot */
  int (*write_value)(const device* on, void* stream, uint64_t word, uint64_t value);
  int (*new_gate)(const driver* by, gate* made); /* this and the next two only where words are watched, see watch.h */
  int (*wait_gate)(const driver* by, void* stream, gate* at);
  int (*open_gate)(const driver* by, gate* at);
} calls;

/* CUDA's driver API. */
extern const calls driver_api_calls;

/* What Java's RuntimeCallShape names; each replaces calls of what it is given. */
void ordinal_is_context(calls* of);
void text_is_returned(calls* of);
void wait_has_mask(calls* of);
void ascend_cl(calls* of);
void cambricon_cnrt(calls* of);
void level_zero(calls* of);
void enflame_tops(calls* of);
void memory_is_the_current_one(calls* of);
void place_is_told_at_once(calls* of);
void host_ordered(calls* of);
void synapse_ai(calls* of);
void kunlunxin_xre(calls* of);

#endif
