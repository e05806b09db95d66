// SPDX-License-Identifier: Apache-2.0
/*
 * AscendCL in front of the emulated device; numbers and prototypes as in acl_rt.h (witness/acl.tsv).
 *
 * Stricter than the original where that finds mistakes: asynchronous copies refuse host memory that is not pinned, streams
 * wait for words by their mapped addresses only, and nothing works on a thread that has not chosen a device.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "../shared/device_deadlock.h"
#include "../shared/device_engine.h"
#include "emu_settings.h"
#include "witness_acl.h"

#define API __attribute__((visibility("default")))

typedef int aclError;
typedef emu_stream* aclrtStream;

/* The engine's, with what it is for in the lowest bits: one for streams that wait for it, one for the host that asks. */
typedef struct event* aclrtEvent;

enum { EVENT_FLAGS = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS };

_Static_assert(EVENT_FLAGS < _Alignof(max_align_t), "what malloc gives has these bits free");

static emu_event* made(aclrtEvent event) { return (emu_event*)((uintptr_t)event & ~(uintptr_t)EVENT_FLAGS); }

static bool is_for(aclrtEvent event, unsigned flag) { return ((uintptr_t)event & flag) != 0; }

/* What tells a word's mapped address from its own. */
static const uint64_t MAPPED = UINT64_C(1) << 60;

static bool is_mapped(const void* address) { return ((uint64_t)(uintptr_t)address & MAPPED) != 0; }

static atomic_bool initialised;
static _Thread_local int chosen = -1;
static _Thread_local const char* last_text = "";

static aclError failed(aclError code, const char* text) {
  last_text = text;
  return code;
}

static aclError number(emu_result result) {
  switch (result) {
    case EMU_OK: return ACL_SUCCESS;
    case EMU_OUT_OF_MEMORY:
    case EMU_OUT_OF_HOST_MEMORY: return failed(ACL_ERROR_RT_MEMORY_ALLOCATION, "out of memory (emulated)");
    case EMU_INVALID_HANDLE: return failed(ACL_ERROR_INVALID_RESOURCE_HANDLE, "invalid resource handle (emulated)");
    case EMU_CAPTURE_MERGE:
    case EMU_CAPTURE_UNMATCHED:
    case EMU_CAPTURE_UNJOINED:
    case EMU_CAPTURE_ISOLATION:
    case EMU_CAPTURED_EVENT:
    case EMU_CAPTURE_UNSUPPORTED: return failed(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, "not while this is captured (emulated)");
    case EMU_CAPTURE_INVALIDATED: return failed(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "the capture is broken (emulated)");
    case EMU_CAPTURE_WRONG_THREAD: return failed(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "another thread's (emulated)");
    case EMU_CAPTURE_IMPLICIT: return failed(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "the default stream (emulated)");
    case EMU_STREAM_FAILED: return failed(emu_fault_code(ACL_ERROR_RT_FAILURE), "the stream has failed (emulated)");
    default: return failed(ACL_ERROR_INVALID_PARAM, "invalid parameter (emulated)");
  }
}

#define ON_DEVICE(call) (chosen >= 0 ? number(call) : failed(ACL_ERROR_UNINITIALIZE, "no device on this thread (emulated)"))

#define BEGIN_CAPTURE aclmdlRICaptureBegin
#define END_CAPTURE aclmdlRICaptureEnd
#define EXCHANGE_CAPTURE_MODE aclmdlRICaptureThreadExchangeMode
#define CAPTURED(result) ON_DEVICE(result)
#define CAPTURE_REFUSED failed(ACL_ERROR_INVALID_PARAM, "no such mode, or nowhere to put it (emulated)")

#include "../shared/capture_like.h"

_Static_assert((int)EMU_CAPTURE_RELAXED == ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
                   (int)EMU_CAPTURE_NONE == ACL_MODEL_RI_CAPTURE_STATUS_NONE &&
                   (int)EMU_CAPTURE_ACTIVE == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
               "the engine's modes and states have AscendCL's numbers");

/* Products other than A2 and A3 capture nothing. */
static bool lacks_captures(void) { return emu_quirk("TOMBOLO_EMU_LACKS", "captures"); }

