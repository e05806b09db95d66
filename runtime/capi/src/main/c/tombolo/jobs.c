/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of two jobs. */
#include <stdlib.h>

#include "failure.h"
#include "shell.h"

static tombolo_status joined(const char* function, enum shell_method method, tombolo_comm comm, const char* address,
                             const char* token, int64_t timeout_ms, tombolo_jobs* jobs) {
  if (jobs == NULL || address == NULL) {
    return fail(TOMBOLO_USAGE, "%s: the address, or the place for the result, is NULL", function);
  }
  *jobs = 0;
  const char* secret = token == NULL ? getenv("TOMBOLO_TOKEN") : token;
  if (secret == NULL) {
    return fail(TOMBOLO_USAGE, "%s: no token given, and TOMBOLO_TOKEN is not set; both jobs have the same", function);
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring where = shell_string(env, address, &status);
  jstring proof = status == TOMBOLO_OK ? shell_string(env, secret, &status) : NULL;
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {{.j = (jlong)comm}, {.l = where}, {.l = proof}, {.j = timeout_ms}};
    *jobs = (tombolo_jobs)shell_call_long(env, method, arguments, &status);
  }
  (*env)->DeleteLocalRef(env, proof);
  (*env)->DeleteLocalRef(env, where);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_accept(tombolo_comm comm, const char* address, const char* token,
                                                  int64_t timeout_ms, tombolo_jobs* jobs) {
  return joined("tombolo_comm_accept", SHELL_JOBS_ACCEPT, comm, address, token, timeout_ms, jobs);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_connect(tombolo_comm comm, const char* address, const char* token,
                                                   int64_t timeout_ms, tombolo_jobs* jobs) {
  return joined("tombolo_comm_connect", SHELL_JOBS_CONNECT, comm, address, token, timeout_ms, jobs);
}

TOMBOLO_EXPORT tombolo_status tombolo_jobs_remote_size(tombolo_jobs jobs, int32_t* ranks) {
  if (ranks == NULL) {
    return fail(TOMBOLO_USAGE, "tombolo_jobs_remote_size: the place for the result is NULL");
  }
  *ranks = 0;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {{.j = (jlong)jobs}};
    *ranks = shell_call_int(env, SHELL_JOBS_REMOTE_SIZE, arguments, &status);
  }
  return status;
}

static tombolo_status plain(enum shell_method method, tombolo_jobs jobs) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {{.j = (jlong)jobs}};
    shell_call(env, method, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_jobs_error(tombolo_jobs jobs) {
  return plain(SHELL_JOBS_FAILURE, jobs);
}

TOMBOLO_EXPORT tombolo_status tombolo_jobs_abort(tombolo_jobs jobs) {
  return plain(SHELL_JOBS_ABORT, jobs);
}

TOMBOLO_EXPORT tombolo_status tombolo_jobs_close(tombolo_jobs jobs) {
  return plain(SHELL_JOBS_CLOSE, jobs);
}
