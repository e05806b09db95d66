// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.Witness;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeLibrary;
import io.tombolo.base.ReduceOp;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The row of Open MPI, on the host. MPI is called through a library of this project's with NCCL's
 * shape: there members meet as those of {@link HostCcl} do, and become the ranks of one MPI job,
 * for which the first of them starts mpirun with placeholders (src/main/c/tombolo_mpi/job.c).
 * Members are processes of one host, and those of a process's later communicators are among those
 * of its first.
 */
public final class MpiCcl {
  private static final String LIBRARY = "tombolo_mpi";

  /** Those for which the standard defines arithmetic. */
  private static final ImmutableSet<DataType> TYPES =
      Sets.immutableEnumSet(
          DataType.I8,
          DataType.U8,
          DataType.I16,
          DataType.U16,
          DataType.I32,
          DataType.U32,
          DataType.I64,
          DataType.U64,
          DataType.F32,
          DataType.F64);

  private static final ImmutableSet<ReduceOp> REDUCE_OPS =
      Sets.immutableEnumSet(
          ReduceOp.SUM,
          ReduceOp.PROD,
          ReduceOp.MIN,
          ReduceOp.MAX,
          ReduceOp.BAND,
          ReduceOp.BOR,
          ReduceOp.BXOR);

  private static final Supplier<CclDialect> ROW = Suppliers.memoize(MpiCcl::load);

  private MpiCcl() {}

  /**
   * The row; the first call loads the library, which opens Open MPI when it is first asked for
   * something.
   */
  public static CclDialect row() {
    return ROW.get();
  }

  /** Each loading would be of another copy, with state of its own. */
  private static CclDialect load() {
    NativeLibrary.load(MpiCcl.class, LIBRARY);
    return new CclDialect(
        "Open MPI",
        LibrarySource.named(ImmutableList.of("lib" + LIBRARY + ".so")),
        CallShape.NCCL,
        "tombolo",
        ImmutableMap.of(),
        new CclNumbers(
            Maps.toMap(TYPES, DataType::code),
            Maps.toMap(REDUCE_OPS, ReduceOp::code),
            0,
            ImmutableSet.of()),
        Capabilities.of(
            CclDialects.NCCL_COLLECTIVES,
            TYPES,
            REDUCE_OPS,
            Set.of(
                Flag.BLOCKING_CALLS,
                Flag.GROUP,
                Flag.MISMATCH_IS_FATAL,
                Flag.ONE_HOST_ONLY,
                Flag.HOST_MEMORY)),
        false,
        ImmutableMap.of(
            "symbols",
            "mpi.h of Debian's libopenmpi-dev 4.1.4, see src/test/c/mpi",
            "types",
            "MPI 3.1, 5.9.2: no 16-bit floats and no average",
            "flags",
            "MPI 3.1, 2.8: a call that waits for a process that died may wait for ever",
            "job",
            "tried with Open MPI 4.1.4: processes that take over what mpirun set for its own"),
        Witness.HEADER_ALONE,
        "install Open MPI 4 (packages libopenmpi3 and openmpi-bin)");
  }
}
