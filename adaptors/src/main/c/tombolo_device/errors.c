#include "errors.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_BYTES = 1024 };

void throw_error(JNIEnv* env, const char* type, const char* format, ...) {
  char message[MESSAGE_BYTES];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  jclass class = (*env)->FindClass(env, type);
  if (class != NULL) {
    (void)(*env)->ThrowNew(env, class, message);
  }
}

static void throw_coded(JNIEnv* env, const char* message, jlong code) {
  jclass class = (*env)->FindClass(env, "io/tombolo/base/errors/VendorException");
  jmethodID constructor = class == NULL ? NULL : (*env)->GetMethodID(env, class, "<init>", "(Ljava/lang/String;J)V");
  jstring text = constructor == NULL ? NULL : (*env)->NewStringUTF(env, message);
  jobject error = text == NULL ? NULL : (*env)->NewObject(env, class, constructor, text, code);
  if (error != NULL) {
    (void)(*env)->Throw(env, error);
  }
}

static const char* or_unknown(const char* text) { return text == NULL ? "a code the vendor does not name" : text; }

void throw_vendor(JNIEnv* env, const driver* by, role call, int code, jlong bytes) {
  char message[MESSAGE_BYTES];
  char size[40] = "";
  if (bytes >= 0) {
    (void)snprintf(size, sizeof size, " with %lld bytes", (long long)bytes);
  }
  (void)snprintf(message, sizeof message, "%s%s failed: %s, %s", by->name[call], size,
                 or_unknown(by->text(by, ERROR_NAME, code)), or_unknown(by->text(by, ERROR_TEXT, code)));
  if (code == by->constant[OUT_OF_MEMORY]) {
    throw_error(env, RESOURCE, "%s (raw code %d); free some, or ask for less", message, code);
  } else {
    throw_coded(env, message, code);
  }
}
