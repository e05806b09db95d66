// SPDX-License-Identifier: Apache-2.0
/* The kernels, as PTX. Each text that is loaded has another number in it, so that no cache of compiled code has it. */
#ifndef KERNELS_H
#define KERNELS_H

/*
 * empty: nothing. spin: says that it has started, and polls a word until it is not 0, for 4 s at most. put: writes a word.
 * fault: writes to address 0.
 */
static const char KERNELS[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .global .align 4 .u32 edition = %u;\n"
    ".visible .entry empty() { ret; }\n"
    ".visible .entry spin(.param .u64 word, .param .u64 started) {\n"
    "  .reg .pred %%p<3>;\n"
    "  .reg .b32 %%r<3>;\n"
    "  .reg .b64 %%rd<5>;\n"
    "  ld.param.u64 %%rd1, [word];\n"
    "  ld.param.u64 %%rd2, [started];\n"
    "  mov.u32 %%r1, 1;\n"
    "  st.relaxed.sys.u32 [%%rd2], %%r1;\n"
    "  mov.u64 %%rd3, %%globaltimer;\n"
    "AGAIN:\n"
    "  ld.relaxed.sys.u32 %%r2, [%%rd1];\n"
    "  setp.ne.u32 %%p1, %%r2, 0;\n"
    "  @%%p1 bra DONE;\n"
    "  mov.u64 %%rd4, %%globaltimer;\n"
    "  sub.u64 %%rd4, %%rd4, %%rd3;\n"
    "  setp.lt.u64 %%p2, %%rd4, 4000000000;\n"
    "  @%%p2 bra AGAIN;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n"
    ".visible .entry put(.param .u64 word, .param .u64 value) {\n"
    "  .reg .b64 %%rd<3>;\n"
    "  ld.param.u64 %%rd1, [word];\n"
    "  ld.param.u64 %%rd2, [value];\n"
    "  st.relaxed.sys.u64 [%%rd1], %%rd2;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry fault() {\n"
    "  .reg .b32 %%r<2>;\n"
    "  .reg .b64 %%rd<2>;\n"
    "  mov.u64 %%rd1, 0;\n"
    "  mov.u32 %%r1, 1;\n"
    "  st.global.u32 [%%rd1], %%r1;\n"
    "  ret;\n"
    "}\n";

#endif
