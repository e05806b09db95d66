// SPDX-License-Identifier: Apache-2.0
/* XRE's shape on a library of this test's own, whose functions have the prototypes of xpu/runtime.h; its copies copy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../main/c/tombolo_device/driver.h"
#include "../noting_library.h"

enum { NOT_YET = 600, NO_MEMORY = 705, KIND = 7, PCI = 9, ORDINAL = 5, SHADE_BYTES = 1 << 16, BLOCKS = 8 };

static char* const there = (char*)0xF000000000001000; /* an address that no int has room for */
static char* const here = (char*)0x8000000080000000;

static int get_version(uint32_t* major, uint32_t* minor) {
  *major = size == SIZE_MAX ? INT32_MAX : 5;
  *minor = size == SIZE_MAX ? UINT32_MAX : 21;
  return noted(true, "xpu_get_runtime_version");
}

static int get_count(int* count) {
  *count = 8;
  return noted(true, "xpu_device_count");
}

static uint64_t attribute;

static int get_attribute(uint64_t* value, int which, int ordinal) {
  *value = attribute;
  return noted(which == PCI && ordinal == ORDINAL, "xpu_device_get_attr");
}

static int set_device(int ordinal) { return noted(ordinal == ORDINAL, "xpu_set_device"); }

static int xpu_malloc(void** address, uint64_t bytes, int kind) {
  *address = there;
  return noted(bytes == size && kind == KIND, "xpu_malloc");
}

static int xpu_free(void* address) { return noted(address == there, "xpu_free"); }

static void* blocks[BLOCKS]; /* pinned, for fills; freed in the end, as the shape keeps them */
static int block_count;

static int host_alloc(void** address, uint64_t bytes, unsigned flags) {
  *address = &host;
  if (bytes == SHADE_BYTES && answer == OK) {
    check(block_count < BLOCKS, "few blocks");
    *address = blocks[block_count++] = malloc(bytes);
  }
  return noted(flags == 0 && (bytes == SHADE_BYTES || bytes == size), "xpu_host_alloc");
}

static int host_free(void* address) { return noted(address == &host, "xpu_host_free"); }

static int host_register(void* address, uint64_t bytes, unsigned flags) {
  return noted(address == &host && bytes == size && flags == 0, "xpu_host_register");
}

static int host_unregister(void* address) { return noted(address == &host, "xpu_host_unregister"); }

static int stream_create(void** made) {
  *made = &stream;
  return noted(true, "xpu_stream_create");
}

static int stream_destroy(void* ended) { return noted(ended == &stream, "xpu_stream_destroy"); }

static int stream_wait(void* waiting, void* for_event) {
  return noted(waiting == &stream && for_event == &event, "xpu_stream_wait_event");
}

static int event_create(void** made) {
  *made = &event;
  return noted(true, "xpu_event_create");
}

static int event_record(void* recorded, void* on) { return noted(recorded == &event && on == &stream, "xpu_event_record"); }

static int event_query(void* asked) { return noted(asked == &event, "xpu_event_query"); }

static int event_destroy(void* ended) { return noted(ended == &event, "xpu_event_destroy"); }

static int copy_kind;
static int copies; /* of fills */
static bool makes_copies;
static int fail_at; /* the copy that fails, from 1; 0: none */

/* One from an address of this test's own is looked at; any other is a fill's, and made where there is memory. */
static int copy_async(void* to, const void* from, uint64_t bytes, int kind, void* on) {
  if (from == here) {
    return noted(to == there && bytes == size && kind == copy_kind && on == &stream, "xpu_memcpy_async");
  }
  check(kind == (copies++ == 0 ? 10 : 12) && on == &stream, "the first bytes come from the host, the others from the device");
  if (makes_copies) {
    (void)memcpy(to, from, bytes);
  }
  return copies == fail_at ? UNKNOWN : OK;
}

