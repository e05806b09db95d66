/* SPDX-License-Identifier: Apache-2.0 */
#include "volume_calls.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

enum { LOCALS = 16, MOST_TENSORS = 1 << 16 };

jvalue volume_handle(uint64_t number) {
  return (jvalue){.j = (jlong)number};
}

jvalue volume_address(const void* memory) {
  return (jvalue){.j = (jlong)(size_t)memory};
}

tombolo_status volume_null(const char* function, const char* what) {
  return fail(TOMBOLO_USAGE, "%s: %s is NULL", function, what);
}

JNIEnv* volume_enter(tombolo_status* status) {
  JNIEnv* env = shell_enter(status);
  if (env != NULL && (*env)->PushLocalFrame(env, LOCALS) != JNI_OK) {
    *status = shell_pending(env);
    return NULL;
  }
  return env;
}

void volume_leave(JNIEnv* env) {
  (void)(*env)->PopLocalFrame(env, NULL);
}

jobjectArray volume_names(JNIEnv* env, const char* function, const void* first, size_t stride, uint64_t count,
                          tombolo_status* status) {
  if (count > MOST_TENSORS || (first == NULL && count > 0)) {
    *status = fail(TOMBOLO_USAGE, "%s: %llu tensors%s; at most %d, and not at NULL", function,
                   (unsigned long long)count, first == NULL ? " at NULL" : "", MOST_TENSORS);
    return NULL;
  }
  const char** names = malloc((count + 1) * sizeof *names);
  if (names == NULL) {
    *status = fail(TOMBOLO_RESOURCE, "%s: no memory for %llu names", function, (unsigned long long)count);
    return NULL;
  }
  jobjectArray array = NULL;
  bool complete = true;
  for (uint64_t i = 0; i < count; i++) {
    memcpy(&names[i], (const char*)first + i * stride, sizeof names[i]);
    complete = complete && names[i] != NULL;
  }
  if (complete) {
    array = shell_strings(env, names, count, status);
  } else {
    *status = volume_null(function, "a name");
  }
  free(names);
  return array;
}

tombolo_status volume_plain(enum shell_method method, const jvalue* arguments) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    shell_call(env, method, arguments, &status);
  }
  return status;
}

const char* volume_token(const char* function, const char* given, tombolo_status* status) {
  const char* token = given == NULL ? getenv("TOMBOLO_TOKEN") : given;
  *status = token != NULL ? TOMBOLO_OK
                          : fail(TOMBOLO_USAGE, "%s: no token given, and TOMBOLO_TOKEN is not set; a volume and its "
                                 "clients have the same", function);
  return token;
}

uint64_t volume_connected(enum shell_method method, const char* function, const tombolo_volume_config* config,
                          tombolo_status* status) {
  if (config == NULL || config->address == NULL) {
    *status = volume_null(function, "the address");
    return 0;
  }
  if (config->size < sizeof *config) {
    *status = fail(TOMBOLO_USAGE, "tombolo_volume_config.size is %u; start with TOMBOLO_VOLUME_CONFIG_INIT",
                   config->size);
    return 0;
  }
  const char* token = volume_token(function, config->token, status);
  JNIEnv* env = token == NULL ? NULL : volume_enter(status);
  if (env == NULL) {
    return 0;
  }
  uint64_t made = 0;
  jstring where = shell_string(env, config->address, status);
  jstring secret = *status == TOMBOLO_OK ? shell_string(env, token, status) : NULL;
  if (*status == TOMBOLO_OK) {
    const jvalue arguments[] = {{.l = where},
                                {.l = secret},
                                {.j = config->timeout_ms},
                                {.z = (config->flags & TOMBOLO_OVER_CONNECTION) == 0}};
    made = (uint64_t)shell_call_long(env, method, arguments, status);
  }
  volume_leave(env);
  return made;
}

tombolo_status volume_number(enum shell_method method, uint64_t of, int64_t* result) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  const jvalue arguments[] = {volume_handle(of)};
  jlong found = env == NULL ? 0 : shell_call_long(env, method, arguments, &status);
  if (result != NULL) {
    *result = found;
  }
  return status;
}

tombolo_status volume_with_text(enum shell_method method, jvalue* arguments, const char* text, jlong* result) {
  *result = 0;
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  arguments[1].l = shell_string(env, text, &status);
  if (status == TOMBOLO_OK) {
    *result = shell_call_long(env, method, arguments, &status);
  }
  volume_leave(env);
  return status;
}
