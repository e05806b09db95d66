// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.Witness;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import java.util.Set;

/**
 * Rows of libraries that are not called as NCCL is: each has a {@link CallShape} of its own. None
 * was ever run.
 */
public final class OwnShapeDialects {
  private static final ImmutableSet<ReduceOp> EXTREMES_AND_SUM =
      Sets.immutableEnumSet(ReduceOp.SUM, ReduceOp.MIN, ReduceOp.MAX);

  private static final ImmutableMap<ReduceOp, Integer> FOUR_OPERATORS =
      ImmutableMap.of(ReduceOp.SUM, 0, ReduceOp.PROD, 1, ReduceOp.MAX, 2, ReduceOp.MIN, 3);

  private OwnShapeDialects() {}

  /**
   * Huawei's HCCL. There is no average, and no abort; a broadcast is in place. Types are those that
   * every reducing operation takes. Products of bf16 and scatters of bf16 are not documented, so
   * neither is declared; sends and receives are of use in groups only, which older versions lack.
   */
  public static CclDialect ascend() {
    return new CclDialect(
        "HCCL",
        LibrarySource.named(ImmutableList.of("libhccl.so")),
        CallShape.ASCEND,
        "Hccl",
        ImmutableMap.<Entry, String>builder()
            .put(Entry.GET_VERSION, Entry.NONE)
            .put(Entry.GET_UNIQUE_ID, "HcclGetRootInfo")
            .put(Entry.COMM_INIT_RANK, "HcclCommInitRootInfo")
            .put(Entry.COMM_GET_ASYNC_ERROR, "HcclGetCommAsyncError")
            .put(Entry.GATHER, Entry.NONE)
            .put(Entry.GET_LAST_ERROR, Entry.NONE)
            .buildOrThrow(),
        new CclNumbers(
            ImmutableMap.<DataType, Integer>builder()
                .put(DataType.I8, 0)
                .put(DataType.I16, 1)
                .put(DataType.I32, 2)
                .put(DataType.F16, 3)
                .put(DataType.F32, 4)
                .put(DataType.I64, 5)
                .put(DataType.U64, 6)
                .put(DataType.U8, 7)
                .put(DataType.U16, 8)
                .put(DataType.U32, 9)
                .put(DataType.F64, 10)
                .put(DataType.BF16, 11)
                .buildOrThrow(),
            FOUR_OPERATORS,
            0,
            ImmutableSet.of(21),
            ImmutableSet.of()),
        Capabilities.of(
            Sets.immutableEnumSet(
                Primitive.ALL_REDUCE,
                Primitive.REDUCE,
                Primitive.BROADCAST,
                Primitive.ALL_GATHER,
                Primitive.REDUCE_SCATTER,
                Primitive.ALL_TO_ALL),
            Sets.immutableEnumSet(
                DataType.I8, DataType.I32, DataType.F16, DataType.F32, DataType.BF16),
            EXTREMES_AND_SUM,
            Set.of(Flag.ASYNC_ERROR, Flag.MISMATCH_IS_FATAL, Flag.SAME_ARCHITECTURE_ONLY)),
        false,
        ImmutableMap.of(
            "numbers", "hccl_types.h of CANN, in Ascend/pytorch third_party/hccl",
            "operations", "hccl.h of CANN 8 (gitee.com/ascend/cann-hccl): types are listed by call",
            "types",
                "HcclAllReduce in CANN's API reference: bf16 from Atlas A2 on, not for the Atlas"
                    + " training products before it",
            "flags", "hccl.h of CANN 8: HcclGetCommAsyncError, and no abort",
            "id", "HCCL_ROOT_INFO_BYTES in hccl_types.h; FlagCX squeezes it into 256 bytes"),
        Witness.TABLE,
        "install Huawei's CANN toolkit and source its set_env.sh");
  }

  /**
   * Cambricon's CNCL. There is no average, and no f64. Its header counts on communicators of a
   * clique being released together: members close at the same point of the program.
   */
  public static CclDialect cambricon() {
    return new CclDialect(
        "CNCL",
        LibrarySource.named(ImmutableList.of("libcncl.so", "libcncl.so.1")),
        CallShape.CNCL,
        "cncl",
        ImmutableMap.<Entry, String>builder()
            .put(Entry.GET_VERSION, "cnclGetLibVersion")
            .put(Entry.GET_UNIQUE_ID, "cnclGetCliqueId")
            .put(Entry.COMM_INIT_RANK, "cnclInitComms")
            .put(Entry.COMM_DESTROY, "cnclFreeComm")
            .put(Entry.COMM_ABORT, "cnclAbortComm")
            .put(Entry.COMM_GET_ASYNC_ERROR, "cnclGetCommAsyncError")
            .put(Entry.CURRENT_DEVICE, "cnrtGetDevice")
            .put(Entry.GATHER, Entry.NONE)
            .put(Entry.SCATTER, Entry.NONE)
            .put(Entry.ALL_TO_ALL, "cnclAlltoAll")
            .put(Entry.GET_ERROR_STRING, "cnclGetErrorStr")
            .put(Entry.GET_LAST_ERROR, Entry.NONE)
            .buildOrThrow(),
        new CclNumbers(
            ImmutableMap.<DataType, Integer>builder()
                .put(DataType.F16, 0x10)
                .put(DataType.BF16, 0x11)
                .put(DataType.F32, 0x12)
                .put(DataType.I8, 0x20)
                .put(DataType.I16, 0x21)
                .put(DataType.I32, 0x22)
                .put(DataType.I64, 0x23)
                .put(DataType.U8, 0x30)
                .put(DataType.U16, 0x31)
                .put(DataType.U32, 0x32)
                .put(DataType.U64, 0x33)
                .buildOrThrow(),
            FOUR_OPERATORS,
            0,
            ImmutableSet.of(0x06)),
        Capabilities.of(
            Sets.immutableEnumSet(
                Primitive.ALL_REDUCE,
                Primitive.REDUCE,
                Primitive.BROADCAST,
                Primitive.ALL_GATHER,
                Primitive.REDUCE_SCATTER,
                Primitive.ALL_TO_ALL,
                Primitive.SEND,
                Primitive.RECEIVE),
            Sets.immutableEnumSet(
                DataType.I8,
                DataType.U8,
                DataType.I32,
                DataType.I64,
                DataType.F16,
                DataType.BF16,
                DataType.F32),
            FOUR_OPERATORS.keySet(),
            Set.of(Flag.ASYNC_ERROR, Flag.GROUP, Flag.MISMATCH_IS_FATAL)),
        false,
        ImmutableMap.of(
            "numbers", "cncl.h of Cambricon's neuware",
            "operations", "cncl.h of Cambricon's neuware",
            "types", "16-bit and unsigned 32- and 64-bit integers: FlagCX's map lacks the latter",
            "flags",
                "cncl.h: cnclGetCommAsyncError returns 6 for work under way; cnclAbortComm suspends"
                    + " what runs and releases it, for all members at once or they may deadlock, and"
                    + " nothing says that it is sound beside other calls"),
        Witness.TABLE,
        "install Cambricon's CNCL (package cncl of neuware) and put its lib64 into"
            + " LD_LIBRARY_PATH");
  }

