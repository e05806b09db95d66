/* SPDX-License-Identifier: Apache-2.0 */
/* The program's store: ProgramStore's native methods. */
#ifndef STORE_H
#define STORE_H

#include <jni.h>
#include <stdbool.h>

#include "tombolo.h"

/* A copy of the callbacks for Java to keep, which its release0 frees. NULL after a failure. */
tombolo_store* store_keep(const tombolo_store* store, tombolo_status* status);

/* Binds the native methods; after a failure an exception is pending. */
bool store_register(JNIEnv* env);

#endif
