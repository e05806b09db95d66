// SPDX-License-Identifier: Apache-2.0
/* HCCL's numbers, Gaudi's. */
#include "emu_numbers.h"
#include "witness_gaudi.h"

const struct emu_numbers emu_numbers = {
    .vendor = "emu-gaudi",
    .device = "Gaudi",
    .version = 2604,
    .results =
        {
            [ENGINE_OK] = hcclSuccess,
            [ENGINE_SYSTEM] = hcclSystemError,
            [ENGINE_ARGUMENT] = hcclInvalidArgument,
            [ENGINE_USAGE] = hcclInvalidUsage,
            [ENGINE_REMOTE] = hcclSocketError,
            [ENGINE_INTERNAL] = hcclInternalError,
            [ENGINE_DEVICE] = hcclUnhandledSynapseError,
        },
    .types =
        {
            [ENGINE_I8] = hcclInt8,
            [ENGINE_U8] = hcclUint8,
            [ENGINE_I16] = EMU_NO_NUMBER,
            [ENGINE_U16] = EMU_NO_NUMBER,
            [ENGINE_BOOL] = EMU_NO_NUMBER,
            [ENGINE_I32] = hcclInt32,
            [ENGINE_U32] = hcclUint32,
            [ENGINE_I64] = hcclInt64,
            [ENGINE_U64] = hcclUint64,
            [ENGINE_F16] = hcclFloat16,
            [ENGINE_BF16] = hcclBfloat16,
            [ENGINE_F32] = hcclFloat32,
            [ENGINE_F64] = hcclFloat64,
            [ENGINE_F8E4M3] = EMU_NO_NUMBER,
            [ENGINE_F8E5M2] = EMU_NO_NUMBER,
        },
    .ops =
        {
            [ENGINE_SUM] = hcclSum,
            [ENGINE_BAND] = EMU_NO_NUMBER,
            [ENGINE_BOR] = EMU_NO_NUMBER,
            [ENGINE_BXOR] = EMU_NO_NUMBER,
            [ENGINE_PROD] = hcclProd,
            [ENGINE_MIN] = hcclMin,
            [ENGINE_MAX] = hcclMax,
            [ENGINE_AVG] = hcclAvg,
        },
};
