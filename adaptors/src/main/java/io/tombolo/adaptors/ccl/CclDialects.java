// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.HardwareQueues;
import io.tombolo.adaptors.LibraryEnvironment;
import io.tombolo.adaptors.Witness;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.HostId;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import java.nio.file.Path;
import java.util.Set;

/**
 * The rows of the vendors' own libraries. Each is held against an independent witness by a test.
 */
public final class CclDialects {
  /**
   * The operations of NCCL, RCCL and our own library. NCCL has the last three since version 2.28.
   */
  static final ImmutableSet<Primitive> NCCL_COLLECTIVES =
      Sets.immutableEnumSet(
          Primitive.ALL_REDUCE,
          Primitive.REDUCE,
          Primitive.BROADCAST,
          Primitive.ALL_GATHER,
          Primitive.REDUCE_SCATTER,
          Primitive.SEND,
          Primitive.RECEIVE,
          Primitive.ALL_TO_ALL,
          Primitive.GATHER,
          Primitive.SCATTER);

  /** oneCCL's on CPUs. It has send and receive as well, which crash there. */
  private static final ImmutableSet<Primitive> ONECCL_COLLECTIVES =
      Sets.immutableEnumSet(
          Primitive.ALL_REDUCE,
          Primitive.REDUCE,
          Primitive.BROADCAST,
          Primitive.ALL_GATHER,
          Primitive.REDUCE_SCATTER,
          Primitive.ALL_TO_ALL);

  /** What NCCL writes {@code AlltoAll}, RCCL writes so. */
  private static final ImmutableMap<Entry, String> ALL_TO_ALL_IN_CAPITALS =
      ImmutableMap.of(Entry.ALL_TO_ALL, "ncclAllToAll");

  /** So does oneCCL. */
  private static final ImmutableMap<Entry, String> ALL_TO_ALL_OF_ONECCL =
      ImmutableMap.of(Entry.ALL_TO_ALL, "onecclAllToAll");

  /** NCCL's numbers, which the others took over. */
  static final ImmutableMap<DataType, Integer> COMMON_TYPES =
      ImmutableMap.<DataType, Integer>builder()
          .put(DataType.I8, 0)
          .put(DataType.U8, 1)
          .put(DataType.I32, 2)
          .put(DataType.U32, 3)
          .put(DataType.I64, 4)
          .put(DataType.U64, 5)
          .put(DataType.F16, 6)
          .put(DataType.F32, 7)
          .put(DataType.F64, 8)
          .put(DataType.BF16, 9)
          .buildOrThrow();

  private static final ImmutableMap<DataType, Integer> TYPES_WITH_F8 =
      ImmutableMap.<DataType, Integer>builder()
          .putAll(COMMON_TYPES)
          .put(DataType.F8E4M3, 10)
          .put(DataType.F8E5M2, 11)
          .buildOrThrow();

  /** In all three headers the maximum comes before the minimum. */
  static final ImmutableMap<ReduceOp, Integer> REDUCE_OPS =
      ImmutableMap.of(
          ReduceOp.SUM, 0, ReduceOp.PROD, 1, ReduceOp.MAX, 2, ReduceOp.MIN, 3, ReduceOp.AVG, 4);

  /** {@code ncclRemoteError}. */
  static final ImmutableSet<Integer> REMOTE_ERROR = ImmutableSet.of(6);

  /** {@code ncclInProgress}. */
  static final ImmutableSet<Integer> IN_PROGRESS = ImmutableSet.of(7);

  /** 2.19: before, an abort beside another thread's call gets stuck, say NCCL's maintainers. */
  static final int NCCL_ABORTS = 2_19_00;

  /**
   * Whether NCCL, since 2.22, connects members for an algorithm in the first call that uses it,
   * which blocks until all have made theirs: its user guide, environment variables. RCCL's {@code
   * init.cc} has it, too.
   */
  public static final String RUNTIME_CONNECT = "NCCL_RUNTIME_CONNECT";

  private static final String NCCL_GUIDE =
      "NCCL user guide 2.32, https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/";

  private CclDialects() {}

  /**
   * NVIDIA's NCCL. The 8-bit floats are not declared: they need a device of compute capability 9,
   * which a row cannot know.
   */
  public static CclDialect nccl() {
    return new CclDialect(
            "NCCL",
            LibrarySource.named(
                ImmutableList.of("libnccl.so.2", "libnccl.so"), toQueue(HardwareQueues.CUDA, 32)),
            CallShape.NCCL,
            "nccl",
            ImmutableMap.of(),
            new CclNumbers(TYPES_WITH_F8, REDUCE_OPS, 0, REMOTE_ERROR, IN_PROGRESS),
            Capabilities.of(
                NCCL_COLLECTIVES, COMMON_TYPES.keySet(), REDUCE_OPS.keySet(), NCCL_FLAGS),
            false,
            ImmutableMap.of(
                "numbers",
                "nccl.h of the wheel nvidia-nccl-cu13 2.30.7",
                "operations",
                "nccl.h of the wheel nvidia-nccl-cu13 2.30.7",
                "flags",
                NCCL_GUIDE
                    + "usage/communicators.html (abort, asynchronous errors), usage/groups.html;"
                    + " https://github.com/NVIDIA/nccl/issues/992: no abort by another thread before"
                    + " 2.19",
                "mismatch",
                NCCL_GUIDE
                    + "usage/collectives.html: differing counts or types are undefined behaviour"),
            Witness.HEADER,
            NcclWheel::advice)
        .abortingSince(NCCL_ABORTS);
  }