/* What the shape has no use for is left out: who calls it, crashes. */
static driver vendor = {
    .symbol = {[DRIVER_VERSION] = (void*)get_version,
               [DEVICE_COUNT] = (void*)get_count,
               [PCI_BUS_ID] = (void*)get_attribute,
               [SET_CURRENT] = (void*)set_device,
               [ALLOCATE] = (void*)xpu_malloc,
               [FREE] = (void*)xpu_free,
               [HOST_ALLOCATE] = (void*)host_alloc,
               [HOST_FREE] = (void*)host_free,
               [HOST_REGISTER] = (void*)host_register,
               [HOST_UNREGISTER] = (void*)host_unregister,
               [STREAM_CREATE] = (void*)stream_create,
               [STREAM_DESTROY] = (void*)stream_destroy,
               [STREAM_WAIT_EVENT] = (void*)stream_wait,
               [EVENT_CREATE] = (void*)event_create,
               [EVENT_RECORD] = (void*)event_record,
               [EVENT_QUERY] = (void*)event_query,
               [EVENT_DESTROY] = (void*)event_destroy,
               [COPY_TO_DEVICE] = (void*)copy_async,
               [COPY_TO_HOST] = (void*)copy_async,
               [COPY_ON_DEVICE] = (void*)copy_async},
    .constant = {[NOT_READY] = NOT_YET,
                 [OUT_OF_MEMORY] = NO_MEMORY,
                 [MEMORY_KIND] = KIND,
                 [DEVICE_PCI] = PCI,
                 [KIND_TO_DEVICE] = 10,
                 [KIND_TO_HOST] = 11,
                 [KIND_ON_DEVICE] = 12}};

static const calls* const shape = &vendor.calls;

static int make_allocate(void) {
  uint64_t address = 0;
  int code = shape->allocate(&vendor, &address, size);
  check(address == (uintptr_t)there, "the address");
  return code;
}

static int make_free(void) { return shape->free(&vendor, (uintptr_t)there); }

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

static int make_copy(role direction, int kind) {
  copy_kind = kind;
  return shape->copy(&vendor, direction, (uintptr_t)there, (uintptr_t)here, size, &stream);
}

static int make_copy_to_device(void) { return make_copy(COPY_TO_DEVICE, 10); }

static int make_copy_to_host(void) { return make_copy(COPY_TO_HOST, 11); }

static int make_copy_on_device(void) { return make_copy(COPY_ON_DEVICE, 12); }

static int make_current(void) { return shape->set_current(&(device){.driver = &vendor, .ordinal = ORDINAL}); }

static int make_version(void) {
  int version = 0;
  int code = shape->version(&vendor, &version);
  check(size == SIZE_MAX || version == 52100, "the version");
  return code;
}

static int make_count(void) {
  int count = 0;
  int code = shape->device_count(&vendor, &count);
  check(count == 8, "the count");
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
    {"a copy to the device", make_copy_to_device, true},
    {"a copy to the host", make_copy_to_host, true},
    {"a copy on the device", make_copy_on_device, true},
    {"the choice of a device", make_current, false},
    {"the version", make_version, false},
    {"the count of devices", make_count, false},
};

static void what_the_runtime_does_not_tell_is_not_asked(void) {
  int found = -1;
  char name[1];
  size_t bytes = 1;
  called = 0;
  check(shape->start(&vendor) == OK, "nothing to start");
  check(shape->device_get(&vendor, &found, ORDINAL) == OK && found == ORDINAL, "ordinals are devices");
  check(shape->device_name(&vendor, name, sizeof name, ORDINAL) == OK && *name == '\0', "no name");
  check(shape->total_memory(&vendor, &bytes, ORDINAL) == OK && bytes == 0, "no size of memory");
  check(shape->text(&vendor, ERROR_TEXT, UNKNOWN) == NULL && shape->text(&vendor, ERROR_NAME, UNKNOWN) == NULL, "no words");
  check(shape->retain(&(device){.driver = &vendor}) == OK && shape->release(&(device){.driver = &vendor}) == OK, "no context");
  check(called == 0, "not one call");
}

static void a_bus_id_is_four_numbers(void) {
  char text[16];
  char little[5];
  attribute = 0xFFFFFFFF00016119;
  check(shape->pci_bus_id(&vendor, text, sizeof text, ORDINAL) == OK && strcmp(text, "0001:61:03.1") == 0, "of 32 bits");
  attribute = UINT64_MAX;
  check(shape->pci_bus_id(&vendor, little, sizeof little, ORDINAL) == OK && strcmp(little, "ffff") == 0, "cut to the room");
  answer = UNKNOWN;
  check(shape->pci_bus_id(&vendor, text, sizeof text, ORDINAL) == UNKNOWN, "the library's code");
  answer = OK;
}

