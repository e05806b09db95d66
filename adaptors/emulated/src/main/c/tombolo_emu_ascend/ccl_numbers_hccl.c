// SPDX-License-Identifier: Apache-2.0
/* HCCL's numbers. */
#include "emu_numbers.h"
#include "witness_ascend.h"

const struct emu_numbers emu_numbers = {
    .vendor = "emu-ascend",
    .device = "Ascend",
    .version = 0, /* HCCL has no call that tells one */
    .results =
        {
            [ENGINE_OK] = HCCL_SUCCESS,
            [ENGINE_SYSTEM] = HCCL_E_SYSCALL,
            [ENGINE_ARGUMENT] = HCCL_E_PARA,
            [ENGINE_USAGE] = HCCL_E_NOT_SUPPORT,
            [ENGINE_REMOTE] = HCCL_E_REMOTE,
            [ENGINE_INTERNAL] = HCCL_E_INTERNAL,
            [ENGINE_DEVICE] = HCCL_E_RUNTIME,
        },
    .types =
        {
            [ENGINE_I8] = HCCL_DATA_TYPE_INT8,
            [ENGINE_U8] = HCCL_DATA_TYPE_UINT8,
            [ENGINE_I16] = HCCL_DATA_TYPE_INT16,
            [ENGINE_U16] = HCCL_DATA_TYPE_UINT16,
            [ENGINE_BOOL] = EMU_NO_NUMBER,
            [ENGINE_I32] = HCCL_DATA_TYPE_INT32,
            [ENGINE_U32] = HCCL_DATA_TYPE_UINT32,
            [ENGINE_I64] = HCCL_DATA_TYPE_INT64,
            [ENGINE_U64] = HCCL_DATA_TYPE_UINT64,
            [ENGINE_F16] = HCCL_DATA_TYPE_FP16,
            [ENGINE_BF16] = HCCL_DATA_TYPE_BFP16,
            [ENGINE_F32] = HCCL_DATA_TYPE_FP32,
            [ENGINE_F64] = HCCL_DATA_TYPE_FP64,
            [ENGINE_F8E4M3] = EMU_NO_NUMBER,
            [ENGINE_F8E5M2] = EMU_NO_NUMBER,
        },
    .ops =
        {
            [ENGINE_SUM] = HCCL_REDUCE_SUM,
            [ENGINE_BAND] = EMU_NO_NUMBER,
            [ENGINE_BOR] = EMU_NO_NUMBER,
            [ENGINE_BXOR] = EMU_NO_NUMBER,
            [ENGINE_PROD] = HCCL_REDUCE_PROD,
            [ENGINE_MIN] = HCCL_REDUCE_MIN,
            [ENGINE_MAX] = HCCL_REDUCE_MAX,
            [ENGINE_AVG] = EMU_NO_NUMBER,
        },
};
