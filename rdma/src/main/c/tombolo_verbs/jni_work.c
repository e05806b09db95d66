// SPDX-License-Identifier: Apache-2.0
/* The hot path: one call posts or polls a batch. */
#include "jni.h"
#include "work.h"

static const void* at(jlong address) { return (const void*)(uintptr_t)address; }

ENTRY(jint, send0)(JNIEnv* env, jclass type, jlong pair, jboolean is_datagram, jlong records, jint count) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(pair, QUEUE_PAIR);
  return entry == NULL ? -EBADF : work_send(entry->object, at(records), count, is_datagram);
}

ENTRY(jint, receive0)(JNIEnv* env, jclass type, jlong pair, jlong records, jint count) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(pair, QUEUE_PAIR);
  return entry == NULL ? -EBADF : work_receive(entry->object, at(records), count);
}

ENTRY(jint, receiveShared0)(JNIEnv* env, jclass type, jlong shared, jlong records, jint count) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(shared, SHARED_RECEIVES);
  return entry == NULL ? -EBADF : work_receive_shared(entry->object, at(records), count);
}

ENTRY(jint, poll0)(JNIEnv* env, jclass type, jlong completions, jlong records, jint most) {
  (void)env;
  (void)type;
  const handle_entry* entry = handle_find(completions, COMPLETIONS);
  return entry == NULL ? -EBADF : work_poll(entry->object, (completion_record*)(uintptr_t)records, most);
}
