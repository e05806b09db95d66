// SPDX-License-Identifier: Apache-2.0
/* NVRTC in front of the emulated compiler; numbers and prototypes as in nvrtc.h (witness/nvrtc.tsv). */
#include "witness_nvrtc.h"

#define RTC(call) nvrtc##call
#define RTC_CODE nvrtcGetPTX
#define RTC_CODE_SIZE nvrtcGetPTXSize
#define RTC_NUMBER(result) NVRTC_##result
#define RTC_PREFIX "NVRTC_"

enum { RTC_MAJOR = 12, RTC_MINOR = 9 };

#include "../shared/compiler_like.h"
