// SPDX-License-Identifier: Apache-2.0
/* mpirun -n RANKS mpi SIZE...: all_reduce of f32 by MPI. */
#include <mpi.h>
#include <string.h>

#include "times.h"

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (char** size = argv + 1; *size != NULL; size++) {
    size_t bytes = strtoull(*size, NULL, 10);
    float* in = malloc(bytes);
    float* out = malloc(bytes);
    memset(in, 0, bytes);
    memset(out, 0, bytes);
    MEASURE(bytes, MPI_Allreduce(in, out, (int)(bytes / 4), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
    free(in);
    free(out);
  }
  return MPI_Finalize();
}
