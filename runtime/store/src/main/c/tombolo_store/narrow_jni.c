// SPDX-License-Identifier: Apache-2.0
/* The door from Java. */
#include "io_tombolo_store_cast_Narrowing.h"
#include "narrow.h"

static void* at(jlong address) { return (void*)(intptr_t)address; }

JNIEXPORT jint JNICALL Java_io_tombolo_store_cast_Narrowing_narrow0(JNIEnv* env, jclass type, jint from, jlong src,
                                                                     jint to, jlong dst, jlong count, jfloat scale) {
  (void)env;
  (void)type;
  return narrow(from, at(src), to, at(dst), (size_t)count, scale);
}

JNIEXPORT jint JNICALL Java_io_tombolo_store_cast_Narrowing_widen0(JNIEnv* env, jclass type, jint from, jlong src,
                                                                    jlong dst, jlong count, jfloat scale) {
  (void)env;
  (void)type;
  return widen(from, at(src), at(dst), (size_t)count, scale);
}

JNIEXPORT jdouble JNICALL Java_io_tombolo_store_cast_Narrowing_largest0(JNIEnv* env, jclass type, jint from,
                                                                         jlong src, jlong count) {
  (void)env;
  (void)type;
  double largest;
  return largest_magnitude(from, at(src), (size_t)count, &largest) == NARROW_DONE ? largest : -1;
}
