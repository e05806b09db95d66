// SPDX-License-Identifier: Apache-2.0
/* Where the emulation tells what a real device would not have put up with. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu_numbers.h"
#include "emu_strict.h"

enum { LINE_BYTES = 1024 };

/* Builds look at the file: a report that does not get there must not go unseen. */
static void append(const char* file, const char* line) {
  if (file == NULL || *file == '\0') {
    return;
  }
  FILE* to = fopen(file, "ae");
  if (to == NULL) {
    (void)fprintf(stderr, "%s: cannot append this report to TOMBOLO_EMU_REPORT=%s: name a file that can be written\n",
                  emu_numbers.vendor, file);
    return;
  }
  (void)fputs(line, to);
  (void)fclose(to);
}

void emu_report(const char* format, ...) {
  char words[LINE_BYTES];
  char line[2 * LINE_BYTES];
  va_list rest;
  va_start(rest, format);
  (void)vsnprintf(words, sizeof words, format, rest);
  va_end(rest);
  (void)snprintf(line, sizeof line, "%s: %s\n", emu_numbers.vendor, words);
  (void)fputs(line, stderr);
  append(getenv("TOMBOLO_EMU_REPORT"), line);
}
