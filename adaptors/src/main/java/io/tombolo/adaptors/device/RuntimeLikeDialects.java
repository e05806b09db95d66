// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/** Rows of runtimes that are called as HIP's is, under names of their own. None was ever run. */
public final class RuntimeLikeDialects {
  private RuntimeLikeDialects() {}

  /**
   * MetaX's MACA. Host memory is allocated and registered with the default flags: no source shows
   * the others' numbers. Handles for other processes are not used, as nothing shows their size; nor
   * is it asked about addresses, as nothing shows the order and numbers of what it tells.
   */
  public static final DeviceDialect MACA =
      new DeviceDialect(
          "MACA runtime API",
          ImmutableList.of("libmcruntime.so"),
          common("mc")
              .put(Role.TOTAL_MEMORY, "mcMemGetInfo")
              .put(Role.HOST_ALLOCATE, "mcMallocHost")
              .put(Role.HOST_FREE, "mcFreeHost")
              .put(Role.FILL, "mcMemsetAsync")
              .put(Role.WAIT_VALUE, "mcStreamWaitValue64")
              .put(Role.WRITE_VALUE, "mcStreamWriteValue64")
              .put(Role.PEER_CAN_ACCESS, "mcDeviceCanAccessPeer")
              .put(Role.PEER_ENABLE, "mcDeviceEnablePeerAccess")
              .put(Role.MANAGED_ALLOCATE, "mcMallocManaged")
              .put(Role.HOST_FUNCTION, "mcLaunchHostFunc")
              .put(Role.STREAM_PRIORITIES, "mcDeviceGetStreamPriorityRange")
              .put(Role.STREAM_CREATE_RANKED, "mcStreamCreateWithPriority")
              .buildOrThrow(),
          ImmutableSet.of(
              RuntimeCallShape.ORDINAL_IS_CONTEXT,
              RuntimeCallShape.TEXT_IS_RETURNED,
              RuntimeCallShape.MEMORY_IS_THE_CURRENT_ONE),
          SafeCalls.COMMON,
          numbers("mc", "mcErrorMemoryAllocation")
              .put(Constant.STREAM_NON_BLOCKING, new Fact("mcStreamNonBlocking", 1))
              .put(Constant.EVENT_NO_TIMING, new Fact("mcEventDisableTiming", 2))
              .put(Constant.HOST_ALLOCATE_PORTABLE, Fact.unnamed(0))
              .put(Constant.HOST_ALLOCATE_MAPPED, Fact.unnamed(0))
              .put(Constant.HOST_REGISTER_PORTABLE, Fact.unnamed(0))
              .put(Constant.HOST_REGISTER_MAPPED, Fact.unnamed(0))
              .put(Constant.WAIT_AT_LEAST, Fact.unnamed(0))
              .put(Constant.WRITE_PLAIN, Fact.unnamed(0))
              .put(Constant.PEER_ENABLED_BEFORE, new Fact("mcErrorPeerAccessAlreadyEnabled", 704))
              .put(Constant.MANAGED_ATTACH, new Fact("mcMemAttachGlobal", 1))
              .buildOrThrow(),
          Optional.empty(),
          Witness.TABLE,
          "install MetaX's MACA toolkit and put its lib folder into LD_LIBRARY_PATH",
          "calls: FlagCX's metax adaptor (managed memory, host functions), infinirt and tilelang"
              + " over libmcruntime.so, MetaX's samples (peers); numbers: see the table; that"
              + " waiting for at least a value is 0 is only the place of MC_STREAM_WAIT_VALUE_GEQ"
              + " in a binding of the enumeration; FlagCX also says that such waits do not order"
              + " what a NIC wrote");

