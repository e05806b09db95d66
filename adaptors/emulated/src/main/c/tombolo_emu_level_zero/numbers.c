// SPDX-License-Identifier: Apache-2.0
/* There is no collective library here: only what the emulated device asks for. */
#include "emu_numbers.h"

const struct emu_numbers emu_numbers = {.vendor = "emu-level-zero", .device = "Intel GPU"};
