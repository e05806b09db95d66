// SPDX-License-Identifier: Apache-2.0
/* What one vendor calls the engine's types, operators and results: filled from the witness table of its header. */
#ifndef EMU_NUMBERS_H
#define EMU_NUMBERS_H

#include "engine.h"

enum { EMU_NO_NUMBER = -1 };

struct emu_numbers {
  const char* vendor; /* as this project calls it: emu-nvidia */
  const char* device; /* whose devices it emulates, in their names */
  int version;
  int results[ENGINE_RESULTS];
  int types[ENGINE_TYPES];
  int ops[ENGINE_OPS];
};

/* The vendor of this library; each library has exactly one. */
extern const struct emu_numbers emu_numbers;

/* The version to report: the vendor's, or what TOMBOLO_EMU_VERSION says. */
int emu_version(void);

/* The engine's name for the vendor's number; false if the vendor has no such number. */
bool emu_type_of(int number, enum engine_type* type);
bool emu_op_of(int number, enum engine_op* op);

/* The vendor's number for the engine's result. */
int emu_number_of(enum engine_result result);

/* The vendor's result in words. */
const char* emu_result_text(int number);

#endif