  /** Enflame's TopsRT of TopsRider, for GCUs from gcu200 on. */
  public static final DeviceDialect TOPS =
      new DeviceDialect(
          "TopsRT",
          ImmutableList.of("libtopsrt.so", "libtopsrt.so.1"),
          common("tops")
              .put(Role.TOTAL_MEMORY, "topsDeviceTotalMem")
              .put(Role.HOST_ALLOCATE, "topsHostMalloc")
              .put(Role.HOST_FREE, "topsHostFree")
              .put(Role.FILL, "topsMemsetD8Async")
              .put(Role.IPC_EXPORT, "topsIpcGetMemHandle")
              .put(Role.IPC_OPEN, "topsIpcOpenMemHandle")
              .put(Role.IPC_CLOSE, "topsIpcCloseMemHandle")
              .put(Role.STREAM_CAPTURING, "topsStreamIsCapturing")
              .put(Role.CAPTURE_MODE, "topsThreadExchangeStreamCaptureMode")
              .put(Role.POINTER_ATTRIBUTE, "topsPointerGetAttributes")
              .put(Role.HOST_FUNCTION, "topsLaunchHostFunc")
              .put(Role.GATE_WAIT, "topsStreamWaitValue32Async")
              .put(Role.GATE_OPEN, "topsStreamWriteValue32")
              .buildOrThrow(),
          ImmutableSet.of(
              RuntimeCallShape.ORDINAL_IS_CONTEXT,
              RuntimeCallShape.TEXT_IS_RETURNED,
              RuntimeCallShape.TOPS,
              RuntimeCallShape.PLACE_IS_TOLD_AT_ONCE),
          SafeCalls.COMMON,
          numbers("tops", "topsErrorOutOfMemory")
              .put(Constant.STREAM_NON_BLOCKING, new Fact("topsStreamNonBlocking", 1))
              .put(Constant.EVENT_NO_TIMING, new Fact("topsEventDisableTiming", 2))
              .put(Constant.HOST_ALLOCATE_PORTABLE, new Fact("topsHostMallocPortable", 1))
              .put(Constant.IPC_OPEN_FLAGS, Fact.unnamed(0))
              .put(Constant.HOST_ALLOCATE_MAPPED, new Fact("topsHostMallocMapped", 2))
              .put(Constant.HOST_REGISTER_PORTABLE, new Fact("topsHostRegisterPortable", 1))
              .put(Constant.HOST_REGISTER_MAPPED, new Fact("topsHostRegisterMapped", 2))
              .put(Constant.NOT_KNOWN, new Fact("topsErrorInvalidValue", 1))
              .put(Constant.POINTER_DEVICE, Fact.unnamed(0))
              .put(Constant.KIND_OF_HOST, new Fact("topsMemoryTypeHost", 1))
              .put(Constant.NOT_CAPTURING, new Fact("topsStreamCaptureStatusNone", 0))
              .put(Constant.CAPTURE_RELAXED, Fact.unnamed(2))
              .buildOrThrow(),
          Optional.empty(),
          Witness.TABLE,
          "install Enflame's driver and TopsRider (package tops-sdk), and put /opt/tops/lib into"
              + " LD_LIBRARY_PATH",
          "tops_runtime_api.h of TopsRider 2.3: also that words to wait for are the device's own,"
              + " of 32 bits; topsPointerGetAttributes, and that an address of nobody's is an"
              + " invalid value: torch_gcu, GCUHooks.cpp; topsLaunchHostFunc, of newer releases alone:"
              + " torch_gcu, gcu_launch_host_func; its programming guide: managed memory is"
              + " not to be had yet; captures: torch_gcu, GCUGraphsC10Utils.h, where the number of the relaxed mode is taken to"
              + " be CUDA's, as the statuses are");

  /** What both have under HIP's names, with another prefix. */
  private static ImmutableMap.Builder<Role, String> common(String prefix) {
    return ImmutableMap.<Role, String>builder()
        .put(Role.INIT, prefix + "Init")
        .put(Role.DRIVER_VERSION, prefix + "DriverGetVersion")
        .put(Role.ERROR_NAME, prefix + "GetErrorName")
        .put(Role.ERROR_TEXT, prefix + "GetErrorString")
        .put(Role.DEVICE_COUNT, prefix + "GetDeviceCount")
        .put(Role.DEVICE_GET, prefix + "DeviceGet")
        .put(Role.DEVICE_NAME, prefix + "DeviceGetName")
        .put(Role.PCI_BUS_ID, prefix + "DeviceGetPCIBusId")
        .put(Role.SET_CURRENT, prefix + "SetDevice")
        .put(Role.GET_CURRENT, prefix + "GetDevice")
        .put(Role.ALLOCATE, prefix + "Malloc")
        .put(Role.FREE, prefix + "Free")
        .put(Role.HOST_REGISTER, prefix + "HostRegister")
        .put(Role.HOST_UNREGISTER, prefix + "HostUnregister")
        .put(Role.HOST_POINTER, prefix + "HostGetDevicePointer")
        .put(Role.STREAM_CREATE, prefix + "StreamCreateWithFlags")
        .put(Role.STREAM_DESTROY, prefix + "StreamDestroy")
        .put(Role.STREAM_QUERY, prefix + "StreamQuery")
        .put(Role.STREAM_WAIT_EVENT, prefix + "StreamWaitEvent")
        .put(Role.EVENT_CREATE, prefix + "EventCreateWithFlags")
        .put(Role.EVENT_RECORD, prefix + "EventRecord")
        .put(Role.EVENT_QUERY, prefix + "EventQuery")
        .put(Role.EVENT_DESTROY, prefix + "EventDestroy")
        .put(Role.COPY_TO_DEVICE, prefix + "MemcpyHtoDAsync")
        .put(Role.COPY_TO_HOST, prefix + "MemcpyDtoHAsync")
        .put(Role.COPY_ON_DEVICE, prefix + "MemcpyDtoDAsync");
  }

  private static ImmutableMap.Builder<Constant, Fact> numbers(String prefix, String outOfMemory) {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact(prefix + "Success", 0))
        .put(Constant.NOT_READY, new Fact(prefix + "ErrorNotReady", 600))
        .put(Constant.OUT_OF_MEMORY, new Fact(outOfMemory, 2));
  }
}
