/* SPDX-License-Identifier: Apache-2.0 */
/* What needs no communicator. */
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "machine.h"
#include "shell.h"

TOMBOLO_EXPORT uint32_t tombolo_version(void) {
  return (uint32_t)TOMBOLO_MAJOR << 16 | TOMBOLO_MINOR;
}

TOMBOLO_EXPORT const char* tombolo_status_name(tombolo_status status) {
  static const char* const names[] = {
      "TOMBOLO_OK",        "TOMBOLO_USAGE",    "TOMBOLO_UNSUPPORTED", "TOMBOLO_UNAVAILABLE", "TOMBOLO_MISMATCH",
      "TOMBOLO_PEER_FAILED", "TOMBOLO_DEADLINE", "TOMBOLO_ABORTED",   "TOMBOLO_NO_QUORUM",   "TOMBOLO_VENDOR",
      "TOMBOLO_FABRIC",    "TOMBOLO_CORRUPT",  "TOMBOLO_RESOURCE",    "TOMBOLO_INTERNAL",    "TOMBOLO_NO_JAVA",
      "TOMBOLO_FORKED",    "TOMBOLO_IN_PROGRESS",
  };
  size_t number = (size_t)status;
  return number < sizeof names / sizeof names[0] ? names[number] : "an unknown status";
}

TOMBOLO_EXPORT size_t tombolo_type_size(tombolo_type type) {
  static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1, 1};
  size_t number = (size_t)type;
  return number < sizeof sizes ? sizes[number] : 0;
}

TOMBOLO_EXPORT tombolo_status tombolo_start(const tombolo_java* java) {
  if (java != NULL && java->size < sizeof *java) {
    return fail(TOMBOLO_USAGE, "tombolo_java.size is %u; start with TOMBOLO_JAVA_INIT", java->size);
  }
  return shell_start(java);
}

TOMBOLO_EXPORT tombolo_status tombolo_finalize(void) {
  if (!machine_runs()) {
    return TOMBOLO_OK;
  }
  tombolo_status status = TOMBOLO_OK;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    shell_call(env, SHELL_VOLUME_CLOSE_ALL, NULL, &status);
    tombolo_status left;
    shell_call(env, SHELL_JOBS_CLOSE_ALL, NULL, &left);
    status = status == TOMBOLO_OK ? left : status;
    jboolean all_ended = shell_call_boolean(env, SHELL_DESTROY_ALL, NULL, &left);
    status = status == TOMBOLO_OK ? left : status;
    const jvalue arguments[] = {{.z = all_ended}};
    shell_call(env, SHELL_VOLUME_CLOSE_SUMS, arguments, &left); /* the last: it may wait for what runs on the devices */
    status = status == TOMBOLO_OK ? left : status;
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_make_id(const char* host, tombolo_id* id) {
  if (id == NULL) {
    return fail(TOMBOLO_USAGE, "tombolo_make_id: the place for the id is NULL");
  }
  memset(id, 0, sizeof *id);
  tombolo_status status = TOMBOLO_OK;
  JNIEnv* env = shell_enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring name = shell_string(env, host, &status);
  if (name == NULL) {
    return status;
  }
  const jvalue arguments[] = {{.l = name}};
  jbyteArray text = shell_call_object(env, SHELL_MAKE_ID, arguments, &status);
  if (text != NULL) {
    jsize length = (*env)->GetArrayLength(env, text);
    if ((size_t)length < sizeof id->text) {
      (*env)->GetByteArrayRegion(env, text, 0, length, (jbyte*)id->text);
    } else {
      status = fail(TOMBOLO_USAGE, "the host's name is too long for an id; give its address");
    }
    (*env)->DeleteLocalRef(env, text);
  }
  (*env)->DeleteLocalRef(env, name);
  return status;
}
