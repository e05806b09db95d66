// SPDX-License-Identifier: Apache-2.0
#include "emu_settings.h"

#include <stdlib.h>
#include <string.h>

#include "settings_known.h"

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

/* The variable's text; those that we do not understand are reported once, before the first is read. */
static const char* text_of(const char* name) {
  emu_settings_check();
  return getenv(name);
}

static long number_in(const char* text, long otherwise) {
  char* end = NULL;
  long value = strtol(text, &end, 10);
  return end == text || (*end != '\0' && *end != ',') || value < 0 ? otherwise : value;
}

long emu_setting(const char* name, long otherwise) {
  const char* text = text_of(name);
  return text == NULL ? otherwise : number_in(text, otherwise);
}

long emu_setting_of(const char* name, const char* vendor, long otherwise) {
  const char* text = text_of(name);
  if (text == NULL || strchr(text, ':') == NULL) {
    return emu_setting(name, otherwise);
  }
  const char* number = behind_vendor(text, vendor, ":");
  return number == NULL || *number == '\0' ? otherwise : number_in(number + 1, otherwise);
}

bool emu_quirk(const char* name, const char* vendor) {
  const char* text = text_of(name);
  return text != NULL && (strcmp(text, "1") == 0 || behind_vendor(text, vendor, ",") != NULL);
}
