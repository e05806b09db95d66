/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums by devices, for programs without a communicator. */
#include "failure.h"
#include "volume_calls.h"

TOMBOLO_EXPORT tombolo_status tombolo_device_checksum(const tombolo_device_memory* memory, uint32_t* checksum) {
  if (memory == NULL || checksum == NULL) {
    return volume_null("tombolo_device_checksum", "the memory, or the place for the result");
  }
  *checksum = 0;
  if (memory->size < sizeof *memory) {
    return fail(TOMBOLO_USAGE, "tombolo_device_memory.size is %u; set it to sizeof(tombolo_device_memory)", memory->size);
  }
  if ((memory->flags & ~(uint32_t)TOMBOLO_HOST_ORDER) != 0) {
    return fail(TOMBOLO_USAGE, "tombolo_device_memory.flags is %#x; it is TOMBOLO_HOST_ORDER or 0", memory->flags);
  }
  if (memory->vendor == NULL || (memory->data == NULL && memory->bytes > 0)) {
    return volume_null("tombolo_device_checksum", "the vendor, or the memory's address");
  }
  if (memory->device < 0 || memory->bytes > INT64_MAX) {
    return fail(TOMBOLO_USAGE, "tombolo_device_checksum: %llu bytes of device %d; devices are counted from 0, and none has "
                "more than 2^63 - 1 bytes", (unsigned long long)memory->bytes, memory->device);
  }
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring vendor = shell_string(env, memory->vendor, &status);
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {{.l = vendor},
                                {.i = memory->device},
                                volume_address(memory->data),
                                {.j = (jlong)memory->bytes},
                                {.z = (memory->flags & TOMBOLO_HOST_ORDER) != 0},
                                volume_address(memory->stream),
                                {.j = memory->timeout_ms}};
    *checksum = (uint32_t)shell_call_int(env, SHELL_VOLUME_DEVICE_CHECKSUM, arguments, &status);
  }
  volume_leave(env);
  return status;
}