  /**
   * AMD's RCCL. The 8-bit floats are not declared: their format differs between device generations.
   */
  public static CclDialect rccl() {
    return new CclDialect(
            "RCCL",
            LibrarySource.named(
                ImmutableList.of("librccl.so.1", "librccl.so"), toQueue(HardwareQueues.HIP, 8)),
            CallShape.NCCL,
            "nccl",
            ALL_TO_ALL_IN_CAPITALS,
            new CclNumbers(TYPES_WITH_F8, REDUCE_OPS, 0, REMOTE_ERROR, IN_PROGRESS),
            Capabilities.of(
                NCCL_COLLECTIVES, COMMON_TYPES.keySet(), REDUCE_OPS.keySet(), NCCL_FLAGS),
            false,
            ImmutableMap.of(
                "numbers",
                    "rccl.h as of ROCm 6.3.1, "
                        + "https://rocm.docs.amd.com/projects/rocprofiler-sdk/en/docs-6.3.1/_doxygen/html/",
                "operations",
                    "https://github.com/ROCm/rccl/blob/8de178325e73d5f4ced580ca64bdcc33a718b40f/src/nccl.h.in"
                        + " (all_to_all is never in place there)",
                "flags",
                    "the same calls as "
                        + NCCL_GUIDE
                        + "; that its aborts are sound when NCCL's are is inferred, as it is a port"
                        + " with NCCL's versions (CHANGELOG.md of ROCm/rccl: 2.18.6, then 2.20.5"
                        + " with ROCm 6.2.0), and nothing there is about aborts;"
                        + " https://rocm.docs.amd.com/projects/rccl/en/develop/how-to/fault-tolerance.html:"
                        + " its handling of errors is NCCL's",
                "mismatch", "as NCCL"),
            Witness.TABLE,
            "install ROCm's RCCL (package rccl) and put /opt/rocm/lib into LD_LIBRARY_PATH")
        .abortingSince(NCCL_ABORTS);
  }

  /**
   * Intel's oneCCL on plain CPUs, in {@code folder}. Its calls block, it cannot abort, it has no
   * groups, and of ranks that disagree about a count one aborts the process: agree before calling.
   * Members must be on one host, and those of a process's later communicators among those of its
   * first: its shared memory has lost its name by then.
   */
  public static CclDialect oneCcl(Path folder) {
    return new CclDialect(
        "oneCCL",
        oneCclIn(folder.toAbsolutePath()),
        CallShape.ONECCL,
        "oneccl",
        ALL_TO_ALL_OF_ONECCL,
        new CclNumbers(COMMON_TYPES, REDUCE_OPS, 0, ImmutableSet.of()),
        Capabilities.of(
            ONECCL_COLLECTIVES,
            COMMON_TYPES.keySet(),
            ONECCL_OPS,
            Set.of(
                Flag.BLOCKING_CALLS, Flag.MISMATCH_IS_FATAL, Flag.ONE_HOST_ONLY, Flag.HOST_MEMORY)),
        true,
        ImmutableMap.of(
            "numbers", "oneapi/ccl/v2/types.h of the wheel oneccl-devel 2022.1.2",
            "operations",
                "tried with oneccl 2022.1.2 on CPUs: send and receive crash in"
                    + " ccl_stream::get_ze_device, over shm and tcp, with and without workers",
            "operators", "tried with oneccl 2022.1.2 on CPUs: avg gives code 11",
            "flags",
                "tried with oneccl 2022.1.2 on CPUs: abort code 12, groups code 11, calls block",
            "mismatch", "tried with oneccl 2022.1.2 on CPUs: differing counts abort the process"),
        Witness.HEADER,
        "run './tombolo get oneccl', or set TOMBOLO_ONECCL_DIR to the folder that holds"
            + " libccl.so.2");
  }