API aclError aclmdlRICaptureGetInfo(aclrtStream stream, int* status, const void** captured) {
  if (lacks_captures()) {
    return failed(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no captures here (emulated)");
  }
  if (captured == NULL) {
    return CAPTURE_REFUSED;
  }
  *captured = NULL;
  return capture_status(stream, status);
}

API aclError aclInit(const char* config) {
  (void)config;
  return atomic_exchange(&initialised, true) ? ACL_ERROR_REPEAT_INITIALIZE : ACL_SUCCESS;
}

API aclError aclrtGetVersion(int32_t* major, int32_t* minor, int32_t* patch) {
  *major = 1;
  *minor = 14;
  *patch = 0;
  return ACL_SUCCESS;
}

API const char* aclGetRecentErrMsg(void) { return last_text; }

API aclError aclrtGetDeviceCount(uint32_t* count) {
  *count = (uint32_t)emu_device_count();
  return atomic_load(&initialised) ? ACL_SUCCESS : failed(ACL_ERROR_UNINITIALIZE, "aclInit comes first (emulated)");
}

API const char* aclrtGetSocName(void) { return "emulated Ascend device"; }

static bool is_device(int32_t device) { return device >= 0 && device < emu_device_count(); }

API aclError aclrtSetDevice(int32_t device) {
  chosen = is_device(device) ? device : chosen;
  emu_use_device(chosen < 0 ? 0 : chosen);
  return is_device(device) ? ACL_SUCCESS : failed(ACL_ERROR_INVALID_DEVICE, "invalid device (emulated)");
}

/* "If no device was set before, the call returns an error", says the reference. */
API aclError aclrtGetDevice(int32_t* device) {
  *device = chosen;
  return chosen >= 0 ? ACL_SUCCESS : failed(ACL_ERROR_INVALID_DEVICE, "no device is set on this thread (emulated)");
}

/* "Must be different", says the reference of both calls' devices; it names no number for what was enabled before. */
API aclError aclrtDeviceCanAccessPeer(int32_t* reaches, int32_t device, int32_t peer) {
  if (!is_device(device) || !is_device(peer)) {
    return failed(ACL_ERROR_INVALID_DEVICE, "invalid device (emulated)");
  }
  *reaches = emu_peer_reaches(device, peer);
  return device != peer ? ACL_SUCCESS : failed(ACL_ERROR_INVALID_PARAM, "a device and itself (emulated)");
}

API aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags) {
  if (flags != 0 || !is_device(peer)) {
    return flags != 0 ? failed(ACL_ERROR_INVALID_PARAM, "no such flag (emulated)")
                      : failed(ACL_ERROR_INVALID_DEVICE, "invalid device (emulated)");
  }
  emu_result result = emu_peer_enable(chosen, peer);
  return ON_DEVICE(result == EMU_ALREADY_ENABLED ? EMU_OK : result);
}

API aclError aclrtGetMemInfo(int kind, size_t* free, size_t* total) {
  *free = *total = emu_total_memory();
  return kind == ACL_HBM_MEM ? ON_DEVICE(EMU_OK) : failed(ACL_ERROR_INVALID_PARAM, "no such memory (emulated)");
}

API aclError aclrtMalloc(void** address, size_t size, int policy) {
  return policy == ACL_MEM_MALLOC_HUGE_FIRST ? ON_DEVICE(emu_allocate(size, address))
                                             : failed(ACL_ERROR_INVALID_PARAM, "no such policy (emulated)");
}

API aclError aclrtFree(void* address) { return ON_DEVICE(emu_release(address, EMU_DEVICE)); }

/* "The system ensures that the address is 64-byte aligned", says the reference: so no block begins with a page. */
enum { HOST_ALIGNMENT = 64, PAGE_BYTES = 4096 };

API aclError aclrtMallocHost(void** address, size_t size) {
  void* block = NULL;
  aclError code = size > 0 ? ON_DEVICE(emu_allocate_pinned(size + HOST_ALIGNMENT, &block))
                           : failed(ACL_ERROR_INVALID_PARAM, "no bytes (emulated)");
  if (code == ACL_SUCCESS) {
    *address = (unsigned char*)block + HOST_ALIGNMENT;
  }
  return code;
}

