// SPDX-License-Identifier: Apache-2.0
/* SynapseAI's shape on a library of this test's own, whose functions have the prototypes of synapse_api.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../main/c/tombolo_device/driver.h"
#include "../noting_library.h"

enum { BUSY = 22, NO_MEMORY = 4, BEFORE = 29, TWICE = 5, NONE = -1 };
enum { MAX_MODULES = 64, FIRST_ID = 100, KIND = 3 };

static const uint64_t there = 0xF000000000001000; /* an address that no int has room for */
static const uint64_t here = 0x8000000080000000;

static int initialize(void) { return noted(true, "synInitialize"); }

static const char* version_text;

static int get_version(char* text, int length) {
  (void)strncpy(text, version_text, (size_t)length); /* leaves a long one without its end, as a careless library may */
  return noted(length == 64, "synDriverGetVersion");
}

static uint32_t modules_there;

static int get_count(uint32_t* count) {
  *count = modules_there;
  return noted(true, "synDeviceGetCount");
}

/* The last module comes first. */
static int get_modules(uint32_t* modules, uint32_t* count) {
  check(*count == MAX_MODULES, "synDeviceGetModuleIDs");
  for (uint32_t i = 0; i < *count && i < modules_there; i++) {
    modules[i] = modules_there - 1 - i;
  }
  *count = modules_there;
  return noted(true, "synDeviceGetModuleIDs");
}

static int get_name(char* text, int length, uint32_t id) {
  (void)snprintf(text, (size_t)length, "Gaudi");
  return noted(id == 0, "synDeviceGetName");
}

static int get_attribute(uint64_t* values, const int* attributes, unsigned count, uint32_t module) {
  *values = 96ull << 30;
  return noted(count == 1 && *attributes == KIND && module == 5, "synDeviceGetAttributeByModuleId");
}

static uint32_t released;

static int acquire(uint32_t* id, uint32_t module) {
  *id = FIRST_ID + module;
  return noted(true, "synDeviceAcquireByModuleId");
}

static int let_go(uint32_t id) {
  released = id;
  return noted(true, "synDeviceRelease");
}

static int describe(int status, char* text, size_t length) {
  (void)snprintf(text, length, "status %d", status);
  return noted(true, "synStatusGetBriefDescription");
}

static int device_malloc(uint32_t id, uint64_t bytes, uint64_t wanted, uint32_t flags, uint64_t* address) {
  *address = there;
  return noted(id == FIRST_ID + 5 && bytes == size && wanted == 0 && flags == 0, "synDeviceMalloc");
}

static int device_free(uint32_t id, uint64_t address, uint32_t flags) {
  return noted(id == FIRST_ID + 5 && address == there && flags == 0, "synDeviceFree");
}

static int host_malloc(uint32_t id, uint64_t bytes, uint32_t flags, void** address) {
  *address = &host;
  return noted(id == FIRST_ID + 5 && bytes == size && flags == 0, "synHostMalloc");
}

static int host_free(uint32_t id, const void* address, uint32_t flags) {
  return noted(id == FIRST_ID + 5 && address == &host && flags == 0, "synHostFree");
}

static int host_map(uint32_t id, uint64_t bytes, const void* address) {
  return noted(id == FIRST_ID + 5 && bytes == size && address == &host, "synHostMap");
}

static int host_unmap(uint32_t id, const void* address) {
  return noted(id == FIRST_ID + 5 && address == &host, "synHostUnmap");
}

static int stream_create(void** made, uint32_t id, uint32_t flags) {
  *made = &stream;
  return noted(id == FIRST_ID + 5 && flags == 0, "synStreamCreateGeneric");
}

static int busy_for;

static int stream_destroy(void* ended) {
  (void)noted(ended == &stream, "synStreamDestroy");
  return busy_for > 0 && busy_for-- > 0 ? BUSY : answer;
}

static int event_create(void** made, uint32_t id, uint32_t flags) {
  *made = &event;
  return noted(id == FIRST_ID + 5 && flags == 0, "synEventCreate");
}

static int copy_kind;

static int mem_copy(void* on, uint64_t from, uint64_t bytes, uint64_t to, int kind) {
  return noted(on == &stream && from == here && bytes == size && to == there && kind == copy_kind, "synMemCopyAsync");
}

static int memset_d8(uint64_t to, unsigned char value, size_t count, void* on) {
  return noted(to == there && value == 0xA5 && count == size && on == &stream, "synMemsetD8Async");
}

