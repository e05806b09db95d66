// SPDX-License-Identifier: Apache-2.0
/* What JNI would not take becomes question marks, and nothing else does. */
#include "../../../main/c/shared/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void becomes(const char* given, const char* expected) {
  size_t bytes = strlen(given) + 1;
  char* text = malloc(bytes); /* its end is watched */
  if (text == NULL) {
    exit(2);
  }
  memcpy(text, given, bytes);
  text_mend(text);
  if (strcmp(text, expected) != 0) {
    (void)fprintf(stderr, "FAILED: '%s' became '%s', not '%s'\n", given, text, expected);
    exit(1);
  }
  free(text);
}

int main(void) {
  becomes("", "");
  becomes("plain\n\x7f", "plain\n\x7f");
  becomes("\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf", "\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf");
  becomes("\xed\xa0\xbd\xed\xb8\x80", "\xed\xa0\xbd\xed\xb8\x80"); /* two surrogates */
  becomes("d\xe9j\xe0 \x80 \xff", "d?j? ? ?");
  becomes("\xc0\x80 \xc1\xbf \xe0\x9f\xbf", "?? ?? ???"); /* longer than need be */
  becomes("\xf0\x9f\x98\x80", "????");
  becomes("\xe2\x82", "??"); /* cut short */
  becomes("\xc3", "?");
  becomes("\xe2\x82\xc3\xa9", "??\xc3\xa9");
  return 0;
}
