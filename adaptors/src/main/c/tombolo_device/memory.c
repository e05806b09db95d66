// SPDX-License-Identifier: Apache-2.0
/* Memory: allocating, pinning, registering, sharing, and giving back. */
#include "capture.h"
#include "entry.h"
#include "errors.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"
#include "watch.h"

ENTRY(jlong, allocate)(JNIEnv* env, jclass type, jlong handle, jlong size) {
  (void)type;
  ENTERED(of);
  uint64_t address = 0;
  if (!enter(env, handle, "device", ALLOCATE, &of)) {
    return 0;
  }
  int code = of.on.driver->calls.allocate(of.on.driver, &address, (size_t)size);
  return succeeded(env, of.on.driver, ALLOCATE, code, size) ? publish_handle(env, ALLOCATED, &of.on, address) : 0;
}

ENTRY(jboolean, allocatesManaged)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  return device_has(env, handle, MANAGED_ALLOCATE);
}

ENTRY(jlong, allocateManaged)(JNIEnv* env, jclass type, jlong handle, jlong size) {
  (void)type;
  ENTERED(of);
  uint64_t address = 0;
  if (!enter(env, handle, "device", MANAGED_ALLOCATE, &of) || !has_call(env, of.on.driver, MANAGED_ALLOCATE, "managed memory")) {
    return 0;
  }
  int code = of.on.driver->calls.allocate_managed(of.on.driver, &address, (size_t)size);
  return succeeded(env, of.on.driver, MANAGED_ALLOCATE, code, size) ? publish_handle(env, ALLOCATED, &of.on, address) : 0;
}

ENTRY(jlong, allocatePinned)(JNIEnv* env, jclass type, jlong handle, jlong size) {
  (void)type;
  ENTERED(of);
  void* address = NULL;
  if (!enter(env, handle, "device", HOST_ALLOCATE, &of)) {
    return 0;
  }
  const driver* by = of.on.driver;
  int code = by->calls.allocate_pinned(by, &address, (size_t)size);
  return succeeded(env, by, HOST_ALLOCATE, code, size) ? publish_block(env, PINNED, &of.on, (uintptr_t)address, size) : 0;
}

ENTRY(jboolean, allocatesSignals)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  return device_has(env, handle, SIGNAL_ALLOCATE);
}

/* One word of the memory that streams wait for, where they wait for no other. It is never freed, so it needs no handle. */
ENTRY(jlong, allocateSignal)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(of);
  void* word = NULL;
  if (!enter(env, handle, "device", SIGNAL_ALLOCATE, &of) || !has_call(env, of.on.driver, SIGNAL_ALLOCATE, "signal memory")) {
    return 0;
  }
  const driver* by = of.on.driver;
  unsigned kind = (unsigned)by->constant[SIGNAL_KIND];
  int mode = capture_relax(by);
  int code = capture_restore(by, mode, CALL(by, SIGNAL_ALLOCATE, void**, size_t, unsigned)(&word, sizeof(uint64_t), kind));
  return succeeded(env, by, SIGNAL_ALLOCATE, code, sizeof(uint64_t)) ? (jlong)(uintptr_t)word : 0;
}

/* Whether the device uses the registered `host` at that address; else an exception is pending. */
static bool has_one_address(JNIEnv* env, const driver* by, uint64_t host) {
  uint64_t device = 0;
  int code = by->calls.host_pointer(by, host, &device);
  bool told = succeeded(env, by, HOST_POINTER, code, -1);
  if (told && device != host) {
    throw_error(env, UNSUPPORTED, "this device has another address for registered host memory, 0x%llx for 0x%llx; take pinned"
                " memory of its own", (unsigned long long)device, (unsigned long long)host);
  }
  return told && device == host;
}

ENTRY(jlong, registerHost)(JNIEnv* env, jclass type, jlong handle, jlong address, jlong size) {
  (void)type;
  ENTERED(of);
  if (!enter(env, handle, "device", HOST_REGISTER, &of)) {
    return 0;
  }
  const driver* by = of.on.driver;
  int code = by->calls.register_host(by, (void*)(uintptr_t)address, (size_t)size);
  if (!succeeded(env, by, HOST_REGISTER, code, size)) {
    return 0;
  }
  if (!has_one_address(env, by, (uint64_t)address)) {
    (void)by->calls.unregister_host(by, (uint64_t)address); /* why it is of no use is what to report */
    return 0;
  }
  return publish_block(env, REGISTERED, &of.on, (uint64_t)address, size);
}

