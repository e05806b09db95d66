/* SPDX-License-Identifier: Apache-2.0 */
/* The program's store: ProgramStore's native methods. */
#ifndef STORE_H
#define STORE_H

#include <jni.h>
#include <stdbool.h>

#include "tombolo.h"

/* A copy of the callbacks for Java to keep, which its release0 gives back. NULL after a failure. */
tombolo_store* store_keep(const tombolo_store* store, tombolo_status* status);

/* Gives back what store_keep has made, and tells the program. */
void store_release(tombolo_store* kept);

/* Binds the native methods; after a failure an exception is pending. */
bool store_register(JNIEnv* env);

#endif
