// SPDX-License-Identifier: Apache-2.0
/* Characters have one to three bytes here: modified UTF-8 writes the others as two surrogates of three bytes each. */
#include "text.h"

#include <stdbool.h>

static bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/* The bytes of the character at the beginning of `text`, which does not end there; 0 if it is none. */
static int length(const unsigned char* text) {
  if (text[0] < 0x80) {
    return 1;
  }
  if (text[0] >= 0xC2 && text[0] < 0xE0) {
    return continues(text[1]) ? 2 : 0;
  }
  bool three = (text[0] & 0xF0) == 0xE0 && continues(text[1]) && continues(text[2]);
  bool shortest = text[0] != 0xE0 || text[1] >= 0xA0;
  return three && shortest ? 3 : 0;
}

void text_mend(char* text) {
  while (*text != '\0') {
    int bytes = length((const unsigned char*)text);
    if (bytes == 0) {
      *text = '?';
    }
    text += bytes == 0 ? 1 : bytes;
  }
}
