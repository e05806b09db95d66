// SPDX-License-Identifier: Apache-2.0
/* Kernels of the emulated device under the sanitizers: programs, modules, and launches whose memory goes away. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../main/c/shared/device_kernels.h"
#include "kernel_source.h"

enum { PATIENCE_MS = 10000, COUNT = 1000, ROUNDS = 200 };

#define CHECK(holds) check((holds), #holds, __LINE__)

static void check(bool holds, const char* what, int line) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED in line %d: %s\n", line, what);
    exit(1);
  }
}

static emu_result settle(emu_stream* stream) {
  struct timespec rest = {0, 1000000};
  emu_result now = emu_stream_query(stream);
  for (int waited = 0; now == EMU_NOT_READY && waited < PATIENCE_MS; waited++) {
    (void)nanosleep(&rest, NULL);
    now = emu_stream_query(stream);
  }
  return now;
}

static emu_result launch(const emu_kernel* kernel, unsigned blocks, void* to, void* left, void* right, emu_stream* on) {
  unsigned long long count = COUNT;
  void* arguments[] = {&to, &left, &right, &count};
  return emu_launch(kernel, (emu_grid){blocks, 32}, arguments, on);
}

static void programs_know_their_sources(void) {
  emu_program* program = NULL;
  char text[256] = "";
  size_t size = 0;
  CHECK(emu_program_create(&program, "int x;") == EMU_COMPILED);
  CHECK(emu_program_compile(program) == EMU_NOT_COMPILED);
  CHECK(emu_program_code(program, &size, text) == EMU_INVALID_PROGRAM);
  CHECK(emu_program_log(program, &size, NULL) == EMU_COMPILED && size <= sizeof text);
  CHECK(emu_program_log(program, NULL, text) == EMU_COMPILED && strlen(text) + 1 == size);
  CHECK(emu_program_destroy(&program) == EMU_COMPILED && program == NULL);
  CHECK(emu_program_destroy(&program) == EMU_INVALID_PROGRAM);
  CHECK(emu_program_create(&program, kernel_source[EMU_REDUCTIONS]) == EMU_COMPILED);
  CHECK(emu_program_code(program, &size, text) == EMU_INVALID_PROGRAM);
  CHECK(emu_program_compile(program) == EMU_COMPILED);
  CHECK(emu_program_code(program, &size, text) == EMU_COMPILED);
  CHECK(strcmp(text, emu_kernels_code(EMU_REDUCTIONS)) == 0);
  CHECK(emu_program_destroy(&program) == EMU_COMPILED);
  CHECK(emu_program_create(&program, kernel_source[EMU_CHECKSUM]) == EMU_COMPILED);
  CHECK(emu_program_compile(program) == EMU_COMPILED);
  CHECK(emu_program_code(program, &size, text) == EMU_COMPILED);
  CHECK(strcmp(text, emu_kernels_code(EMU_CHECKSUM)) == 0);
  CHECK(emu_program_destroy(&program) == EMU_COMPILED);
}

/* At the end of a block: one byte more would be outside. Twice, as the kernel adds to what is there. */
static void the_checksum_has_a_word_for_its_result(const emu_kernel* checksum) {
  static const char text[] = "123456789";
  unsigned long long count = sizeof text - 1;
  emu_stream* stream = NULL;
  char* bytes = NULL;
  unsigned* crc = NULL;
  CHECK(emu_stream_create(&stream) == EMU_OK);
  CHECK(emu_allocate_pinned((size_t)count, (void**)&bytes) == EMU_OK);
  CHECK(emu_allocate_pinned(sizeof *crc, (void**)&crc) == EMU_OK);
  memcpy(bytes, text, (size_t)count);
  *crc = 0;
  void* arguments[] = {&crc, &bytes, &count};
  CHECK(emu_launch(checksum, (emu_grid){2, 32}, arguments, stream) == EMU_OK);
  CHECK(settle(stream) == EMU_OK && *crc == 0xe3069283u);
  CHECK(emu_launch(checksum, (emu_grid){1, 1}, arguments, stream) == EMU_OK);
  CHECK(settle(stream) == EMU_OK && *crc == 0);
  count++;
  CHECK(emu_launch(checksum, (emu_grid){1, 1}, arguments, stream) == EMU_OK);
  CHECK(settle(stream) == EMU_STREAM_FAILED);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
  CHECK(emu_release(bytes, EMU_PINNED) == EMU_OK);
  CHECK(emu_release(crc, EMU_PINNED) == EMU_OK);
}

