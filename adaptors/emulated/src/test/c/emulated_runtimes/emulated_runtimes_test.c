// SPDX-License-Identifier: Apache-2.0
/* The emulated ACL, CNRT and MACA, whose headers cannot be had: what rows use of them, and what they refuse. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../check.h"
#include "witness_acl.h"
#include "witness_cnrt.h"
#include "witness_maca.h"

int aclInit(const char* config);
int aclrtSetDevice(int32_t device);
int aclrtCreateStream(void** stream);
int aclrtDestroyStream(void* stream);
int aclrtLaunchHostFunc(void* stream, void (*run)(void*), void* argument);
int aclrtDeviceCanAccessPeer(int32_t* reaches, int32_t device, int32_t peer);
int aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags);

int aclrtCreateEventExWithFlag(void** event, uint32_t flag);
int aclrtRecordEvent(void* event, void* stream);
int aclrtQueryEventStatus(void* event, int* status);
int aclrtStreamWaitEvent(void* stream, void* event);
int aclrtDestroyEvent(void* event);

int aclrtMalloc(void** address, size_t size, int policy);
int aclrtFree(void* address);
int aclrtMallocHost(void** address, size_t size);
int aclrtFreeHost(void* address);
int aclrtHostRegisterV2(void* address, uint64_t size, uint32_t flags);
int aclrtHostUnregister(void* address);

typedef struct attributes {
  uint32_t device;
  int kind;
  uint32_t page_bytes;
  uint32_t reserved[4];
} attributes;
int aclrtPointerGetAttributes(const void* address, attributes* told);

int cnrtSetDevice(int device);
int cnrtQueueCreate(void** queue);
int cnrtQueueDestroy(void* queue);
int cnrtInvokeHostFunc(void* queue, void (*run)(void*), void* argument);
int cnQueueGetContext(void* queue, void** context);
int cnCtxGetCurrent(void** context);
int cnrtGetPeerAccessibility(unsigned* reaches, int device, int peer);

int mcSetDevice(int device);
int mcStreamCreateWithFlags(void** stream, unsigned flags);
int mcStreamDestroy(void* stream);
int mcMallocManaged(void** address, size_t size, unsigned flags);
int mcFree(void* address);
int mcMemsetAsync(void* to, int value, size_t size, void* stream);
int mcLaunchHostFunc(void* stream, void (*run)(void*), void* argument);
int mcDeviceCanAccessPeer(int* reaches, int device, int peer);
int mcDeviceEnablePeerAccess(int peer, unsigned flags);

static const unsigned char byte = 9;

static seen unseen(void) { return (seen){.caller = pthread_self(), .bytes = &byte}; }

static void acl_has_host_functions_and_peers(void) {
  void* stream = NULL;
  int32_t reaches = -1;
  seen noted = unseen();
  CHECK(aclInit(NULL) == ACL_SUCCESS);
  CHECK(aclrtLaunchHostFunc(NULL, look, &noted) == ACL_ERROR_UNINITIALIZE);
  CHECK(aclrtDeviceEnablePeerAccess(1, 0) != ACL_SUCCESS);
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS && aclrtCreateStream(&stream) == ACL_SUCCESS);
  CHECK(aclrtLaunchHostFunc(stream, NULL, NULL) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtLaunchHostFunc(stream, look, &noted) == ACL_SUCCESS);
  CHECK(aclrtDestroyStream(stream) == ACL_SUCCESS && has_seen(&noted, byte));
  CHECK(aclrtDeviceCanAccessPeer(&reaches, 0, 1) == ACL_SUCCESS && reaches == 1);
  CHECK(aclrtDeviceCanAccessPeer(&reaches, 1, 1) == ACL_ERROR_INVALID_PARAM && reaches == 0);
  CHECK(aclrtDeviceCanAccessPeer(&reaches, 0, 99) == ACL_ERROR_INVALID_DEVICE);
  CHECK(aclrtDeviceEnablePeerAccess(1, 0) == ACL_SUCCESS && aclrtDeviceEnablePeerAccess(1, 0) == ACL_SUCCESS);
  CHECK(aclrtDeviceEnablePeerAccess(1, 1) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtDeviceEnablePeerAccess(0, 0) == ACL_ERROR_INVALID_PARAM);
}

static void acl_tells_kinds_and_no_device(void) {
  void* block = NULL;
  void* host = NULL;
  attributes told;
  CHECK(aclrtSetDevice(1) == ACL_SUCCESS);
  CHECK(aclrtMalloc(&block, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS && aclrtMallocHost(&host, BYTES) == ACL_SUCCESS);
  CHECK(aclrtPointerGetAttributes(block, &told) == ACL_SUCCESS && told.kind == ACL_MEM_LOCATION_TYPE_DEVICE);
  CHECK(told.device == 0);
  CHECK(aclrtPointerGetAttributes(host, &told) == ACL_SUCCESS && told.kind == ACL_MEM_LOCATION_TYPE_HOST);
  CHECK(aclrtPointerGetAttributes(&told, &told) == ACL_SUCCESS && told.kind == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  CHECK(aclrtPointerGetAttributes(block, NULL) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtFree(block) == ACL_SUCCESS && aclrtFreeHost(host) == ACL_SUCCESS);
}

static bool is_reported(const char* file, const char* words) {
  char text[1024] = "";
  FILE* from = fopen(file, "re");
  bool found = from != NULL && fread(text, 1, sizeof text - 1, from) > 0 && strstr(text, words) != NULL;
  if (from != NULL) {
    (void)fclose(from);
  }
  return found;
}

/* Only one for streams may wait for others when it is recorded: that is none for the thread which streams wait for. */
static void acl_has_events_for_hosts_and_for_streams(void) {
  void* stream = NULL;
  void* asked = NULL;
  void* awaited = NULL;
  int status = -1;
  char file[] = "/tmp/tombolo-runtimes-XXXXXX";
  int fd = mkstemp(file);
  CHECK(fd >= 0 && close(fd) == 0 && setenv("TOMBOLO_EMU_REPORT", file, 1) == 0);
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS && aclrtCreateStream(&stream) == ACL_SUCCESS);
  CHECK(aclrtCreateEventExWithFlag(&asked, 0) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtCreateEventExWithFlag(&asked, ACL_EVENT_CAPTURE_STREAM_PROGRESS) == ACL_SUCCESS);
  CHECK(aclrtCreateEventExWithFlag(&awaited, ACL_EVENT_SYNC) == ACL_SUCCESS);
  CHECK(aclrtQueryEventStatus(asked, &status) == ACL_SUCCESS && status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
  CHECK(aclrtQueryEventStatus(awaited, &status) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtStreamWaitEvent(stream, asked) == ACL_ERROR_INVALID_PARAM && aclrtStreamWaitEvent(stream, awaited) == ACL_SUCCESS);
  CHECK(aclrtRecordEvent(awaited, stream) == ACL_SUCCESS && aclrtRecordEvent(awaited, stream) == ACL_SUCCESS);
  CHECK(prctl(PR_SET_NAME, "tombolo-agent") == 0);
  CHECK(aclrtRecordEvent(asked, stream) == ACL_SUCCESS && !is_reported(file, "aclrtRecordEvent"));
  CHECK(aclrtRecordEvent(awaited, stream) == ACL_ERROR_INVALID_PARAM && is_reported(file, "aclrtRecordEvent"));
  CHECK(prctl(PR_SET_NAME, "caller") == 0);
  CHECK(aclrtDestroyEvent(asked) == ACL_SUCCESS && aclrtDestroyEvent(awaited) == ACL_SUCCESS);
  CHECK(aclrtDestroyStream(stream) == ACL_SUCCESS && unsetenv("TOMBOLO_EMU_REPORT") == 0 && unlink(file) == 0);
}

