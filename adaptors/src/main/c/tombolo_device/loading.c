// SPDX-License-Identifier: Apache-2.0
#include "loading.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"

char* copy_string(JNIEnv* env, jobjectArray from, jsize index) {
  jstring text = (*env)->GetObjectArrayElement(env, from, index);
  if (text == NULL) {
    return NULL;
  }
  const char* bytes = (*env)->GetStringUTFChars(env, text, NULL);
  char* copy = bytes == NULL ? NULL : strdup(bytes);
  if (bytes != NULL) {
    (*env)->ReleaseStringUTFChars(env, text, bytes);
  }
  (*env)->DeleteLocalRef(env, text);
  return copy;
}

void* open_first(JNIEnv* env, jobjectArray libraries) {
  static const int modes[] = {RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL};
  jsize count = (*env)->GetArrayLength(env, libraries);
  void* library = NULL;
  for (size_t mode = 0; library == NULL && mode < 2; mode++) {
    for (jsize i = 0; library == NULL && i < count; i++) {
      char* path = copy_string(env, libraries, i);
      library = path == NULL ? NULL : dlopen(path, modes[mode]);
      free(path);
    }
  }
  if (library == NULL) {
    const char* reason = dlerror();
    throw_error(env, UNAVAILABLE, "%s", reason == NULL ? "no library to open" : reason);
  }
  return library;
}
