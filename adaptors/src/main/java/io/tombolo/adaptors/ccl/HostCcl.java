// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.tombolo.adaptors.Witness;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeLibrary;
import io.tombolo.base.ReduceOp;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The row of this project's own library, for ranks without accelerators: processes of one host,
 * which read and write each other's memory where the system allows it ({@code process_vm_readv},
 * {@code process_vm_writev}), and otherwise share a segment. It does every type and operator, and
 * all members get the same bits.
 */
public final class HostCcl {
  private static final String LIBRARY = "tombolo_host_ccl";

  /** {@code ENGINE_REMOTE}. */
  private static final ImmutableSet<Integer> REMOTE = ImmutableSet.of(4);

  private static final Supplier<CclDialect> ROW = Suppliers.memoize(HostCcl::load);

  private HostCcl() {}

  /** The row; the first call loads the library, which the dynamic linker then knows by its name. */
  public static CclDialect row() {
    return ROW.get();
  }

  /** Each loading would be of another copy, with state of its own. */
  private static CclDialect load() {
    NativeLibrary.load(HostCcl.class, LIBRARY);
    return new CclDialect(
        "Tombolo's host library",
        LibrarySource.named(ImmutableList.of("lib" + LIBRARY + ".so")),
        CallShape.NCCL,
        "tombolo",
        ImmutableMap.of(Entry.OFFER, "tomboloOffer"),
        new CclNumbers(
            Maps.toMap(EnumSet.allOf(DataType.class), DataType::code),
            Maps.toMap(EnumSet.allOf(ReduceOp.class), ReduceOp::code),
            0,
            REMOTE,
            ImmutableSet.of()),
        Capabilities.of(
            CclDialects.NCCL_COLLECTIVES,
            EnumSet.allOf(DataType.class),
            EnumSet.allOf(ReduceOp.class),
            Set.of(
                Flag.BLOCKING_CALLS,
                Flag.ABORT,
                Flag.ASYNC_ERROR,
                Flag.GROUP,
                Flag.ONE_HOST_ONLY,
                Flag.DETERMINISTIC,
                Flag.REGISTERED_BUFFERS,
                Flag.HOST_MEMORY)),
        false,
        ImmutableMap.of("everything", "src/main/c/tombolo_host_ccl and src/main/c/shared/engine.h"),
        Witness.OWN,
        "build this project for this processor's architecture");
  }
}
