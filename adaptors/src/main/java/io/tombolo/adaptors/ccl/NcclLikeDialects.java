// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.Witness;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import java.util.Set;

/**
 * Rows of libraries that are called as NCCL is, under names and with numbers of their own. None was
 * ever run. What a source does not show is not declared. No row declares aborts: all libraries have
 * a call for it, and frameworks make it; but no maker says from which version on it is sound beside
 * another thread's call, as NCCL's does of 2.19.
 *
 * <p>Several have one file name or one prefix: four export {@code nccl*}, two are {@code
 * libmccl.so} with {@code mccl*}, two {@code libpccl.so} with {@code pccl*}. They are opened in
 * local scope, so one process can hold several; which one a name finds is for the host's
 * installation to say, unless the row has a {@link Entry#MARK}.
 */
public final class NcclLikeDialects {
  /** Without all-to-all, gather and scatter, which few have had from the beginning. */
  private static final ImmutableSet<Primitive> CORE =
      Sets.immutableEnumSet(
          Primitive.ALL_REDUCE,
          Primitive.REDUCE,
          Primitive.BROADCAST,
          Primitive.ALL_GATHER,
          Primitive.REDUCE_SCATTER,
          Primitive.SEND,
          Primitive.RECEIVE);

  private static final ImmutableSet<ReduceOp> EXTREMES_AND_SUM =
      Sets.immutableEnumSet(ReduceOp.SUM, ReduceOp.MIN, ReduceOp.MAX);

  private static final CclNumbers NCCL_NUMBERS =
      new CclNumbers(
          CclDialects.COMMON_TYPES,
          CclDialects.REDUCE_OPS,
          0,
          CclDialects.REMOTE_ERROR,
          CclDialects.IN_PROGRESS);

  /** Where no source shows that it has a code for the failures of others. */
  private static final CclNumbers WITHOUT_REMOTE_ERROR =
      new CclNumbers(CclDialects.COMMON_TYPES, CclDialects.REDUCE_OPS, 0, CclDialects.IN_PROGRESS);

  private static final String ASSUMED =
      "taken to be NCCL's, whose binary interface the vendor says it has; no header was seen";

  private NcclLikeDialects() {}

  /** MetaX's MCCL. Moore Threads' library has the same file name and prefix. */
  public static CclDialect metax() {
    return row(
        "MetaX MCCL",
        ImmutableList.of("libmccl.so"),
        "mccl",
        ImmutableMap.of(
            Entry.ALL_TO_ALL, "mcclAllToAll",
            Entry.MARK, "mcclCommMcDevice"),
        NCCL_NUMBERS,
        declared(CclDialects.NCCL_COLLECTIVES, CclDialects.COMMON_TYPES.keySet()),
        ImmutableMap.of(
            "numbers", "mccl.h of MACA, MCCL 2.16.5",
            "operations", "mccl.h of MACA, MCCL 2.16.5",
            "flags",
                "mccl.h of MACA, MCCL 2.16.5: asynchronous errors, groups as NCCL; a call to abort,"
                    + " of which nothing says that it is sound beside other calls",
            "name", "vllm_metax opens libmccl.so"),
        Witness.TABLE,
        "install MetaX's MACA toolkit and put its lib folder into LD_LIBRARY_PATH");
  }

  /**
   * Moore Threads' MCCL. Destroying a communicator waits for all members, says a binding of it;
   * that of its own engineers aborts when a call takes too long, since the device would stay busy.
   * It takes bf16 on devices of architecture 2.2 and later.
   */
  public static CclDialect mooreThreads() {
    return row(
        "Moore Threads MCCL",
        ImmutableList.of("libmccl.so.2", "libmccl.so"),
        "mccl",
        ImmutableMap.of(),
        WITHOUT_REMOTE_ERROR,
        declared(CORE, CclDialects.COMMON_TYPES.keySet()),
        ImmutableMap.of(
            "numbers", "binding of libmccl in vLLM for MUSA (pymccl.py)",
            "operations", "ProcessGroupMCCL.cpp in MooreThreads/torch_musa",
            "flags",
                "MCCLUtils.cpp in MooreThreads/torch_musa: errors, groups; its ProcessGroupMCCL.hpp"
                    + " reckons with an abort that hangs",
            "name", "torch_musa and vLLM for MUSA open libmccl.so (package libmccl2)"),
        Witness.TABLE,
        "install Moore Threads' MUSA toolkit with MCCL and put its lib folder into"
            + " LD_LIBRARY_PATH");
  }