static void an_event_counts_as_done_until_it_is_recorded(void) {
  void* made = NULL;
  check(shape->new_event(&vendor, &made) == OK && made != &event, "ours, not the library's");
  answer = UNKNOWN;
  called = 0;
  check(shape->query(&vendor, EVENT_QUERY, made) == OK && shape->wait_event(&vendor, &stream, made) == OK, "nothing to wait for");
  check(called == 0, "so the library is not asked");
  check(shape->record(&vendor, made, &stream) == UNKNOWN, "what failed");
  check(shape->query(&vendor, EVENT_QUERY, made) == OK && called == 1, "is no record");
  answer = OK;
  check(shape->record(&vendor, made, &stream) == OK, "what did not");
  answer = NOT_YET;
  check(shape->query(&vendor, EVENT_QUERY, made) == NOT_YET, "is one");
  answer = UNKNOWN;
  check(shape->query(&vendor, EVENT_QUERY, made) == UNKNOWN, "of which the library tells");
  check(shape->wait_event(&vendor, &stream, made) == UNKNOWN && called == 5, "as it does to waiting streams");
  check(shape->end_event(&vendor, made) == UNKNOWN, "the library's code, and nothing is left behind");
  made = NULL;
  check(shape->new_event(&vendor, &made) == UNKNOWN && made == NULL, "no event, and nothing left behind either");
  answer = OK;
}

/* Into memory of exactly that many bytes, where the sanitizer sees one more. */
static void fill(size_t bytes, unsigned char value, int wanted_copies) {
  unsigned char* filled = malloc(bytes);
  check(filled != NULL, "memory");
  copies = 0;
  check(shape->fill(&vendor, (uintptr_t)filled, value, bytes, &stream) == OK, "a fill");
  check(copies == wanted_copies, "by as few copies as there can be");
  for (size_t i = 0; i < bytes; i++) {
    check(filled[i] == value, "every byte");
  }
  free(filled);
}

static void fills_are_copies_of_what_is_filled(void) {
  makes_copies = true;
  fill(0, 0xA5, 0);
  fill(1, 0xA5, 1);
  fill(SHADE_BYTES, 0xA5, 1);
  fill(SHADE_BYTES + 1, 0xA5, 2);
  fill(5 * SHADE_BYTES + 3, 0xA5, 4);
  fill(77, 0, 1);
  fill(77, 0xFF, 1);
  check(block_count == 3, "one block for each value");
  makes_copies = false;
  copies = 0;
  check(shape->fill(&vendor, (uintptr_t)there, 0xA5, SIZE_MAX, &stream) == OK && copies == 49, "any size has an end");
  fail_at = 3;
  copies = 0;
  check(shape->fill(&vendor, (uintptr_t)there, 0xA5, SIZE_MAX, &stream) == UNKNOWN && copies == 3, "as has one that fails");
  fail_at = 0;
}

static void a_fill_without_pinned_memory_can_be_tried_again(void) {
  copies = 0;
  answer = NO_MEMORY;
  check(shape->fill(&vendor, (uintptr_t)there, 3, 9, &stream) == NO_MEMORY && copies == 0, "the library's code");
  answer = OK;
  check(shape->fill(&vendor, (uintptr_t)there, 3, 9, &stream) == OK && copies == 1 && block_count == 4, "memory again");
}

/* Two libraries do not know each other's pinned memory. */
static void each_library_has_blocks_of_its_own(void) {
  static driver other;
  other = vendor;
  copies = 0;
  check(shape->fill(&other, (uintptr_t)there, 3, 9, &stream) == OK && block_count == 5, "one more block");
}

int main(void) {
  vendor.calls = driver_api_calls;
  ordinal_is_context(&vendor.calls);
  host_ordered(&vendor.calls);
  kunlunxin_xre(&vendor.calls);
  arguments_and_codes_are_passed_on(passes, sizeof passes / sizeof *passes, NO_MEMORY);
  what_the_runtime_does_not_tell_is_not_asked();
  a_bus_id_is_four_numbers();
  an_event_counts_as_done_until_it_is_recorded();
  fills_are_copies_of_what_is_filled();
  a_fill_without_pinned_memory_can_be_tried_again();
  each_library_has_blocks_of_its_own();
  while (block_count > 0) {
    free(blocks[--block_count]);
  }
  return 0;
}
