// SPDX-License-Identifier: Apache-2.0
/* Opening Open MPI, and finding its functions and its data. */
#include "mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct mpi library;
static bool opened;
static char problem[256];

/* Notes the first symbol that is missing. */
static void* find(void* handle, const char* name) {
  void* symbol = dlsym(handle, name);
  if (symbol == NULL && problem[0] == '\0') {
    (void)snprintf(problem, sizeof problem, "libmpi has no symbol %s: not Open MPI 4?", name);
  }
  return symbol;
}

#define FIND_FUNCTION(name, arguments) *(void**)&library.name = find(handle, "MPI_" #name);
#define FIND_TYPE(type, name, symbol) library.types[type] = find(handle, #symbol);
#define FIND_OPERATOR(op, name, symbol) library.ops[op] = find(handle, #symbol);
#define TEXT_OF(symbol) #symbol
#define TEXT(symbol) TEXT_OF(symbol)

/*
 * Unless the user has set them: one host, no signal handlers in a JVM, and waiting yields where processes outnumber cores.
 * Never AVX for operators: in 4.1.4 its sums of 8- and 16-bit integers saturate (ompi/mca/op/avx uses _mm512_adds_epi8 and
 * the like), where MPI's wrap around.
 */
static void preset(void) {
  static const char* const SETTINGS[][2] = {
      {"OMPI_MCA_pml", "ob1"},         {"OMPI_MCA_btl", "vader,self"},     {"OMPI_MCA_osc", "^ucx"},
      {"OMPI_MCA_coll", "^hcoll,ucc"}, {"OMPI_MCA_mpi_yield_when_idle", "1"}, {"OMPI_MCA_opal_signal", ""},
      {"OMPI_MCA_mtl", "^ofi,psm,psm2"},
  };
  for (size_t i = 0; i < sizeof SETTINGS / sizeof *SETTINGS; i++) {
    (void)setenv(SETTINGS[i][0], SETTINGS[i][1], 0);
  }
  (void)setenv("OMPI_MCA_op", "^avx", 1);
}

static void open_library(void) {
  preset();
  void* handle = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE); /* its plug-ins look for its symbols */
  if (handle == NULL) {
    (void)snprintf(problem, sizeof problem, "%s", dlerror());
    return;
  }
  MPI_FUNCTIONS(FIND_FUNCTION)
  MPI_TYPES(FIND_TYPE)
  MPI_OPERATORS(FIND_OPERATOR)
  library.world = find(handle, TEXT(MPI_WORLD_SYMBOL));
  library.errors_return = find(handle, TEXT(MPI_ERRORS_SYMBOL));
  opened = problem[0] == '\0';
}

const struct mpi* mpi_library(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, open_library);
  if (!opened) {
    (void)engine_error(ENGINE_SYSTEM, "Open MPI cannot be opened: %s", problem);
  }
  return opened ? &library : NULL;
}

enum engine_result mpi_check(const struct mpi* mpi, int code, const char* call) {
  if (code == MPI_SUCCESS_VALUE) {
    return ENGINE_OK;
  }
  char text[MPI_TEXT_BYTES] = "";
  int length;
  (void)mpi->Error_string(code, text, &length);
  return engine_error(ENGINE_SYSTEM, "%s: code %d, %s", call, code, text);
}

/* "Open MPI v4.1.4, package: ..." becomes 40104. */
enum engine_result engine_version(int* version) {
  const struct mpi* mpi = mpi_library();
  if (mpi == NULL) {
    return ENGINE_SYSTEM;
  }
  if (!mpi_job_can_start()) { /* the version is what availability asks for */
    return engine_error(ENGINE_SYSTEM, "there is no mpirun in PATH");
  }
  char text[MPI_TEXT_BYTES] = "";
  int length;
  int parts[3];
  enum engine_result result = mpi_check(mpi, mpi->Get_library_version(text, &length), "MPI_Get_library_version");
  if (result == ENGINE_OK && sscanf(text, "Open MPI v%d.%d.%d", &parts[0], &parts[1], &parts[2]) != 3) {
    return engine_error(ENGINE_SYSTEM, "this is not Open MPI: %.100s", text);
  }
  *version = parts[0] * 10000 + parts[1] * 100 + parts[2];
  return result;
}
