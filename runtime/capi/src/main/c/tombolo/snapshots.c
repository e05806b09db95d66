/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that are being read. */
#include "failure.h"
#include "volume_calls.h"

enum { MOST_READS = 1 << 16 };

/* NativeRead.java reads these. */
_Static_assert(sizeof(tombolo_read) == 32 && offsetof(tombolo_read, from) == 8, "tombolo_read");
_Static_assert(offsetof(tombolo_read, to) == 16 && offsetof(tombolo_read, target) == 24, "tombolo_read");

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_close(tombolo_snapshot snapshot) {
  const jvalue arguments[] = {volume_handle(snapshot)};
  return volume_plain(SHELL_VOLUME_CLOSE_SNAPSHOT, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_version(tombolo_snapshot snapshot, int64_t* version) {
  return volume_number(SHELL_VOLUME_VERSION, snapshot, version);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_names(tombolo_snapshot snapshot, char* text, size_t size,
                                                     size_t* needed) {
  const jvalue arguments[] = {volume_handle(snapshot)};
  return shell_text(SHELL_VOLUME_NAMES, arguments, "tombolo_snapshot_names", text, size, needed);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_tensor(tombolo_snapshot snapshot, int32_t number, tombolo_type* type,
                                                      int32_t* dimensions, int64_t* shape, const void** data) {
  if (type == NULL || dimensions == NULL || shape == NULL) {
    return volume_null("tombolo_snapshot_tensor", "the place for the type, the dimensions or the shape");
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env == NULL) {
    return status;
  }
  const jvalue described[] = {volume_handle(snapshot), {.i = number}, volume_address(shape)};
  jint found = shell_call_int(env, SHELL_VOLUME_DESCRIBE, described, &status);
  *type = (tombolo_type)(found & 0xFF);
  *dimensions = found >> 8;
  if (status == TOMBOLO_OK && data != NULL) {
    *data = (const void*)(size_t)shell_call_long(env, SHELL_VOLUME_ADDRESS, described, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_read(tombolo_snapshot snapshot, int32_t number, const int64_t* from,
                                                    const int64_t* to, void* target) {
  if ((from == NULL) != (to == NULL)) {
    return volume_null("tombolo_snapshot_read", "one end of the part");
  }
  const jvalue arguments[] = {volume_handle(snapshot), {.i = number}, volume_address(from), volume_address(to), volume_address(target)};
  return volume_plain(SHELL_VOLUME_READ, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_read_all(tombolo_snapshot snapshot, const tombolo_read* reads,
                                                        uint64_t count) {
  if (count > MOST_READS || (reads == NULL && count > 0)) {
    return fail(TOMBOLO_USAGE, "tombolo_snapshot_read_all: %llu parts%s; at most %d, and not at NULL",
                (unsigned long long)count, reads == NULL ? " at NULL" : "", MOST_READS);
  }
  for (uint64_t i = 0; i < count; i++) {
    if ((reads[i].from == NULL) != (reads[i].to == NULL)) {
      return volume_null("tombolo_snapshot_read_all", "one end of a part");
    }
  }
  const jvalue arguments[] = {volume_handle(snapshot), volume_address(reads), {.j = (jlong)count}};
  return volume_plain(SHELL_VOLUME_READ_ALL, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_verify(tombolo_snapshot snapshot, int32_t number) {
  const jvalue arguments[] = {volume_handle(snapshot), {.i = number}};
  return volume_plain(SHELL_VOLUME_VERIFY, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_check(tombolo_snapshot snapshot) {
  const jvalue arguments[] = {volume_handle(snapshot)};
  return volume_plain(SHELL_VOLUME_CHECK, arguments);
}
