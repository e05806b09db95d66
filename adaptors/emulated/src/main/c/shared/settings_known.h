// SPDX-License-Identifier: Apache-2.0
#ifndef SETTINGS_KNOWN_H
#define SETTINGS_KNOWN_H

/*
 * Reports what in the environment no emulated library understands: variables that begin with TOMBOLO_EMU_ and are none of
 * ours, and words and numbers that mean nothing there. Once for each library.
 */
void emu_settings_check(void);

#endif