  /**
   * Kunlunxin's XCCL, in the library that Baidu's frameworks call BKCL. Its C++ entry points are
   * known with their arguments and numbers; of the C ones ({@code bkcl_*}) no numbers are public.
   * It has no i8, u32 and u64; to pass u32 as i32, as others do, is wrong for min and max.
   * Destroying waits for all members; asynchronous errors are not reported.
   */
  public static CclDialect kunlunxin() {
    return new CclDialect(
        "XCCL",
        LibrarySource.named(ImmutableList.of("libbkcl.so")),
        CallShape.XCCL,
        "xccl",
        ImmutableMap.<Entry, String>builder()
            .put(Entry.GET_VERSION, Entry.NONE)
            .put(Entry.GET_UNIQUE_ID, "_Z18xccl_get_unique_idP12XCCLUniqueId")
            .put(Entry.COMM_INIT_RANK, "_Z14xccl_init_rankPPviiPK12XCCLUniqueId")
            .put(Entry.COMM_DESTROY, "_Z20xccl_destroy_contextPv")
            .put(Entry.ALL_REDUCE, "_Z15xccl_all_reducePvPKvS_m12XCCLDataType6XCCLOpS_")
            .put(Entry.REDUCE_SCATTER, "_Z19xccl_reduce_scatterPvPKvS_m12XCCLDataType6XCCLOpS_")
            .put(Entry.BROADCAST, "_Z14xccl_broadcastPvPKvS_m12XCCLDataTypeiS_")
            .put(Entry.ALL_GATHER, "_Z15xccl_all_gatherPvPKvmS_12XCCLDataTypeS_")
            .put(Entry.SEND, "_Z9xccl_sendPvPKvmi12XCCLDataTypeS_")
            .put(Entry.RECEIVE, "_Z9xccl_recvPvS_mi12XCCLDataTypeS_")
            .put(Entry.GROUP_START, "_Z16xccl_group_startv")
            .put(Entry.GROUP_END, "_Z14xccl_group_endv")
            .put(Entry.GET_ERROR_STRING, Entry.NONE)
            .put(Entry.GET_LAST_ERROR, Entry.NONE)
            .buildOrThrow(),
        new CclNumbers(
            ImmutableMap.<DataType, Integer>builder()
                .put(DataType.F32, 0)
                .put(DataType.F16, 1)
                .put(DataType.BF16, 2)
                .put(DataType.F64, 3)
                .put(DataType.I32, 4)
                .put(DataType.I64, 5)
                .put(DataType.U8, 6)
                .buildOrThrow(),
            ImmutableMap.of(ReduceOp.SUM, 0, ReduceOp.PROD, 1, ReduceOp.MIN, 2, ReduceOp.MAX, 3),
            0,
            ImmutableSet.of()),
        Capabilities.of(
            Sets.immutableEnumSet(
                Primitive.ALL_REDUCE,
                Primitive.BROADCAST,
                Primitive.ALL_GATHER,
                Primitive.REDUCE_SCATTER,
                Primitive.SEND,
                Primitive.RECEIVE),
            Sets.immutableEnumSet(
                DataType.F32,
                DataType.F16,
                DataType.BF16,
                DataType.F64,
                DataType.I32,
                DataType.I64,
                DataType.U8),
            Sets.immutableEnumSet(ReduceOp.SUM, ReduceOp.PROD, ReduceOp.MIN, ReduceOp.MAX),
            Set.of(Flag.GROUP, Flag.MISMATCH_IS_FATAL)),
        false,
        ImmutableMap.of(
            "numbers", "ctypes binding of XCCL in a port of NVIDIA's cosmos-rl (2025)",
            "operations", "the same, with the mangled names of XCCL's C++ functions",
            "flags", "the same: groups; xccl_comm_abort exists, and nothing shows what it releases",
            "name", "libbkcl.so of torch_xmlir and of Paddle's XPU build"),
        Witness.TABLE,
        "install Kunlunxin's XCCL (it comes with torch_xmlir) and put libbkcl.so's folder into"
            + " LD_LIBRARY_PATH");
  }
}
