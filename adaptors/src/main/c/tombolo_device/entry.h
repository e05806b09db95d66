// SPDX-License-Identifier: Apache-2.0
/* What every entry from Java begins and ends with. */
#ifndef TOMBOLO_ENTRY_H
#define TOMBOLO_ENTRY_H

#include "handles.h"

/* Entries that make a handle, a value or nothing. */
#define ENTRY(result, name) JNIEXPORT result JNICALL Java_io_tombolo_adaptors_device_DeviceLibrary_##name

/* What an entry enters: when it goes out of scope, what was current on the thread before is so again. */
#define ENTERED(name) thing name __attribute__((cleanup(leave))) = {.kind = FREE_SLOT}

void leave(thing* entered);

/*
 * What `handle` stands for, with its device made current on this thread for `call`; false with an exception pending when
 * it is closed (IllegalStateException naming `what`), a round may not make the call, or the device cannot be made current.
 */
bool enter(JNIEnv* env, jlong handle, const char* what, role call, thing* found);

/* As enter, and closes the handle; false without an exception when it was closed before. */
bool enter_last(JNIEnv* env, jlong handle, role call, thing* found);

/* Whether `code` is success; else an exception is pending. `bytes` is named in it, unless negative. */
bool succeeded(JNIEnv* env, const driver* by, role call, int code, jlong bytes);

/* Whether the vendor has `call`; else an UnsupportedException is pending. */
bool has_call(JNIEnv* env, const driver* by, role call, const char* what);

/* Whether the device's runtime has `call`; false with an exception pending where the device is closed. */
bool device_has(JNIEnv* env, jlong handle, role call);

/* A handle for what the vendor just made; 0 with an exception pending. */
jlong publish_handle(JNIEnv* env, kind kind, const device* on, uint64_t value);

/* The same for host memory of `size` bytes. */
jlong publish_block(JNIEnv* env, kind kind, const device* on, uint64_t address, jlong size);

#endif
