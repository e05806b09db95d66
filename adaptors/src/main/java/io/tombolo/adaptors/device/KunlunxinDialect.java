// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/**
 * Kunlunxin's own runtime, XRE; never run. Its streams wait for events alone, and there are no
 * functions that they call on the host: so the host keeps the order. The version must be one with
 * asynchronous copies and a query of events, which 4.33 lacks. Its handles of memory for other
 * processes, whose size is not public, are not used, nor its questions about addresses, whose
 * arguments are not.
 */
public final class KunlunxinDialect {
  private KunlunxinDialect() {}

  /** The row. */
  public static final DeviceDialect XRE =
      new DeviceDialect(
          "XRE",
          ImmutableList.of("libxpurt.so.1", "libxpurt.so"),
          symbols(),
          ImmutableSet.of(
              RuntimeCallShape.ORDINAL_IS_CONTEXT,
              RuntimeCallShape.HOST_ORDERED,
              RuntimeCallShape.XRE),
          SafeCalls.COMMON,
          constants(),
          Optional.empty(),
          Witness.TABLE,
          "install Kunlunxin's XRE, and put its lib folder into LD_LIBRARY_PATH",
          "xpu/runtime.h and xpu/defs.h of XPURT 4.33 in mobius/kunlun_k200, commit 76f1afd;"
              + " asynchronous copies and the query of events: what infinirt and Paddle call, and a"
              + " public list of the calls of a P800's header; that the query answers 600 where"
              + " nothing was recorded: PaddlePaddle/Paddle, pull request 78227, so that 600 is"
              + " taken for not yet, as in CUDA; that no memory is filled: infinirt");

  private static ImmutableMap<Role, String> symbols() {
    return ImmutableMap.<Role, String>builder()
        .put(Role.DRIVER_VERSION, "xpu_get_runtime_version")
        .put(Role.DEVICE_COUNT, "xpu_device_count")
        .put(Role.PCI_BUS_ID, "xpu_device_get_attr")
        .put(Role.SET_CURRENT, "xpu_set_device")
        .put(Role.GET_CURRENT, "xpu_current_device")
        .put(Role.ALLOCATE, "xpu_malloc")
        .put(Role.FREE, "xpu_free")
        .put(Role.HOST_ALLOCATE, "xpu_host_alloc")
        .put(Role.HOST_FREE, "xpu_host_free")
        .put(Role.HOST_REGISTER, "xpu_host_register")
        .put(Role.HOST_UNREGISTER, "xpu_host_unregister")
        .put(Role.STREAM_CREATE, "xpu_stream_create")
        .put(Role.STREAM_DESTROY, "xpu_stream_destroy")
        .put(Role.STREAM_WAIT_EVENT, "xpu_stream_wait_event")
        .put(Role.EVENT_CREATE, "xpu_event_create")
        .put(Role.EVENT_RECORD, "xpu_event_record")
        .put(Role.EVENT_QUERY, "xpu_event_query")
        .put(Role.EVENT_DESTROY, "xpu_event_destroy")
        .put(Role.COPY_TO_DEVICE, "xpu_memcpy_async")
        .put(Role.COPY_TO_HOST, "xpu_memcpy_async")
        .put(Role.COPY_ON_DEVICE, "xpu_memcpy_async")
        .buildOrThrow();
  }

  private static ImmutableMap<Constant, Fact> constants() {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact("XPU_SUCCESS", 0))
        .put(Constant.NOT_READY, new Fact("xpuEventQueryNotYet", 600))
        .put(Constant.OUT_OF_MEMORY, new Fact("XPUERR_NOMEM", 705))
        .put(Constant.MEMORY_KIND, new Fact("XPU_MEM_MAIN", 0))
        .put(Constant.DEVICE_PCI, new Fact("XPUATTR_PCI_ADDRESS", 0))
        .put(Constant.KIND_TO_DEVICE, new Fact("XPU_HOST_TO_DEVICE", 1))
        .put(Constant.KIND_TO_HOST, new Fact("XPU_DEVICE_TO_HOST", 0))
        .put(Constant.KIND_ON_DEVICE, new Fact("XPU_DEVICE_TO_DEVICE", 2))
        .put(Constant.STREAM_NON_BLOCKING, Fact.unnamed(0))
        .put(Constant.EVENT_NO_TIMING, Fact.unnamed(0))
        .put(Constant.HOST_ALLOCATE_PORTABLE, Fact.unnamed(0))
        .put(Constant.HOST_ALLOCATE_MAPPED, Fact.unnamed(0))
        .put(Constant.HOST_REGISTER_PORTABLE, Fact.unnamed(0))
        .put(Constant.HOST_REGISTER_MAPPED, Fact.unnamed(0))
        .buildOrThrow();
  }
}
