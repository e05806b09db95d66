// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/**
 * Intel Gaudi's SynapseAI; never run. Its streams wait for events alone, and there are no functions
 * that they call on the host: so the host keeps the order. A process that acquires a device has it
 * for itself. Memory has no handles for other processes here.
 */
public final class GaudiDialect {
  private GaudiDialect() {}

  /** The row. */
  public static final DeviceDialect SYNAPSE_AI =
      new DeviceDialect(
          "SynapseAI",
          ImmutableList.of("libSynapse.so", "/usr/lib/habanalabs/libSynapse.so"),
          symbols(),
          ImmutableSet.of(RuntimeCallShape.HOST_ORDERED, RuntimeCallShape.SYNAPSE_AI),
          SafeCalls.COMMON,
          constants(),
          Optional.empty(),
          Witness.TABLE,
          "install Intel's Gaudi software (package habanalabs-thunk and SynapseAI)",
          "calls and numbers: synapse_api.h, synapse_api_types.h and synapse_common_types.h in"
              + " HabanaAI/SynapseAI_Core, commit 266a395; memory by the module's number, and what"
              + " needs no acquired device: synapse_api_impl.cpp and device_manager.cpp in"
              + " HabanaAI/Intel_Gaudi3_Software, commit adff76c; a second start: synapse_api.h"
              + " of 1.19 says success or synAlreadyInitialized, a binding of 1.24 in Rust"
              + " synObjectAlreadyInitialized");

  private static ImmutableMap<Role, String> symbols() {
    return ImmutableMap.<Role, String>builder()
        .put(Role.INIT, "synInitialize")
        .put(Role.DRIVER_VERSION, "synDriverGetVersion")
        .put(Role.ERROR_TEXT, "synStatusGetBriefDescription")
        .put(Role.DEVICE_COUNT, "synDeviceGetCount")
        .put(Role.DEVICE_GET, "synDeviceGetModuleIDs")
        .put(Role.DEVICE_NAME, "synDeviceGetName")
        .put(Role.TOTAL_MEMORY, "synDeviceGetAttributeByModuleId")
        .put(Role.CONTEXT_RETAIN, "synDeviceAcquireByModuleId")
        .put(Role.CONTEXT_RELEASE, "synDeviceRelease")
        .put(Role.ALLOCATE, "synDeviceMalloc")
        .put(Role.FREE, "synDeviceFree")
        .put(Role.HOST_ALLOCATE, "synHostMalloc")
        .put(Role.HOST_FREE, "synHostFree")
        .put(Role.HOST_REGISTER, "synHostMap")
        .put(Role.HOST_UNREGISTER, "synHostUnmap")
        .put(Role.STREAM_CREATE, "synStreamCreateGeneric")
        .put(Role.STREAM_DESTROY, "synStreamDestroy")
        .put(Role.STREAM_QUERY, "synStreamQuery")
        .put(Role.STREAM_WAIT_EVENT, "synStreamWaitEvent")
        .put(Role.EVENT_CREATE, "synEventCreate")
        .put(Role.EVENT_RECORD, "synEventRecord")
        .put(Role.EVENT_QUERY, "synEventQuery")
        .put(Role.EVENT_DESTROY, "synEventDestroy")
        .put(Role.COPY_TO_DEVICE, "synMemCopyAsync")
        .put(Role.COPY_TO_HOST, "synMemCopyAsync")
        .put(Role.COPY_ON_DEVICE, "synMemCopyAsync")
        .put(Role.FILL, "synMemsetD8Async")
        .buildOrThrow();
  }

  private static ImmutableMap<Constant, Fact> constants() {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact("synSuccess", 0))
        .put(Constant.NOT_READY, new Fact("synBusy", 22))
        .put(Constant.OUT_OF_MEMORY, new Fact("synOutOfDeviceMemory", 4))
        .put(Constant.OUT_OF_HOST_MEMORY, new Fact("synOutOfHostMemory", 3))
        .put(Constant.STARTED_BEFORE, new Fact("synAlreadyInitialized", 29))
        .put(Constant.STARTED_TWICE, new Fact("synObjectAlreadyInitialized", 5))
        .put(Constant.MEMORY_KIND, new Fact("DEVICE_ATTRIBUTE_DRAM_SIZE", 3))
        .put(Constant.KIND_TO_DEVICE, new Fact("HOST_TO_DRAM", 0))
        .put(Constant.KIND_TO_HOST, new Fact("DRAM_TO_HOST", 1))
        .put(Constant.KIND_ON_DEVICE, new Fact("DRAM_TO_DRAM", 2))
        .put(Constant.STREAM_NON_BLOCKING, Fact.unnamed(0))
        .put(Constant.EVENT_NO_TIMING, Fact.unnamed(0))
        .put(Constant.HOST_ALLOCATE_PORTABLE, Fact.unnamed(0))
        .put(Constant.HOST_ALLOCATE_MAPPED, Fact.unnamed(0))
        .put(Constant.HOST_REGISTER_PORTABLE, Fact.unnamed(0))
        .put(Constant.HOST_REGISTER_MAPPED, Fact.unnamed(0))
        .buildOrThrow();
  }
}
