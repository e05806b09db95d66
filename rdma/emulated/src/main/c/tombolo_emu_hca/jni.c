// SPDX-License-Identifier: Apache-2.0
/* The door from Java: only to what is not libibverbs'. */
#include <errno.h>
#include <jni.h>

#include "io_tombolo_emulated_hca_EmulatedHca.h"
#include "verbs.h"

enum { TEXT_BYTES = 256 };

/* False if it is too long to be anything. */
static int copy(JNIEnv* env, jbyteArray from, char to[TEXT_BYTES]) {
  jsize length = (*env)->GetArrayLength(env, from);
  if (length >= TEXT_BYTES) {
    return 0;
  }
  (*env)->GetByteArrayRegion(env, from, 0, length, (jbyte*)to);
  to[length] = '\0';
  return 1;
}

JNIEXPORT jint JNICALL Java_io_tombolo_emulated_hca_EmulatedHca_set0(JNIEnv* env, jclass type, jbyteArray name,
                                                                     jbyteArray value) {
  (void)type;
  char names[TEXT_BYTES];
  char text[TEXT_BYTES];
  return copy(env, name, names) && copy(env, value, text) ? tombolo_hca_set(names, text) : EINVAL;
}

JNIEXPORT jlong JNICALL Java_io_tombolo_emulated_hca_EmulatedHca_living0(JNIEnv* env, jclass type) {
  (void)env;
  (void)type;
  return tombolo_hca_living();
}

JNIEXPORT jlong JNICALL Java_io_tombolo_emulated_hca_EmulatedHca_doorbells0(JNIEnv* env, jclass type) {
  (void)env;
  (void)type;
  return tombolo_hca_doorbells();
}

JNIEXPORT jboolean JNICALL Java_io_tombolo_emulated_hca_EmulatedHca_isForkSafe0(JNIEnv* env, jclass type) {
  (void)env;
  (void)type;
  return tombolo_hca_is_fork_safe() != 0;
}
