// SPDX-License-Identifier: Apache-2.0
/* Which of the devices' habits are on. */
#include "emu_strict.h"

#include <pthread.h>
#include <stdio.h>

#include "emu_numbers.h"
#include "emu_settings.h"

enum { LINE_BYTES = 1024 };

/* Those of which devices are kind unless somebody asks for them. */
static bool is_usual(int habit) {
  return habit != EMU_LOCKS && habit != EMU_SHARES && habit != EMU_GATES && habit != EMU_PAGEABLES;
}

static bool on[EMU_STRICTNESSES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Says which are off at somebody's wish, so that nobody takes a kind device for a real one. */
static void read_environment(void) {
  char kinder[LINE_BYTES] = "";
  size_t said = 0;
  for (int i = 0; i < EMU_STRICTNESSES; i++) {
    const char* word = emu_strict_word((emu_strictness)i);
    bool kind = emu_quirk("TOMBOLO_EMU_KIND", word);
    on[i] = !kind && (is_usual(i) || emu_quirk("TOMBOLO_EMU_UNKIND", word));
    if (kind) {
      said += (size_t)snprintf(kinder + said, sizeof kinder - said, " %s", word);
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
