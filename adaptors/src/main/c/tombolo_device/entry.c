// SPDX-License-Identifier: Apache-2.0
#include "entry.h"

#include "current.h"
#include "errors.h"
#include "round.h"

bool succeeded(JNIEnv* env, const driver* by, role call, int code, jlong bytes) {
  if (code != by->constant[SUCCESS]) {
    throw_vendor(env, by, call, code, bytes);
    return false;
  }
  return true;
}

static bool make_current(JNIEnv* env, thing* found) {
  return found->kind == DRIVER ||
         succeeded(env, found->on.driver, SET_CURRENT, current_take(&found->on, &found->before), -1);
}

void leave(thing* entered) {
  if (entered->before != 0) {
    current_give_back(entered->on.driver, entered->before);
  }
}

bool enter(JNIEnv* env, jlong handle, const char* what, role call, thing* found) {
  if (!handle_get(handle, found)) {
    throw_error(env, ILLEGAL_STATE, "this %s is closed", what);
    return false;
  }
  return round_allows(env, found->on.driver, call) && make_current(env, found);
}

bool enter_last(JNIEnv* env, jlong handle, role call, thing* found) {
  return handle_get(handle, found) && round_allows(env, found->on.driver, call) && handle_take(handle, found) &&
         make_current(env, found);
}

bool has_call(JNIEnv* env, const driver* by, role call, const char* what) {
  if (by->symbol[call] == NULL) {
    throw_error(env, UNSUPPORTED, "this vendor's runtime has no call for %s", what);
    return false;
  }
  return true;
}

bool device_has(JNIEnv* env, jlong handle, role call) {
  thing of;
  if (!handle_get(handle, &of)) {
    throw_error(env, ILLEGAL_STATE, "this device is closed");
    return false;
  }
  return of.on.driver->symbol[call] != NULL;
}

jlong publish_handle(JNIEnv* env, kind kind, const device* on, uint64_t value) {
  return publish_block(env, kind, on, value, 0);
}

jlong publish_block(JNIEnv* env, kind kind, const device* on, uint64_t value, jlong size) {
  thing made = {kind, *on, value, (uint64_t)size, 0};
  jlong handle = handle_new(&made);
  if (handle == 0) {
    throw_error(env, RESOURCE, "no memory for another handle");
  }
  return handle;
}
