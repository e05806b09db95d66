// SPDX-License-Identifier: Apache-2.0
/* NVRTC in front of the emulated compiler; numbers and prototypes as in nvrtc.h (witness/nvrtc.tsv). */
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "witness_nvrtc.h"

#define RTC(call) nvrtc##call
#define RTC_CODE nvrtcGetPTX
#define RTC_CODE_SIZE nvrtcGetPTXSize
#define RTC_NUMBER(result) NVRTC_##result
#define RTC_PREFIX "NVRTC_"

#define RTC_TAKES_SIGNALS takes_signals()

enum { RTC_MAJOR = 12, RTC_MINOR = 9 };

static void end(int number) { _exit(128 + number); }

/* NVRTC 12.8 and 13.0 do so while they compile: what comes then ends the process at once. 13.5 does not. */
static bool takes_signals(void) {
  struct sigaction now;
  void (*before)(int) = signal(SIGTERM, end);
  bool taken = sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == end;
  (void)signal(SIGTERM, before);
  return taken;
}

#include "../shared/compiler_like.h"
