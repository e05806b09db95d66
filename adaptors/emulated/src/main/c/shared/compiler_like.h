// SPDX-License-Identifier: Apache-2.0
/*
 * A vendor's run-time compiler in front of the emulated one. NVRTC's interface and hipRTC's are alike; who includes this
 * says what they are called: RTC(call), RTC_CODE and RTC_CODE_SIZE, RTC_NUMBER(result), RTC_PREFIX of results in words,
 * the version RTC_MAJOR, RTC_MINOR, and RTC_TAKES_SIGNALS, whether it takes signals from the process while it compiles.
 */
#include <stdio.h>

#include "device_kernels.h"
#include "emu_strict.h"

#define API __attribute__((visibility("default")))

static int number(emu_compiled answer) {
  switch (answer) {
    case EMU_COMPILED: return RTC_NUMBER(SUCCESS);
    case EMU_NO_MEMORY: return RTC_NUMBER(ERROR_OUT_OF_MEMORY);
    case EMU_INVALID_INPUT: return RTC_NUMBER(ERROR_INVALID_INPUT);
    case EMU_INVALID_PROGRAM: return RTC_NUMBER(ERROR_INVALID_PROGRAM);
    case EMU_NOT_COMPILED: return RTC_NUMBER(ERROR_COMPILATION);
  }
  return RTC_NUMBER(ERROR_INTERNAL_ERROR);
}

API const char* RTC(GetErrorString)(int result) {
  static _Thread_local char text[64];
  for (emu_compiled answer = EMU_COMPILED; answer <= EMU_NOT_COMPILED; answer++) {
    if (number(answer) == result) {
      (void)snprintf(text, sizeof text, RTC_PREFIX "%s", emu_compiled_text(answer));
      return text;
    }
  }
  return RTC_PREFIX "ERROR unknown";
}

API int RTC(Version)(int* major, int* minor) {
  *major = RTC_MAJOR;
  *minor = RTC_MINOR;
  return RTC_NUMBER(SUCCESS);
}

API int RTC(CreateProgram)(emu_program** program, const char* source, const char* name, int headers,
                                   const char* const* texts, const char* const* names) {
  (void)name;
  (void)texts;
  (void)names;
  return headers != 0 ? RTC_NUMBER(ERROR_INVALID_INPUT) : number(emu_program_create(program, source));
}

API int RTC(CompileProgram)(emu_program* program, int count, const char* const* options) {
  (void)options;
  if (RTC_TAKES_SIGNALS) {
    emu_report("the emulated run-time compiler took SIGTERM from the process, as its original does while it compiles");
    return RTC_NUMBER(ERROR_INTERNAL_ERROR);
  }
  return count < 0 ? RTC_NUMBER(ERROR_INVALID_INPUT) : number(emu_program_compile(program));
}

API int RTC_CODE_SIZE(emu_program* program, size_t* size) {
  return number(emu_program_code(program, size, NULL));
}

API int RTC_CODE(emu_program* program, char* to) { return number(emu_program_code(program, NULL, to)); }

API int RTC(GetProgramLogSize)(emu_program* program, size_t* size) {
  return number(emu_program_log(program, size, NULL));
}

API int RTC(GetProgramLog)(emu_program* program, char* to) {
  return number(emu_program_log(program, NULL, to));
}

API int RTC(DestroyProgram)(emu_program** program) { return number(emu_program_destroy(program)); }