/* What the shape has no use for is left out: who calls it, crashes. */
static driver vendor = {
    .library = &vendor,
    .symbol = {[INIT] = (void*)initialize,
               [DRIVER_VERSION] = (void*)get_version,
               [DEVICE_COUNT] = (void*)get_count,
               [DEVICE_GET] = (void*)get_modules,
               [DEVICE_NAME] = (void*)get_name,
               [TOTAL_MEMORY] = (void*)get_attribute,
               [CONTEXT_RETAIN] = (void*)acquire,
               [CONTEXT_RELEASE] = (void*)let_go,
               [ERROR_TEXT] = (void*)describe,
               [ALLOCATE] = (void*)device_malloc,
               [FREE] = (void*)device_free,
               [HOST_ALLOCATE] = (void*)host_malloc,
               [HOST_FREE] = (void*)host_free,
               [HOST_REGISTER] = (void*)host_map,
               [HOST_UNREGISTER] = (void*)host_unmap,
               [STREAM_CREATE] = (void*)stream_create,
               [STREAM_DESTROY] = (void*)stream_destroy,
               [EVENT_CREATE] = (void*)event_create,
               [COPY_TO_DEVICE] = (void*)mem_copy,
               [COPY_TO_HOST] = (void*)mem_copy,
               [COPY_ON_DEVICE] = (void*)mem_copy,
               [FILL] = (void*)memset_d8},
    .constant = {[NOT_READY] = BUSY,
                 [OUT_OF_MEMORY] = NO_MEMORY,
                 [STARTED_BEFORE] = BEFORE,
                 [STARTED_TWICE] = TWICE,
                 [MEMORY_KIND] = KIND,
                 [KIND_TO_DEVICE] = 10,
                 [KIND_TO_HOST] = 11,
                 [KIND_ON_DEVICE] = 12}};

static const calls* const shape = &vendor.calls;

static int make_allocate(void) {
  uint64_t address = 0;
  int code = shape->allocate(&vendor, &address, size);
  check(address == there, "the address");
  return code;
}

static int make_free(void) { return shape->free(&vendor, there); }

static int make_allocate_pinned(void) {
  void* address = NULL;
  int code = shape->allocate_pinned(&vendor, &address, size);
  check(address == &host, "the address");
  return code;
}

static int make_free_pinned(void) { return shape->free_pinned(&vendor, (uintptr_t)&host); }

static int make_register(void) { return shape->register_host(&vendor, &host, size); }

static int make_unregister(void) { return shape->unregister_host(&vendor, (uintptr_t)&host); }

static int make_stream(void) {
  void* made = NULL;
  int code = shape->new_stream(&vendor, &made);
  check(made == &stream, "the stream");
  return code;
}

static int make_end_of_stream(void) { return shape->end_stream(&vendor, &stream); }

static int make_event(void) {
  void* made = NULL;
  int code = shape->new_event(&vendor, &made);
  check(made == &event, "the event");
  return code;
}

static int make_copy(role direction, int kind) {
  copy_kind = kind;
  return shape->copy(&vendor, direction, there, here, size, &stream);
}

static int make_copy_to_device(void) { return make_copy(COPY_TO_DEVICE, 10); }

static int make_copy_to_host(void) { return make_copy(COPY_TO_HOST, 11); }

static int make_copy_on_device(void) { return make_copy(COPY_ON_DEVICE, 12); }

static int make_fill(void) { return shape->fill(&vendor, there, 0xA5, size, &stream); }

static int make_count(void) {
  int count = 0;
  int code = shape->device_count(&vendor, &count);
  check(count == (int)modules_there, "the count");
  return code;
}

static int make_name(void) {
  char text[4];
  int code = shape->device_name(&vendor, text, sizeof text, 5);
  check(strcmp(text, "Gau") == 0, "the name, cut");
  return code;
}

static int make_memory(void) {
  size_t bytes = 0;
  int code = shape->total_memory(&vendor, &bytes, 5);
  check(bytes == 96ull << 30, "the memory");
  return code;
}

static const struct pass passes[] = {
    {"allocate", make_allocate, false},
    {"free", make_free, false},
    {"allocate pinned", make_allocate_pinned, false},
    {"free pinned", make_free_pinned, false},
    {"register", make_register, false},
    {"unregister", make_unregister, false},
    {"a stream", make_stream, false},
    {"its end", make_end_of_stream, false},
    {"an event", make_event, false},
    {"a copy to the device", make_copy_to_device, true},
    {"a copy to the host", make_copy_to_host, true},
    {"a copy on the device", make_copy_on_device, true},
    {"a fill", make_fill, true},
    {"the count of devices", make_count, false},
    {"a name", make_name, false},
    {"memory", make_memory, false},
};

static void whoever_started_it_it_runs(void) {
  static const int as_success[] = {OK, BEFORE, TWICE};
  for (int i = 0; i < 3; i++) {
    answer = as_success[i];
    check(shape->start(&vendor) == OK, "started, by us or before");
  }
  answer = UNKNOWN;
  check(shape->start(&vendor) == UNKNOWN, "or not");
  answer = OK;
}