ENTRY(jlong, address)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  thing block;
  if (!handle_get(handle, &block)) {
    throw_error(env, ILLEGAL_STATE, "this memory is closed");
    return 0;
  }
  return (jlong)block.value;
}

static role release_call(kind of) {
  switch (of) {
    case PINNED: return HOST_FREE;
    case REGISTERED: return HOST_UNREGISTER;
    case IMPORTED: return IPC_CLOSE;
    default: return FREE;
  }
}

static int close_ipc(const driver* by, uint64_t address) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, IPC_CLOSE, uint64_t)(address));
}

static int release_block(const driver* by, const thing* block) {
  switch (block->kind) {
    case PINNED: return by->calls.free_pinned(by, block->value);
    case REGISTERED: return by->calls.unregister_host(by, block->value);
    case IMPORTED: return close_ipc(by, block->value);
    default: return by->calls.free(by, block->value);
  }
}

ENTRY(void, closeMemory)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(block);
  if (!handle_get(handle, &block)) {
    return;
  }
  watch_forget(block.value, block.size);
  role call = release_call(block.kind);
  if (enter_last(env, handle, call, &block)) {
    const driver* by = block.on.driver;
    (void)succeeded(env, by, call, release_block(by, &block), -1);
  }
}

ENTRY(jbyteArray, exportIpc)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(block);
  ipc_handle made;
  if (!enter(env, handle, "memory", IPC_EXPORT, &block) || !has_call(env, block.on.driver, IPC_EXPORT, "sharing memory")) {
    return NULL;
  }
  int code = CALL(block.on.driver, IPC_EXPORT, ipc_handle*, uint64_t)(&made, block.value);
  jbyteArray bytes = succeeded(env, block.on.driver, IPC_EXPORT, code, -1) ? (*env)->NewByteArray(env, IPC_BYTES) : NULL;
  if (bytes != NULL) {
    (*env)->SetByteArrayRegion(env, bytes, 0, IPC_BYTES, (const jbyte*)made.bytes);
  }
  return bytes;
}

ENTRY(jboolean, exportsDmaBuf)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  return device_has(env, handle, DMA_BUF);
}

/* `size` bytes from the block's first on, whole pages. */
ENTRY(jint, exportDmaBuf)(JNIEnv* env, jclass type, jlong handle, jlong size) {
  (void)type;
  ENTERED(block);
  int fd = -1;
  if (enter(env, handle, "memory", DMA_BUF, &block) && has_call(env, block.on.driver, DMA_BUF, "exporting a dma-buf")) {
    const driver* by = block.on.driver;
    int code = CALL(by, DMA_BUF, void*, uint64_t, size_t, int, unsigned long long)(
        &fd, block.value, (size_t)size, (int)by->constant[DMA_BUF_KIND], 0);
    (void)succeeded(env, by, DMA_BUF, code, size);
  }
  return fd;
}

ENTRY(jlong, openIpc)(JNIEnv* env, jclass type, jlong handle, jbyteArray bytes) {
  (void)type;
  ENTERED(of);
  ipc_handle from;
  uint64_t address = 0;
  if (!enter(env, handle, "device", IPC_OPEN, &of) || !has_call(env, of.on.driver, IPC_OPEN, "opening shared memory")) {
    return 0;
  }
  (*env)->GetByteArrayRegion(env, bytes, 0, IPC_BYTES, (jbyte*)from.bytes);
  if ((*env)->ExceptionCheck(env)) {
    return 0;
  }
  const driver* by = of.on.driver;
  unsigned flags = (unsigned)by->constant[IPC_OPEN_FLAGS];
  int mode = capture_relax(by);
  int code = capture_restore(by, mode, CALL(by, IPC_OPEN, uint64_t*, ipc_handle, unsigned)(&address, from, flags));
  return succeeded(env, by, IPC_OPEN, code, -1) ? publish_handle(env, IMPORTED, &of.on, address) : 0;
}