  /**
   * Intel's oneCCL on its GPUs, called through the C functions that PyTorch's XCCL calls. Never
   * run.
   *
   * <p>It belongs to no vendor, for want of two things. Its streams are in-order {@code
   * sycl::queue}s, of which a call gets the address: only SYCL's C++ makes them, so a stream here
   * can only be one that the host program has made, with that address as its native handle. And the
   * device is chosen by {@code onecclSetDevice}, for the whole process, before anything joins: this
   * project makes no such call, so that is the host program's as well. Memory that the host can
   * read is not handled on the device, wherever it was allocated: the queue is waited for in the
   * call.
   */
  public static CclDialect oneCclOnGpus() {
    return new CclDialect(
        "oneCCL on GPUs",
        LibrarySource.named(
            ImmutableList.of("libccl.so.2"),
            new LibraryEnvironment(
                ImmutableMap.of(), ImmutableMap.of("CCL_PLUGIN", "ONECCL_LEGACY"))),
        CallShape.ONECCL,
        "oneccl",
        ALL_TO_ALL_OF_ONECCL,
        new CclNumbers(COMMON_TYPES, REDUCE_OPS, 0, ImmutableSet.of()),
        Capabilities.of(
            Sets.union(ONECCL_COLLECTIVES, Set.of(Primitive.SEND, Primitive.RECEIVE)),
            Sets.difference(COMMON_TYPES.keySet(), Set.of(DataType.U32, DataType.U64)),
            ONECCL_OPS,
            Set.of(Flag.GROUP, Flag.MISMATCH_IS_FATAL)),
        false,
        ImmutableMap.of(
            "numbers", "oneapi/ccl/v2/types.h of the wheel oneccl-devel 2022.1.2",
            "operations",
                "oneapi/ccl.h of the wheel oneccl-devel 2022.1.2; plugins/legacy/ccl_legacy.cpp in"
                    + " uxlfoundation/oneCCL passes each on to the SYCL queue",
            "types",
                "those that PyTorch's XCCL passes on (XcclUtils of torch-xpu-ops); u32 and u64 have"
                    + " numbers, and nothing shows that they work",
            "operators",
                "sum, prod, min and max as in PyTorch's XCCL; avg came with 2021.15, and nothing"
                    + " shows what it makes of integers",
            "flags",
                "oneapi/ccl.h: onecclCommAbort and onecclCommGetAsyncError are marked as not"
                    + " implemented; groups take collectives, sends and receives;"
                    + " https://uxlfoundation.github.io/oneCCL/v2/plugins.html: for the GPU's"
                    + " buffers the stream points to a SYCL queue, and calls do not block"),
        Witness.HEADER,
        "install oneCCL and its SYCL runtime (for example 'pip install oneccl') and put their lib"
            + " folder into LD_LIBRARY_PATH");
  }

  /**
   * The library and this project agree on who shares a host: NCCL's getHostHash, src/misc/utils.cc,
   * else hashes the host's name and the boot id. Calls only queue work: all algorithms are
   * connected while joining, not each in the first call that uses it ({@link #RUNTIME_CONNECT}).
   * And streams share fewer hardware queues, whose number the device's runtime reads from {@code
   * variable} when it makes its context, later.
   */
  private static LibraryEnvironment toQueue(String variable, int queues) {
    return new LibraryEnvironment(
        ImmutableMap.of(),
        ImmutableMap.of(
            SharedDevice.HOST_ID,
            HostId.local(),
            RUNTIME_CONNECT,
            "0",
            variable,
            Integer.toString(queues)));
  }

  static final ImmutableSet<Flag> NCCL_FLAGS =
      Sets.immutableEnumSet(Flag.ABORT, Flag.ASYNC_ERROR, Flag.GROUP, Flag.MISMATCH_IS_FATAL);

  private static final ImmutableSet<ReduceOp> ONECCL_OPS =
      Sets.immutableEnumSet(ReduceOp.SUM, ReduceOp.PROD, ReduceOp.MIN, ReduceOp.MAX);

  /**
   * Each after those it needs; the plug-ins last. Opening them here lets the library find them, and
   * keeps them from taking the JVM's signals.
   */
  private static final ImmutableList<String> ONECCL_DEPENDENCIES =
      ImmutableList.of(
          "libintlc.so.5",
          "libimf.so",
          "libirng.so",
          "libsvml.so",
          "libsycl.so.9",
          "libfabric.so.1",
          "libccl.so.2",
          "libccl.so.1",
          "libccl_legacy_cpu.so",
          "libshm-fi.so");

  private static LibrarySource oneCclIn(Path folder) {
    return new LibrarySource(
        ImmutableList.of(folder.resolve("libccl.so.2").toString()),
        ONECCL_DEPENDENCIES.stream()
            .map(name -> folder.resolve(name).toString())
            .collect(ImmutableList.toImmutableList()),
        oneCclEnvironment(folder));
  }

  /**
   * One host through shared memory, and no search for GPUs, which fails with an old Level Zero
   * loader; no worker threads, and waiting yields: processes may outnumber the cores.
   */
  private static LibraryEnvironment oneCclEnvironment(Path folder) {
    return new LibraryEnvironment(
        ImmutableMap.of(
            "CCL_PLUGIN", "ONECCL_LEGACY_CPU",
            "CCL_ZE_ENABLE", "0",
            "FI_PROVIDER_PATH", folder.toString(),
            "CCL_ATL_TRANSPORT", "ofi",
            "FI_PROVIDER", "shm",
            "CCL_ATL_SHM", "1",
            "CCL_WORKER_OFFLOAD", "0",
            "CCL_YIELD", "sched_yield"),
        ImmutableMap.of("CCL_LOG_LEVEL", "error"));
  }
}
