// SPDX-License-Identifier: Apache-2.0
/* Opening what Java names. */
#ifndef TOMBOLO_LOADING_H
#define TOMBOLO_LOADING_H

#include <jni.h>

/* A copy of the string at `index`, to be freed; NULL where Java has null, or with an exception pending. */
char* copy_string(JNIEnv* env, jobjectArray from, jsize index);

/*
 * The first of `libraries` that opens; NULL with an UnavailableException pending. A copy that the process has already
 * wins over one from disk: two copies of a runtime in a process end badly.
 */
void* open_first(JNIEnv* env, jobjectArray libraries);

#endif
