// SPDX-License-Identifier: Apache-2.0
/* Which of the devices' habits are on, and where they are reported. */
#include "emu_strict.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu_numbers.h"
#include "emu_settings.h"

enum { LINE_BYTES = 1024 };

/* Those that are usual are on, for every test, unless somebody is kinder. */
static const struct {
  const char* word;
  bool is_usual;
} habits[EMU_STRICTNESSES] = {
    [EMU_FREES] = {"frees", true},
    [EMU_ALLOCATIONS] = {"allocations", true},
    [EMU_REGISTRATIONS] = {"registrations", true},
    [EMU_MODULES] = {"modules", true},
    [EMU_LOCKS] = {"locks", false},
    [EMU_LEGACY] = {"legacy", true},
    [EMU_QUEUES] = {"queues", true},
    [EMU_SHARES] = {"shares", false},
    [EMU_SIGNALS] = {"signals", true},
    [EMU_CAPTURE] = {"capture", true},
    [EMU_CONNECTS] = {"connects", true},
    [EMU_ABORTS] = {"aborts", true},
};

static bool on[EMU_STRICTNESSES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_habit(const char* word, size_t length) {
  for (int i = 0; i < EMU_STRICTNESSES; i++) {
    if (strlen(habits[i].word) == length && strncmp(habits[i].word, word, length) == 0) {
      return true;
    }
  }
  return false;
}

/* A word that is none changes nothing, and whoever wrote it believes what a test says of another device. */
static void report_strangers(const char* name) {
  const char* text = getenv(name);
  const char* word = text == NULL || strcmp(text, "1") == 0 ? "" : text;
  while (*word != '\0') {
    size_t length = strcspn(word, ",");
    if (length > 0 && !is_habit(word, length)) {
      emu_report("there is no habit '%.*s', which %s names: docs/emulated-devices.md has their words", (int)length, word, name);
    }
    word += length;
    word += *word == ',';
  }
}

/* Says which are off at somebody's wish, so that nobody takes a kind device for a real one. */
static void read_environment(void) {
  report_strangers("TOMBOLO_EMU_KIND");
  report_strangers("TOMBOLO_EMU_UNKIND");
  char kinder[LINE_BYTES] = "";
  size_t said = 0;
  for (int i = 0; i < EMU_STRICTNESSES; i++) {
    bool kind = emu_quirk("TOMBOLO_EMU_KIND", habits[i].word);
    on[i] = !kind && (habits[i].is_usual || emu_quirk("TOMBOLO_EMU_UNKIND", habits[i].word));
    if (kind) {
      said += (size_t)snprintf(kinder + said, sizeof kinder - said, " %s", habits[i].word);
    }
  }
  if (said > 0) {
    (void)fprintf(stderr, "%s: kinder than a device, by TOMBOLO_EMU_KIND:%s\n", emu_numbers.vendor, kinder);
  }
}

bool emu_is_strict(emu_strictness which) {
  (void)pthread_once(&once, read_environment);
  return on[which];
}

const char* emu_strict_word(emu_strictness which) { return habits[which].word; }

static void append(const char* file, const char* line) {
  FILE* to = file == NULL || *file == '\0' ? NULL : fopen(file, "ae");
  if (to != NULL) {
    (void)fputs(line, to);
    (void)fclose(to);
  }
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
