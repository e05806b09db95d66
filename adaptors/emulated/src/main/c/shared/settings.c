// SPDX-License-Identifier: Apache-2.0
#include "emu_settings.h"

#include <stdlib.h>
#include <string.h>

/* What follows the word that begins with `vendor`, if `ends` may follow it; NULL if there is no such word. */
static const char* behind_vendor(const char* text, const char* vendor, const char* ends) {
  size_t length = strlen(vendor);
  for (const char* word = text; word != NULL; word = strchr(word, ',')) {
    word += *word == ',';
    if (strncmp(word, vendor, length) == 0 && strchr(ends, word[length]) != NULL) {
      return word + length;
    }
  }
  return NULL;
}

long emu_setting(const char* name, long otherwise) {
  const char* text = getenv(name);
  return text == NULL || *text == '\0' ? otherwise : strtol(text, NULL, 10);
}

long emu_setting_of(const char* name, const char* vendor, long otherwise) {
  const char* text = getenv(name);
  if (text == NULL || strchr(text, ':') == NULL) {
    return emu_setting(name, otherwise);
  }
  const char* number = behind_vendor(text, vendor, ":");
  return number == NULL || *number == '\0' ? otherwise : strtol(number + 1, NULL, 10);
}

bool emu_quirk(const char* name, const char* vendor) {
  const char* text = getenv(name);
  return text != NULL && (strcmp(text, "1") == 0 || behind_vendor(text, vendor, ",") != NULL);
}
