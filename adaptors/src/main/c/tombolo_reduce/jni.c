// SPDX-License-Identifier: Apache-2.0
/* The door from Java; HostReducer has checked the arguments that can be checked. */
#include "io_tombolo_adaptors_reduce_HostReducer.h"
#include "reduce.h"

static void* pointer(jlong address) { return (void*)(intptr_t)address; }

JNIEXPORT jboolean JNICALL Java_io_tombolo_adaptors_reduce_HostReducer_available0(JNIEnv* env, jclass type,
                                                                                 jint level) {
  (void)env;
  (void)type;
  return reduce_available(level) ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_reduce_HostReducer_reduce0(JNIEnv* env, jclass type, jint level,
                                                                          jint op, jint element, jlong dst, jlong a,
                                                                          jlong b, jlong count) {
  (void)env;
  (void)type;
  return reduce_apply(level, op, element, pointer(dst), pointer(a), pointer(b), (size_t)count);
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_reduce_HostReducer_divide0(JNIEnv* env, jclass type, jint level,
                                                                          jint element, jlong dst, jlong src,
                                                                          jlong count, jint divisor) {
  (void)env;
  (void)type;
  return reduce_average(level, element, pointer(dst), pointer(src), (size_t)count, (uint32_t)divisor);
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_reduce_HostReducer_scale0(JNIEnv* env, jclass type, jint level,
                                                                         jint element, jlong dst, jlong src,
                                                                         jlong count, jdouble factor) {
  (void)env;
  (void)type;
  return reduce_multiply(level, element, pointer(dst), pointer(src), (size_t)count, factor);
}
