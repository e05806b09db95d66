// SPDX-License-Identifier: Apache-2.0
/*
 * The emulated run-time compiler. It knows two texts, reduce.cu and crc32c.cu, which were compiled when the emulation was;
 * anything else it refuses, with a log that says so. TOMBOLO_EMU_COMPILER_FAILS: it refuses these too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_kernels.h"
#include "emu_numbers.h"
#include "emu_settings.h"
#include "kernel_source.h"

enum { LOG_BYTES = 160 };

_Static_assert(sizeof kernel_source / sizeof *kernel_source == EMU_SOURCES, "a text for each source");

struct emu_program {
  emu_source source; /* EMU_SOURCES: one that it does not know */
  bool compiled;
  char log[LOG_BYTES];
};

emu_compiled emu_program_create(emu_program** program, const char* source) {
  if (program == NULL || source == NULL) {
    return EMU_INVALID_INPUT;
  }
  emu_program* made = calloc(1, sizeof *made);
  if (made == NULL) {
    return EMU_NO_MEMORY;
  }
  int known = EMU_REDUCTIONS;
  while (known < EMU_SOURCES && strcmp(source, kernel_source[known]) != 0) {
    known++;
  }
  made->source = (emu_source)known;
  *program = made;
  return EMU_COMPILED;
}

emu_compiled emu_program_compile(emu_program* program) {
  if (program == NULL) {
    return EMU_INVALID_PROGRAM;
  }
  bool fails = emu_quirk("TOMBOLO_EMU_COMPILER_FAILS", emu_numbers.vendor);
  program->compiled = program->source != EMU_SOURCES && !fails;
  if (!program->compiled) {
    (void)snprintf(program->log, sizeof program->log, "tombolo.cu: error: %s",
                   fails ? "TOMBOLO_EMU_COMPILER_FAILS is set"
                         : "the emulated compiler knows the kernels of this build and no other source");
  }
  return program->compiled ? EMU_COMPILED : EMU_NOT_COMPILED;
}

emu_compiled emu_program_destroy(emu_program** program) {
  if (program == NULL || *program == NULL) {
    return EMU_INVALID_PROGRAM;
  }
  free(*program);
  *program = NULL;
  return EMU_COMPILED;
}

static emu_compiled give(const char* text, size_t* size, char* to) {
  size_t bytes = strlen(text) + 1;
  if (size != NULL) {
    *size = bytes;
  }
  if (to != NULL) {
    memcpy(to, text, bytes);
  }
  return EMU_COMPILED;
}

emu_compiled emu_program_code(const emu_program* program, size_t* size, char* to) {
  return program == NULL || !program->compiled ? EMU_INVALID_PROGRAM : give(emu_kernels_code(program->source), size, to);
}

emu_compiled emu_program_log(const emu_program* program, size_t* size, char* to) {
  return program == NULL ? EMU_INVALID_PROGRAM : give(program->log, size, to);
}

const char* emu_compiled_text(emu_compiled answer) {
  switch (answer) {
    case EMU_COMPILED: return "SUCCESS";
    case EMU_NO_MEMORY: return "ERROR_OUT_OF_MEMORY";
    case EMU_INVALID_INPUT: return "ERROR_INVALID_INPUT";
    case EMU_INVALID_PROGRAM: return "ERROR_INVALID_PROGRAM";
    case EMU_NOT_COMPILED: return "ERROR_COMPILATION";
  }
  return "ERROR_INTERNAL_ERROR";
}
