// SPDX-License-Identifier: Apache-2.0
#include "current.h"

/*
 * Whose device was made current on this thread last: where no device was, some runtimes name the first one all the same.
 */
static _Thread_local const driver* taken;

static bool is_success(const driver* by, int code) { return code == by->constant[SUCCESS]; }

int current_take(const device* on, uint64_t* before) {
  const driver* by = on->driver;
  uint64_t current = 0;
  bool told = by->symbol[GET_CURRENT] != NULL && is_success(by, by->calls.get_current(by, &current));
  bool differs = told && current != by->calls.as_current(on);
  *before = 0;
  if (told && !differs && taken == by) {
    return (int)by->constant[SUCCESS];
  }
  int code = by->calls.set_current(on);
  if (is_success(by, code)) {
    taken = by;
    *before = differs ? current + 1 : 0; /* so that no context, and ordinal 0, are not 0 */
  }
  return code;
}

void current_give_back(const driver* by, uint64_t before) {
  if (before != 0) {
    (void)by->calls.put_current(by, before - 1);
  }
}
