// SPDX-License-Identifier: Apache-2.0
/* CNCL's numbers. */
#include "emu_numbers.h"
#include "witness_cambricon.h"

const struct emu_numbers emu_numbers = {
    .vendor = "emu-cambricon",
    .device = "MLU",
    .version = CNCL_MAJOR_VERSION * 10000 + CNCL_MINOR_VERSION * 100 + CNCL_PATCH_VERSION,
    .results =
        {
            [ENGINE_OK] = CNCL_RET_SUCCESS,
            [ENGINE_SYSTEM] = CNCL_RET_ERR_SYSTEM,
            [ENGINE_ARGUMENT] = CNCL_RET_ERR_ARGUMENTS,
            [ENGINE_USAGE] = CNCL_RET_ERR_ARGUMENTS,
            [ENGINE_REMOTE] = CNCL_RET_ASYNC_ERROR,
            [ENGINE_INTERNAL] = CNCL_RET_ERR_INTERNAL,
            [ENGINE_DEVICE] = CNCL_RET_ERR_MLU_RUNTIME,
        },
    .types =
        {
            [ENGINE_I8] = cnclInt8,
            [ENGINE_U8] = cnclUint8,
            [ENGINE_I16] = cnclInt16,
            [ENGINE_U16] = cnclUint16,
            [ENGINE_BOOL] = EMU_NO_NUMBER,
            [ENGINE_I32] = cnclInt32,
            [ENGINE_U32] = cnclUint32,
            [ENGINE_I64] = cnclInt64,
            [ENGINE_U64] = cnclUint64,
            [ENGINE_F16] = cnclFloat16,
            [ENGINE_BF16] = cnclBfloat16,
            [ENGINE_F32] = cnclFloat32,
            [ENGINE_F64] = EMU_NO_NUMBER,
            [ENGINE_F8E4M3] = EMU_NO_NUMBER,
            [ENGINE_F8E5M2] = EMU_NO_NUMBER,
        },
    .ops =
        {
            [ENGINE_SUM] = cnclSum,
            [ENGINE_BAND] = EMU_NO_NUMBER,
            [ENGINE_BOR] = EMU_NO_NUMBER,
            [ENGINE_BXOR] = EMU_NO_NUMBER,
            [ENGINE_PROD] = cnclProd,
            [ENGINE_MIN] = cnclMin,
            [ENGINE_MAX] = cnclMax,
            [ENGINE_AVG] = EMU_NO_NUMBER,
        },
};
