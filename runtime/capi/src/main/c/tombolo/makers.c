/* SPDX-License-Identifier: Apache-2.0 */
#include "makers.h"

#include <stddef.h>

#include "tombolo_volume.h"

#define MAKER_CLASS "io/tombolo/capi/ProgramMaker"

/* ProgramMaker.java reads it. */
_Static_assert(sizeof(tombolo_made) == 16 && offsetof(tombolo_made, checksum) == 8, "tombolo_made");
_Static_assert(offsetof(tombolo_made, summed) == 12, "tombolo_made");

/* ProgramMaker.make0 */
static jint JNICALL make(JNIEnv* env, jclass type, jlong maker, jlong number, jlong made) {
  (void)env;
  (void)type;
  const tombolo_maker* program = (const tombolo_maker*)(size_t)maker;
  tombolo_made* result = (tombolo_made*)(size_t)made;
  *result = (tombolo_made){NULL, 0, 0};
  return program->make(program->context, (uint64_t)number, result);
}

bool makers_register(JNIEnv* env) {
  static const JNINativeMethod natives[] = {
      {(char*)(size_t) "make0", (char*)(size_t) "(JJJ)I", (void*)(size_t)make},
  };
  jclass type = (*env)->FindClass(env, MAKER_CLASS);
  return type != NULL && (*env)->RegisterNatives(env, type, natives, 1) == JNI_OK;
}
