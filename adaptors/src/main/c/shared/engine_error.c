// SPDX-License-Identifier: Apache-2.0
/* What went wrong last on a thread, in words. */
#include <stdarg.h>
#include <stdio.h>

#include "engine_internal.h"

static _Thread_local char last_error[256];

enum engine_result engine_error(enum engine_result result, const char* format, ...) {
  va_list words;
  va_start(words, format);
  (void)vsnprintf(last_error, sizeof last_error, format, words);
  va_end(words);
  return result;
}

const char* engine_last_error(void) { return last_error; }
