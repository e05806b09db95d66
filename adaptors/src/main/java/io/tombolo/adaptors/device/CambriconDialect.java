// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/**
 * Cambricon's CNRT, and CNDrv below it for what CNRT does not have; never run. Host memory is not
 * registered: pageable memory is copied too. IPC handles are pointers there, and are not used. A
 * queue waits only for words that the host writes through CNDrv, so the shim watches the words.
 */
public final class CambriconDialect {
  private static final String DRIVER = "@libcndrv.so";

  private CambriconDialect() {}

  /** The row. */
  public static final DeviceDialect CNRT =
      new DeviceDialect(
          "CNRT",
          ImmutableList.of("libcnrt.so"),
          symbols(),
          ImmutableSet.of(
              RuntimeCallShape.ORDINAL_IS_CONTEXT,
              RuntimeCallShape.TEXT_IS_RETURNED,
              RuntimeCallShape.CNRT,
              RuntimeCallShape.PLACE_IS_TOLD_AT_ONCE),
          SafeCalls.COMMON,
          constants(),
          Optional.empty(),
          Witness.TABLE,
          "install Cambricon's driver and CNToolkit, and put neuware's lib64 into LD_LIBRARY_PATH",
          "cnrt.h of CNRT 6.14.1 and cn_api.h of CNDrv, from CNToolkit: also that host functions"
              + " of independent queues may be serialized, so that none may wait;"
              + " cnrtGetPeerAccessibility: cnrt.h 4.2, and torch_mlu, which enables nothing;"
              + " cnrtPointerGetAttributes: cnrt.h 6, which does not say what it answers to an"
              + " address that is nobody's; a queue's context, and that a destroyed queue has none:"
              + " cn_api.h of CNDrv 2.15.5; that CNRT makes a context current: mlu-ops, which asks for"
              + " it after cnrtSetDevice; what a queue that is not ready answers: cnrt.h, which calls"
              + " that code deprecated; priorities and captures: cnrt.h, also that queries and"
              + " allocations are unsafe during a capture; the mode of a thread: torch_mlu, MLUGraphsC10Utils.h");

  private static ImmutableMap<Role, String> symbols() {
    return ImmutableMap.<Role, String>builder()
        .put(Role.INIT, "cnInit" + DRIVER)
        .put(Role.DRIVER_VERSION, "cnrtGetLibVersion")
        .put(Role.ERROR_NAME, "cnrtGetErrorName")
        .put(Role.ERROR_TEXT, "cnrtGetErrorStr")
        .put(Role.DEVICE_COUNT, "cnrtGetDeviceCount")
        .put(Role.DEVICE_GET, "cnDeviceGet" + DRIVER)
        .put(Role.DEVICE_NAME, "cnDeviceGetName" + DRIVER)
        .put(Role.PCI_BUS_ID, "cnDeviceGetPCIBusId" + DRIVER)
        .put(Role.TOTAL_MEMORY, "cnDeviceTotalMem" + DRIVER)
        .put(Role.SET_CURRENT, "cnrtSetDevice")
        .put(Role.GET_CURRENT, "cnrtGetDevice")
        .put(Role.ALLOCATE, "cnrtMalloc")
        .put(Role.FREE, "cnrtFree")
        .put(Role.HOST_ALLOCATE, "cnrtHostMalloc")
        .put(Role.HOST_FREE, "cnrtFreeHost")
        .put(Role.STREAM_CREATE, "cnrtQueueCreate")
        .put(Role.STREAM_DESTROY, "cnrtQueueDestroy")
        .put(Role.STREAM_QUERY, "cnrtQueueQuery")
        .put(Role.STREAM_WAIT_EVENT, "cnrtQueueWaitNotifier")
        .put(Role.EVENT_CREATE, "cnrtNotifierCreateWithFlags")
        .put(Role.EVENT_RECORD, "cnrtPlaceNotifier")
        .put(Role.EVENT_QUERY, "cnrtQueryNotifier")
        .put(Role.EVENT_DESTROY, "cnrtNotifierDestroy")
        .put(Role.COPY_TO_DEVICE, "cnrtMemcpyAsync")
        .put(Role.COPY_TO_HOST, "cnrtMemcpyAsync")
        .put(Role.COPY_ON_DEVICE, "cnrtMemcpyAsync")
        .put(Role.FILL, "cnrtMemsetAsync")
        .put(Role.STREAM_PRIORITIES, "cnrtDeviceGetQueuePriorityRange")
        .put(Role.STREAM_CREATE_RANKED, "cnrtQueueCreateWithPriority")
        .put(Role.STREAM_CAPTURING, "cnrtQueueIsCapturing")
        .put(Role.CAPTURE_MODE, "cnrtThreadExchangeQueueCaptureMode")
        .put(Role.PEER_CAN_ACCESS, "cnrtGetPeerAccessibility")
        .put(Role.HOST_FUNCTION, "cnrtInvokeHostFunc")
        .put(Role.POINTER_ATTRIBUTE, "cnrtPointerGetAttributes")
        .put(Role.STREAM_CONTEXT, "cnQueueGetContext" + DRIVER)
        .put(Role.CURRENT_CONTEXT, "cnCtxGetCurrent" + DRIVER)
        .put(Role.GATE_MAKE, "cnMallocHost" + DRIVER)
        .put(Role.GATE_WAIT, "cnQueueAtomicOperation" + DRIVER)
        .put(Role.GATE_OPEN, "cnAtomicOperation" + DRIVER)
        .buildOrThrow();
  }

