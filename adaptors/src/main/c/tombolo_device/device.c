// SPDX-License-Identifier: Apache-2.0
/* Devices: opening a row, opening a device of it, and what the runtime says of both. */
#include "../shared/text.h"
#include "current.h"
#include "entry.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"
#include "round.h"

enum { TEXT_BYTES = 256, WARNED_BITS = 64 };

ENTRY(jlong, load)
(JNIEnv* env, jclass type, jobjectArray libraries, jobjectArray roles, jobjectArray symbols, jobjectArray constants,
 jlongArray values, jint shapes, jlong refused) {
  (void)type;
  const driver* row = driver_open(env, libraries, roles, symbols, constants, values, shapes, refused);
  if (row == NULL || !succeeded(env, row, INIT, row->calls.start(row), -1)) {
    return 0;
  }
  device on = {row, 0, 0, NULL};
  return publish_handle(env, DRIVER, &on, 0);
}

ENTRY(jint, version)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(row);
  int version = 0;
  if (enter(env, handle, "runtime", DRIVER_VERSION, &row)) {
    (void)succeeded(env, row.on.driver, DRIVER_VERSION, row.on.driver->calls.version(row.on.driver, &version), -1);
  }
  return version;
}

ENTRY(jint, deviceCount)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(row);
  int count = 0;
  if (enter(env, handle, "runtime", DEVICE_COUNT, &row)) {
    (void)succeeded(env, row.on.driver, DEVICE_COUNT, row.on.driver->calls.device_count(row.on.driver, &count), -1);
  }
  return count;
}

/* The device without a context: enough to look at it, and free of device memory. */
static bool find_device(JNIEnv* env, jlong handle, jint ordinal, device* on) {
  ENTERED(row);
  if (!enter(env, handle, "runtime", DEVICE_GET, &row)) {
    return false;
  }
  *on = (device){row.on.driver, ordinal, 0, NULL};
  return succeeded(env, on->driver, DEVICE_GET, on->driver->calls.device_get(on->driver, &on->device, ordinal), -1);
}

/* Whether anybody in this process has, as far as the runtime tells. */
ENTRY(jboolean, isOpen)(JNIEnv* env, jclass type, jlong handle, jint ordinal) {
  (void)type;
  device on;
  unsigned flags = 0;
  int active = 0;
  if (!find_device(env, handle, ordinal, &on) || on.driver->symbol[CONTEXT_STATE] == NULL) {
    return JNI_FALSE;
  }
  int code = CALL(on.driver, CONTEXT_STATE, int, unsigned*, int*)(on.device, &flags, &active);
  return succeeded(env, on.driver, CONTEXT_STATE, code, -1) && active != 0;
}

ENTRY(jlong, openDevice)(JNIEnv* env, jclass type, jlong handle, jint ordinal) {
  (void)type;
  device on;
  bool opened = find_device(env, handle, ordinal, &on) &&
                succeeded(env, on.driver, CONTEXT_RETAIN, on.driver->calls.retain(&on), -1);
  return opened ? publish_handle(env, DEVICE, &on, 0) : 0;
}

ENTRY(void, closeDevice)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  thing closed;
  if (handle_get(handle, &closed) && round_allows(env, closed.on.driver, CONTEXT_RELEASE) && handle_take(handle, &closed)) {
    const driver* by = closed.on.driver;
    (void)succeeded(env, by, CONTEXT_RELEASE, by->calls.release(&closed.on), -1);
  }
}

/* For calls that others make; returns what unbindThread is to be given. */
ENTRY(jlong, bindThread)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  thing of;
  return enter(env, handle, "device", SET_CURRENT, &of) ? (jlong)of.before : 0;
}

ENTRY(void, unbindThread)(JNIEnv* env, jclass type, jlong handle, jlong before) {
  (void)env;
  (void)type;
  thing of;
  if (handle_get(handle, &of)) {
    current_give_back(of.on.driver, (uint64_t)before);
  }
}

/* The table of a runtime lives as long as the process, whoever opens the device and however often. */
ENTRY(jboolean, takeFirstWarning)(JNIEnv* env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  thing of;
  if (!handle_get(handle, &of)) {
    return JNI_FALSE;
  }
  uint_fast64_t bit = UINT64_C(1) << of.on.ordinal % WARNED_BITS;
  return (atomic_fetch_or(of.on.driver->warned, bit) & bit) == 0;
}

typedef int (*text_call)(const driver* by, char* text, int size, int device);

static jstring device_text(JNIEnv* env, jlong handle, jint ordinal, role call) {
  device on;
  char text[TEXT_BYTES] = "";
  if (!find_device(env, handle, ordinal, &on)) {
    return NULL;
  }
  text_call ask = call == DEVICE_NAME ? on.driver->calls.device_name : on.driver->calls.pci_bus_id;
  int code = ask(on.driver, text, TEXT_BYTES, on.device);
  text_mend(text);
  return succeeded(env, on.driver, call, code, -1) ? (*env)->NewStringUTF(env, text) : NULL;
}

ENTRY(jstring, deviceName)(JNIEnv* env, jclass type, jlong handle, jint ordinal) {
  (void)type;
  return device_text(env, handle, ordinal, DEVICE_NAME);
}

ENTRY(jstring, pciBusId)(JNIEnv* env, jclass type, jlong handle, jint ordinal) {
  (void)type;
  return device_text(env, handle, ordinal, PCI_BUS_ID);
}

ENTRY(jlong, totalMemory)(JNIEnv* env, jclass type, jlong handle, jint ordinal) {
  (void)type;
  device on;
  size_t bytes = 0;
  if (find_device(env, handle, ordinal, &on)) {
    int code = on.driver->calls.total_memory(on.driver, &bytes, on.device);
    (void)succeeded(env, on.driver, TOTAL_MEMORY, code, -1);
  }
  return (jlong)bytes;
}

/* What the device answers to a question of the vendor's; -1 where the library has no call for that. */
ENTRY(jint, attribute)(JNIEnv* env, jclass type, jlong handle, jint ability) {
  (void)type;
  ENTERED(of);
  if (!enter(env, handle, "device", DEVICE_ATTRIBUTE, &of)) {
    return -1;
  }
  int value = 0;
  const driver* by = of.on.driver;
  if (by->symbol[DEVICE_ATTRIBUTE] == NULL) {
    return -1;
  }
  int code = CALL(by, DEVICE_ATTRIBUTE, int*, int, int)(&value, ability, of.on.device);
  return succeeded(env, by, DEVICE_ATTRIBUTE, code, -1) ? value : -1;
}

/* Remote writes that have landed become visible to the device. Where the vendor has no call there are none to show. */
ENTRY(void, flush)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(of);
  if (enter(env, handle, "device", FLUSH, &of) && of.on.driver->symbol[FLUSH] != NULL) {
    const driver* by = of.on.driver;
    int code = CALL(by, FLUSH, int, int)((int)by->constant[FLUSH_TARGET], (int)by->constant[FLUSH_SCOPE]);
    (void)succeeded(env, by, FLUSH, code, -1);
  }
}
