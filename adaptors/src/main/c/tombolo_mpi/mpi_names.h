// SPDX-License-Identifier: Apache-2.0
/*
 * What is called of Open MPI, entered once: a test holds it against the real mpi.h. Whoever includes this defines the types
 * mpi_comm, mpi_group, mpi_type, mpi_op, mpi_request, mpi_status and mpi_errhandler; in Open MPI they are pointers, and the
 * predefined ones addresses of data in the library.
 */
#ifndef TOMBOLO_MPI_NAMES_H
#define TOMBOLO_MPI_NAMES_H

/* X(name after MPI_, arguments) */
#define MPI_FUNCTIONS(X)                                                                                    \
  X(Init_thread, (int*, char***, int, int*))                                                                \
  X(Get_library_version, (char*, int*))                                                                     \
  X(Error_string, (int, char*, int*))                                                                       \
  X(Comm_group, (mpi_comm, mpi_group*))                                                                     \
  X(Group_incl, (mpi_group, int, const int*, mpi_group*))                                                   \
  X(Group_free, (mpi_group*))                                                                               \
  X(Comm_create_group, (mpi_comm, mpi_group, int, mpi_comm*))                                               \
  X(Comm_set_errhandler, (mpi_comm, mpi_errhandler))                                                        \
  X(Comm_free, (mpi_comm*))                                                                                 \
  X(Allreduce, (const void*, void*, int, mpi_type, mpi_op, mpi_comm))                                       \
  X(Reduce, (const void*, void*, int, mpi_type, mpi_op, int, mpi_comm))                                     \
  X(Bcast, (void*, int, mpi_type, int, mpi_comm))                                                           \
  X(Reduce_scatter_block, (const void*, void*, int, mpi_type, mpi_op, mpi_comm))                            \
  X(Allgather, (const void*, int, mpi_type, void*, int, mpi_type, mpi_comm))                                \
  X(Alltoall, (const void*, int, mpi_type, void*, int, mpi_type, mpi_comm))                                 \
  X(Gather, (const void*, int, mpi_type, void*, int, mpi_type, int, mpi_comm))                              \
  X(Scatter, (const void*, int, mpi_type, void*, int, mpi_type, int, mpi_comm))                             \
  X(Issend, (const void*, int, mpi_type, int, int, mpi_comm, mpi_request*))                                 \
  X(Irecv, (void*, int, mpi_type, int, int, mpi_comm, mpi_request*))                                        \
  X(Waitall, (int, mpi_request*, mpi_status*))

/* X(engine's type, MPI's name, symbol): those whose arithmetic MPI defines; it has no 16-bit floats. */
#define MPI_TYPES(X)                           \
  X(ENGINE_I8, MPI_INT8_T, ompi_mpi_int8_t)    \
  X(ENGINE_U8, MPI_UINT8_T, ompi_mpi_uint8_t)  \
  X(ENGINE_I16, MPI_INT16_T, ompi_mpi_int16_t) \
  X(ENGINE_U16, MPI_UINT16_T, ompi_mpi_uint16_t) \
  X(ENGINE_I32, MPI_INT32_T, ompi_mpi_int32_t) \
  X(ENGINE_U32, MPI_UINT32_T, ompi_mpi_uint32_t) \
  X(ENGINE_I64, MPI_INT64_T, ompi_mpi_int64_t) \
  X(ENGINE_U64, MPI_UINT64_T, ompi_mpi_uint64_t) \
  X(ENGINE_F32, MPI_FLOAT, ompi_mpi_float)     \
  X(ENGINE_F64, MPI_DOUBLE, ompi_mpi_double)

/* X(engine's operator, MPI's name, symbol); it has no average. */
#define MPI_OPERATORS(X)                    \
  X(ENGINE_SUM, MPI_SUM, ompi_mpi_op_sum)   \
  X(ENGINE_PROD, MPI_PROD, ompi_mpi_op_prod) \
  X(ENGINE_MIN, MPI_MIN, ompi_mpi_op_min)   \
  X(ENGINE_MAX, MPI_MAX, ompi_mpi_op_max)   \
  X(ENGINE_BAND, MPI_BAND, ompi_mpi_op_band) \
  X(ENGINE_BOR, MPI_BOR, ompi_mpi_op_bor)   \
  X(ENGINE_BXOR, MPI_BXOR, ompi_mpi_op_bxor)

#define MPI_WORLD_SYMBOL ompi_mpi_comm_world
#define MPI_ERRORS_SYMBOL ompi_mpi_errors_return

/* In mpi.h these are macros without a name in the library. */
#define MPI_IN_PLACE_VALUE 1
#define MPI_SUCCESS_VALUE 0
#define MPI_MULTIPLE_VALUE 3
#define MPI_TEXT_BYTES 256 /* MPI_MAX_LIBRARY_VERSION_STRING, and no less than MPI_MAX_ERROR_STRING */

#endif
