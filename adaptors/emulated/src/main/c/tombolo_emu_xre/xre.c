// SPDX-License-Identifier: Apache-2.0
/*
 * XRE in front of the emulated device; numbers and prototypes as in xpu/runtime.h and xpu/defs.h (witness/xre.tsv).
 *
 * Stricter than the original where that finds mistakes: nothing works on a thread that has not chosen a device, and copies
 * refuse host memory that is not pinned. As the original, it answers for an event that was never recorded as for one that is
 * not done, and has no stream wait for it.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "../shared/device_engine.h"
#include "emu_numbers.h"
#include "witness_xre.h"

#define API __attribute__((visibility("default")))

enum { FIRST_BUS = 0x60, SLOT = 3 };

typedef struct xpu_event {
  emu_event* event;
  atomic_bool recorded;
} xpu_event;

static _Thread_local int chosen = -1;

static int number(emu_result result) {
  switch (result) {
    case EMU_OK: return XPU_SUCCESS;
    case EMU_NOT_READY: return xpuEventQueryNotYet;
    case EMU_OUT_OF_MEMORY:
    case EMU_OUT_OF_HOST_MEMORY: return XPUERR_NOMEM;
    case EMU_STREAM_FAILED: return emu_fault_code(XPUERR_KEXCEPTION);
    default: return XPUERR_INVALID_PARAM;
  }
}

#define ON_DEVICE(right, call) (chosen >= 0 && (right) ? number(call) : XPUERR_INVALID_PARAM)

static bool is_ordinal(int device) { return device >= 0 && device < emu_device_count(); }

API int xpu_get_runtime_version(uint32_t* major, uint32_t* minor) {
  *major = 5;
  *minor = 0;
  return XPU_SUCCESS;
}

API int xpu_device_count(int* found) {
  *found = emu_device_count();
  return XPU_SUCCESS;
}

API int xpu_set_device(int device) {
  chosen = is_ordinal(device) ? device : chosen;
  emu_use_device(chosen < 0 ? 0 : chosen);
  return is_ordinal(device) ? XPU_SUCCESS : XPUERR_INVALID_DEVICE;
}

API int xpu_current_device(int* device) {
  *device = chosen < 0 ? 0 : chosen;
  return XPU_SUCCESS;
}

API int xpu_device_get_attr(uint64_t* value, int attribute, int device) {
  *value = (uint64_t)(FIRST_BUS + device) << 8 | SLOT << 3;
  return is_ordinal(device) && attribute == XPUATTR_PCI_ADDRESS ? XPU_SUCCESS : XPUERR_INVALID_PARAM;
}

API int xpu_malloc(void** address, uint64_t size, int kind) { return ON_DEVICE(kind == XPU_MEM_MAIN, emu_allocate(size, address)); }

API int xpu_free(void* address) { return ON_DEVICE(true, emu_release(address, EMU_DEVICE)); }

API int xpu_host_alloc(void** address, uint64_t size, unsigned flags) {
  return ON_DEVICE(flags == 0, emu_allocate_pinned(size, address));
}

API int xpu_host_free(void* address) { return ON_DEVICE(true, emu_release(address, EMU_PINNED)); }

API int xpu_host_register(void* address, uint64_t size, unsigned flags) {
  return ON_DEVICE(flags == 0, emu_register(address, size));
}

API int xpu_host_unregister(void* address) { return ON_DEVICE(true, emu_release(address, EMU_REGISTERED)); }

API int xpu_stream_create(emu_stream** stream) { return ON_DEVICE(true, emu_stream_create(stream)); }

API int xpu_stream_destroy(emu_stream* stream) { return ON_DEVICE(true, emu_stream_destroy(stream)); }

API int xpu_event_create(xpu_event** event) {
  xpu_event* made = calloc(1, sizeof *made);
  int code = made == NULL ? XPUERR_NOMEM : ON_DEVICE(true, emu_event_create(&made->event));
  if (code != XPU_SUCCESS) {
    free(made);
  } else {
    *event = made;
  }
  return code;
}

API int xpu_event_destroy(xpu_event* event) {
  int code = ON_DEVICE(true, emu_event_destroy(event->event));
  free(event);
  return code;
}

API int xpu_event_record(xpu_event* event, emu_stream* stream) {
  atomic_store(&event->recorded, true);
  return ON_DEVICE(true, emu_event_record(event->event, stream));
}

API int xpu_event_query(const xpu_event* event) {
  return ON_DEVICE(true, atomic_load(&event->recorded) ? emu_event_query(event->event) : EMU_NOT_READY);
}

API int xpu_stream_wait_event(emu_stream* stream, const xpu_event* event) {
  return ON_DEVICE(atomic_load(&event->recorded), emu_event_wait(event->event, stream));
}

API int xpu_memcpy_async(void* to, const void* from, uint64_t size, int kind, emu_stream* on) {
  switch (kind) {
    case XPU_HOST_TO_DEVICE: return ON_DEVICE(size > 0, emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_HOST, size, on));
    case XPU_DEVICE_TO_HOST: return ON_DEVICE(size > 0, emu_copy(to, EMU_ANY_HOST, from, EMU_ANY_DEVICE, size, on));
    case XPU_DEVICE_TO_DEVICE: return ON_DEVICE(size > 0, emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_DEVICE, size, on));
    default: return XPUERR_INVALID_PARAM;
  }
}