API aclError aclrtFreeHost(void* address) {
  return ON_DEVICE(emu_release((void*)((uintptr_t)address - HOST_ALIGNMENT), EMU_PINNED));
}

static bool is_pinned(const void* address, size_t size) {
  emu_block* block = emu_block_find(address, size, EMU_PINNED);
  if (block != NULL) {
    emu_block_unref(block);
  }
  return block != NULL;
}

typedef struct aclrtPtrAttributes {
  struct {
    uint32_t id;
    int type;
  } location;
  uint32_t pageSize;
  uint32_t rsv[4];
} aclrtPtrAttributes;

/*
 * All of it is taken for stream-ordered memory, for which CANN's driver names device 0, whichever it is on. What is said of a
 * mapped address, the reference calls undefined.
 */
API aclError aclrtPointerGetAttributes(const void* address, aclrtPtrAttributes* told) {
  emu_kind kind = EMU_DEVICE;
  int device = 0;
  if (address == NULL || told == NULL || is_mapped(address)) {
    return failed(ACL_ERROR_INVALID_PARAM, "nothing to ask about, or a mapped address (emulated)");
  }
  bool is_known = emu_place(address, &kind, &device);
  int type = (kind & EMU_ANY_HOST) != 0 ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
  *told = (aclrtPtrAttributes){.location = {.type = is_known ? type : ACL_MEM_LOCATION_TYPE_UNREGISTERED}};
  return ON_DEVICE(EMU_OK);
}

/* From a page on. Memory of aclrtMallocHost can be registered too, to be mapped; page-locked it is already. */
API aclError aclrtHostRegisterV2(void* address, uint64_t size, uint32_t flags) {
  bool is_locked = is_pinned(address, size);
  if ((flags & ACL_HOST_REG_MAPPED) == 0) {
    return failed(ACL_ERROR_INVALID_PARAM, "this emulation maps what it registers");
  }
  if ((uintptr_t)address % PAGE_BYTES != 0) {
    return failed(ACL_ERROR_INVALID_PARAM, "not the beginning of a page (emulated)");
  }
  if (is_locked && (flags & ACL_HOST_REG_PINNED) != 0) {
    return failed(ACL_ERROR_INVALID_PARAM, "page-locked memory, to be page-locked (emulated)");
  }
  return ON_DEVICE(is_locked ? EMU_OK : emu_register(address, size));
}

API aclError aclrtHostUnregister(void* address) {
  return ON_DEVICE(is_pinned(address, 1) ? EMU_OK : emu_release(address, EMU_REGISTERED));
}

API aclError aclrtHostGetDevicePointer(void* host, void** device, uint32_t flags) {
  (void)flags;
  *device = (void*)(uintptr_t)((uint64_t)(uintptr_t)host | MAPPED);
  return ON_DEVICE(emu_alias(host, 1) == NULL ? EMU_INVALID_VALUE : EMU_OK);
}

API aclError aclrtCreateStream(aclrtStream* stream) { return ON_DEVICE(emu_stream_create(stream)); }

API aclError aclrtDestroyStream(aclrtStream stream) { return ON_DEVICE(emu_stream_destroy(stream)); }

API aclError aclrtStreamQuery(aclrtStream stream, int* status) {
  emu_result result = emu_stream_query(stream);
  *status = result == EMU_NOT_READY ? ACL_STREAM_STATUS_NOT_READY : ACL_STREAM_STATUS_COMPLETE;
  return ON_DEVICE(result == EMU_NOT_READY ? EMU_OK : result);
}

API aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return is_for(event, ACL_EVENT_SYNC)
             ? ON_DEVICE(emu_event_wait(made(event), stream))
             : failed(ACL_ERROR_INVALID_PARAM, "an event that streams do not wait for (emulated)");
}

