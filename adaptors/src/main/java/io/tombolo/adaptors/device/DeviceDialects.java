// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/** The device runtimes this project knows, one row each. */
public final class DeviceDialects {
  private DeviceDialects() {}

  /** NVIDIA's driver API: part of the driver, so no toolkit is needed. */
  public static final DeviceDialect CUDA =
      new DeviceDialect(
          "CUDA driver API",
          ImmutableList.of("libcuda.so.1"),
          cudaSymbols(),
          ImmutableSet.of(),
          SafeCalls.CUDA,
          cudaConstants(),
          Optional.of(CompilerDialect.NVRTC),
          Witness.HEADER,
          "install NVIDIA's driver (it brings libcuda.so.1), or run where there is one",
          "cuda.h of CUDA 12.9 and 13.5");

  /**
   * AMD's HIP runtime of ROCm. By its documentation streams wait for words allocated with
   * hipMallocSignalMemory, 8 bytes each; some APUs have no such memory, and wait for pinned memory
   * (see {@link StreamWords}). The flag for opening IPC handles is that of ROCm 5; from 6 on it is
   * 1, and 0 may be refused. The kinds of memory have other numbers from 6 on, so addresses are
   * asked for their device only.
   */
  public static final DeviceDialect HIP =
      new DeviceDialect(
          "HIP runtime API",
          ImmutableList.of(
              "libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"),
          hipSymbols(),
          ImmutableSet.of(
              RuntimeCallShape.ORDINAL_IS_CONTEXT,
              RuntimeCallShape.TEXT_IS_RETURNED,
              RuntimeCallShape.WAIT_HAS_MASK),
          SafeCalls.HIP,
          hipConstants(),
          Optional.of(CompilerDialect.HIPRTC),
          Witness.HEADER,
          "install ROCm's HIP runtime (package hip-runtime-amd), or run where there is one",
          "hip_runtime_api.h of ROCm 5.2");

