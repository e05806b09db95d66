/* oneCCL's numbers. What its header lacks a code for is a plain error, as in the library itself. */
#include "emu_numbers.h"
#include "witness_oneccl.h"

const struct emu_numbers emu_numbers = {
    .vendor = "emu-intel",
    .version = ONECCL_VERSION_CODE,
    .results =
        {
            [EMU_OK] = onecclSuccess,
            [EMU_SYSTEM] = onecclSystemError,
            [EMU_ARGUMENT] = onecclInvalidArgument,
            [EMU_USAGE] = onecclInvalidUsage,
            [EMU_REMOTE] = onecclError,
            [EMU_INTERNAL] = onecclInternalError,
            [EMU_DEVICE] = onecclFailureCPU,
        },
    .types =
        {
            [EMU_I8] = onecclInt8,
            [EMU_U8] = onecclUint8,
            [EMU_I32] = onecclInt32,
            [EMU_U32] = onecclUint32,
            [EMU_I64] = onecclInt64,
            [EMU_U64] = onecclUint64,
            [EMU_F16] = onecclFloat16,
            [EMU_BF16] = onecclBfloat16,
            [EMU_F32] = onecclFloat32,
            [EMU_F64] = onecclFloat64,
            [EMU_F8E4M3] = EMU_NO_NUMBER,
            [EMU_F8E5M2] = EMU_NO_NUMBER,
        },
    .ops =
        {
            [EMU_SUM] = onecclSum,
            [EMU_PROD] = onecclProd,
            [EMU_MIN] = onecclMin,
            [EMU_MAX] = onecclMax,
            [EMU_AVG] = EMU_NO_NUMBER, /* the CPU library has the number and refuses it */
        },
};