static void acl_registers_pages(void) {
  enum { PAGE = 4096 };
  void* host = NULL;
  CHECK(aclrtSetDevice(0) == ACL_SUCCESS && aclrtMallocHost(&host, 2 * PAGE) == ACL_SUCCESS);
  void* page = (void*)((uintptr_t)host / PAGE * PAGE + PAGE);
  CHECK((uintptr_t)host % 64 == 0 && aclrtHostRegisterV2(host, BYTES, ACL_HOST_REG_MAPPED) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtHostRegisterV2(page, BYTES, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED) == ACL_ERROR_INVALID_PARAM);
  CHECK(aclrtHostRegisterV2(page, BYTES, ACL_HOST_REG_MAPPED) == ACL_SUCCESS);
  CHECK(aclrtHostUnregister(page) == ACL_SUCCESS);
  CHECK(aclrtFreeHost(page) == ACL_ERROR_INVALID_PARAM && aclrtFreeHost(host) == ACL_SUCCESS);
}

static void cnrt_has_host_functions_and_peers(void) {
  void* queue = NULL;
  unsigned reaches = 7;
  seen noted = unseen();
  CHECK(cnrtInvokeHostFunc(NULL, look, &noted) == cnrtErrorNoCnrtContext);
  CHECK(cnrtSetDevice(0) == cnrtSuccess && cnrtQueueCreate(&queue) == cnrtSuccess);
  CHECK(cnrtInvokeHostFunc(queue, NULL, NULL) == cnrtErrorArgsInvalid);
  CHECK(cnrtInvokeHostFunc(queue, look, &noted) == cnrtSuccess);
  CHECK(cnrtQueueDestroy(queue) == cnrtSuccess && has_seen(&noted, byte));
  CHECK(cnrtGetPeerAccessibility(&reaches, 0, 1) == cnrtSuccess && reaches == 1);
  CHECK(cnrtGetPeerAccessibility(&reaches, 1, 1) == cnrtSuccess && reaches == 0);
  CHECK(cnrtGetPeerAccessibility(&reaches, 0, 99) == cnrtErrorDeviceInvalid);
  CHECK(cnrtGetPeerAccessibility(NULL, 0, 1) == cnrtErrorArgsInvalid);
}

