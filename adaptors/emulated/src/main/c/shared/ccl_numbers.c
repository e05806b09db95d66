// SPDX-License-Identifier: Apache-2.0
/* Between a vendor's numbers and the engine's. */
#include "emu_numbers.h"
#include "emu_settings.h"

static bool find(const int* numbers, int size, int number, int* index) {
  for (int i = 0; number >= 0 && i < size; i++) {
    if (numbers[i] == number) {
      *index = i;
      return true;
    }
  }
  return false;
}

int emu_version(void) { return (int)emu_setting("TOMBOLO_EMU_VERSION", emu_numbers.version); }

bool emu_type_of(int number, enum engine_type* type) {
  int index = 0;
  bool found = find(emu_numbers.types, ENGINE_TYPES, number, &index);
  *type = (enum engine_type)index;
  return found;
}

bool emu_op_of(int number, enum engine_op* op) {
  int index = 0;
  bool found = find(emu_numbers.ops, ENGINE_OPS, number, &index);
  *op = (enum engine_op)index;
  return found;
}

int emu_number_of(enum engine_result result) { return emu_numbers.results[result]; }

const char* emu_result_text(int number) {
  static const char* const TEXTS[ENGINE_RESULTS] = {
      [ENGINE_OK] = "no error",
      [ENGINE_SYSTEM] = "unhandled system error (emulated)",
      [ENGINE_ARGUMENT] = "invalid argument (emulated)",
      [ENGINE_USAGE] = "invalid usage (emulated)",
      [ENGINE_REMOTE] = "remote process exited or there was a network error (emulated)",
      [ENGINE_INTERNAL] = "internal error (emulated)",
      [ENGINE_DEVICE] = "unhandled device error (emulated)",
  };
  int index = 0;
  return find(emu_numbers.results, ENGINE_RESULTS, number, &index) ? TEXTS[index] : "unknown result code (emulated)";
}