  private static ImmutableMap<Constant, Fact> constants() {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact("cnrtSuccess", 0))
        .put(Constant.NOT_READY, new Fact("cnrtErrorNotReady", 1))
        .put(Constant.OUT_OF_MEMORY, new Fact("cnrtErrorNoMem", 100100))
        .put(Constant.STREAM_NON_BLOCKING, Fact.unnamed(0))
        .put(Constant.EVENT_NO_TIMING, new Fact("CNRT_NOTIFIER_DISABLE_TIMING_ALL", 4))
        .put(Constant.HOST_ALLOCATE_PORTABLE, Fact.unnamed(0))
        .put(Constant.HOST_ALLOCATE_MAPPED, Fact.unnamed(0))
        .put(Constant.KIND_TO_DEVICE, new Fact("cnrtMemcpyHostToDev", 0))
        .put(Constant.KIND_TO_HOST, new Fact("cnrtMemcpyDevToHost", 2))
        .put(Constant.KIND_ON_DEVICE, new Fact("cnrtMemcpyDevToDev", 1))
        .put(Constant.NOT_KNOWN, new Fact("cnrtErrorArgsInvalid", 100006))
        .put(Constant.POINTER_DEVICE, Fact.unnamed(0))
        .put(Constant.KIND_OF_HOST, new Fact("cnrtMemTypeHost", 1))
        .put(Constant.CONTEXT_UNTOLD, Fact.unnamed(0))
        .put(Constant.NOT_CAPTURING, new Fact("cnrtQueueCaptureStatusNone", 0))
        .put(Constant.CAPTURE_RELAXED, new Fact("cnrtQueueCaptureModeRelaxed", 2))
        .put(Constant.STILL_BUSY, new Fact("cnrtErrorBusy", 632014))
        .put(Constant.GATE_COMPARES, new Fact("CN_ATOMIC_OP_COMPARE", 1))
        .put(Constant.GATE_AT_LEAST, new Fact("CN_ATOMIC_COMPARE_LESS_EQUAL", 1))
        .put(Constant.GATE_REQUESTS, new Fact("CN_ATOMIC_OP_REQUEST", 0))
        .put(Constant.GATE_SETS, new Fact("CN_ATOMIC_REQUEST_SET", 1))
        .buildOrThrow();
  }
}
