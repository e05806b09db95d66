// SPDX-License-Identifier: Apache-2.0
/* What the caller brings: whose memory an address is, and of which context a stream. */
#include "entry.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"

/* As in Java's ForeignMemory; a device's ordinal is none of them. */
enum { NOT_ASKED = -1, UNKNOWN = -2, HOST = -3 };

/* Attributes are numbered from 1 on: 0 is one that the row does not have, and nothing is asked. */
static int ask(const driver* by, constant attribute, jlong address, int* value) {
  int number = (int)by->constant[attribute];
  return number == 0 ? (int)by->constant[SUCCESS]
                     : CALL(by, POINTER_ATTRIBUTE, void*, int, uint64_t)(value, number, (uint64_t)address);
}

/* Managed memory lies where it was last touched, so its kind says nothing. */
static int find_place(const driver* by, jlong address, int* place) {
  int kind = -1;
  int managed = 0;
  int code = ask(by, POINTER_DEVICE, address, place);
  code = code == by->constant[SUCCESS] ? ask(by, POINTER_KIND, address, &kind) : code;
  if (code == by->constant[SUCCESS] && kind == by->constant[KIND_OF_HOST]) {
    code = ask(by, POINTER_MANAGED, address, &managed);
    *place = managed != 0 ? *place : HOST;
  }
  return code;
}

ENTRY(jint, placeOf)(JNIEnv* env, jclass type, jlong handle, jlong address) {
  (void)type;
  ENTERED(of);
  int place = NOT_ASKED;
  if (!enter(env, handle, "device", POINTER_ATTRIBUTE, &of) || of.on.driver->symbol[POINTER_ATTRIBUTE] == NULL) {
    return NOT_ASKED;
  }
  const driver* by = of.on.driver;
  int code = find_place(by, address, &place);
  if (code == by->constant[NOT_KNOWN]) {
    return UNKNOWN;
  }
  return succeeded(env, by, POINTER_ATTRIBUTE, code, -1) ? place : NOT_ASKED;
}

ENTRY(jboolean, isOfContext)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(stream);
  if (!enter(env, handle, "stream", STREAM_CONTEXT, &stream) || stream.on.driver->symbol[STREAM_CONTEXT] == NULL) {
    return JNI_TRUE;
  }
  const driver* by = stream.on.driver;
  void* context = NULL;
  int code = CALL(by, STREAM_CONTEXT, void*, void**)((void*)(uintptr_t)stream.value, &context);
  if (code == by->constant[CONTEXT_UNTOLD]) {
    return JNI_TRUE;
  }
  return succeeded(env, by, STREAM_CONTEXT, code, -1) && context == stream.on.context;
}
