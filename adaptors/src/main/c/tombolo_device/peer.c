// SPDX-License-Identifier: Apache-2.0
/* What a device reaches of the memory of others. */
#include "entry.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"

/* Some runtimes have nothing to enable; a call that the row names and the library lacks is another matter. */
static bool lacks_enabling(const driver* by) { return by->name[PEER_ENABLE] != NULL && by->symbol[PEER_ENABLE] == NULL; }

ENTRY(jboolean, knowsPeers)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  thing of;
  return device_has(env, handle, PEER_CAN_ACCESS) && handle_get(handle, &of) && !lacks_enabling(of.on.driver);
}

ENTRY(jboolean, canAccessPeer)(JNIEnv* env, jclass type, jlong handle, jint ordinal) {
  (void)type;
  ENTERED(of);
  int can = 0;
  if (!enter(env, handle, "device", PEER_CAN_ACCESS, &of) || !has_call(env, of.on.driver, PEER_CAN_ACCESS, "peer access")) {
    return JNI_FALSE;
  }
  const driver* by = of.on.driver;
  device peer = {by, ordinal, 0, NULL};
  return succeeded(env, by, DEVICE_GET, by->calls.device_get(by, &peer.device, ordinal), -1) &&
         succeeded(env, by, PEER_CAN_ACCESS, by->calls.can_access_peer(&of.on, &peer, &can), -1) && can != 0;
}

/* The peer is entered first, so that the device itself is current for the call; they are left in the other order. */
ENTRY(void, enablePeer)(JNIEnv* env, jclass type, jlong handle, jlong peer_handle) {
  (void)type;
  ENTERED(peer);
  ENTERED(of);
  if (enter(env, peer_handle, "device", PEER_ENABLE, &peer) && enter(env, handle, "device", PEER_ENABLE, &of) &&
      of.on.driver->symbol[PEER_ENABLE] != NULL) {
    const driver* by = of.on.driver;
    int code = by->calls.enable_peer(&of.on, &peer.on);
    (void)succeeded(env, by, PEER_ENABLE, code == by->constant[PEER_ENABLED_BEFORE] ? (int)by->constant[SUCCESS] : code, -1);
  }
}
