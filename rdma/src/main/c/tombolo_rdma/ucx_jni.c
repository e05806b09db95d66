// SPDX-License-Identifier: Apache-2.0
/* The door from Java to ucx_library.h. */
#include "io_tombolo_rdma_ucx_UcxSystem.h"
#include "ucx_library.h"

enum { MAX_BYTES = 512 };

/* answer[0] becomes the version or, when 0 is returned, what the loader said. */
JNIEXPORT jboolean JNICALL Java_io_tombolo_rdma_ucx_UcxSystem_open0(JNIEnv* env, jclass type, jstring name,
                                                                    jobjectArray answer) {
  (void)type;
  const char* text = (*env)->GetStringUTFChars(env, name, NULL);
  if (text == NULL) return JNI_FALSE;
  char problem[MAX_BYTES] = "";
  const char* version = ucx_open(text, problem, sizeof problem);
  (*env)->ReleaseStringUTFChars(env, name, text);
  jstring said = (*env)->NewStringUTF(env, version == NULL ? problem : version);
  if (said == NULL) return JNI_FALSE;
  (*env)->SetObjectArrayElement(env, answer, 0, said);
  return version == NULL ? JNI_FALSE : JNI_TRUE;
}