  private static ImmutableMap<Role, String> cudaSymbols() {
    return ImmutableMap.<Role, String>builder()
        .put(Role.INIT, "cuInit")
        .put(Role.DRIVER_VERSION, "cuDriverGetVersion")
        .put(Role.ERROR_NAME, "cuGetErrorName")
        .put(Role.ERROR_TEXT, "cuGetErrorString")
        .put(Role.DEVICE_COUNT, "cuDeviceGetCount")
        .put(Role.DEVICE_GET, "cuDeviceGet")
        .put(Role.DEVICE_NAME, "cuDeviceGetName")
        .put(Role.PCI_BUS_ID, "cuDeviceGetPCIBusId")
        .put(Role.TOTAL_MEMORY, "cuDeviceTotalMem_v2")
        .put(Role.CONTEXT_RETAIN, "cuDevicePrimaryCtxRetain")
        .put(Role.CONTEXT_RELEASE, "cuDevicePrimaryCtxRelease_v2")
        .put(Role.SET_CURRENT, "cuCtxSetCurrent")
        .put(Role.GET_CURRENT, "cuCtxGetCurrent")
        .put(Role.ALLOCATE, "cuMemAlloc_v2")
        .put(Role.FREE, "cuMemFree_v2")
        .put(Role.HOST_ALLOCATE, "cuMemHostAlloc")
        .put(Role.HOST_FREE, "cuMemFreeHost")
        .put(Role.HOST_REGISTER, "cuMemHostRegister_v2")
        .put(Role.HOST_UNREGISTER, "cuMemHostUnregister")
        .put(Role.STREAM_CREATE, "cuStreamCreate")
        .put(Role.STREAM_DESTROY, "cuStreamDestroy_v2")
        .put(Role.STREAM_QUERY, "cuStreamQuery")
        .put(Role.STREAM_WAIT_EVENT, "cuStreamWaitEvent")
        .put(Role.EVENT_CREATE, "cuEventCreate")
        .put(Role.EVENT_RECORD, "cuEventRecord")
        .put(Role.EVENT_QUERY, "cuEventQuery")
        .put(Role.EVENT_DESTROY, "cuEventDestroy_v2")
        .put(Role.COPY_TO_DEVICE, "cuMemcpyHtoDAsync_v2")
        .put(Role.COPY_TO_HOST, "cuMemcpyDtoHAsync_v2")
        .put(Role.COPY_ON_DEVICE, "cuMemcpyDtoDAsync_v2")
        .put(Role.FILL, "cuMemsetD8Async")
        .put(Role.WAIT_VALUE, "cuStreamWaitValue64_v2")
        .put(Role.WRITE_VALUE, "cuStreamWriteValue64_v2")
        .put(Role.IPC_EXPORT, "cuIpcGetMemHandle")
        .put(Role.IPC_OPEN, "cuIpcOpenMemHandle_v2")
        .put(Role.IPC_CLOSE, "cuIpcCloseMemHandle")
        .put(Role.FLUSH, "cuFlushGPUDirectRDMAWrites")
        .put(Role.MODULE_LOAD, "cuModuleLoadData")
        .put(Role.MODULE_UNLOAD, "cuModuleUnload")
        .put(Role.MODULE_FUNCTION, "cuModuleGetFunction")
        .put(Role.LAUNCH, "cuLaunchKernel")
        .put(Role.DMA_BUF, "cuMemGetHandleForAddressRange")
        .put(Role.PEER_CAN_ACCESS, "cuDeviceCanAccessPeer")
        .put(Role.PEER_ENABLE, "cuCtxEnablePeerAccess")
        .put(Role.MANAGED_ALLOCATE, "cuMemAllocManaged")
        .put(Role.HOST_FUNCTION, "cuLaunchHostFunc")
        .put(Role.DEVICE_ATTRIBUTE, "cuDeviceGetAttribute")
        .put(Role.STREAM_PRIORITIES, "cuCtxGetStreamPriorityRange")
        .put(Role.STREAM_CREATE_RANKED, "cuStreamCreateWithPriority")
        .put(Role.STREAM_CAPTURING, "cuStreamIsCapturing")
        .put(Role.CAPTURE_MODE, "cuThreadExchangeStreamCaptureMode")
        .put(Role.POINTER_ATTRIBUTE, "cuPointerGetAttribute")
        .put(Role.STREAM_CONTEXT, "cuStreamGetCtx")
        .put(Role.CONTEXT_STATE, "cuDevicePrimaryCtxGetState")
        .buildOrThrow();
  }

