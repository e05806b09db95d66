// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

static int has_no_more_files(void) {
  int probe = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (probe >= 0) {
    (void)close(probe);
  }
  return probe < 0 && errno == EMFILE;
}

/* Where an allocation takes a descriptor, a runtime without one says that there is no memory. */
static void say_what_helps(char* into, size_t size) {
  struct rlimit files;
  if (has_no_more_files() && getrlimit(RLIMIT_NOFILE, &files) == 0) {
    (void)snprintf(into, size,
                   "this process may have %llu files and sockets open, which are too few; where the job is started, "
                   "allow more (ulimit -n 4096)",
                   (unsigned long long)files.rlim_cur);
  } else {
    (void)snprintf(into, size, "free some, or ask for less");
  }
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
    char helps[MESSAGE_BYTES / 4];
    say_what_helps(helps, sizeof helps);
    throw_error(env, RESOURCE, "%s (raw code %d); %s", message, code, helps);
  } else {
    throw_coded(env, message, code);
  }
}
