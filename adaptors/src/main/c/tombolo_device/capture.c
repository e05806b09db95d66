// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

enum { NO_MODE = -1 };

int capture_relax(const driver* by) {
  int mode = (int)by->constant[CAPTURE_RELAXED];
  bool relaxed = by->symbol[CAPTURE_MODE] != NULL && CALL(by, CAPTURE_MODE, int*)(&mode) == by->constant[SUCCESS];
  return relaxed ? mode : NO_MODE;
}

int capture_restore(const driver* by, int mode, int code) {
  int restored = mode == NO_MODE ? (int)by->constant[SUCCESS] : CALL(by, CAPTURE_MODE, int*)(&mode);
  return code == by->constant[SUCCESS] ? restored : code;
}
