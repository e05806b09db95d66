/* NCCL's numbers. */
#include "emu_numbers.h"
#include "witness_nccl.h"

_Static_assert(NCCL_UNIQUE_ID_BYTES == EMU_ID_BYTES, "the engine's id is the vendor's");

const struct emu_numbers emu_numbers = {
    .vendor = "emu-nvidia",
    .version = NCCL_VERSION_CODE,
    .results =
        {
            [EMU_OK] = ncclSuccess,
            [EMU_SYSTEM] = ncclSystemError,
            [EMU_ARGUMENT] = ncclInvalidArgument,
            [EMU_USAGE] = ncclInvalidUsage,
            [EMU_REMOTE] = ncclRemoteError,
            [EMU_INTERNAL] = ncclInternalError,
            [EMU_DEVICE] = ncclUnhandledCudaError,
        },
    .types =
        {
            [EMU_I8] = ncclInt8,
            [EMU_U8] = ncclUint8,
            [EMU_I32] = ncclInt32,
            [EMU_U32] = ncclUint32,
            [EMU_I64] = ncclInt64,
            [EMU_U64] = ncclUint64,
            [EMU_F16] = ncclFloat16,
            [EMU_BF16] = ncclBfloat16,
            [EMU_F32] = ncclFloat32,
            [EMU_F64] = ncclFloat64,
            [EMU_F8E4M3] = ncclFloat8e4m3,
            [EMU_F8E5M2] = ncclFloat8e5m2,
        },
    .ops =
        {
            [EMU_SUM] = ncclSum,
            [EMU_PROD] = ncclProd,
            [EMU_MIN] = ncclMin,
            [EMU_MAX] = ncclMax,
            [EMU_AVG] = ncclAvg,
        },
};
