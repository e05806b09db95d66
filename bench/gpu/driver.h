// SPDX-License-Identifier: Apache-2.0
/* CUDA's driver functions, from a library that is opened by name, as in cuda.h. Streams and the like are void*. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>
#include <stdint.h>

enum {
  ABSENT = 9999, /* what a function answers that the library does not have */
  NOT_READY = 600,
  NON_BLOCKING = 1,
  NO_TIMING = 2,
  PORTABLE_MAPPED = 3,
  LEAST_VALUE = 0, /* wait until the word is at least the value */
  CAPTURE_GLOBAL = 0,
  CAPTURE_LOCAL = 1,
  CAPTURE_RELAXED = 2,
  DMA_BUF = 1,
  FLUSH_OWNER = 100,
};

#define PER_THREAD_STREAM ((void*)2)

typedef uint64_t address;

struct ipc_handle { char bytes[64]; };

struct location { int type, id; };

struct access { struct location location; int flags; };

/* CUmemAllocationProp */
struct allocation {
  int type, handles;
  struct location location;
  void* windows;
  unsigned char compression, rdma;
  unsigned short usage;
  unsigned char reserved[4];
};

#define DRIVER_FUNCTIONS(F)                                                                                   \
  F(cuInit, (unsigned))                                                                                       \
  F(cuDriverGetVersion, (int*))                                                                               \
  F(cuGetErrorName, (int, const char**))                                                                      \
  F(cuDeviceGet, (int*, int))                                                                                 \
  F(cuDeviceGetName, (char*, int, int))                                                                       \
  F(cuDeviceGetAttribute, (int*, int, int))                                                                   \
  F(cuDevicePrimaryCtxRetain, (void**, int))                                                                  \
  F(cuDevicePrimaryCtxRelease_v2, (int))                                                                      \
  F(cuCtxSetCurrent, (void*))                                                                                 \
  F(cuCtxSynchronize, (void))                                                                                 \
  F(cuCtxGetStreamPriorityRange, (int*, int*))                                                                \
  F(cuMemAlloc_v2, (address*, size_t))                                                                        \
  F(cuMemFree_v2, (address))                                                                                  \
  F(cuMemAllocManaged, (address*, size_t, unsigned))                                                          \
  F(cuMemAllocAsync, (address*, size_t, void*))                                                               \
  F(cuMemFreeAsync, (address, void*))                                                                         \
  F(cuMemHostAlloc, (void**, size_t, unsigned))                                                               \
  F(cuMemFreeHost, (void*))                                                                                   \
  F(cuMemHostRegister_v2, (void*, size_t, unsigned))                                                          \
  F(cuMemHostUnregister, (void*))                                                                             \
  F(cuMemHostGetDevicePointer_v2, (address*, void*, unsigned))                                                \
  F(cuMemGetInfo_v2, (size_t*, size_t*))                                                                      \
  F(cuPointerGetAttribute, (void*, int, address))                                                             \
  F(cuIpcGetMemHandle, (struct ipc_handle*, address))                                                         \
  F(cuMemGetHandleForAddressRange, (void*, address, size_t, int, unsigned long long))                         \
  F(cuFlushGPUDirectRDMAWrites, (int, int))                                                                   \
  F(cuMemAddressReserve, (address*, size_t, size_t, address, unsigned long long))                             \
  F(cuMemAddressFree, (address, size_t))                                                                      \
  F(cuMemCreate, (unsigned long long*, size_t, const struct allocation*, unsigned long long))                 \
  F(cuMemRelease, (unsigned long long))                                                                       \
  F(cuMemMap, (address, size_t, size_t, unsigned long long, unsigned long long))                              \
  F(cuMemUnmap, (address, size_t))                                                                            \
  F(cuMemSetAccess, (address, size_t, const struct access*, size_t))                                          \
  F(cuMemcpyHtoD_v2, (address, const void*, size_t))                                                          \
  F(cuMemcpyDtoH_v2, (void*, address, size_t))                                                                \
  F(cuMemcpyHtoDAsync_v2, (address, const void*, size_t, void*))                                              \
  F(cuMemcpyDtoHAsync_v2, (void*, address, size_t, void*))                                                    \
  F(cuMemcpyDtoDAsync_v2, (address, address, size_t, void*))                                                  \
  F(cuMemcpyAsync, (address, address, size_t, void*))                                                         \
  F(cuMemcpyPeerAsync, (address, void*, address, void*, size_t, void*))                                       \
  F(cuMemsetD8_v2, (address, unsigned char, size_t))                                                          \
  F(cuMemsetD8Async, (address, unsigned char, size_t, void*))                                                 \
  F(cuMemsetD32Async, (address, unsigned, size_t, void*))                                                     \
  F(cuStreamCreate, (void**, unsigned))                                                                       \
  F(cuStreamCreateWithPriority, (void**, unsigned, int))                                                      \
  F(cuStreamDestroy_v2, (void*))                                                                              \
  F(cuStreamQuery, (void*))                                                                                   \
  F(cuStreamSynchronize, (void*))                                                                             \
  F(cuStreamGetCtx, (void*, void**))                                                                          \
  F(cuStreamGetPriority, (void*, int*))                                                                       \
  F(cuStreamWaitEvent, (void*, void*, unsigned))                                                              \
  F(cuStreamWaitValue32_v2, (void*, address, uint32_t, unsigned))                                             \
  F(cuStreamWaitValue64_v2, (void*, address, uint64_t, unsigned))                                             \
  F(cuStreamWriteValue32_v2, (void*, address, uint32_t, unsigned))                                            \
  F(cuStreamWriteValue64_v2, (void*, address, uint64_t, unsigned))                                            \
  F(cuLaunchHostFunc, (void*, void (*)(void*), void*))                                                        \
  F(cuEventCreate, (void**, unsigned))                                                                        \
  F(cuEventDestroy_v2, (void*))                                                                               \
  F(cuEventRecord, (void*, void*))                                                                            \
  F(cuEventQuery, (void*))                                                                                    \
  F(cuEventSynchronize, (void*))                                                                              \
  F(cuModuleLoadData, (void**, const void*))                                                                  \
  F(cuModuleUnload, (void*))                                                                                  \
  F(cuModuleGetFunction, (void**, void*, const char*))                                                        \
  F(cuModuleGetLoadingMode, (int*))                                                                           \
  F(cuFuncGetAttribute, (int*, int, void*))                                                                   \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int*, void*, int, size_t))                                  \
  F(cuLaunchKernel, (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**)) \
  F(cuStreamBeginCapture_v2, (void*, int))                                                                    \
  F(cuStreamEndCapture, (void*, void**))                                                                      \
  F(cuStreamIsCapturing, (void*, int*))                                                                       \
  F(cuThreadExchangeStreamCaptureMode, (int*))                                                                \
  F(cuGraphInstantiateWithFlags, (void**, void*, unsigned long long))                                         \
  F(cuGraphLaunch, (void*, void*))                                                                            \
  F(cuGraphExecDestroy, (void*))                                                                              \
  F(cuGraphDestroy, (void*))

#define POINTER(name, parameters) int(*name) parameters;
struct driver { DRIVER_FUNCTIONS(POINTER) };
#undef POINTER

/* Opens the library; functions that it lacks answer ABSENT. Ends the process if there is no such library. */
struct driver driver_open(const char* library);

/* "CUDA_ERROR_NOT_READY" and so on */
const char* driver_error(const struct driver* driver, int code);

#endif
