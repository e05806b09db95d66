/* SPDX-License-Identifier: Apache-2.0 */
/* What Java calls: the program's store, and its functions for the end of works. */
#ifndef CALLBACKS_H
#define CALLBACKS_H

#include <jni.h>
#include <stdbool.h>

/* Binds the native methods of ProgramStore and EndCallbacks; after a failure an exception is pending. */
bool callbacks_register(JNIEnv* env);

#endif