  private static ImmutableMap<Constant, Fact> cudaConstants() {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact("CUDA_SUCCESS", 0))
        .put(Constant.NOT_READY, new Fact("CUDA_ERROR_NOT_READY", 600))
        .put(Constant.OUT_OF_MEMORY, new Fact("CUDA_ERROR_OUT_OF_MEMORY", 2))
        .put(Constant.STREAM_NON_BLOCKING, new Fact("CU_STREAM_NON_BLOCKING", 1))
        .put(Constant.EVENT_NO_TIMING, new Fact("CU_EVENT_DISABLE_TIMING", 2))
        .put(Constant.HOST_ALLOCATE_PORTABLE, new Fact("CU_MEMHOSTALLOC_PORTABLE", 1))
        .put(Constant.HOST_ALLOCATE_MAPPED, new Fact("CU_MEMHOSTALLOC_DEVICEMAP", 2))
        .put(Constant.HOST_REGISTER_PORTABLE, new Fact("CU_MEMHOSTREGISTER_PORTABLE", 1))
        .put(Constant.HOST_REGISTER_MAPPED, new Fact("CU_MEMHOSTREGISTER_DEVICEMAP", 2))
        .put(Constant.WAIT_AT_LEAST, new Fact("CU_STREAM_WAIT_VALUE_GEQ", 0))
        .put(Constant.WRITE_PLAIN, new Fact("CU_STREAM_WRITE_VALUE_DEFAULT", 0))
        .put(Constant.IPC_OPEN_FLAGS, new Fact("CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS", 1))
        .put(Constant.DMA_BUF_KIND, new Fact("CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD", 1))
        .put(
            Constant.FLUSH_TARGET,
            new Fact("CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX", 0))
        .put(Constant.PEER_ENABLED_BEFORE, new Fact("CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", 704))
        .put(Constant.MANAGED_ATTACH, new Fact("CU_MEM_ATTACH_GLOBAL", 1))
        .put(
            Constant.CAN_WAIT_FOR_WORDS,
            new Fact("CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS", 122))
        .put(
            Constant.CAN_USE_HOST_POINTERS,
            new Fact("CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM", 91))
        .put(
            Constant.FLUSH_OPTIONS,
            new Fact("CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS", 117))
        .put(Constant.FLUSH_SCOPE, new Fact("CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER", 100))
        .put(Constant.NOT_CAPTURING, new Fact("CU_STREAM_CAPTURE_STATUS_NONE", 0))
        .put(Constant.CAPTURE_RELAXED, new Fact("CU_STREAM_CAPTURE_MODE_RELAXED", 2))
        .put(Constant.NOT_KNOWN, new Fact("CUDA_ERROR_INVALID_VALUE", 1))
        .put(Constant.POINTER_DEVICE, new Fact("CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL", 9))
        .put(Constant.POINTER_MANAGED, new Fact("CU_POINTER_ATTRIBUTE_IS_MANAGED", 8))
        .put(Constant.POINTER_KIND, new Fact("CU_POINTER_ATTRIBUTE_MEMORY_TYPE", 2))
        .put(Constant.KIND_OF_HOST, new Fact("CU_MEMORYTYPE_HOST", 1))
        .put(Constant.CONTEXT_UNTOLD, new Fact("CUDA_ERROR_NOT_SUPPORTED", 801))
        .buildOrThrow();
  }

  private static ImmutableMap<Role, String> hipSymbols() {
    return ImmutableMap.<Role, String>builder()
        .put(Role.INIT, "hipInit")
        .put(Role.DRIVER_VERSION, "hipDriverGetVersion")
        .put(Role.ERROR_NAME, "hipGetErrorName")
        .put(Role.ERROR_TEXT, "hipGetErrorString")
        .put(Role.DEVICE_COUNT, "hipGetDeviceCount")
        .put(Role.DEVICE_GET, "hipDeviceGet")
        .put(Role.DEVICE_NAME, "hipDeviceGetName")
        .put(Role.PCI_BUS_ID, "hipDeviceGetPCIBusId")
        .put(Role.TOTAL_MEMORY, "hipDeviceTotalMem")
        .put(Role.SET_CURRENT, "hipSetDevice")
        .put(Role.GET_CURRENT, "hipGetDevice")
        .put(Role.ALLOCATE, "hipMalloc")
        .put(Role.FREE, "hipFree")
        .put(Role.HOST_ALLOCATE, "hipHostMalloc")
        .put(Role.HOST_FREE, "hipHostFree")
        .put(Role.HOST_REGISTER, "hipHostRegister")
        .put(Role.HOST_UNREGISTER, "hipHostUnregister")
        .put(Role.HOST_POINTER, "hipHostGetDevicePointer")
        .put(Role.STREAM_CREATE, "hipStreamCreateWithFlags")
        .put(Role.STREAM_DESTROY, "hipStreamDestroy")
        .put(Role.STREAM_QUERY, "hipStreamQuery")
        .put(Role.STREAM_WAIT_EVENT, "hipStreamWaitEvent")
        .put(Role.EVENT_CREATE, "hipEventCreateWithFlags")
        .put(Role.EVENT_RECORD, "hipEventRecord")
        .put(Role.EVENT_QUERY, "hipEventQuery")
        .put(Role.EVENT_DESTROY, "hipEventDestroy")
        .put(Role.COPY_TO_DEVICE, "hipMemcpyHtoDAsync")
        .put(Role.COPY_TO_HOST, "hipMemcpyDtoHAsync")
        .put(Role.COPY_ON_DEVICE, "hipMemcpyDtoDAsync")
        .put(Role.FILL, "hipMemsetD8Async")
        .put(Role.WAIT_VALUE, "hipStreamWaitValue64")
        .put(Role.WRITE_VALUE, "hipStreamWriteValue64")
        .put(Role.IPC_EXPORT, "hipIpcGetMemHandle")
        .put(Role.IPC_OPEN, "hipIpcOpenMemHandle")
        .put(Role.IPC_CLOSE, "hipIpcCloseMemHandle")
        .put(Role.MODULE_LOAD, "hipModuleLoadData")
        .put(Role.MODULE_UNLOAD, "hipModuleUnload")
        .put(Role.MODULE_FUNCTION, "hipModuleGetFunction")
        .put(Role.LAUNCH, "hipModuleLaunchKernel")
        .put(Role.PEER_CAN_ACCESS, "hipDeviceCanAccessPeer")
        .put(Role.PEER_ENABLE, "hipDeviceEnablePeerAccess")
        .put(Role.MANAGED_ALLOCATE, "hipMallocManaged")
        .put(Role.HOST_FUNCTION, "hipLaunchHostFunc")
        .put(Role.DEVICE_ATTRIBUTE, "hipDeviceGetAttribute")
        .put(Role.STREAM_PRIORITIES, "hipDeviceGetStreamPriorityRange")
        .put(Role.STREAM_CREATE_RANKED, "hipStreamCreateWithPriority")
        .put(Role.STREAM_CAPTURING, "hipStreamIsCapturing")
        .put(Role.CAPTURE_MODE, "hipThreadExchangeStreamCaptureMode")
        .put(Role.SIGNAL_ALLOCATE, "hipExtMallocWithFlags")
        .put(Role.POINTER_ATTRIBUTE, "hipPointerGetAttribute")
        .put(Role.STREAM_CONTEXT, "hipGetStreamDeviceId")
        .buildOrThrow();
  }

  private static ImmutableMap<Constant, Fact> hipConstants() {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact("hipSuccess", 0))
        .put(Constant.NOT_READY, new Fact("hipErrorNotReady", 600))
        .put(Constant.OUT_OF_MEMORY, new Fact("hipErrorOutOfMemory", 2))
        .put(Constant.STREAM_NON_BLOCKING, new Fact("hipStreamNonBlocking", 1))
        .put(Constant.EVENT_NO_TIMING, new Fact("hipEventDisableTiming", 2))
        .put(Constant.HOST_ALLOCATE_PORTABLE, new Fact("hipHostMallocPortable", 1))
        .put(Constant.HOST_ALLOCATE_MAPPED, new Fact("hipHostMallocMapped", 2))
        .put(Constant.HOST_REGISTER_PORTABLE, new Fact("hipHostRegisterPortable", 1))
        .put(Constant.HOST_REGISTER_MAPPED, new Fact("hipHostRegisterMapped", 2))
        .put(Constant.WAIT_AT_LEAST, new Fact("hipStreamWaitValueGte", 0))
        .put(Constant.WRITE_PLAIN, Fact.unnamed(0))
        .put(Constant.IPC_OPEN_FLAGS, new Fact("hipIpcMemLazyEnablePeerAccess", 0))
        .put(Constant.PEER_ENABLED_BEFORE, new Fact("hipErrorPeerAccessAlreadyEnabled", 704))
        .put(Constant.MANAGED_ATTACH, new Fact("hipMemAttachGlobal", 1))
        .put(
            Constant.CAN_WAIT_FOR_WORDS, new Fact("hipDeviceAttributeCanUseStreamWaitValue", 10013))
        .put(Constant.NOT_CAPTURING, new Fact("hipStreamCaptureStatusNone", 0))
        .put(Constant.CAPTURE_RELAXED, new Fact("hipStreamCaptureModeRelaxed", 2))
        .put(Constant.SIGNAL_KIND, new Fact("hipMallocSignalMemory", 2))
        .put(Constant.NOT_KNOWN, new Fact("hipErrorInvalidValue", 1))
        .put(Constant.POINTER_DEVICE, new Fact("HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL", 9))
        .put(Constant.CONTEXT_UNTOLD, Fact.unnamed(-1))
        .buildOrThrow();
  }
}
