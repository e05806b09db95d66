// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/**
 * Level Zero, below Intel's GPU software; never run. The numbers in its descriptors are the shim's,
 * in {@code ze_abi.h}. Its driver must know counter-based events, which can be recorded again and
 * again, and import host memory: Intel's does both. IPC handles are made for file descriptors
 * there, and are not used.
 *
 * <p>It is a row and no vendor: oneCCL's streams on GPUs are SYCL queues, which have no C
 * interface.
 */
public final class LevelZeroDialect {
  private LevelZeroDialect() {}

  /** The row. */
  public static final DeviceDialect ZE =
      new DeviceDialect(
          "Level Zero",
          ImmutableList.of("libze_loader.so.1"),
          symbols(),
          ImmutableSet.of(RuntimeCallShape.LEVEL_ZERO),
          SafeCalls.LEVEL_ZERO,
          constants(),
          Optional.empty(),
          Witness.HEADER_ALONE,
          "install Intel's compute runtime (package libze-intel-gpu1) and a Level Zero loader of"
              + " version 1.8 or later (package libze1)",
          "ze_api.h 1.4 of Debian's libze-dev; later ones of github.com/oneapi-src/level-zero for"
              + " lists in order, their synchronizing and counter-based events; zex_driver.h of"
              + " github.com/intel/compute-runtime for the import of host memory");

  private static ImmutableMap<Role, String> symbols() {
    return ImmutableMap.<Role, String>builder()
        .put(Role.INIT, "zeInit")
        .put(Role.DRIVER_VERSION, "zeDriverGetApiVersion")
        .put(Role.DEVICE_COUNT, "zeDriverGet")
        .put(Role.DEVICE_GET, "zeDeviceGet")
        .put(Role.DEVICE_NAME, "zeDeviceGetProperties")
        .put(Role.PCI_BUS_ID, "zeDevicePciGetPropertiesExt")
        .put(Role.TOTAL_MEMORY, "zeDeviceGetMemoryProperties")
        .put(Role.CONTEXT_RETAIN, "zeContextCreate")
        .put(Role.ALLOCATE, "zeMemAllocDevice")
        .put(Role.FREE, "zeMemFree")
        .put(Role.HOST_ALLOCATE, "zeMemAllocHost")
        .put(Role.HOST_FREE, "zeMemFree")
        .put(Role.HOST_REGISTER, "zeDriverGetExtensionFunctionAddress")
        .put(Role.HOST_UNREGISTER, "zeDriverGetExtensionFunctionAddress")
        .put(Role.STREAM_KINDS, "zeDeviceGetCommandQueueGroupProperties")
        .put(Role.STREAM_CREATE, "zeCommandListCreateImmediate")
        .put(Role.STREAM_CREATE_RANKED, "zeCommandListCreateImmediate")
        .put(Role.STREAM_DESTROY, "zeCommandListDestroy")
        .put(Role.STREAM_QUERY, "zeCommandListHostSynchronize")
        .put(Role.STREAM_WAIT_EVENT, "zeCommandListAppendWaitOnEvents")
        .put(Role.EVENT_POOL_CREATE, "zeEventPoolCreate")
        .put(Role.EVENT_POOL_DESTROY, "zeEventPoolDestroy")
        .put(Role.EVENT_CREATE, "zeEventCreate")
        .put(Role.EVENT_RECORD, "zeCommandListAppendSignalEvent")
        .put(Role.EVENT_QUERY, "zeEventQueryStatus")
        .put(Role.EVENT_DESTROY, "zeEventDestroy")
        .put(Role.COPY_TO_DEVICE, "zeCommandListAppendMemoryCopy")
        .put(Role.COPY_TO_HOST, "zeCommandListAppendMemoryCopy")
        .put(Role.COPY_ON_DEVICE, "zeCommandListAppendMemoryCopy")
        .put(Role.FILL, "zeCommandListAppendMemoryFill")
        .put(Role.PEER_CAN_ACCESS, "zeDeviceCanAccessPeer")
        .put(Role.MANAGED_ALLOCATE, "zeMemAllocShared")
        .put(Role.POINTER_ATTRIBUTE, "zeMemGetAllocProperties")
        .put(Role.GATE_OPEN, "zeEventHostSignal")
        .put(Role.GATE_SHUT, "zeEventHostReset")
        .buildOrThrow();
  }

  private static ImmutableMap<Constant, Fact> constants() {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact("ZE_RESULT_SUCCESS", 0))
        .put(Constant.NOT_READY, new Fact("ZE_RESULT_NOT_READY", 1))
        .put(Constant.OUT_OF_MEMORY, new Fact("ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", 0x70000003))
        .put(
            Constant.OUT_OF_HOST_MEMORY, new Fact("ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY", 0x70000002))
        .put(Constant.STREAM_NON_BLOCKING, Fact.unnamed(0))
        .put(Constant.EVENT_NO_TIMING, Fact.unnamed(0))
        .put(Constant.HOST_ALLOCATE_PORTABLE, Fact.unnamed(0))
        .put(Constant.HOST_ALLOCATE_MAPPED, Fact.unnamed(0))
        .put(Constant.HOST_REGISTER_PORTABLE, Fact.unnamed(0))
        .put(Constant.HOST_REGISTER_MAPPED, Fact.unnamed(0))
        .put(Constant.MANAGED_ATTACH, Fact.unnamed(0))
        .put(Constant.NOT_KNOWN, Fact.unnamed(0))
        .put(Constant.POINTER_DEVICE, Fact.unnamed(0))
        .buildOrThrow();
  }
}