  /** Iluvatar CoreX's IXCCL, which exports {@code nccl*} from {@code libnccl.so}. */
  public static CclDialect iluvatar() {
    return row(
        "Iluvatar IXCCL",
        ImmutableList.of("libnccl.so.2", "libnccl.so"),
        "nccl",
        ImmutableMap.of(),
        NCCL_NUMBERS,
        declared(CORE, CclDialects.COMMON_TYPES.keySet()),
        ImmutableMap.of("numbers", ASSUMED, "operations", ASSUMED),
        Witness.NONE,
        "install Iluvatar's CoreX SDK and put its lib folder into LD_LIBRARY_PATH");
  }

  /** Hygon's build of RCCL for its DCUs, in the toolkit DTK. */
  public static CclDialect hygon() {
    CclDialect rccl = CclDialects.rccl();
    return new CclDialect(
        "Hygon RCCL",
        rccl.source(),
        rccl.shape(),
        rccl.prefix(),
        rccl.spellings(),
        NCCL_NUMBERS,
        declared(CORE, CclDialects.COMMON_TYPES.keySet()),
        false,
        ImmutableMap.of(
            "numbers", "taken to be RCCL's, of which it is a build; no header was seen",
            "operations", "as RCCL, without those that came late"),
        Witness.NONE,
        "install Hygon's DTK and put its lib folder into LD_LIBRARY_PATH");
  }

  /** The NCCL of T-Head's CUDA-compatible SDK for PPUs. Its own PCCL has names of its own. */
  public static CclDialect ppu() {
    return row(
        "T-Head PPU NCCL",
        ImmutableList.of("libnccl.so.2", "libnccl.so"),
        "nccl",
        ImmutableMap.of(),
        NCCL_NUMBERS,
        declared(CORE, CclDialects.COMMON_TYPES.keySet()),
        ImmutableMap.of("numbers", ASSUMED, "operations", ASSUMED),
        Witness.NONE,
        "install T-Head's PPU SDK and put its lib folder into LD_LIBRARY_PATH");
  }

  /**
   * Enflame's ECCL. Types of 64 bits are only for broadcast and all-gather there, so they are not
   * declared; nor is all-to-all, which has a count and a type for each buffer, nor gather and
   * scatter, whose blocks its header leaves open.
   */
  public static CclDialect enflame() {
    return row(
        "Enflame ECCL",
        ImmutableList.of("libeccl.so", "/usr/lib/libeccl.so"),
        "eccl",
        ImmutableMap.of(
            Entry.ALL_TO_ALL, Entry.NONE, Entry.GATHER, Entry.NONE, Entry.SCATTER, Entry.NONE),
        WITHOUT_REMOTE_ERROR,
        declared(
            CORE,
            Sets.filter(CclDialects.COMMON_TYPES.keySet(), type -> type.sizeBytes() < Long.BYTES)),
        ImmutableMap.of(
            "numbers", "eccl.h of ECCL 3.1.0",
            "operations", "eccl.h of ECCL 3.1.0; PaddleCustomDevice (backends/gcu) calls it so",
            "flags",
                "eccl.h of ECCL 3.1.0; torch_gcu asks for no errors, and does not abort; nothing"
                    + " says that an abort is sound",
            "name", "vLLM for GCU opens libeccl.so"),
        Witness.TABLE,
        "install Enflame's TopsRider with ECCL");
  }

  /** Sunrise's PCCL. It has no f64, and bf16 takes the number that NCCL gives to f64. */
  public static CclDialect sunrise() {
    return row(
        "Sunrise PCCL",
        ImmutableList.of("libpccl.so"),
        "pccl",
        ImmutableMap.of(
            Entry.ALL_TO_ALL, Entry.NONE, Entry.GATHER, Entry.NONE, Entry.SCATTER, Entry.NONE),
        new CclNumbers(
            ImmutableMap.<DataType, Integer>builder()
                .putAll(
                    Maps.filterKeys(
                        CclDialects.COMMON_TYPES,
                        type -> type != DataType.F64 && type != DataType.BF16))
                .put(DataType.BF16, 8)
                .buildOrThrow(),
            CclDialects.REDUCE_OPS,
            0,
            CclDialects.IN_PROGRESS),
        declared(CORE, Sets.difference(CclDialects.COMMON_TYPES.keySet(), Set.of(DataType.F64))),
        ImmutableMap.of(
            "numbers", "pccl.h in DeepLink's dipu (vendor/droplet)",
            "operations", "the same; sends and receives only within a group",
            "flags",
                "the same: pcclCommGetAsyncError, pcclGroupStart; nothing says that pcclCommAbort is"
                    + " sound"),
        Witness.TABLE,
        "install Sunrise's PTPU toolkit with PCCL");
  }

