// SPDX-License-Identifier: Apache-2.0
/* MUSA's driver API: CUDA's under another prefix, with waits and writes of one version (witness/musa.tsv); no collectives. */
#include "emu_settings.h"
#include "witness_musa.h"

#define NAME(suffix) mu##suffix
#define WAIT_VALUE muStreamWaitValue64
#define WRITE_VALUE muStreamWriteValue64
#define NUMBER(code) MUSA_##code
#define CAPTURE_NUMBER(result) MUSA_ERROR_UNKNOWN /* nothing here captures */
#define WORDS_REFUSED (emu_quirk("TOMBOLO_EMU_LACKS", "words") ? MUSA_ERROR_INVALID_VALUE : MUSA_SUCCESS)
#define FLAG(name) MU_##name
#define ERROR(code, text) {MUSA_##code, "MUSA_" #code, text}
#define DEVICE_TEXT "emulated MUSA device"
#define FIRST_BUS 0x40

#include "../shared/driver_like.h"

const struct emu_numbers emu_numbers = {.vendor = "emu-musa", .device = "MUSA"};