/* Nothing of another source is in a module. */
static void checksums_have_a_module_of_their_own(void) {
  void* module = NULL;
  const emu_kernel* found = NULL;
  CHECK(emu_kernels_load(emu_kernels_code(EMU_CHECKSUM), &module) == EMU_OK);
  CHECK(emu_kernels_find(module, "tombolo_sum_i32", &found) == EMU_INVALID_VALUE);
  CHECK(emu_kernels_find(module, "tombolo_crc32c", &found) == EMU_OK && found != NULL);
  the_checksum_has_a_word_for_its_result(found);
  CHECK(emu_kernels_unload(module) == EMU_OK && emu_kernels_unload(module) == EMU_INVALID_HANDLE);
  CHECK(emu_kernels_find(module, "tombolo_crc32c", &found) == EMU_INVALID_VALUE);
}

/* All addresses in one block, in two, and pinned beside device memory; more threads than elements and fewer. */
static void launches_combine_where_memory_lies(const emu_kernel* sum) {
  emu_stream* stream = NULL;
  int* device = NULL;
  int* pinned = NULL;
  CHECK(emu_stream_create(&stream) == EMU_OK);
  CHECK(emu_allocate(2 * COUNT * sizeof *device, (void**)&device) == EMU_OK);
  CHECK(emu_allocate_pinned(COUNT * sizeof *pinned, (void**)&pinned) == EMU_OK);
  for (int i = 0; i < COUNT; i++) pinned[i] = i;
  CHECK(emu_fill(device, 0, 2 * COUNT * sizeof *device, stream) == EMU_OK);
  CHECK(launch(sum, 1, device, device + COUNT, pinned, stream) == EMU_OK);
  CHECK(launch(sum, 1000, device + COUNT, device, device, stream) == EMU_OK);
  CHECK(launch(sum, 7, pinned, device + COUNT, pinned, stream) == EMU_OK);
  CHECK(settle(stream) == EMU_OK);
  for (int i = 0; i < COUNT; i++) CHECK(pinned[i] == 3 * i);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
  CHECK(emu_release(device, EMU_DEVICE) == EMU_OK);
  CHECK(emu_release(pinned, EMU_PINNED) == EMU_OK);
}

static void memory_may_go_away_under_launches(const emu_kernel* sum) {
  for (int round = 0; round < ROUNDS; round++) {
    emu_stream* stream = NULL;
    int* block = NULL;
    CHECK(emu_stream_create(&stream) == EMU_OK);
    CHECK(emu_allocate(COUNT * sizeof *block, (void**)&block) == EMU_OK);
    for (int i = 0; i < 4; i++) {
      emu_result queued = launch(sum, 1, block, block, block, stream);
      CHECK(queued == EMU_OK || queued == EMU_STREAM_FAILED);
    }
    CHECK(emu_release(block, EMU_DEVICE) == EMU_OK);
    emu_result end = settle(stream);
    CHECK(end == EMU_OK || end == EMU_STREAM_FAILED);
    CHECK(emu_stream_destroy(stream) == EMU_OK);
  }
}

static void foreign_memory_fails_the_stream(const emu_kernel* sum) {
  static int foreign[COUNT];
  emu_stream* stream = NULL;
  CHECK(emu_stream_create(&stream) == EMU_OK);
  CHECK(launch(sum, 1, foreign, foreign, foreign, stream) == EMU_OK);
  CHECK(settle(stream) == EMU_STREAM_FAILED);
  CHECK(launch(sum, 1, foreign, foreign, foreign, stream) == EMU_STREAM_FAILED);
  CHECK(emu_stream_destroy(stream) == EMU_OK);
}

int main(void) {
  void* module = NULL;
  programs_know_their_sources();
  checksums_have_a_module_of_their_own();
  const emu_kernel* sum = NULL;
  CHECK(emu_kernels_load("something else", &module) == EMU_INVALID_VALUE);
  CHECK(emu_kernels_load(emu_kernels_code(EMU_REDUCTIONS), &module) == EMU_OK);
  CHECK(emu_kernels_find(module, "tombolo_sum", &sum) == EMU_INVALID_VALUE && sum == NULL);
  CHECK(emu_kernels_find(module, "tombolo_sum_i32", &sum) == EMU_OK && sum != NULL);
  launches_combine_where_memory_lies(sum);
  memory_may_go_away_under_launches(sum);
  foreign_memory_fails_the_stream(sum);
  CHECK(launch(sum, 0, NULL, NULL, NULL, NULL) == EMU_INVALID_VALUE);
  CHECK(emu_kernels_unload(module) == EMU_OK && emu_kernels_unload(module) == EMU_INVALID_HANDLE);
  CHECK(launch(sum, 1, NULL, NULL, NULL, NULL) == EMU_INVALID_HANDLE);
  return 0;
}