  /**
   * Intel Gaudi's HCCL. The minimum comes before the maximum here, unlike in NCCL. Every all-reduce
   * but of bf16 and f32 is cast to f32, so other types are not declared; nor is abort, which is
   * implemented as destroy, and so waits for the stuck work.
   */
  public static CclDialect gaudi() {
    return new CclDialect(
        "Gaudi HCCL",
        LibrarySource.named(ImmutableList.of("libSynapse.so")),
        CallShape.GAUDI,
        "hccl",
        ImmutableMap.of(
            Entry.GATHER, Entry.NONE, Entry.SCATTER, Entry.NONE, Entry.GET_LAST_ERROR, Entry.NONE),
        new CclNumbers(
            CclDialects.COMMON_TYPES,
            ImmutableMap.of(
                ReduceOp.SUM,
                0,
                ReduceOp.PROD,
                1,
                ReduceOp.MIN,
                2,
                ReduceOp.MAX,
                3,
                ReduceOp.AVG,
                4),
            0,
            ImmutableSet.of()),
        Capabilities.of(
            Sets.union(CORE, Set.of(Primitive.ALL_TO_ALL)),
            Sets.immutableEnumSet(DataType.F32, DataType.BF16),
            EXTREMES_AND_SUM,
            Set.of(
                Flag.ASYNC_ERROR, Flag.GROUP, Flag.MISMATCH_IS_FATAL, Flag.SAME_ARCHITECTURE_ONLY)),
        false,
        ImmutableMap.of(
            "numbers", "hccl_types.h in HabanaAI/HCL, commit 2ba2428",
            "operations", "hccl.h in HabanaAI/HCL, commit 195c075 (HCCL 2.6.4)",
            "operators", "prod and avg have numbers; no source shows that they work",
            "flags",
                "hccl_wrapper.cpp in HabanaAI/HCL: hcclCommAbort calls hcclCommDestroy;"
                    + " hcl_types.h: what members tell each other at the start has no generation,"
                    + " so a mixture would not even be noticed",
            "name", "the entry points are in Synapse's library, which calls libhcl.so"),
        Witness.TABLE,
        "install Intel's Gaudi software (package habanalabs-thunk and SynapseAI)");
  }

  /**
   * TsingMicro's TCCL. No public source has its numbers, so it declares nothing and is never
   * called. Tecorigin has a library of the same name with other numbers.
   */
  public static CclDialect tsingMicro() {
    return row(
        "TsingMicro TCCL",
        ImmutableList.of("libtccl.so"),
        "tccl",
        ImmutableMap.of(),
        new CclNumbers(ImmutableMap.of(), ImmutableMap.of(), 0, ImmutableSet.of()),
        Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of()),
        ImmutableMap.of(
            "operations", "named in FlagCX's README only; there is no public header to read"),
        Witness.NONE,
        "ask TsingMicro for its toolkit, and enter the numbers of its header");
  }

  private static Capabilities declared(Set<Primitive> primitives, Set<DataType> types) {
    return Capabilities.of(
            primitives, types, CclDialects.REDUCE_OPS.keySet(), CclDialects.NCCL_FLAGS)
        .withoutFlag(Flag.ABORT);
  }

  private static CclDialect row(
      String product,
      ImmutableList<String> libraries,
      String prefix,
      ImmutableMap<Entry, String> spellings,
      CclNumbers numbers,
      Capabilities declared,
      ImmutableMap<String, String> sources,
      Witness witness,
      String fix) {
    return new CclDialect(
        product,
        LibrarySource.named(libraries),
        CallShape.NCCL,
        prefix,
        spellings,
        numbers,
        declared,
        false,
        sources,
        witness,
        fix);
  }
}
