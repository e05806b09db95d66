// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.tombolo.adaptors.Witness;
import java.util.Optional;

/**
 * AscendCL of Huawei's CANN; never run. A stream can wait for a word and write one only on products
 * of the series A2 and A3; that it may lie in mapped host memory is not documented. IPC handles are
 * strings there, and are not used. There is no public call for a device's PCI address.
 */
public final class AscendDialect {
  private AscendDialect() {}

  /** The row. */
  public static final DeviceDialect ACL =
      new DeviceDialect(
          "AscendCL",
          ImmutableList.of("libascendcl.so"),
          symbols(),
          ImmutableSet.of(RuntimeCallShape.ORDINAL_IS_CONTEXT, RuntimeCallShape.ASCEND_CL),
          SafeCalls.COMMON,
          constants(),
          Optional.empty(),
          Witness.TABLE,
          "install Huawei's driver and CANN toolkit, and source its set_env.sh",
          "acl_rt.h and acl_base.h of CANN 8 (Ascend/pytorch third_party/acl), its reference for"
              + " aclrtValueWait, aclrtValueWrite, aclrtHostRegisterV2, aclrtHostGetDevicePointer,"
              + " aclrtLaunchHostFunc, aclrtCreateEventExWithFlag (others are not to be recorded again"
              + " before they are reset), aclmdlRICaptureGetInfo, aclmdlRICaptureThreadExchangeMode"
              + " (experimental there); aclrtPointerGetAttributes: acl_rt.h and the sources of CANN's"
              + " runtime and driver from 8.5 on (hicann/runtime, hicann/driver), where the driver"
              + " names device 0 for stream-ordered memory of any");

  private static ImmutableMap<Role, String> symbols() {
    return ImmutableMap.<Role, String>builder()
        .put(Role.INIT, "aclInit")
        .put(Role.DRIVER_VERSION, "aclrtGetVersion")
        .put(Role.ERROR_TEXT, "aclGetRecentErrMsg")
        .put(Role.DEVICE_COUNT, "aclrtGetDeviceCount")
        .put(Role.DEVICE_NAME, "aclrtGetSocName")
        .put(Role.TOTAL_MEMORY, "aclrtGetMemInfo")
        .put(Role.SET_CURRENT, "aclrtSetDevice")
        .put(Role.GET_CURRENT, "aclrtGetDevice")
        .put(Role.ALLOCATE, "aclrtMalloc")
        .put(Role.FREE, "aclrtFree")
        .put(Role.HOST_ALLOCATE, "aclrtMallocHost")
        .put(Role.HOST_FREE, "aclrtFreeHost")
        .put(Role.HOST_REGISTER, "aclrtHostRegisterV2")
        .put(Role.HOST_UNREGISTER, "aclrtHostUnregister")
        .put(Role.HOST_POINTER, "aclrtHostGetDevicePointer")
        .put(Role.STREAM_CREATE, "aclrtCreateStream")
        .put(Role.STREAM_DESTROY, "aclrtDestroyStream")
        .put(Role.STREAM_QUERY, "aclrtStreamQuery")
        .put(Role.STREAM_WAIT_EVENT, "aclrtStreamWaitEvent")
        .put(Role.EVENT_CREATE, "aclrtCreateEventExWithFlag")
        .put(Role.EVENT_RECORD, "aclrtRecordEvent")
        .put(Role.EVENT_QUERY, "aclrtQueryEventStatus")
        .put(Role.EVENT_DESTROY, "aclrtDestroyEvent")
        .put(Role.COPY_TO_DEVICE, "aclrtMemcpyAsync")
        .put(Role.COPY_TO_HOST, "aclrtMemcpyAsync")
        .put(Role.COPY_ON_DEVICE, "aclrtMemcpyAsync")
        .put(Role.FILL, "aclrtMemsetAsync")
        .put(Role.WAIT_VALUE, "aclrtValueWait")
        .put(Role.WRITE_VALUE, "aclrtValueWrite")
        .put(Role.STREAM_CAPTURING, "aclmdlRICaptureGetInfo")
        .put(Role.CAPTURE_MODE, "aclmdlRICaptureThreadExchangeMode")
        .put(Role.PEER_CAN_ACCESS, "aclrtDeviceCanAccessPeer")
        .put(Role.PEER_ENABLE, "aclrtDeviceEnablePeerAccess")
        .put(Role.HOST_FUNCTION, "aclrtLaunchHostFunc")
        .put(Role.POINTER_ATTRIBUTE, "aclrtPointerGetAttributes")
        .buildOrThrow();
  }

