// SPDX-License-Identifier: Apache-2.0
/*
 * All variables of the emulated vendors. What none of them is changes nothing, and whoever wrote it believes what a test says
 * of another device: so it is reported.
 */
#include "settings_known.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "emu_strict.h"

#define PREFIX "TOMBOLO_EMU_"

enum { LONGEST = 48, TEXT_BYTES = 128 };

typedef enum form {
  ANYTHING,
  NUMBER,
  NUMBERS,  /* one, or vendors with theirs: emu-amd:150,emu-intel:20 */
  SWITCHES, /* 1, or words */
} form;

static const char* const HABITS[EMU_STRICTNESSES + 1] = {
    [EMU_FREES] = "frees",     [EMU_ALLOCATIONS] = "allocations",
    [EMU_MODULES] = "modules", [EMU_REGISTRATIONS] = "registrations",
    [EMU_LOCKS] = "locks",     [EMU_LEGACY] = "legacy",
    [EMU_QUEUES] = "queues",   [EMU_SHARES] = "shares",
    [EMU_SIGNALS] = "signals", [EMU_CAPTURE] = "capture",
    [EMU_ABORTS] = "aborts",   [EMU_CONNECTS] = "connects",
    [EMU_GATES] = "gates",     [EMU_PAGEABLES] = "pageable",
};

static const char* const ABILITIES[] = {"words", "host-pointers", "flush", "signals", "captures", "at-least", NULL};

static const char* const VENDORS[] = {"emu-nvidia",        "emu-amd",   "emu-intel",     "emu-ascend", "emu-kunlunxin",
                                      "emu-kunlunxin-xre", "emu-gaudi", "emu-cambricon", "emu-musa",   "emu-maca",
                                      "emu-level-zero",    "emu-tops",  NULL};

typedef struct variable {
  const char* name;
  form form;
  const char* const* words; /* of SWITCHES and NUMBERS */
} variable;

static const variable variables[] = {
    {"ABORTS", SWITCHES, VENDORS},
    {"ASYNC_ERROR_AT", NUMBER, NULL},
    {"BLOCK_COUNT", NUMBERS, VENDORS},
    {"COHERENT", NUMBER, NULL},
    {"COMPILER_FAILS", SWITCHES, VENDORS},
    {"DEADLOCK_MS", NUMBER, NULL},
    {"DEVICES", NUMBER, NULL},
    {"EQUAL_COUNTS_ONLY", SWITCHES, VENDORS},
    {"FAIL_ALLOCATION", NUMBER, NULL},
    {"FAIL_COPY", NUMBER, NULL},
    {"FAULTS", ANYTHING, NULL},
    {"HANG_AT", NUMBER, NULL},
    {"INIT_TIMEOUT_MS", NUMBER, NULL},
    {"KIND", SWITCHES, HABITS},
    {"LACKS", SWITCHES, ABILITIES},
    {"MEMORY_MIB", NUMBER, NULL},
    {"MISSING", ANYTHING, NULL}, /* functions of any vendor */
    {"MODELS", ANYTHING, NULL},
    {"NO_ABORT", NUMBER, NULL},
    {"NO_PEERS", NUMBER, NULL},
    {"PINNED_MIB", NUMBER, NULL},
    {"PRIORITIES", SWITCHES, VENDORS},
    {"QUEUE_SEED", NUMBER, NULL},
    {"QUEUES", NUMBER, NULL},
    {"REPORT", ANYTHING, NULL},
    {"SAME_ARCHITECTURE_ONLY", SWITCHES, VENDORS},
    {"SAME_ORDER_ONLY", SWITCHES, VENDORS},
    {"SLOW_INIT_MS", NUMBERS, VENDORS},
    {"SLOW_QUESTION_US", NUMBER, NULL},
    {"SLOW_US", NUMBERS, VENDORS},
    {"STRANGE_CODE", NUMBER, NULL},
    {"UNKIND", SWITCHES, HABITS},
    {"VERSION", NUMBER, NULL},
};

enum { VARIABLES = sizeof variables / sizeof *variables };

static pthread_once_t once = PTHREAD_ONCE_INIT;

const char* emu_strict_word(emu_strictness which) { return HABITS[which]; }

static size_t least(size_t first, size_t second) { return first < second ? first : second; }

