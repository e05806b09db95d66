// SPDX-License-Identifier: Apache-2.0
/* oneCCL's numbers. What its header lacks a code for is a plain error, as in the library itself. */
#include "emu_numbers.h"
#include "witness_oneccl.h"

const struct emu_numbers emu_numbers = {
    .vendor = "emu-intel",
    .device = "Intel",
    .version = ONECCL_VERSION_CODE,
    .results =
        {
            [ENGINE_OK] = onecclSuccess,
            [ENGINE_SYSTEM] = onecclSystemError,
            [ENGINE_ARGUMENT] = onecclInvalidArgument,
            [ENGINE_USAGE] = onecclInvalidUsage,
            [ENGINE_REMOTE] = onecclError,
            [ENGINE_INTERNAL] = onecclInternalError,
            [ENGINE_DEVICE] = onecclFailureCPU,
        },
    .types =
        {
            [ENGINE_I8] = onecclInt8,
            [ENGINE_U8] = onecclUint8,
            [ENGINE_I16] = EMU_NO_NUMBER,
            [ENGINE_U16] = EMU_NO_NUMBER,
            [ENGINE_BOOL] = EMU_NO_NUMBER,
            [ENGINE_I32] = onecclInt32,
            [ENGINE_U32] = onecclUint32,
            [ENGINE_I64] = onecclInt64,
            [ENGINE_U64] = onecclUint64,
            [ENGINE_F16] = onecclFloat16,
            [ENGINE_BF16] = onecclBfloat16,
            [ENGINE_F32] = onecclFloat32,
            [ENGINE_F64] = onecclFloat64,
            [ENGINE_F8E4M3] = EMU_NO_NUMBER,
            [ENGINE_F8E5M2] = EMU_NO_NUMBER,
        },
    .ops =
        {
            [ENGINE_SUM] = onecclSum,
            [ENGINE_BAND] = EMU_NO_NUMBER,
            [ENGINE_BOR] = EMU_NO_NUMBER,
            [ENGINE_BXOR] = EMU_NO_NUMBER,
            [ENGINE_PROD] = onecclProd,
            [ENGINE_MIN] = onecclMin,
            [ENGINE_MAX] = onecclMax,
            [ENGINE_AVG] = EMU_NO_NUMBER, /* the CPU library has the number and refuses it */
        },
};