static int version_of(const char* text) {
  int version = -1;
  version_text = text;
  check(shape->version(&vendor, &version) == OK, "the version");
  return version;
}

static void versions_are_read(void) {
  check(version_of("1.19.0.561") == 11900 && version_of("1.2") == 10200, "in parts");
  check(version_of("") == 0 && version_of("nightly") == 0 && version_of("7") == 0, "or not at all");
  check(version_of("1111111111111111111111111111111111111111111111111111111111111111.1") == 0, "without an end");
  check(version_of("2147483647.2147483647") == 0 && version_of("99999.99999.99999") == 1010089899, "or beyond all numbers");
}

static void ordinals_are_places_among_the_modules(void) {
  int device = -5;
  modules_there = 3;
  check(shape->device_get(&vendor, &device, 0) == OK && device == 2, "the first is the library's first");
  check(shape->device_get(&vendor, &device, 2) == OK && device == 0, "the last");
  check(shape->device_get(&vendor, &device, 3) == NONE && shape->device_get(&vendor, &device, -1) == NONE, "no others");
  modules_there = MAX_MODULES;
  check(shape->device_get(&vendor, &device, MAX_MODULES - 1) == OK && device == 0, "as many as there may be");
  modules_there = MAX_MODULES + 1;
  check(shape->device_get(&vendor, &device, 0) == NONE, "the numbers of more have no room");
  answer = UNKNOWN;
  check(shape->device_get(&vendor, &device, 0) == UNKNOWN, "the library's code");
  answer = OK;
  modules_there = 8;
}

static void a_module_is_acquired_once_and_shared(void) {
  device one = {.driver = &vendor, .device = 5};
  device other = one;
  answer = UNKNOWN;
  check(shape->retain(&one) == UNKNOWN && one.context == NULL, "what failed");
  answer = OK;
  called = 0;
  check(shape->retain(&one) == OK && shape->retain(&other) == OK && called == 1, "can be tried again, and then is shared");
  check(one.context == other.context && (uintptr_t)one.context == FIRST_ID + 5, "by its id");
  check(shape->release(&one) == OK && called == 1, "until the last");
  check(shape->release(&other) == OK && called == 2 && released == FIRST_ID + 5, "lets go of it");
  check(shape->release(&other) == OK && called == 2, "only once");
  check(shape->retain(&one) == OK && called == 3, "and again");
  answer = UNKNOWN;
  check(shape->release(&one) == UNKNOWN, "the library's code");
  answer = OK;
}

static void there_are_places_for_every_module(void) {
  device each[MAX_MODULES + 1];
  for (int i = 0; i <= MAX_MODULES; i++) {
    each[i] = (device){.driver = &vendor, .device = i};
    check(shape->retain(&each[i]) == (i < MAX_MODULES ? OK : NONE), "as many as there are places");
  }
  for (int i = 0; i < MAX_MODULES; i++) {
    check(shape->release(&each[i]) == OK && released == (uint32_t)(FIRST_ID + i), "each lets go of its own");
  }
}

static void streams_may_take_a_moment_to_end(void) {
  busy_for = 3;
  called = 0;
  check(shape->end_stream(&vendor, &stream) == OK && called == 4, "asked again");
  busy_for = 1 << 20;
  check(shape->end_stream(&vendor, &stream) == BUSY, "but not for ever");
  busy_for = 0;
}

static void errors_are_told_where_there_are_words(void) {
  const char* text = shape->text(&vendor, ERROR_TEXT, UNKNOWN);
  check(text != NULL && strcmp(text, "status 4711") == 0, "in words");
  check(shape->text(&vendor, ERROR_NAME, UNKNOWN) == NULL, "names there are none");
  answer = UNKNOWN;
  check(shape->text(&vendor, ERROR_TEXT, UNKNOWN) == NULL, "nor words for every number");
  answer = OK;
}

static void a_bus_id_is_not_told(void) {
  char text[1];
  check(shape->pci_bus_id(&vendor, text, sizeof text, 5) == OK && *text == '\0', "before the device is ours");
}

int main(void) {
  vendor.calls = driver_api_calls;
  host_ordered(&vendor.calls);
  synapse_ai(&vendor.calls);
  whoever_started_it_it_runs();
  versions_are_read();
  ordinals_are_places_among_the_modules();
  a_module_is_acquired_once_and_shared();
  there_are_places_for_every_module();
  device on = {.driver = &vendor, .device = 5};
  check(shape->retain(&on) == OK && shape->set_current(&on) == OK, "a device is chosen");
  arguments_and_codes_are_passed_on(passes, sizeof passes / sizeof *passes, NO_MEMORY);
  streams_may_take_a_moment_to_end();
  errors_are_told_where_there_are_words();
  a_bus_id_is_not_told();
  return 0;
}
