/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of tombolo_volume.h have in common: how C calls VolumeShell.java. */
#ifndef VOLUME_CALLS_H
#define VOLUME_CALLS_H

#include "shell.h"
#include "tombolo_volume.h"

jvalue volume_handle(uint64_t number);
jvalue volume_address(const void* memory);

/* Fails, as `what` is NULL. */
tombolo_status volume_null(const char* function, const char* what);

/* The environment, with room for local references; `volume_leave` gives them back. */
JNIEnv* volume_enter(tombolo_status* status);
void volume_leave(JNIEnv* env);

/* The names of tensors that lie `stride` bytes apart, the first at `first`: a name is the first member of both. */
jobjectArray volume_names(JNIEnv* env, const char* function, const void* first, size_t stride, uint64_t count,
                          tombolo_status* status);

/* Calls what takes numbers alone and returns none. */
tombolo_status volume_plain(enum shell_method method, const jvalue* arguments);

/* The given token, or the environment's; NULL after a failure. */
const char* volume_token(const char* function, const char* given, tombolo_status* status);

/* Connects to what the configuration says; 0 after a failure. */
uint64_t volume_connected(enum shell_method method, const char* function, const tombolo_volume_config* config,
                          tombolo_status* status);

/* Calls what takes a handle and returns a number, for which there may be no place. */
tombolo_status volume_number(enum shell_method method, uint64_t of, int64_t* result);

/* Calls what takes a volume and a text first, which is the second argument. */
tombolo_status volume_with_text(enum shell_method method, jvalue* arguments, const char* text, jlong* result);

#endif
