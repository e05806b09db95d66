// SPDX-License-Identifier: Apache-2.0
#include "round.h"

#include <sys/prctl.h>

#include "entry.h"
#include "errors.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"

enum { NAME_BYTES = 16 };

_Static_assert(ROLE_COUNT <= 64, "a role is a bit of a jlong");

static _Thread_local bool in_round;

bool round_allows(JNIEnv* env, const driver* by, role call) {
  if (((uint64_t)by->refused >> call & 1) == 0 || !in_round) {
    return true;
  }
  char thread[NAME_BYTES] = "";
  (void)prctl(PR_GET_NAME, thread);
  throw_error(env, ILLEGAL_STATE,
              "%s in a round, on %s: it may wait for a stream that waits for this thread, for its row does not declare it"
              " safe while a stream is held; make the call before the operation is queued, or after its end",
              by->name[call] == NULL ? "a call that this runtime has not" : by->name[call], thread);
  return false;
}

ENTRY(void, enterRound)(JNIEnv* env, jclass type) {
  (void)env;
  (void)type;
  in_round = true;
}

ENTRY(void, leaveRound)(JNIEnv* env, jclass type) {
  (void)env;
  (void)type;
  in_round = false;
}
