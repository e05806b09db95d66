// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels of the emulated devices, and the compiler that makes them: this project's and nothing else. Their sources,
 * reduce.cu and crc32c.cu, are C as well, and are compiled into the emulation; at run time the emulated compiler takes one
 * of these very texts and gives a note which the emulated driver knows. The vendor's files in front give both the vendor's
 * names.
 */
#ifndef DEVICE_KERNELS_H
#define DEVICE_KERNELS_H

#include "device_engine.h"
#include "device_grid.h"

/* What compiling the source gives: text with its end, as PTX is. The calling thread's. */
const char* emu_kernels_code(emu_source source);

/*
 * Loads what emu_kernels_code gave; EMU_INVALID_VALUE for anything else. As many unloads end it; EMU_INVALID_HANDLE if there is none left.
 * Code comes to the device at the first look-up of its function: "lazy loading", CUDA's default.
 */
emu_result emu_kernels_load(const void* image, void** module);
emu_result emu_kernels_unload(const void* module);

/* The kernel called `name` in a module that is loaded; EMU_INVALID_VALUE if there is none. */
emu_result emu_kernels_find(const void* module, const char* name, const emu_kernel** kernel);

/*
 * Queues a launch. `arguments` holds the addresses of the kernel's, which are read at once: its operands and the count.
 * Addresses that are no memory of the device fail the stream, as they do on a real one.
 */
emu_result emu_launch(const emu_kernel* kernel, emu_grid grid, void** arguments, emu_stream* on);

/* What the vendors' compilers answer; their numbers differ in name only. */
typedef enum emu_compiled {
  EMU_COMPILED,
  EMU_NO_MEMORY,
  EMU_INVALID_INPUT,
  EMU_INVALID_PROGRAM,
  EMU_NOT_COMPILED,
} emu_compiled;

typedef struct emu_program emu_program;

emu_compiled emu_program_create(emu_program** program, const char* source);
emu_compiled emu_program_compile(emu_program* program);
emu_compiled emu_program_destroy(emu_program** program);

/* Their bytes, the final zero included; `to` may be NULL where only the size is asked for, and the other way round. */
emu_compiled emu_program_code(const emu_program* program, size_t* size, char* to);
emu_compiled emu_program_log(const emu_program* program, size_t* size, char* to);

/* The answer in words. */
const char* emu_compiled_text(emu_compiled answer);

#endif