/* Levenshtein's: how many letters have to be put in, taken out or exchanged. */
static size_t distance(const char* from, size_t length, const char* to) {
  size_t row[LONGEST + 1];
  size_t wide = strlen(to);
  if (wide > LONGEST) {
    return wide;
  }
  for (size_t at = 0; at <= wide; at++) {
    row[at] = at;
  }
  for (size_t i = 1; i <= length; i++) {
    size_t above_left = row[0];
    row[0] = i;
    for (size_t at = 1; at <= wide; at++) {
      size_t above = row[at];
      size_t exchanged = above_left + (from[i - 1] != to[at - 1]);
      row[at] = least(exchanged, least(above, row[at - 1]) + 1);
      above_left = above;
    }
  }
  return row[wide];
}

typedef struct guess {
  const char* word;
  size_t distance;
} guess;

/* Begins with what no guess is as far away as. */
static guess no_guess(size_t length) { return (guess){NULL, 2 + length / 4}; }

static void consider(guess* best, const char* word, size_t length, const char* candidate) {
  size_t away = distance(word, length, candidate);
  if (away < best->distance) {
    *best = (guess){candidate, away};
  }
}

static void describe(const guess* best, const char* prefix, char text[TEXT_BYTES]) {
  (void)snprintf(text, TEXT_BYTES, best->word == NULL ? "" : "; did you mean %s%s?", prefix, best->word);
}

static bool is_number(const char* text, size_t length) {
  return length > 0 && strspn(text, "0123456789") >= length;
}

static bool is_among(const char* const* words, const char* word, size_t length) {
  for (; *words != NULL; words++) {
    if (strlen(*words) == length && strncmp(*words, word, length) == 0) {
      return true;
    }
  }
  return false;
}

static void report_number(const variable* of, const char* text, size_t length) {
  emu_report(PREFIX "%s: '%.*s' is no whole number", of->name, (int)length, text);
}

static void report_word(const variable* of, const char* word, size_t length) {
  char meant[TEXT_BYTES];
  guess best = no_guess(length);
  for (const char* const* candidate = of->words; *candidate != NULL; candidate++) {
    consider(&best, word, length, *candidate);
  }
  describe(&best, "", meant);
  emu_report(PREFIX "%s: there is no '%.*s'%s docs/emulated-devices.md and docs/working-on-it.md have its words", of->name,
             (int)length, word, *meant == '\0' ? ":" : meant);
}

/* One word of a list; with a number behind it, or without, as `of` has it. */
static void check_word(const variable* of, const char* word, size_t length) {
  const char* colon = of->form == NUMBERS ? memchr(word, ':', length) : NULL;
  size_t named = colon != NULL ? (size_t)(colon - word) : length;
  if (!is_among(of->words, word, named)) {
    report_word(of, word, named);
  } else if (of->form == NUMBERS && (colon == NULL || !is_number(colon + 1, length - named - 1))) {
    report_number(of, word, length);
  }
}

static void check_value(const variable* of, const char* text) {
  size_t all = strlen(text);
  bool is_list = of->form == SWITCHES || (of->form == NUMBERS && strchr(text, ':') != NULL);
  if (all == 0 || of->form == ANYTHING || strcmp(text, "0") == 0 || strcmp(text, "1") == 0) {
    return;
  }
  if (!is_list) {
    if (!is_number(text, all)) {
      report_number(of, text, all);
    }
    return;
  }
  for (const char* word = text; *word != '\0';) {
    size_t length = strcspn(word, ",");
    if (length > 0) {
      check_word(of, word, length);
    }
    word += length;
    word += *word == ',';
  }
}

static void report_variable(const char* name, size_t length) {
  char meant[TEXT_BYTES];
  guess best = no_guess(length);
  for (size_t i = 0; i < VARIABLES; i++) {
    consider(&best, name, length, variables[i].name);
  }
  describe(&best, PREFIX, meant);
  emu_report("there is no " PREFIX "%.*s%s docs/emulated-devices.md and docs/working-on-it.md have all of them", (int)length,
             name, *meant == '\0' ? ":" : meant);
}

static void check_variable(const char* name) {
  size_t length = strcspn(name, "=");
  for (size_t i = 0; i < VARIABLES; i++) {
    if (strlen(variables[i].name) == length && strncmp(variables[i].name, name, length) == 0) {
      check_value(&variables[i], name + length + (name[length] == '='));
      return;
    }
  }
  report_variable(name, length);
}

extern char** environ;

static void check(void) {
  for (char** each = environ; each != NULL && *each != NULL; each++) {
    if (strncmp(*each, PREFIX, strlen(PREFIX)) == 0) {
      check_variable(*each + strlen(PREFIX));
    }
  }
}

void emu_settings_check(void) { (void)pthread_once(&once, check); }
