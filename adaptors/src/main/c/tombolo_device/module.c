// SPDX-License-Identifier: Apache-2.0
/* Compiled kernels: loading them into a device, and launching one. */
#include "capture.h"
#include "entry.h"
#include "errors.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"

enum { BLOCK_THREADS = 256, MAX_BLOCKS = 65535 };

/*
 * Of a checksum: a thread pays for its place once, some 60 words' worth, and then goes through 256 words. So many blocks fill
 * a large device; with more, their ends would queue for the one word of the result.
 */
enum { CHECKSUM_BLOCK_BYTES = 4 * 256 * BLOCK_THREADS, MAX_CHECKSUM_BLOCKS = 512 };

/* Names are "tombolo_", and mostly an operator and a type. */
enum { NAME_BYTES = 64 };

ENTRY(jboolean, runsModules)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(row);
  if (!enter(env, handle, "runtime", SET_CURRENT, &row)) {
    return JNI_FALSE;
  }
  void* const* symbol = row.on.driver->symbol;
  return symbol[MODULE_LOAD] != NULL && symbol[MODULE_UNLOAD] != NULL && symbol[MODULE_FUNCTION] != NULL &&
         symbol[LAUNCH] != NULL;
}

ENTRY(jlong, loadModule)(JNIEnv* env, jclass type, jlong handle, jbyteArray code) {
  (void)type;
  ENTERED(of);
  if (!enter(env, handle, "device", MODULE_LOAD, &of) || !has_call(env, of.on.driver, MODULE_LOAD, "kernels")) {
    return 0;
  }
  jsize size = (*env)->GetArrayLength(env, code);
  jbyte* image = (*env)->GetByteArrayElements(env, code, NULL);
  if (image == NULL) {
    return 0;
  }
  void* module = NULL;
  int mode = capture_relax(of.on.driver);
  int result = capture_restore(of.on.driver, mode, CALL(of.on.driver, MODULE_LOAD, void**, const void*)(&module, image));
  (*env)->ReleaseByteArrayElements(env, code, image, JNI_ABORT);
  bool loaded = succeeded(env, of.on.driver, MODULE_LOAD, result, size);
  return loaded ? publish_handle(env, MODULE, &of.on, (uintptr_t)module) : 0;
}

ENTRY(void, closeModule)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(module);
  if (enter_last(env, handle, MODULE_UNLOAD, &module)) {
    const driver* by = module.on.driver;
    int mode = capture_relax(by);
    int code = capture_restore(by, mode, CALL(by, MODULE_UNLOAD, void*)((void*)(uintptr_t)module.value));
    (void)succeeded(env, by, MODULE_UNLOAD, code, -1);
  }
}

/* As many blocks as `count` needs with `each` to a block, up to a limit: then a thread has more of it. */
static unsigned blocks_for(uint64_t count, uint64_t each, uint64_t limit) {
  uint64_t wanted = count / each + (count % each != 0);
  return (unsigned)(wanted < limit ? wanted : limit);
}

/* The first look-up brings the code to the device, which may wait for all work of the context: never beside held streams. */
ENTRY(jlong, kernel)(JNIEnv* env, jclass type, jlong handle, jstring kernel) {
  (void)type;
  ENTERED(module);
  char name[NAME_BYTES] = "";
  void* function = NULL;
  if (!enter(env, handle, "module of kernels", MODULE_FUNCTION, &module)) {
    return 0;
  }
  if ((*env)->GetStringUTFLength(env, kernel) >= NAME_BYTES) {
    throw_error(env, ILLEGAL_STATE, "a kernel's name of more than %d letters", (int)NAME_BYTES);
    return 0;
  }
  (*env)->GetStringUTFRegion(env, kernel, 0, (*env)->GetStringLength(env, kernel), name);
  void* from = (void*)(uintptr_t)module.value;
  const driver* by = module.on.driver;
  int mode = capture_relax(by);
  int code = capture_restore(by, mode, CALL(by, MODULE_FUNCTION, void**, void*, const char*)(&function, from, name));
  bool found = succeeded(env, by, MODULE_FUNCTION, code, -1);
  return found ? publish_handle(env, KERNEL, &module.on, (uintptr_t)function) : 0;
}

/* The function is its module's; only the handle goes. */
ENTRY(void, closeKernel)(JNIEnv* env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  thing kernel;
  (void)handle_take(handle, &kernel);
}

/* CUDA's and HIP's launch alike: the grid, the block, shared memory, the stream, the arguments' addresses. */
typedef int (*launch_call)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** arguments,
                           void** extra);

static void launch(JNIEnv* env, jlong stream_handle, jlong kernel_handle, unsigned blocks, void** arguments) {
  ENTERED(kernel);
  ENTERED(stream);
  if (!enter(env, kernel_handle, "module of kernels", LAUNCH, &kernel) ||
      !enter(env, stream_handle, "stream", LAUNCH, &stream)) {
    return;
  }
  const driver* by = stream.on.driver;
  if (kernel.on.driver != by || kernel.on.device != stream.on.device) {
    throw_error(env, ILLEGAL_STATE, "these kernels were loaded into another device than the stream's");
    return;
  }
  int code = ((launch_call)by->symbol[LAUNCH])((void*)(uintptr_t)kernel.value, blocks, 1, 1, BLOCK_THREADS, 1, 1, 0,
                                               (void*)(uintptr_t)stream.value, arguments, NULL);
  (void)succeeded(env, by, LAUNCH, code, -1);
}

ENTRY(void, launch)
(JNIEnv* env, jclass type, jlong stream, jlong kernel, jlong to, jlong left, jlong right, jlong count) {
  (void)type;
  void* arguments[] = {&to, &left, &right, &count};
  launch(env, stream, kernel, blocks_for((uint64_t)count, BLOCK_THREADS, MAX_BLOCKS), arguments);
}

ENTRY(void, launchChecksum)
(JNIEnv* env, jclass type, jlong stream, jlong kernel, jlong result, jlong bytes, jlong count) {
  (void)type;
  void* arguments[] = {&result, &bytes, &count};
  launch(env, stream, kernel, blocks_for((uint64_t)count, CHECKSUM_BLOCK_BYTES, MAX_CHECKSUM_BLOCKS), arguments);
}
