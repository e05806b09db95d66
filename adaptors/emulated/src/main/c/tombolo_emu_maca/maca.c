// SPDX-License-Identifier: Apache-2.0
/* MACA's runtime in front of the emulated device (witness/maca.tsv): devices and memory alone, without a collective library. */
#include "witness_maca.h"

#define NAME(suffix) mc##suffix
#define NUMBER_SUCCESS mcSuccess
#define NUMBER_NOT_READY mcErrorNotReady
#define NUMBER_OUT_OF_MEMORY mcErrorMemoryAllocation
#define NUMBER_INVALID mcErrorInvalidValue
#define NUMBER_FAILURE mcErrorLaunchFailure
#define REGISTER_FLAGS 0
#define CAPTURE_NUMBER(result) mcErrorInvalidValue /* nothing here captures */

#include "../shared/runtime_like.h"
#include "emu_settings.h"

_Static_assert(mcStreamNonBlocking == NON_BLOCKING && mcEventDisableTiming == DISABLE_TIMING, "the flags of this kind of runtime");

const struct emu_numbers emu_numbers = {.vendor = "emu-maca", .device = "MetaX"};

API int mcMemGetInfo(size_t* free, size_t* total) {
  *free = *total = emu_total_memory();
  return ON_DEVICE(true, EMU_OK);
}

API int mcMallocHost(void** address, size_t size, unsigned flags) {
  return ON_DEVICE(flags == 0, emu_allocate_pinned(size, address));
}

API int mcFreeHost(void* address) { return ON_DEVICE(true, emu_release(address, EMU_PINNED)); }

API int mcMallocManaged(void** address, size_t size, unsigned flags) {
  return ON_DEVICE(flags == mcMemAttachGlobal, emu_allocate_managed(size, address));
}

API int mcLaunchHostFunc(emu_stream* on, void (*run)(void*), void* argument) {
  return ON_DEVICE(true, emu_host_function(run, argument, on));
}

API int mcDeviceCanAccessPeer(int* reaches, int device, int peer) {
  bool right = reaches != NULL && is_ordinal(device) && is_ordinal(peer);
  if (right) {
    *reaches = emu_peer_reaches(device, peer);
  }
  return right ? mcSuccess : mcErrorInvalidValue;
}

API int mcDeviceEnablePeerAccess(int peer, unsigned flags) {
  emu_result result = flags == 0 && chosen >= 0 ? emu_peer_enable(chosen, peer) : EMU_INVALID_VALUE;
  return result == EMU_ALREADY_ENABLED ? mcErrorPeerAccessAlreadyEnabled : number(result);
}

API int mcMemsetAsync(void* to, int value, size_t size, emu_stream* on) {
  return ON_DEVICE(true, emu_fill(to, (unsigned char)value, size, on));
}

static bool reached(uint64_t word, uint64_t value) { return (int64_t)(word - value) >= 0; }

static bool is_equal(uint64_t word, uint64_t value) { return word == value; }

/* That 0 is "at least" is only the place of the name in an enumeration: it may be another condition. */
static emu_condition condition(void) { return emu_quirk("TOMBOLO_EMU_LACKS", "at-least") ? is_equal : reached; }

API int mcStreamWaitValue64(emu_stream* stream, void* word, uint64_t value, unsigned flags) {
  return ON_DEVICE(flags == 0, emu_wait_value(word, value, UINT64_MAX, condition(), stream));
}

API int mcStreamWriteValue64(emu_stream* stream, void* word, uint64_t value, unsigned flags) {
  return ON_DEVICE(flags == 0, emu_write_value(word, value, stream));
}
