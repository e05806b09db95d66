// SPDX-License-Identifier: Apache-2.0
/* hipRTC in front of the emulated compiler; numbers and prototypes as in hiprtc.h (witness/hiprtc.tsv). */
#include "witness_hiprtc.h"

#define RTC(call) hiprtc##call
#define RTC_CODE hiprtcGetCode
#define RTC_CODE_SIZE hiprtcGetCodeSize
#define RTC_NUMBER(result) HIPRTC_##result
#define RTC_PREFIX "HIPRTC_"

enum { RTC_MAJOR = 5, RTC_MINOR = 2 };

#define RTC_TAKES_SIGNALS false

#include "../shared/compiler_like.h"