/* Such an event can be recorded again, and is complete before the first time. */
API aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  if (flag == 0 || (flag & ~(uint32_t)EVENT_FLAGS) != 0) {
    return failed(ACL_ERROR_INVALID_PARAM, "an event for nothing, or with a timestamp (emulated)");
  }
  emu_event* created = NULL;
  aclError code = ON_DEVICE(emu_event_create(&created));
  if (code == ACL_SUCCESS) {
    *event = (aclrtEvent)((uintptr_t)created | flag);
  }
  return code;
}

/* "The thread may block until an event resource is released", says the reference of events with ACL_EVENT_SYNC. */
API aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  if (is_for(event, ACL_EVENT_SYNC) && emu_writes_words()) {
    emu_report("deadlock: aclrtRecordEvent by the thread that writes the words which streams wait for: a real device hangs here"
               " while all of its events for streams are taken, as this one may be waited for by a stream");
    return failed(ACL_ERROR_INVALID_PARAM, "it may wait for a held stream (emulated)");
  }
  return ON_DEVICE(emu_event_record(made(event), stream));
}

API aclError aclrtQueryEventStatus(aclrtEvent event, int* status) {
  if (!is_for(event, ACL_EVENT_CAPTURE_STREAM_PROGRESS)) {
    return failed(ACL_ERROR_INVALID_PARAM, "an event that tells no progress (emulated)");
  }
  emu_result result = emu_event_query(made(event));
  *status = result == EMU_NOT_READY ? ACL_EVENT_RECORDED_STATUS_NOT_READY : ACL_EVENT_RECORDED_STATUS_COMPLETE;
  return ON_DEVICE(result == EMU_NOT_READY ? EMU_OK : result);
}

API aclError aclrtDestroyEvent(aclrtEvent event) { return ON_DEVICE(emu_event_destroy(made(event))); }

API aclError aclrtMemcpyAsync(void* to, size_t most, const void* from, size_t size, int kind, aclrtStream on) {
  if (size > most) {
    return failed(ACL_ERROR_INVALID_PARAM, "more bytes than the destination takes (emulated)");
  }
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_DEVICE: return ON_DEVICE(emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_HOST, size, on));
    case ACL_MEMCPY_DEVICE_TO_HOST: return ON_DEVICE(emu_copy(to, EMU_ANY_HOST, from, EMU_ANY_DEVICE, size, on));
    case ACL_MEMCPY_DEVICE_TO_DEVICE: return ON_DEVICE(emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_DEVICE, size, on));
    default: return failed(ACL_ERROR_INVALID_PARAM, "no such kind of copy (emulated)");
  }
}

API aclError aclrtMemsetAsync(void* to, size_t most, int32_t value, size_t size, aclrtStream on) {
  return size > most ? failed(ACL_ERROR_INVALID_PARAM, "more bytes than the destination takes (emulated)")
                     : ON_DEVICE(emu_fill(to, (unsigned char)value, size, on));
}

API aclError aclrtLaunchHostFunc(aclrtStream on, void (*run)(void*), void* argument) {
  return ON_DEVICE(emu_host_function(run, argument, on));
}

/* The documentation says "*addr >= value" of an unsigned value. */
static bool reached(uint64_t word, uint64_t value) { return word >= value; }

static void* unmapped(void* address) { return (void*)(uintptr_t)((uint64_t)(uintptr_t)address & ~MAPPED); }

/* Products other than A2 and A3 have no such streams; that a word may be mapped host memory is not documented. */
static bool lacks_words(void) { return emu_quirk("TOMBOLO_EMU_LACKS", "words"); }

API aclError aclrtValueWait(void* word, uint64_t value, uint32_t flag, aclrtStream on) {
  return lacks_words() || !is_mapped(word) || flag != ACL_STREAM_WAIT_VALUE_GEQ
             ? failed(ACL_ERROR_INVALID_PARAM, "not a mapped word, or no such condition (emulated)")
             : ON_DEVICE(emu_wait_value(unmapped(word), value, UINT64_MAX, reached, on));
}

API aclError aclrtValueWrite(void* word, uint64_t value, uint32_t flag, aclrtStream on) {
  return lacks_words() || !is_mapped(word) || flag != 0
             ? failed(ACL_ERROR_INVALID_PARAM, "not a mapped word, or no such flag (emulated)")
             : ON_DEVICE(emu_write_value(unmapped(word), value, on));
}
