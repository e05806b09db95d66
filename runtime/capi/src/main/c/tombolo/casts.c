/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors made narrower on their way. */
#include "failure.h"
#include "volume_calls.h"

TOMBOLO_EXPORT tombolo_status tombolo_volume_put_cast(tombolo_volume volume, const char* state_dict,
                                                      const tombolo_tensor* tensors, uint64_t count,
                                                      const tombolo_cast* cast, int64_t* version) {
  if (version != NULL) {
    *version = 0;
  }
  if (state_dict == NULL || cast == NULL) {
    return volume_null("tombolo_volume_put_cast", "the state dict, or the cast");
  }
  if (cast->size < sizeof *cast) {
    return fail(TOMBOLO_USAGE, "tombolo_cast.size is %u; set it to sizeof(tombolo_cast)", cast->size);
  }
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring dict = shell_string(env, state_dict, &status);
  jobjectArray names = status == TOMBOLO_OK ? volume_names(env, "tombolo_volume_put_cast", tensors, sizeof *tensors,
                                                           count, &status)
                                            : NULL;
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {volume_handle(volume), {.l = dict},  {.i = (jint)cast->type},
                                {.z = cast->scaled != 0}, {.l = names}, volume_address(tensors)};
    jlong made = shell_call_long(env, SHELL_VOLUME_PUT_CAST, arguments, &status);
    if (version != NULL) {
      *version = made;
    }
  }
  volume_leave(env);
  return status;
}

/* Whether there is memory where numbers are. */
static tombolo_status given(const char* function, const void* source, uint64_t count, const void* target) {
  return (source == NULL || target == NULL) && count > 0 ? volume_null(function, "the source, or the target")
                                                         : TOMBOLO_OK;
}

TOMBOLO_EXPORT tombolo_status tombolo_narrow(tombolo_type from, const void* source, uint64_t count, float scale,
                                             tombolo_type to, void* target) {
  tombolo_status status = given("tombolo_narrow", source, count, target);
  const jvalue arguments[] = {{.i = (jint)from}, volume_address(source), {.j = (jlong)count},
                              {.f = scale},      {.i = (jint)to},        volume_address(target)};
  return status != TOMBOLO_OK ? status : volume_plain(SHELL_VOLUME_NARROW, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_widen(tombolo_type from, const void* source, uint64_t count, float scale,
                                            float* target) {
  tombolo_status status = given("tombolo_widen", source, count, target);
  const jvalue arguments[] = {
      {.i = (jint)from}, volume_address(source), {.j = (jlong)count}, {.f = scale}, volume_address(target)};
  return status != TOMBOLO_OK ? status : volume_plain(SHELL_VOLUME_WIDEN, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_scale_of(tombolo_type from, const void* source, uint64_t count, tombolo_type to,
                                               float* scale) {
  if (scale == NULL) {
    return volume_null("tombolo_scale_of", "the place for the result");
  }
  *scale = 1;
  tombolo_status status = given("tombolo_scale_of", source, count, scale);
  const jvalue arguments[] = {
      {.i = (jint)from}, volume_address(source), {.j = (jlong)count}, {.i = (jint)to}, volume_address(scale)};
  return status != TOMBOLO_OK ? status : volume_plain(SHELL_VOLUME_SCALE_OF, arguments);
}
