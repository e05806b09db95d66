// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../shared/text.h"

enum { MESSAGE_BYTES = 1024 };

void throw_error(JNIEnv* env, const char* type, const char* format, ...) {
  char message[MESSAGE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  text_mend(message);
  jclass class = (*env)->FindClass(env, type);
  if (class != NULL) {
    (void)(*env)->ThrowNew(env, class, message);
  }
}

void throw_coded(JNIEnv* env, char* message, jlong code) {
  text_mend(message);
  jclass class = (*env)->FindClass(env, "io/tombolo/base/errors/VendorException");
  jmethodID constructor = class == NULL ? NULL : (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;J)V");
  jstring text = constructor == NULL ? NULL : (*env)->NewStringUTF(env, message);
  jobject error = text == NULL ? NULL : (*env)->NewObject(env, class, constructor, text, code);
  if (error != NULL) {
    (void)(*env)->Throw(env, error);
  }
}

/* The vendor's name for the code and, unless it says the same, its text. */
static void describe(const driver* by, int code, char* into, size_t size) {
  const char* name = by->calls.text(by, ERROR_NAME, code);
  const char* text = by->calls.text(by, ERROR_TEXT, code);
  if (name == NULL && text == NULL) {
    (void)snprintf(into, size, "a code the vendor does not name");
  } else if (name == NULL || text == NULL || strcmp(name, text) == 0) {
    (void)snprintf(into, size, "%s", name == NULL ? text : name);
  } else {
    (void)snprintf(into, size, "%s, %s", name, text);
  }
}

/* A runtime that does not tell them apart has 0 for the host's. */
static bool is_out_of_memory(const driver* by, int code) {
  return code == by->constant[OUT_OF_MEMORY] || (code != 0 && code == by->constant[OUT_OF_HOST_MEMORY]);
}

void throw_vendor(JNIEnv* env, const driver* by, role call, int code, jlong bytes) {
  char message[MESSAGE_BYTES];
  char meaning[MESSAGE_BYTES / 2];
  char size[40] = "";
  if (bytes >= 0) {
    (void)snprintf(size, sizeof size, " with %lld bytes", (long long)bytes);
  }
  describe(by, code, meaning, sizeof meaning);
  (void)snprintf(message, sizeof message, "%.200s%s failed: %s", by->name[call] == NULL ? "the runtime" : by->name[call], size, meaning);
  if (is_out_of_memory(by, code)) {
    throw_error(env, RESOURCE, "%s (raw code %d); free some, or ask for less", message, code);
  } else {
    throw_coded(env, message, code);
  }
}
