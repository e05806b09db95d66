/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of what other processes hold. */
#include "volume_calls.h"

TOMBOLO_EXPORT tombolo_status tombolo_holders_open(const tombolo_volume_config* config, tombolo_holders* holders) {
  if (holders == NULL) {
    return volume_null("tombolo_holders_open", "the place for the result");
  }
  tombolo_status status;
  *holders = volume_connected(SHELL_VOLUME_OPEN_HOLDERS, "tombolo_holders_open", config, &status);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_holders_close(tombolo_holders holders) {
  const jvalue arguments[] = {volume_handle(holders)};
  return volume_plain(SHELL_VOLUME_CLOSE_HOLDERS, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_holders_sharing(tombolo_holders holders, int* sharing) {
  if (sharing == NULL) {
    return volume_null("tombolo_holders_sharing", "the place for the result");
  }
  *sharing = 0;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {volume_handle(holders)};
    *sharing = shell_call_int(env, SHELL_VOLUME_HOLDERS_SHARING, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_holders_await(tombolo_holders holders, const char* state_dict, int64_t newer_than,
                                                    int64_t patience_ms, tombolo_snapshot* snapshot) {
  if (snapshot == NULL) {
    return volume_null("tombolo_holders_await", "the place for the result");
  }
  jvalue arguments[] = {volume_handle(holders), {.l = NULL}, {.j = newer_than}, {.j = patience_ms}};
  jlong opened;
  tombolo_status status = volume_with_text(SHELL_VOLUME_AWAIT_HELD, arguments, state_dict, &opened);
  *snapshot = (tombolo_snapshot)opened;
  return status;
}
