// SPDX-License-Identifier: Apache-2.0
/* What the environment asks of an emulated library; the variables are in docs/working-on-it.md. */
#ifndef EMU_SETTINGS_H
#define EMU_SETTINGS_H

#include <stdbool.h>

/* The whole number in the environment variable `name`, or `otherwise` when it is unset. */
long emu_setting(const char* name, long otherwise);

/*
 * The number for `vendor` in `name`: the variable is a number for everyone, or vendors with theirs, separated by
 * commas: emu-amd:150,emu-intel:20. `otherwise` when there is none.
 */
long emu_setting_of(const char* name, const char* vendor, long otherwise);

/* Whether `name` asks for a quirk of `vendor`: it is 1, or among its words, separated by commas, is `vendor`. */
bool emu_quirk(const char* name, const char* vendor);

#endif