static void cndrv_tells_the_context_of_a_queue(void) {
  void* queue = NULL;
  void* current = NULL;
  void* context = NULL;
  CHECK(cnrtSetDevice(1) == cnrtSuccess && cnrtQueueCreate(&queue) == cnrtSuccess);
  CHECK(cnCtxGetCurrent(&current) == CN_SUCCESS && current != NULL);
  CHECK(cnQueueGetContext(queue, &context) == CN_SUCCESS && context == current);
  CHECK(cnrtSetDevice(0) == cnrtSuccess && cnCtxGetCurrent(&current) == CN_SUCCESS && context != current);
  CHECK(cnQueueGetContext(queue, NULL) == CN_ERROR_INVALID_VALUE);
  CHECK(cnrtQueueDestroy(queue) == cnrtSuccess && cnQueueGetContext(queue, &context) == CN_QUEUE_ERROR_INVALID);
}

static void maca_has_them_all(void) {
  void* stream = NULL;
  void* managed = NULL;
  int reaches = -1;
  CHECK(mcSetDevice(4) == mcSuccess && mcStreamCreateWithFlags(&stream, mcStreamNonBlocking) == mcSuccess);
  CHECK(mcMallocManaged(&managed, 0, mcMemAttachGlobal) == mcErrorInvalidValue);
  CHECK(mcMallocManaged(&managed, BYTES, 4) == mcErrorInvalidValue);
  CHECK(mcMallocManaged(&managed, BYTES, mcMemAttachGlobal) == mcSuccess);
  seen noted = {.caller = pthread_self(), .bytes = managed};
  CHECK(mcMemsetAsync(managed, 6, BYTES, stream) == mcSuccess);
  CHECK(mcLaunchHostFunc(stream, look, &noted) == mcSuccess);
  CHECK(mcStreamDestroy(stream) == mcSuccess && has_seen(&noted, 6));
  CHECK(mcFree(managed) == mcSuccess);
  CHECK(mcDeviceCanAccessPeer(&reaches, 4, 5) == mcSuccess && reaches == 1);
  CHECK(mcDeviceCanAccessPeer(&reaches, 4, 4) == mcSuccess && reaches == 0);
  CHECK(mcDeviceEnablePeerAccess(5, 0) == mcSuccess);
  CHECK(mcDeviceEnablePeerAccess(5, 0) == mcErrorPeerAccessAlreadyEnabled);
  CHECK(mcDeviceEnablePeerAccess(6, 1) == mcErrorInvalidValue);
}

int main(void) {
  acl_has_host_functions_and_peers();
  acl_tells_kinds_and_no_device();
  acl_has_events_for_hosts_and_for_streams();
  acl_registers_pages();
  cnrt_has_host_functions_and_peers();
  cndrv_tells_the_context_of_a_queue();
  maca_has_them_all();
  return 0;
}