  private static ImmutableMap<Constant, Fact> constants() {
    return ImmutableMap.<Constant, Fact>builder()
        .put(Constant.SUCCESS, new Fact("ACL_SUCCESS", 0))
        .put(Constant.STARTED_BEFORE, new Fact("ACL_ERROR_REPEAT_INITIALIZE", 100002))
        .put(Constant.NOT_READY, Fact.unnamed(-1))
        .put(Constant.OUT_OF_MEMORY, new Fact("ACL_ERROR_RT_MEMORY_ALLOCATION", 207001))
        .put(Constant.STREAM_NON_BLOCKING, Fact.unnamed(0))
        .put(Constant.EVENT_NO_TIMING, new Fact("ACL_EVENT_SYNC", 1))
        .put(Constant.EVENT_POLLED, new Fact("ACL_EVENT_CAPTURE_STREAM_PROGRESS", 2))
        .put(Constant.HOST_ALLOCATE_PORTABLE, Fact.unnamed(0))
        .put(Constant.HOST_ALLOCATE_MAPPED, Fact.unnamed(0))
        .put(Constant.HOST_REGISTER_PORTABLE, new Fact("ACL_HOST_REG_PINNED", 0x10000000))
        .put(Constant.HOST_REGISTER_MAPPED, new Fact("ACL_HOST_REG_MAPPED", 2))
        .put(Constant.WAIT_AT_LEAST, new Fact("ACL_STREAM_WAIT_VALUE_GEQ", 0))
        .put(Constant.WRITE_PLAIN, Fact.unnamed(0))
        .put(Constant.PEER_ENABLED_BEFORE, Fact.unnamed(0)) // the header knows no such error
        .put(Constant.MEMORY_POLICY, new Fact("ACL_MEM_MALLOC_HUGE_FIRST", 0))
        .put(Constant.MEMORY_KIND, new Fact("ACL_HBM_MEM", 1))
        .put(Constant.KIND_TO_DEVICE, new Fact("ACL_MEMCPY_HOST_TO_DEVICE", 1))
        .put(Constant.KIND_TO_HOST, new Fact("ACL_MEMCPY_DEVICE_TO_HOST", 2))
        .put(Constant.KIND_ON_DEVICE, new Fact("ACL_MEMCPY_DEVICE_TO_DEVICE", 3))
        .put(Constant.STREAM_COMPLETE, new Fact("ACL_STREAM_STATUS_COMPLETE", 0))
        .put(Constant.NOT_CAPTURING, new Fact("ACL_MODEL_RI_CAPTURE_STATUS_NONE", 0))
        .put(Constant.CAPTURE_RELAXED, new Fact("ACL_MODEL_RI_CAPTURE_MODE_RELAXED", 2))
        .put(Constant.NO_CAPTURES, new Fact("ACL_ERROR_RT_FEATURE_NOT_SUPPORT", 207000))
        .put(Constant.NOT_KNOWN, Fact.unnamed(0))
        .put(Constant.POINTER_DEVICE, Fact.unnamed(0))
        .put(Constant.KIND_OF_HOST, new Fact("ACL_MEM_LOCATION_TYPE_HOST", 0))
        .put(Constant.KIND_OF_NOBODY, new Fact("ACL_MEM_LOCATION_TYPE_UNREGISTERED", 2))
        .put(Constant.EVENT_COMPLETE, new Fact("ACL_EVENT_RECORDED_STATUS_COMPLETE", 1))
        .buildOrThrow();
  }
}
