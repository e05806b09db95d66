// SPDX-License-Identifier: Apache-2.0
/*
 * The C environment of the process. Java's own view of it is a copy made when it first looks: what is set here is for native
 * code, and for the program that replaces this one.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io_tombolo_base_NativeEnvironment.h"

/* The bytes, which end with a NUL already; NULL, with an exception pending, if there is no memory. */
static char* bytes_of(JNIEnv* env, jbyteArray array) {
  return (char*)(*env)->GetByteArrayElements(env, array, NULL);
}

static void release(JNIEnv* env, jbyteArray array, char* bytes) {
  (*env)->ReleaseByteArrayElements(env, array, (jbyte*)bytes, JNI_ABORT);
}

/* 0, or the reason why not. */
JNIEXPORT jint JNICALL Java_io_tombolo_base_NativeEnvironment_set0(JNIEnv* env, jclass type, jbyteArray name,
                                                                   jbyteArray value) {
  (void)type;
  char* key = bytes_of(env, name);
  char* text = key == NULL ? NULL : bytes_of(env, value);
  int failure = ENOMEM;
  if (text != NULL) {
    failure = setenv(key, text, 1) == 0 ? 0 : errno;
    release(env, value, text);
  }
  if (key != NULL) {
    release(env, name, key);
  }
  return failure;
}

JNIEXPORT jbyteArray JNICALL Java_io_tombolo_base_NativeEnvironment_get0(JNIEnv* env, jclass type, jbyteArray name) {
  (void)type;
  char* key = bytes_of(env, name);
  if (key == NULL) {
    return NULL;
  }
  const char* value = getenv(key);
  release(env, name, key);
  if (value == NULL) {
    return NULL;
  }
  jsize length = (jsize)strlen(value);
  jbyteArray copy = (*env)->NewByteArray(env, length);
  if (copy != NULL) {
    (*env)->SetByteArrayRegion(env, copy, 0, length, (const jbyte*)value);
  }
  return copy;
}

/* The JVM blocks signals in its threads; the next program shall start as a shell would have started it. */
static void unblock_signals(void) {
  sigset_t none;
  (void)sigemptyset(&none);
  (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* Returns only if it fails: the reason. Each of the `count` words ends with a NUL. */
JNIEXPORT jstring JNICALL Java_io_tombolo_base_NativeEnvironment_exec0(JNIEnv* env, jclass type, jbyteArray words,
                                                                       jint count) {
  (void)type;
  char** arguments = calloc((size_t)count + 1, sizeof *arguments);
  char* word = arguments == NULL ? NULL : bytes_of(env, words);
  int failure = ENOMEM;
  if (word != NULL) {
    arguments[0] = word;
    for (jint i = 1; i < count; i++) {
      arguments[i] = arguments[i - 1] + strlen(arguments[i - 1]) + 1;
    }
    unblock_signals();
    (void)execvp(arguments[0], arguments);
    failure = errno;
    release(env, words, word);
  }
  free(arguments);
  return (*env)->NewStringUTF(env, strerror(failure));
}
