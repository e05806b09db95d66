// SPDX-License-Identifier: Apache-2.0
/* Which devices reach which others' memory. All of them do, one direction at a time, unless the environment says otherwise. */
#include <stdatomic.h>

#include "device_engine.h"

enum { MAX_DEVICES = 64 };

static atomic_bool enabled[MAX_DEVICES][MAX_DEVICES];

static bool is_device(int device) { return device >= 0 && device < MAX_DEVICES && device < emu_device_count(); }

bool emu_peer_reaches(int device, int peer) {
  return is_device(device) && is_device(peer) && device != peer && !emu_is_without_peers();
}

emu_result emu_peer_enable(int device, int peer) {
  if (!emu_peer_reaches(device, peer)) {
    return EMU_INVALID_VALUE;
  }
  return atomic_exchange(&enabled[device][peer], true) ? EMU_ALREADY_ENABLED : EMU_OK;
}
