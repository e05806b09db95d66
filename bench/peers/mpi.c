// SPDX-License-Identifier: Apache-2.0
/* mpirun -n RANKS mpi OPERATION SIZE...: an operation on f32 by MPI; SIZE is that of the larger of a rank's vectors. */
#include <mpi.h>
#include <string.h>

#include "times.h"

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const char* operation = argv[1];
  for (char** size = argv + 2; *size != NULL; size++) {
    size_t bytes = strtoull(*size, NULL, 10);
    float* in = malloc(bytes);
    float* out = malloc(bytes);
    int all = (int)(bytes / sizeof *in);
    int block = all / ranks;
    memset(in, 0, bytes);
    memset(out, 0, bytes);
    if (strcmp(operation, "all_reduce") == 0) {
      MEASURE(bytes, MPI_Allreduce(in, out, all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
    } else if (strcmp(operation, "reduce") == 0) {
      MEASURE(bytes, MPI_Reduce(in, out, all, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD));
    } else if (strcmp(operation, "broadcast") == 0) {
      MEASURE(bytes, MPI_Bcast(out, all, MPI_FLOAT, 0, MPI_COMM_WORLD));
    } else if (strcmp(operation, "all_gather") == 0) {
      MEASURE(bytes, MPI_Allgather(in, block, MPI_FLOAT, out, block, MPI_FLOAT, MPI_COMM_WORLD));
    } else if (strcmp(operation, "reduce_scatter") == 0) {
      MEASURE(bytes, MPI_Reduce_scatter_block(in, out, block, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
    } else if (strcmp(operation, "all_to_all") == 0) {
      MEASURE(bytes, MPI_Alltoall(in, block, MPI_FLOAT, out, block, MPI_FLOAT, MPI_COMM_WORLD));
    } else if (strcmp(operation, "send_receive") == 0) {
      MEASURE(bytes, MPI_Sendrecv(in, all, MPI_FLOAT, next, 0, out, all, MPI_FLOAT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
      fprintf(stderr, "no operation is called %s\n", operation);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    free(in);
    free(out);
  }
  return MPI_Finalize();
}
