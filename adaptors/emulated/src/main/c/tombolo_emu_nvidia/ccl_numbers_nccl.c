// SPDX-License-Identifier: Apache-2.0
/* NCCL's numbers. */
#include "emu_numbers.h"
#include "witness_nccl.h"

_Static_assert(NCCL_UNIQUE_ID_BYTES == ENGINE_ID_BYTES, "the engine's id is the vendor's");

const struct emu_numbers emu_numbers = {
    .vendor = "emu-nvidia",
    .device = "NVIDIA",
    .version = NCCL_VERSION_CODE,
    .results =
        {
            [ENGINE_OK] = ncclSuccess,
            [ENGINE_SYSTEM] = ncclSystemError,
            [ENGINE_ARGUMENT] = ncclInvalidArgument,
            [ENGINE_USAGE] = ncclInvalidUsage,
            [ENGINE_REMOTE] = ncclRemoteError,
            [ENGINE_INTERNAL] = ncclInternalError,
            [ENGINE_DEVICE] = ncclUnhandledCudaError,
        },
    .types =
        {
            [ENGINE_I8] = ncclInt8,
            [ENGINE_U8] = ncclUint8,
            [ENGINE_I16] = EMU_NO_NUMBER,
            [ENGINE_U16] = EMU_NO_NUMBER,
            [ENGINE_BOOL] = EMU_NO_NUMBER,
            [ENGINE_I32] = ncclInt32,
            [ENGINE_U32] = ncclUint32,
            [ENGINE_I64] = ncclInt64,
            [ENGINE_U64] = ncclUint64,
            [ENGINE_F16] = ncclFloat16,
            [ENGINE_BF16] = ncclBfloat16,
            [ENGINE_F32] = ncclFloat32,
            [ENGINE_F64] = ncclFloat64,
            [ENGINE_F8E4M3] = ncclFloat8e4m3,
            [ENGINE_F8E5M2] = ncclFloat8e5m2,
        },
    .ops =
        {
            [ENGINE_SUM] = ncclSum,
            [ENGINE_BAND] = EMU_NO_NUMBER,
            [ENGINE_BOR] = EMU_NO_NUMBER,
            [ENGINE_BXOR] = EMU_NO_NUMBER,
            [ENGINE_PROD] = ncclProd,
            [ENGINE_MIN] = ncclMin,
            [ENGINE_MAX] = ncclMax,
            [ENGINE_AVG] = ncclAvg,
        },
};
