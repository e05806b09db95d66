/* SPDX-License-Identifier: Apache-2.0 */
/* Calls io.tombolo.capi.Shell, JobShell for SHELL_JOBS_* and VolumeShell for SHELL_VOLUME_*, which have methods of the same
 * names. */
#ifndef SHELL_H
#define SHELL_H

#include <jni.h>

#include "compilers.h"
#include "tombolo.h"

enum shell_method {
  SHELL_ENCODED,
  SHELL_ADD_SLOTS,
  SHELL_MAKE_ID,
  SHELL_JOIN,
  SHELL_SPLIT,
  SHELL_CREATE_GROUP,
  SHELL_MERGE,
  SHELL_SHRINK,
  SHELL_AGREE,
  SHELL_ABORT,
  SHELL_DESTROY,
  SHELL_DESTROY_ALL,
  SHELL_FAILURE,
  SHELL_RANK,
  SHELL_SIZE,
  SHELL_HAS_STREAMS,
  SHELL_SET_TIMEOUT,
  SHELL_TEXT,
  SHELL_MEET,
  SHELL_ALLOCATE,
  SHELL_FREE,
  SHELL_COPY,
  SHELL_CHECKSUM,
  SHELL_CALL,
  SHELL_CALL_V,
  SHELL_MESSAGE,
  SHELL_START_GROUP,
  SHELL_END_GROUP,
  SHELL_CANCEL_GROUP,
  SHELL_AWAIT,
  SHELL_FAILURE_OF,
  SHELL_MAKE_WAIT,
  SHELL_ON_END,
  SHELL_BUFFERS_RELEASED,
  SHELL_DURATION_NS,
  SHELL_SOURCE,
  SHELL_RELEASE,
  SHELL_JOBS_ACCEPT,
  SHELL_JOBS_CONNECT,
  SHELL_JOBS_REMOTE_SIZE,
  SHELL_JOBS_MESSAGE,
  SHELL_JOBS_FAILURE,
  SHELL_JOBS_ABORT,
  SHELL_JOBS_CLOSE,
  SHELL_JOBS_CLOSE_ALL,
  SHELL_VOLUME_SERVE,
  SHELL_VOLUME_SERVER_ADDRESS,
  SHELL_VOLUME_STOP,
  SHELL_VOLUME_OPEN,
  SHELL_VOLUME_SHARES_MEMORY,
  SHELL_VOLUME_CLOSE,
  SHELL_VOLUME_CLOSE_ALL,
  SHELL_VOLUME_CLOSE_SUMS,
  SHELL_VOLUME_PUT,
  SHELL_VOLUME_DEVICE_CHECKSUM,
  SHELL_VOLUME_PUT_MADE,
  SHELL_VOLUME_PUT_PART,
  SHELL_VOLUME_PUT_PART_MADE,
  SHELL_VOLUME_BEGIN,
  SHELL_VOLUME_SET_CHECKSUM,
  SHELL_VOLUME_COMMIT,
  SHELL_VOLUME_ABORT,
  SHELL_VOLUME_OPEN_TENSORS,
  SHELL_VOLUME_OPEN_VERSION,
  SHELL_VOLUME_OPEN_KEPT,
  SHELL_VOLUME_KEPT_VERSIONS,
  SHELL_VOLUME_EXISTS,
  SHELL_VOLUME_VERSION,
  SHELL_VOLUME_NAMES,
  SHELL_VOLUME_DESCRIBE,
  SHELL_VOLUME_ADDRESS,
  SHELL_VOLUME_READ,
  SHELL_VOLUME_READ_ALL,
  SHELL_VOLUME_PUT_CAST,
  SHELL_VOLUME_NARROW,
  SHELL_VOLUME_WIDEN,
  SHELL_VOLUME_SCALE_OF,
  SHELL_VOLUME_VERIFY,
  SHELL_VOLUME_CHECK,
  SHELL_VOLUME_CLOSE_SNAPSHOT,
  SHELL_VOLUME_DELETE,
  SHELL_VOLUME_DROP,
  SHELL_VOLUME_KEYS,
  SHELL_VOLUME_STATE_DICTS,
  SHELL_VOLUME_HOLD,
  SHELL_VOLUME_REGISTER,
  SHELL_VOLUME_WITHDRAW,
  SHELL_VOLUME_OPEN_HOLDERS,
  SHELL_VOLUME_HOLDERS_SHARING,
  SHELL_VOLUME_CLOSE_HOLDERS,
  SHELL_VOLUME_AWAIT_HELD,
  SHELL_METHODS
};

/* Starts the JVM, if none runs, and makes the shell. */
tombolo_status shell_start(const tombolo_java* java);

/* This thread's environment, with the JVM started; NULL after a failure. */
JNIEnv* shell_enter(tombolo_status* status);

/* As shell_enter; a JVM that this starts is made for `job`. */
JNIEnv* shell_enter_for(const struct known_job* job, tombolo_status* status);

/* Each calls a method with what it takes; if it throws, the result is 0 or NULL and `status` and the thread's text are
 * the error's. Objects returned are local references. */
void shell_call(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status);
jlong shell_call_long(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status);
jint shell_call_int(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status);
jboolean shell_call_boolean(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status);
jobject shell_call_object(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status);

/* Calls a method that returns text in UTF-8. Writes at most `size` bytes of it, with an ending 0; `needed` (may be NULL)
 * is what all of it takes, with the 0. */
tombolo_status shell_text(enum shell_method method, const jvalue* arguments, const char* function, char* text,
                          size_t size, size_t* needed);

/* A string of UTF-8, "" for NULL, as a local reference; NULL after a failure. */
jstring shell_string(JNIEnv* env, const char* text, tombolo_status* status);

/* If an exception is pending: clears it, and tells its status and text. */
tombolo_status shell_pending(JNIEnv* env);

/* An array of such strings, as a local reference; NULL after a failure. */
jobjectArray shell_strings(JNIEnv* env, const char* const* texts, size_t count, tombolo_status* status);

#endif
