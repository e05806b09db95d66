// SPDX-License-Identifier: Apache-2.0
/* What is called of Open MPI against its real mpi.h: prototypes by the compiler, names of data by what its macros become. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifndef OPEN_MPI
#error "this mpi.h is not Open MPI's"
#endif

typedef MPI_Comm mpi_comm;
typedef MPI_Group mpi_group;
typedef MPI_Datatype mpi_type;
typedef MPI_Op mpi_op;
typedef MPI_Request mpi_request;
typedef MPI_Status mpi_status;
typedef MPI_Errhandler mpi_errhandler;

#include "../../../main/c/tombolo_mpi/mpi_names.h"

#define SAME_PROTOTYPE(name, arguments) \
  _Static_assert(_Generic(&MPI_##name, int(*) arguments: 1, default: 0), "MPI_" #name);
MPI_FUNCTIONS(SAME_PROTOTYPE)

_Static_assert(sizeof(MPI_Comm) == sizeof(void*) && sizeof(MPI_Datatype) == sizeof(void*) && sizeof(MPI_Op) == sizeof(void*) &&
                   sizeof(MPI_Group) == sizeof(void*) && sizeof(MPI_Request) == sizeof(void*),
               "handles are pointers");
_Static_assert(MPI_SUCCESS == MPI_SUCCESS_VALUE && MPI_THREAD_MULTIPLE == MPI_MULTIPLE_VALUE, "numbers");
_Static_assert(MPI_MAX_LIBRARY_VERSION_STRING <= MPI_TEXT_BYTES && MPI_MAX_ERROR_STRING <= MPI_TEXT_BYTES, "texts");

#define TEXT_OF(words) #words
#define TEXT(words) TEXT_OF(words)

struct name {
  const char* expansion; /* of MPI's macro */
  const char* symbol;    /* of ours */
};

#define ENTRY(number, name, symbol) {TEXT(name), "(" #symbol ")"},
static const struct name names[] = {
    MPI_TYPES(ENTRY) MPI_OPERATORS(ENTRY){TEXT(MPI_COMM_WORLD), "(" TEXT(MPI_WORLD_SYMBOL) ")"},
    {TEXT(MPI_ERRORS_RETURN), "(" TEXT(MPI_ERRORS_SYMBOL) ")"},
};

int main(void) {
  size_t count = sizeof names / sizeof *names;
  int failed = MPI_IN_PLACE != (void*)MPI_IN_PLACE_VALUE || MPI_STATUSES_IGNORE != NULL;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) { /* any other symbol in its place would be noticed */
      if ((strstr(names[i].expansion, names[j].symbol) != NULL) != (i == j)) {
        (void)fprintf(stderr, "FAILED: %s and %s\n", names[i].expansion, names[j].symbol);
        failed++;
      }
    }
  }
  return failed != 0;
}
