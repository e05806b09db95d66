// SPDX-License-Identifier: Apache-2.0
/* XCCL's numbers, for whoever defines VENDOR. */
#include "emu_numbers.h"
#include "witness_kunlunxin.h"

const struct emu_numbers emu_numbers = {
    .vendor = VENDOR,
    .device = "Kunlunxin",
    .version = 0, /* XCCL has no call that tells one */
    .results =
        {
            [ENGINE_OK] = xcclSuccess,
            [ENGINE_SYSTEM] = xcclSystemError,
            [ENGINE_ARGUMENT] = xcclInvalidArgument,
            [ENGINE_USAGE] = xcclInvalidArgument,
            [ENGINE_REMOTE] = xcclSystemError,
            [ENGINE_INTERNAL] = xcclInternalError,
            [ENGINE_DEVICE] = xcclRuntimeError,
        },
    .types =
        {
            [ENGINE_I8] = EMU_NO_NUMBER,
            [ENGINE_U8] = xcclUint8,
            [ENGINE_I16] = EMU_NO_NUMBER,
            [ENGINE_U16] = EMU_NO_NUMBER,
            [ENGINE_BOOL] = EMU_NO_NUMBER,
            [ENGINE_I32] = xcclInt32,
            [ENGINE_U32] = EMU_NO_NUMBER,
            [ENGINE_I64] = xcclInt64,
            [ENGINE_U64] = EMU_NO_NUMBER,
            [ENGINE_F16] = xcclFloat16,
            [ENGINE_BF16] = xcclBfloat16,
            [ENGINE_F32] = xcclFloat32,
            [ENGINE_F64] = xcclFloat64,
            [ENGINE_F8E4M3] = EMU_NO_NUMBER,
            [ENGINE_F8E5M2] = EMU_NO_NUMBER,
        },
    .ops =
        {
            [ENGINE_SUM] = xcclSum,
            [ENGINE_BAND] = EMU_NO_NUMBER,
            [ENGINE_BOR] = EMU_NO_NUMBER,
            [ENGINE_BXOR] = EMU_NO_NUMBER,
            [ENGINE_PROD] = xcclProd,
            [ENGINE_MIN] = xcclMin,
            [ENGINE_MAX] = xcclMax,
            [ENGINE_AVG] = EMU_NO_NUMBER,
        },
};
