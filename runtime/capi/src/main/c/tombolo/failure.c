/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 4096 };

static _Thread_local char last[TEXT_BYTES];

/* Cuts what does not fit, between two characters. */
static void keep(const char* text, size_t length) {
  if (length >= sizeof last) {
    length = sizeof last - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
      length--;
    }
  }
  memcpy(last, text, length);
  last[length] = 0;
}

tombolo_status fail(tombolo_status status, const char* format, ...) {
  char text[TEXT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0) {
    return fail_with(status, format, strlen(format));
  }
  return fail_with(status, text, strnlen(text, sizeof text));
}

tombolo_status fail_with(tombolo_status status, const char* text, size_t length) {
  keep(text, length);
  return status;
}

TOMBOLO_EXPORT const char* tombolo_last_error(void) {
  return last;
}
