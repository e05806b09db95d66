/* SPDX-License-Identifier: Apache-2.0 */
/* Has the program make what is put. */
#ifndef MAKERS_H
#define MAKERS_H

#include <jni.h>
#include <stdbool.h>

/* Gives ProgramMaker its native method; false, and an exception pending, if that fails. */
bool makers_register(JNIEnv* env);

#endif
