/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on their way. */
#include <stddef.h>
#include <string.h>

#include "failure.h"
#include "shell.h"
#include "slots.h"

/* The error that the work in `slot` has ended with. */
static tombolo_status error_of(int32_t slot) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {{.i = slot}};
    shell_call(env, SHELL_FAILURE_OF, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_test(tombolo_work work, int* ended) {
  if (ended == NULL) {
    return fail(TOMBOLO_USAGE, "tombolo_test: the place for the result is NULL");
  }
  *ended = 0;
  int32_t slot = slot_of(work);
  if (slot == NO_SLOT) {
    return TOMBOLO_USAGE;
  }
  struct slot_state state = slot_look(slot);
  *ended = state.ended;
  return state.failed ? error_of(slot) : TOMBOLO_OK;
}

TOMBOLO_EXPORT tombolo_status tombolo_wait(tombolo_work work, int64_t timeout_ms) {
  int32_t slot = slot_of(work);
  if (slot == NO_SLOT) {
    return TOMBOLO_USAGE;
  }
  struct slot_state state = slot_look(slot);
  if (state.ended) {
    return state.failed ? error_of(slot) : TOMBOLO_OK;
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env == NULL) {
    return status;
  }
  const jvalue arguments[] = {{.i = slot}, {.j = timeout_ms}};
  jboolean well = shell_call_boolean(env, SHELL_AWAIT, arguments, &status);
  if (status == TOMBOLO_OK && !well) {
    return fail(TOMBOLO_IN_PROGRESS, "operation %llu has not ended within %lld ms; it goes on",
                (unsigned long long)state.sequence, (long long)timeout_ms);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_make_wait(tombolo_work work, void* stream) {
  int32_t slot = slot_of(work);
  if (slot == NO_SLOT) {
    return TOMBOLO_USAGE;
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {{.i = slot}, {.j = (jlong)(size_t)stream}};
    shell_call(env, SHELL_MAKE_WAIT, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_on_end(tombolo_work work,
                                             void (*function)(void* context, tombolo_status status, const char* error),
                                             void* context) {
  int32_t slot = slot_of(work);
  if (slot == NO_SLOT) {
    return TOMBOLO_USAGE;
  }
  if (function == NULL) {
    return fail(TOMBOLO_USAGE, "tombolo_on_end: the function is NULL");
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {{.i = slot}, {.j = (jlong)(size_t)function}, {.j = (jlong)(size_t)context}};
    shell_call(env, SHELL_ON_END, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_work_query(tombolo_work work, tombolo_work_info* info) {
  if (info == NULL || info->size < sizeof *info) {
    return fail(TOMBOLO_USAGE, "tombolo_work_query: the size of the place for the result must be set, and enough");
  }
  *info = (tombolo_work_info){.size = sizeof *info, .status = TOMBOLO_IN_PROGRESS, .source = -1};
  int32_t slot = slot_of(work);
  if (slot == NO_SLOT) {
    return TOMBOLO_USAGE;
  }
  struct slot_state state = slot_look(slot);
  info->sequence = state.sequence;
  info->started = state.started;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env == NULL || !state.ended) {
    return status;
  }
  const jvalue arguments[] = {{.i = slot}};
  info->buffers_released = shell_call_boolean(env, SHELL_BUFFERS_RELEASED, arguments, &status);
  if (status == TOMBOLO_OK) {
    info->duration_ns = shell_call_long(env, SHELL_DURATION_NS, arguments, &status);
  }
  if (status == TOMBOLO_OK) {
    info->source = shell_call_int(env, SHELL_SOURCE, arguments, &status);
  }
  info->status = state.failed ? error_of(slot) : TOMBOLO_OK;
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_release(tombolo_work work) {
  int32_t slot = slot_of(work);
  if (slot == NO_SLOT) {
    return TOMBOLO_USAGE;
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {{.i = slot}};
    shell_call(env, SHELL_RELEASE, arguments, &status);
    slot_give_back(slot);
  }
  return status;
}
