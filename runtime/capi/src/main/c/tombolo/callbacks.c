/* SPDX-License-Identifier: Apache-2.0 */
#include "callbacks.h"

#include <stdlib.h>
#include <string.h>

#include "makers.h"
#include "store.h"

#define END_CLASS "io/tombolo/capi/EndCallbacks"

typedef void (*end_function)(void* context, tombolo_status status, const char* error);

/* EndCallbacks.call0: `end` is a status and a text, as Failures.encoded has it. */
static void JNICALL call(JNIEnv* env, jclass type, jlong function, jlong context, jbyteArray end) {
  (void)type;
  jsize length = (*env)->GetArrayLength(env, end);
  char* text = malloc((size_t)length + 1);
  signed char status = TOMBOLO_RESOURCE;
  if (text != NULL && length > 0) {
    (*env)->GetByteArrayRegion(env, end, 0, length, (jbyte*)text);
    status = (signed char)text[0];
    memmove(text, text + 1, (size_t)length - 1);
    text[length - 1] = 0;
  }
  ((end_function)(size_t)function)((void*)(size_t)context, (tombolo_status)status,
                                   text == NULL ? "no memory for the text of an error" : text);
  free(text);
}

static bool register_end(JNIEnv* env) {
  static const JNINativeMethod natives[] = {
      {(char*)(size_t) "call0", (char*)(size_t) "(JJ[B)V", (void*)(size_t)call},
  };
  jclass type = (*env)->FindClass(env, END_CLASS);
  return type != NULL && (*env)->RegisterNatives(env, type, natives, 1) == JNI_OK;
}

bool callbacks_register(JNIEnv* env) {
  return store_register(env) && makers_register(env) && register_end(env);
}
