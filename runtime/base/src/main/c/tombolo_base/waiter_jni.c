// SPDX-License-Identifier: Apache-2.0
/* The door from Java to the waiter. Its two descriptors travel as one number: the set above, the event below. */
#include "io_tombolo_base_NativeWaiter.h"
#include "waiter.h"

/* Descriptors that are fetched from Java at a time. */
enum { BATCH = 64 };

static struct waiter waiter_of(jlong both) { return (struct waiter){.set = (int)(both >> 32), .event = (int)both}; }

JNIEXPORT jlong JNICALL Java_io_tombolo_base_NativeWaiter_open0(JNIEnv* env, jclass type) {
  (void)env;
  (void)type;
  struct waiter made;
  int failed = waiter_open(&made);
  return failed < 0 ? failed : (jlong)made.set << 32 | made.event;
}

JNIEXPORT jint JNICALL Java_io_tombolo_base_NativeWaiter_watch0(JNIEnv* env, jclass type, jlong both,
                                                                jintArray descriptors, jint count) {
  (void)type;
  jint batch[BATCH];
  for (jint from = 0; from < count; from += BATCH) {
    jint some = count - from < BATCH ? count - from : BATCH;
    (*env)->GetIntArrayRegion(env, descriptors, from, some, batch);
    if ((*env)->ExceptionCheck(env)) return 0;
    for (jint i = 0; i < some; i++) {
      int failed = waiter_watch(waiter_of(both), batch[i]);
      if (failed < 0) return failed;
    }
  }
  return 0;
}

JNIEXPORT jint JNICALL Java_io_tombolo_base_NativeWaiter_signal0(JNIEnv* env, jclass type, jlong both) {
  (void)env;
  (void)type;
  return waiter_signal(waiter_of(both));
}

JNIEXPORT jint JNICALL Java_io_tombolo_base_NativeWaiter_wait0(JNIEnv* env, jclass type, jlong both, jint timeout_ms) {
  (void)env;
  (void)type;
  return waiter_wait(waiter_of(both), timeout_ms);
}

JNIEXPORT void JNICALL Java_io_tombolo_base_NativeWaiter_close0(JNIEnv* env, jclass type, jlong both) {
  (void)env;
  (void)type;
  waiter_close(waiter_of(both));
}

/* Java's own channels have this method, public in a class that is not; none of the interfaces that are has it. */
JNIEXPORT jint JNICALL Java_io_tombolo_base_NativeWaiter_descriptor0(JNIEnv* env, jclass type, jobject channel) {
  (void)type;
  jmethodID method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, channel), "getFDVal", "()I");
  if (method == NULL) {
    (*env)->ExceptionClear(env);
    return -1;
  }
  jint descriptor = (*env)->CallIntMethod(env, channel, method);
  return (*env)->ExceptionCheck(env) ? -1 : descriptor;
}
