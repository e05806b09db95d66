// SPDX-License-Identifier: Apache-2.0
/*
 * What CUDA's streams can and those of some runtimes cannot: waiting for words, and writing them. Tests hold the emulations'
 * streams by it, as no call of those vendors would; nothing else asks for these names.
 */
#include "device_engine.h"

#define API __attribute__((visibility("default")))

static bool reached(uint64_t word, uint64_t value) { return (int64_t)(word - value) >= 0; }

API int emuStreamWaitValue64(emu_stream* on, uint64_t word, uint64_t value, unsigned flags) {
  (void)flags;
  return (int)emu_wait_value((void*)(uintptr_t)word, value, UINT64_MAX, reached, on);
}

API int emuStreamWriteValue64(emu_stream* on, uint64_t word, uint64_t value, unsigned flags) {
  (void)flags;
  return (int)emu_write_value((void*)(uintptr_t)word, value, on);
}
