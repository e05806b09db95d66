/* What CclNative's methods share: from Java's handles and addresses to C's. */
#ifndef TOMBOLO_CCL_LOOK_UP_H
#define TOMBOLO_CCL_LOOK_UP_H

#include <jni.h>

#include "ccl.h"

enum { FAILED = -1 }; /* a result that nobody sees: an exception is pending */

/* Looks the handle up and makes sure that its library has `entry`; otherwise throws an IllegalStateException. */
bool look_up(JNIEnv* env, jlong handle, enum entry entry, struct ccl_object* object);

static inline void* address(jlong value) { return (void*)(intptr_t)value; }

#endif
