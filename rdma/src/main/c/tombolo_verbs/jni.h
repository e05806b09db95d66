// SPDX-License-Identifier: Apache-2.0
/* What the doors from Java share. They throw nothing: a negative answer is -errno. */
#ifndef TOMBOLO_VERBS_JNI_H
#define TOMBOLO_VERBS_JNI_H

#include <errno.h>

#include "handles.h"
#include "io_tombolo_rdma_verbs_VerbsNative.h"

#define ENTRY(result, name) JNIEXPORT result JNICALL Java_io_tombolo_rdma_verbs_VerbsNative_##name

/* -errno of a library call that failed just now; some fail without setting it. */
static inline jlong failure(void) { return -(jlong)(errno == 0 ? EIO : errno); }

/* What a call that answers an errno said; some answer -1 and set errno. */
static inline jlong outcome(int code) { return code < 0 ? failure() : -(jlong)code; }

/* A handle for what the library made; NULL is its failure. What cannot get a handle is left to `undo`. */
static inline jlong made(handle_kind kind, const verbs_library* library, void* object) {
  return object == NULL ? failure() : handle_new(kind, library, object);
}

#endif
