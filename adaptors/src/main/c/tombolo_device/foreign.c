// SPDX-License-Identifier: Apache-2.0
/* What the caller brings: whose memory an address is, and of which context or device a stream. */
#include "entry.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"

/* The handles of default streams: none, and CUDA's and HIP's numbers for the legacy one and the thread's. */
enum { LAST_DEFAULT_STREAM = 2 };

ENTRY(jint, placeOf)(JNIEnv* env, jclass type, jlong handle, jlong address) {
  (void)type;
  ENTERED(of);
  int place = PLACE_NOT_TOLD;
  if (!enter(env, handle, "device", POINTER_ATTRIBUTE, &of) || of.on.driver->symbol[POINTER_ATTRIBUTE] == NULL) {
    return PLACE_NOT_TOLD;
  }
  const driver* by = of.on.driver;
  int code = by->calls.find_place(by, (uint64_t)address, &place);
  return succeeded(env, by, POINTER_ATTRIBUTE, code, -1) ? place : PLACE_NOT_TOLD;
}

/* Default streams are those of whatever is current, which is this device; not all runtimes answer for them. */
ENTRY(jboolean, isOfContext)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(stream);
  if (!enter(env, handle, "stream", STREAM_CONTEXT, &stream) || stream.on.driver->symbol[STREAM_CONTEXT] == NULL ||
      stream.value <= LAST_DEFAULT_STREAM) {
    return JNI_TRUE;
  }
  const driver* by = stream.on.driver;
  bool owns = true;
  int code = by->calls.owns(&stream.on, (void*)(uintptr_t)stream.value, &owns);
  return succeeded(env, by, STREAM_CONTEXT, code, -1) && owns;
}
