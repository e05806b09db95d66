/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor store from C: whole tensors, room that is filled in place, parts of two writers, snapshots, and misuse.
 *
 *   volume HOST:PORT shared|connection
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <tombolo_volume.h>

#include "program.h"

static const char* address;
static uint32_t flags;

static tombolo_volume opened(void) {
  tombolo_volume volume;
  tombolo_volume_config config = TOMBOLO_VOLUME_CONFIG_INIT;
  config.address = address;
  config.flags = flags;
  OK(tombolo_volume_open(&config, &volume));
  return volume;
}

static void whole(tombolo_volume volume) {
  float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
  float part[2][2];
  uint8_t none = 0;
  const int64_t shape[] = {2, 3}, from[] = {0, 1}, to[] = {2, 3}, beyond[] = {2, 4}, empty[] = {0};
  const tombolo_tensor tensors[] = {{"a/w", weights, shape, TOMBOLO_F32, 2},
                                    {"a/none", NULL, empty, TOMBOLO_F64, 1},
                                    {"b", &none, NULL, TOMBOLO_U8, 0}};
  int64_t version = 7;
  OK(tombolo_volume_put(volume, NULL, tensors, 3, &version));
  REQUIRE(version == 0, "no version");
  char text[64];
  size_t needed;
  OK(tombolo_volume_keys(volume, "a/", text, sizeof text, &needed));
  REQUIRE(needed == 12 && memcmp(text, "a/none\0a/w\0", 12) == 0, "keys");
  int exists;
  OK(tombolo_volume_exists(volume, "a/w", &exists));
  REQUIRE(exists == 1, "a/w is there");
  OK(tombolo_volume_exists(volume, "a/", &exists));
  REQUIRE(exists == 0, "a/ is a prefix");
  FAILS(TOMBOLO_USAGE, "is NULL", tombolo_volume_exists(volume, "a/w", NULL));
  tombolo_snapshot snapshot;
  const char* names[] = {"b", "a/w"};
  OK(tombolo_volume_open_tensors(volume, names, 2, &snapshot));
  OK(tombolo_snapshot_read(snapshot, 1, from, to, part));
  REQUIRE(part[0][0] == 2 && part[0][1] == 3 && part[1][0] == 5 && part[1][1] == 6, "part");
  uint8_t scalar = 7;
  float all[2][3] = {{0}};
  const tombolo_read reads[] = {{0, 0, NULL, NULL, &scalar}, {1, 0, NULL, NULL, all}, {1, 0, from, to, part}};
  memset(part, 0, sizeof part);
  OK(tombolo_snapshot_read_all(snapshot, reads, 3));
  REQUIRE(scalar == none && memcmp(all, weights, sizeof all) == 0, "whole tensors");
  REQUIRE(part[0][0] == 2 && part[0][1] == 3 && part[1][0] == 5 && part[1][1] == 6, "part beside them");
  OK(tombolo_snapshot_read_all(snapshot, NULL, 0));
  const tombolo_read one_end = {1, 0, from, NULL, part}, no_part = {1, 0, from, beyond, part};
  const tombolo_read nobody = {2, 0, from, to, part};
  FAILS(TOMBOLO_USAGE, "at NULL", tombolo_snapshot_read_all(snapshot, NULL, 1));
  FAILS(TOMBOLO_USAGE, "at most 65536", tombolo_snapshot_read_all(snapshot, reads, 65537));
  FAILS(TOMBOLO_USAGE, "one end", tombolo_snapshot_read_all(snapshot, &one_end, 1));
  FAILS(TOMBOLO_USAGE, "not a part", tombolo_snapshot_read_all(snapshot, &no_part, 1));
  FAILS(TOMBOLO_USAGE, "none is 2", tombolo_snapshot_read_all(snapshot, &nobody, 1));
  OK(tombolo_snapshot_verify(snapshot, 1));
  FAILS(TOMBOLO_USAGE, "none is 2", tombolo_snapshot_verify(snapshot, 2));
  FAILS(TOMBOLO_USAGE, "one end", tombolo_snapshot_read(snapshot, 1, from, NULL, part));
  FAILS(TOMBOLO_USAGE, "not a part", tombolo_snapshot_read(snapshot, 1, from, beyond, part));
  OK(tombolo_snapshot_close(snapshot));
  FAILS(TOMBOLO_USAGE, "no snapshot", tombolo_snapshot_close(snapshot));
  int64_t deleted;
  OK(tombolo_volume_delete(volume, names, 2, &deleted));
  REQUIRE(deleted == 2, "deleted %d", (int)deleted);
  FAILS(TOMBOLO_USAGE, "a/w", tombolo_volume_open_tensors(volume, names + 1, 1, &snapshot));
  REQUIRE(snapshot == 0, "a failing call gives nothing");
}

/* Only where memory is shared. */
static void in_place(tombolo_volume volume) {
  const int64_t shape[] = {4};
  tombolo_tensor tensor = {"x", NULL, shape, TOMBOLO_I32, 1};
  tombolo_put put;
  int shared;
  OK(tombolo_volume_is_shared(volume, &shared));
  if (!shared) {
    FAILS(TOMBOLO_UNSUPPORTED, "put the tensors instead", tombolo_volume_begin(volume, "dict", &tensor, 1, &put));
    return;
  }
  OK(tombolo_volume_begin(volume, "dict", &tensor, 1, &put));
  FAILS(TOMBOLO_USAGE, "commit or close", tombolo_volume_close(volume));
  memcpy(tensor.data, (int32_t[]){1, 2, 3, 4}, 16);
  FAILS(TOMBOLO_USAGE, "'y'", tombolo_put_checksum(put, "y", 0));
  FAILS(TOMBOLO_USAGE, "the name is NULL", tombolo_put_checksum(put, NULL, 0));
  int64_t version;
  OK(tombolo_put_commit(put, &version));
  REQUIRE(version == 1, "version %d", (int)version);
  FAILS(TOMBOLO_USAGE, "no put", tombolo_put_commit(put, &version));
  OK(tombolo_volume_begin(volume, "dict", &tensor, 1, &put));
  OK(tombolo_put_abort(put));

  tombolo_snapshot snapshot;
  OK(tombolo_volume_open_version(volume, "dict", 0, 1000, &snapshot));
  tombolo_type type;
  int32_t dimensions;
  int64_t found[TOMBOLO_MAX_DIMENSIONS];
  const void* data;
  OK(tombolo_snapshot_tensor(snapshot, 0, &type, &dimensions, found, &data));
  REQUIRE(type == TOMBOLO_I32 && dimensions == 1 && found[0] == 4, "what it is");
  REQUIRE(data != NULL && ((const int32_t*)data)[3] == 4, "in place");
  OK(tombolo_snapshot_verify(snapshot, 0));
  OK(tombolo_snapshot_close(snapshot));
  int64_t versions;
  OK(tombolo_volume_drop(volume, "dict", &versions));
  REQUIRE(versions == 1, "the one given up was none: %d", (int)versions);
}

/* What a maker of digits is to do, and has done. */
struct making {
  uint32_t checksum;
  uint64_t fails_at;
  int made;
};

static int make_digits(void* context, uint64_t number, tombolo_made* made) {
  struct making* making = context;
  making->made++;
  *made = (tombolo_made){number == 0 ? "123456789" : "987654321", making->checksum, number == 0};
  return number == making->fails_at ? 7 : 0;
}

/* Tensors and parts that are made once there is room for them. */
static void made(tombolo_volume volume) {
  const int64_t shape[] = {9}, start[] = {0}, large[] = {INT64_C(1) << 40};
  const tombolo_tensor tensors[] = {{"digits", NULL, shape, TOMBOLO_U8, 1}, {"more", NULL, shape, TOMBOLO_U8, 1}};
  const tombolo_tensor too_large[] = {tensors[0], {"more", NULL, large, TOMBOLO_U8, 1}};
  const tombolo_part parts[] = {{tensors[0], start, shape}, {tensors[1], start, shape}};
  const tombolo_part too_large_part = {too_large[1], start, large};
  tombolo_writer writer = {sizeof writer, 0, 1, 0, "large", 60000};
  struct making making = {0xE3069283, 2, 0};
  tombolo_maker maker = {sizeof maker, 0, &making, make_digits};
  int64_t version;
  FAILS(TOMBOLO_RESOURCE, "free", tombolo_volume_put_made(volume, "made", too_large, 2, &maker, &version));
  FAILS(TOMBOLO_RESOURCE, "free",
        tombolo_volume_put_part_made(volume, "made", &writer, &too_large_part, 1, &maker, &version));
  REQUIRE(making.made == 0 && version == 0, "%d made without room", making.made);
  making.fails_at = 1;
  FAILS(TOMBOLO_USAGE, "'more'", tombolo_volume_put_made(volume, "made", tensors, 2, &maker, &version));
  writer.round = "fails";
  FAILS(TOMBOLO_USAGE, "'more'", tombolo_volume_put_part_made(volume, "made", &writer, parts, 2, &maker, &version));
  making = (struct making){0xE3069283 ^ 1, 2, 0};
  FAILS(TOMBOLO_CORRUPT, "'digits'", tombolo_volume_put_made(volume, "made", tensors, 2, &maker, &version));
  writer.round = "corrupt";
  FAILS(TOMBOLO_CORRUPT, "'digits'",
        tombolo_volume_put_part_made(volume, "made", &writer, parts, 2, &maker, &version));
  making = (struct making){0xE3069283, 2, 0};
  int64_t first;
  OK(tombolo_volume_put_made(volume, "made", tensors, 2, &maker, &first));
  REQUIRE(first > 0 && making.made == 2, "version %d, %d made", (int)first, making.made);
  writer.round = "good";
  OK(tombolo_volume_put_part_made(volume, "made", &writer, parts, 2, &maker, &version));
  REQUIRE(version == first + 1 && making.made == 4, "version %d, %d made", (int)version, making.made);
  for (int64_t each = first; each <= version; each++) {
    tombolo_snapshot snapshot;
    char found[9];
    OK(tombolo_volume_open_kept(volume, "made", each, &snapshot));
    OK(tombolo_snapshot_read(snapshot, 1, NULL, NULL, found));
    REQUIRE(memcmp(found, "987654321", 9) == 0, "version %d", (int)each);
    OK(tombolo_snapshot_close(snapshot));
  }
  OK(tombolo_volume_drop(volume, "made", NULL));
  FAILS(TOMBOLO_USAGE, "maker", tombolo_volume_put_made(volume, "made", tensors, 2, NULL, &version));
  maker.size = 0;
  FAILS(TOMBOLO_USAGE, "size", tombolo_volume_put_part_made(volume, "made", &writer, parts, 2, &maker, &version));
}

/* A put that takes its time, and has the connection meanwhile. */
struct slow_put {
  tombolo_volume volume;
  sem_t begun, goes_on;
};

static int make_slowly(void* context, uint64_t number, tombolo_made* made) {
  struct slow_put* put = context;
  REQUIRE(number == 0 && sem_post(&put->begun) == 0, "begun");
  REQUIRE(sem_wait(&put->goes_on) == 0, "goes on");
  *made = (tombolo_made){"123456789", 0, 0};
  return 0;
}

static void* put_slowly(void* argument) {
  struct slow_put* put = argument;
  const int64_t shape[] = {9};
  const tombolo_tensor tensor = {"digits", NULL, shape, TOMBOLO_U8, 1};
  const tombolo_maker maker = {sizeof maker, 0, put, make_slowly};
  OK(tombolo_volume_put_made(put->volume, "slow", &tensor, 1, &maker, NULL));
  return NULL;
}

/* A snapshot that is closed while another thread is in such a put stays open, and is closed again. */
static void closed_again(void) {
  struct slow_put put;
  tombolo_volume_config config = TOMBOLO_VOLUME_CONFIG_INIT;
  config.address = address;
  config.flags = flags;
  config.timeout_ms = 10000; /* also of all that this does in time, on a machine that is busy */
  OK(tombolo_volume_open(&config, &put.volume));
  const tombolo_tensor tensor = {"b", "7", NULL, TOMBOLO_U8, 0};
  OK(tombolo_volume_put(put.volume, NULL, &tensor, 1, NULL));
  tombolo_snapshot snapshot;
  const char* names[] = {"b"};
  OK(tombolo_volume_open_tensors(put.volume, names, 1, &snapshot));
  REQUIRE(sem_init(&put.begun, 0, 0) == 0 && sem_init(&put.goes_on, 0, 0) == 0, "semaphores");
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, put_slowly, &put) == 0, "thread");
  REQUIRE(sem_wait(&put.begun) == 0, "begun");
  FAILS(TOMBOLO_DEADLINE, "close it again", tombolo_snapshot_close(snapshot));
  REQUIRE(sem_post(&put.goes_on) == 0, "goes on");
  REQUIRE(pthread_join(thread, NULL) == 0, "join");
  REQUIRE(sem_destroy(&put.begun) == 0 && sem_destroy(&put.goes_on) == 0, "semaphores");
  char found;
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, &found));
  REQUIRE(found == '7', "%c", found);
  OK(tombolo_snapshot_close(snapshot));
  FAILS(TOMBOLO_USAGE, "no snapshot", tombolo_snapshot_close(snapshot));
  OK(tombolo_volume_drop(put.volume, "slow", NULL));
  OK(tombolo_volume_delete(put.volume, names, 1, NULL));
  OK(tombolo_volume_close(put.volume));
}

/* Checksums that the caller knows. That of the digits is the check value that catalogues of CRCs give for CRC-32C. */
static void summed(tombolo_volume volume) {
  char digits[] = "123456789";
  const int64_t shape[] = {9};
  const tombolo_tensor tensors[] = {{"digits", digits, shape, TOMBOLO_U8, 1},
                                    {"more", digits, shape, TOMBOLO_U8, 1}};
  uint32_t checksum = 0xE3069283;
  const uint32_t* const known[] = {&checksum, NULL};
  int64_t first, version;
  OK(tombolo_volume_put_summed(volume, "summed", tensors, known, 2, &first));
  OK(tombolo_volume_put_summed(volume, "summed", tensors, NULL, 2, &version));
  REQUIRE(version == first + 1, "version %d", (int)version);
  checksum ^= 1;
  FAILS(TOMBOLO_CORRUPT, "'digits'", tombolo_volume_put_summed(volume, "summed", tensors, known, 2, &version));
  REQUIRE(version == 0, "a failing call gives nothing");
  const int64_t start[] = {0};
  const tombolo_part part = {tensors[0], start, shape};
  tombolo_writer writer = {sizeof writer, 0, 1, 0, "a wrong copy", 60000};
  FAILS(TOMBOLO_CORRUPT, "'digits'",
        tombolo_volume_put_part_summed(volume, "summed", &writer, &part, known, 1, &version));
  REQUIRE(version == 0, "a failing call gives nothing");
  tombolo_snapshot snapshot;
  OK(tombolo_volume_open_version(volume, "summed", 0, -1, &snapshot));
  OK(tombolo_snapshot_version(snapshot, &version));
  REQUIRE(version == first + 1, "version %d", (int)version);
  OK(tombolo_snapshot_close(snapshot));
  checksum ^= 1;
  writer.round = "a right one";
  OK(tombolo_volume_put_part_summed(volume, "summed", &writer, &part, known, 1, &version));
  REQUIRE(version == first + 2, "version %d", (int)version);
  OK(tombolo_volume_drop(volume, "summed", NULL));

  tombolo_device_memory memory = {sizeof memory, 0, "host", tensors[0].data, 9, NULL, 0, 0, 0};
  FAILS(TOMBOLO_UNSUPPORTED, "leave the checksum out", tombolo_device_checksum(&memory, &checksum));
  REQUIRE(checksum == 0, "a failing call gives nothing");
  FAILS(TOMBOLO_USAGE, "is NULL", tombolo_device_checksum(&memory, NULL));
  FAILS(TOMBOLO_USAGE, "is NULL", tombolo_device_checksum(NULL, &checksum));
  memory.vendor = "nobody";
  FAILS(TOMBOLO_USAGE, "nobody knows the vendor", tombolo_device_checksum(&memory, &checksum));
  memory.device = -1;
  FAILS(TOMBOLO_USAGE, "counted from 0", tombolo_device_checksum(&memory, &checksum));
  memory.vendor = NULL;
  FAILS(TOMBOLO_USAGE, "the vendor", tombolo_device_checksum(&memory, &checksum));
  memory.flags = TOMBOLO_HOST_ORDER | TOMBOLO_ASYNC;
  FAILS(TOMBOLO_USAGE, "flags is 0x6", tombolo_device_checksum(&memory, &checksum));
  memory.size = 8;
  FAILS(TOMBOLO_USAGE, "size is 8", tombolo_device_checksum(&memory, &checksum));
}

static void casts(tombolo_volume volume) {
  const float values[3] = {1.0f / 3, -12, 0};
  const int64_t shape[] = {3};
  const tombolo_tensor tensor = {"w", (void*)values, shape, TOMBOLO_F32, 1};
  tombolo_cast cast = {sizeof cast, TOMBOLO_F8E4M3, 1, 0};
  int64_t version;
  OK(tombolo_volume_put_cast(volume, "narrow", &tensor, 1, &cast, &version));
  REQUIRE(version >= 1, "version %d", (int)version);
  tombolo_snapshot snapshot;
  OK(tombolo_volume_open_version(volume, "narrow", 0, -1, &snapshot));
  uint8_t narrow[3], again[3];
  float scale, same, wide[3];
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, narrow));
  OK(tombolo_snapshot_read(snapshot, 1, NULL, NULL, &scale));
  OK(tombolo_snapshot_close(snapshot));
  OK(tombolo_scale_of(TOMBOLO_F32, values, 3, TOMBOLO_F8E4M3, &same));
  REQUIRE(scale == (float)(12.0 / 448) && same == scale, "scale %g", scale);
  OK(tombolo_narrow(TOMBOLO_F32, values, 3, scale, TOMBOLO_F8E4M3, again));
  REQUIRE(narrow[1] == 0xFE && memcmp(narrow, again, sizeof again) == 0, "-448 is %x", narrow[1]);
  OK(tombolo_widen(TOMBOLO_F8E4M3, narrow, 3, scale, wide));
  REQUIRE(wide[0] == 12 * scale && wide[1] == -448 * scale && wide[2] == 0, "1/3 is about %g", wide[0]);
  FAILS(TOMBOLO_USAGE, "narrows to", tombolo_volume_put_cast(volume, "narrow", &tensor, 1, &(tombolo_cast){sizeof cast, TOMBOLO_F32, 0, 0}, NULL));
  FAILS(TOMBOLO_USAGE, "is not made", tombolo_narrow(TOMBOLO_I32, values, 3, 1, TOMBOLO_F16, again));
  FAILS(TOMBOLO_USAGE, "is NULL", tombolo_narrow(TOMBOLO_F32, NULL, 3, 1, TOMBOLO_F16, again));
  OK(tombolo_volume_drop(volume, "narrow", NULL));
}

/* The volume keeps two. */
static void versions(tombolo_volume volume) {
  int64_t version, oldest, newest;
  OK(tombolo_volume_kept_versions(volume, "dated", &oldest, &newest));
  REQUIRE(oldest == 0 && newest == 0, "there are none");
  for (int32_t value = 1; value <= 3; value++) {
    const tombolo_tensor tensor = {"x", &value, NULL, TOMBOLO_I32, 0};
    OK(tombolo_volume_put(volume, "dated", &tensor, 1, &version));
  }
  OK(tombolo_volume_kept_versions(volume, "dated", &oldest, &newest));
  REQUIRE(newest == version && oldest == version - 1, "%d to %d", (int)oldest, (int)newest);
  tombolo_snapshot snapshot;
  int32_t found;
  OK(tombolo_volume_open_kept(volume, "dated", oldest, &snapshot));
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, &found));
  REQUIRE(found == 2, "of the version before the last: %d", found);
  OK(tombolo_snapshot_close(snapshot));
  FAILS(TOMBOLO_USAGE, "are kept", tombolo_volume_open_kept(volume, "dated", oldest - 1, &snapshot));
  REQUIRE(snapshot == 0, "a failing call gives nothing");
  FAILS(TOMBOLO_USAGE, "is NULL", tombolo_volume_kept_versions(volume, "dated", &oldest, NULL));
  OK(tombolo_volume_drop(volume, "dated", NULL));
}

struct half {
  int32_t writer;
  int64_t version;
};

static void* put_half(void* argument) {
  struct half* half = argument;
  tombolo_volume volume = opened();
  double column[3][1];
  for (int row = 0; row < 3; row++) {
    column[row][0] = 10 * row + half->writer;
  }
  const int64_t shape[] = {3, 1}, from[] = {0, half->writer}, all[] = {3, 2};
  const tombolo_part part = {{"m", column, shape, TOMBOLO_F64, 2}, from, all};
  const tombolo_writer writer = {sizeof writer, half->writer, 2, 0, "first", 60000};
  OK(tombolo_volume_put_part(volume, "joint", &writer, &part, 1, &half->version));
  OK(tombolo_volume_close(volume));
  return NULL;
}

static void together(tombolo_volume volume) {
  struct half halves[2] = {{0, 0}, {1, 0}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    REQUIRE(pthread_create(&threads[i], NULL, put_half, &halves[i]) == 0, "thread");
  }
  for (int i = 0; i < 2; i++) {
    REQUIRE(pthread_join(threads[i], NULL) == 0, "join");
    REQUIRE(halves[i].version > 0 && halves[i].version == halves[0].version, "half %d", i);
  }
  tombolo_snapshot snapshot;
  double whole[3][2];
  OK(tombolo_volume_open_version(volume, "joint", 0, -1, &snapshot));
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, whole));
  OK(tombolo_snapshot_verify(snapshot, 0));
  for (int row = 0; row < 3; row++) {
    REQUIRE(whole[row][0] == 10 * row && whole[row][1] == 10 * row + 1, "row %d", row);
  }
  OK(tombolo_snapshot_close(snapshot));
  FAILS(TOMBOLO_DEADLINE, "newer than",
        tombolo_volume_open_version(volume, "joint", halves[0].version, 50, &snapshot));
}

static void misuse(tombolo_volume volume) {
  tombolo_volume_config config = TOMBOLO_VOLUME_CONFIG_INIT;
  tombolo_volume other = 7;
  FAILS(TOMBOLO_USAGE, "the address is NULL", tombolo_volume_open(&config, &other));
  REQUIRE(other == 0, "a failing call gives nothing");
  config.address = "nowhere";
  FAILS(TOMBOLO_USAGE, "HOST:PORT", tombolo_volume_open(&config, &other));
  config.address = address;
  config.token = "00";
  FAILS(TOMBOLO_USAGE, "64", tombolo_volume_open(&config, &other));
  config.token = "0000000000000000000000000000000000000000000000000000000000000000";
  FAILS(TOMBOLO_MISMATCH, "TOMBOLO_TOKEN", tombolo_volume_open(&config, &other));
  const int64_t shape[] = {2}, negative[] = {-2}, many[] = {1LL << 40};
  float two[2] = {0, 0};
  const tombolo_tensor twice[] = {{"x", two, shape, TOMBOLO_F32, 1}, {"x", two, shape, TOMBOLO_F32, 1}};
  FAILS(TOMBOLO_USAGE, "two tensors", tombolo_volume_put(volume, NULL, twice, 2, NULL));
  FAILS(TOMBOLO_USAGE, "a name is NULL",
        tombolo_volume_put(volume, NULL, &(tombolo_tensor){NULL, two, shape, TOMBOLO_F32, 1}, 1, NULL));
  FAILS(TOMBOLO_USAGE, "needs a name", tombolo_volume_put(volume, "", twice, 1, NULL));
  FAILS(TOMBOLO_USAGE, "dimension", tombolo_volume_put(volume, NULL, &(tombolo_tensor){"x", two, negative, TOMBOLO_F32, 1}, 1, NULL));
  FAILS(TOMBOLO_USAGE, "no memory", tombolo_volume_put(volume, NULL, &(tombolo_tensor){"x", NULL, shape, TOMBOLO_F32, 1}, 1, NULL));
  FAILS(TOMBOLO_USAGE, "65 dimensions", tombolo_volume_put(volume, NULL, &(tombolo_tensor){"x", two, shape, TOMBOLO_F32, 65}, 1, NULL));
  FAILS(TOMBOLO_RESOURCE, "free", tombolo_volume_put(volume, NULL, &(tombolo_tensor){"x", two, many, TOMBOLO_F32, 1}, 1, NULL));
  FAILS(TOMBOLO_USAGE, "no volume 99", tombolo_volume_put(99, NULL, twice, 1, NULL));
  char text[4];
  size_t needed;
  OK(tombolo_volume_state_dicts(volume, NULL, text, sizeof text, &needed));
  REQUIRE(needed == 7 && strcmp(text, "joi") == 0, "what does not fit is left out: %s", text);
}

/* A volume of this process, of which its own client can be one. */
static void serving(void) {
  tombolo_server server;
  tombolo_server_config config = TOMBOLO_SERVER_CONFIG_INIT;
  FAILS(TOMBOLO_USAGE, "bytes of memory", tombolo_server_start(&config, &server));
  config.memory_bytes = 1 << 16;
  OK(tombolo_server_start(&config, &server));
  char own[64];
  OK(tombolo_server_address(server, own, sizeof own, NULL));
  const char* before = address;
  address = own;
  tombolo_volume volume = opened();
  const int64_t shape[] = {2};
  float two[2] = {1, 2}, got[2];
  OK(tombolo_volume_put(volume, NULL, &(tombolo_tensor){"x", two, shape, TOMBOLO_F32, 1}, 1, NULL));
  tombolo_snapshot snapshot;
  const char* x = "x";
  OK(tombolo_volume_open_tensors(volume, &x, 1, &snapshot));
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, got));
  REQUIRE(got[0] == 1 && got[1] == 2, "what was put");
  OK(tombolo_volume_close(volume));
  OK(tombolo_server_stop(server));
  FAILS(TOMBOLO_USAGE, "no server", tombolo_server_stop(server));
  address = before;
}

/* Fills room of the server for a version of its half, all of `value`. */
static tombolo_put half(tombolo_server server, int32_t rank, int64_t version, float value) {
  const int64_t shape[] = {2, 3}, from[] = {2 * rank, 0}, all[] = {4, 3};
  const tombolo_holder holder = {sizeof holder, rank, 2, 0, "first", 60000};
  tombolo_part part = {{"w", NULL, shape, TOMBOLO_F32, 2}, from, all};
  tombolo_put put;
  OK(tombolo_server_hold(server, "policy", &holder, version, &part, 1, &put));
  for (int i = 0; i < 6; i++) {
    ((float*)part.held.data)[i] = value;
  }
  return put;
}

/* Registers three columns of a larger matrix, the middle one first: they are read where they are, and not afterwards. */
static void where_they_lie(void) {
  tombolo_server server;
  tombolo_server_config config = TOMBOLO_SERVER_CONFIG_INIT;
  config.memory_bytes = 64; /* too few for what is read */
  OK(tombolo_server_start(&config, &server));
  char own[64];
  OK(tombolo_server_address(server, own, sizeof own, NULL));
  float matrix[20][5], wide[20];
  for (int i = 0; i < 100; i++) {
    matrix[i / 5][i % 5] = (float)i;
  }
  for (int i = 0; i < 20; i++) {
    wide[i] = (float)-i;
  }
  const int64_t turned[] = {3, 20}, from[] = {0, 0}, strides[] = {1, 5}, line[] = {20};
  const int64_t* all_strides[] = {strides, NULL};
  const tombolo_part parts[] = {{{"m", &matrix[0][1], turned, TOMBOLO_F32, 2}, from, turned},
                                {{"line", wide, line, TOMBOLO_F32, 1}, from, line}};
  const tombolo_holder holder = {sizeof holder, 0, 1, 0, "first", 0};
  OK(tombolo_server_register(server, "policy", &holder, 3, parts, all_strides, 2));
  FAILS(TOMBOLO_USAGE, "withdraw it first", tombolo_server_register(server, "policy", &holder, 4, parts, all_strides, 2));
  tombolo_volume_config to = TOMBOLO_VOLUME_CONFIG_INIT;
  to.address = own;
  to.flags = flags;
  tombolo_holders holders;
  OK(tombolo_holders_open(&to, &holders));
  tombolo_snapshot snapshot;
  OK(tombolo_holders_await(holders, "policy", 0, 60000, &snapshot));
  float got[3][20], again[20];
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, got));
  OK(tombolo_snapshot_read(snapshot, 1, NULL, NULL, again));
  REQUIRE(got[0][0] == 1 && got[0][19] == 96 && got[2][1] == 8, "%g, %g, %g", got[0][0], got[0][19], got[2][1]);
  REQUIRE(memcmp(wide, again, sizeof again) == 0, "what is row-major");
  tombolo_type type;
  int32_t dimensions;
  int64_t shape[TOMBOLO_MAX_DIMENSIONS];
  const void* data = "not NULL";
  OK(tombolo_snapshot_tensor(snapshot, 0, &type, &dimensions, shape, &data));
  REQUIRE(dimensions == 2 && shape[0] == 3 && data == NULL, "it is in memory that nobody shares");
  OK(tombolo_snapshot_verify(snapshot, 0));
  matrix[19][3] += 1;
  FAILS(TOMBOLO_CORRUPT, "is not what it shows", tombolo_snapshot_verify(snapshot, 0));
  OK(tombolo_server_withdraw(server, "policy"));
  FAILS(TOMBOLO_ABORTED, "has withdrawn version 3", tombolo_snapshot_read(snapshot, 0, NULL, NULL, got));
  OK(tombolo_snapshot_close(snapshot));
  OK(tombolo_server_register(server, "policy", &holder, 4, &parts[1], NULL, 1));
  OK(tombolo_holders_await(holders, "policy", 3, 60000, &snapshot));
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, again));
  OK(tombolo_snapshot_close(snapshot));
  const int64_t backwards[] = {-1};
  const int64_t* wrong[] = {backwards};
  OK(tombolo_server_withdraw(server, "policy"));
  FAILS(TOMBOLO_USAGE, "0 or more", tombolo_server_register(server, "policy", &holder, 5, &parts[1], wrong, 1));
  FAILS(TOMBOLO_USAGE, "is NULL", tombolo_server_register(server, NULL, &holder, 5, parts, NULL, 2));
  OK(tombolo_holders_close(holders));
  OK(tombolo_server_stop(server));
}

static tombolo_status half_of(tombolo_server server) {
  const int64_t shape[] = {1};
  const tombolo_holder holder = {sizeof holder, 2, 2, 0, "first", 0};
  tombolo_part part = {{"w", NULL, shape, TOMBOLO_F32, 1}, (int64_t[]){0}, shape};
  tombolo_put put;
  return tombolo_server_hold(server, "policy", &holder, 9, &part, 1, &put);
}

/* Shows a version of all of it, one of two replicas. */
static void show_replica(tombolo_server server, int32_t rank, int64_t version) {
  const int64_t shape[] = {2}, from[] = {0};
  const tombolo_holder holder = {sizeof holder, rank, 2, 2, "first", 60000};
  tombolo_part part = {{"w", NULL, shape, TOMBOLO_F32, 1}, from, shape};
  tombolo_put put;
  OK(tombolo_server_hold(server, "policy", &holder, version, &part, 1, &put));
  ((float*)part.held.data)[0] = ((float*)part.held.data)[1] = (float)version;
  OK(tombolo_put_commit(put, NULL));
}

/* Two servers that hold the same: new versions come from the one that is left. */
static void replicas(void) {
  tombolo_server servers[2];
  char addresses[128] = "";
  tombolo_server_config config = TOMBOLO_SERVER_CONFIG_INIT;
  config.memory_bytes = 1 << 12;
  for (int i = 0; i < 2; i++) {
    OK(tombolo_server_start(&config, &servers[i]));
    char own[64];
    OK(tombolo_server_address(servers[i], own, sizeof own, NULL));
    strcat(strcat(addresses, i == 0 ? "" : ","), own);
    show_replica(servers[i], i, 1);
  }
  tombolo_volume_config to = TOMBOLO_VOLUME_CONFIG_INIT;
  to.address = addresses;
  to.flags = flags;
  tombolo_holders holders;
  OK(tombolo_holders_open(&to, &holders));
  OK(tombolo_server_stop(servers[0]));
  show_replica(servers[1], 1, 2);
  tombolo_snapshot snapshot;
  OK(tombolo_holders_await(holders, "policy", 1, 60000, &snapshot));
  float got[2];
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, got));
  REQUIRE(got[0] == 2 && got[1] == 2, "%f, %f", got[0], got[1]);
  OK(tombolo_snapshot_close(snapshot));
  OK(tombolo_holders_close(holders));
  OK(tombolo_server_stop(servers[1]));
}

/* Two servers that each hold a half, and a reader of both. */
static void one_hop(void) {
  tombolo_server servers[2];
  char addresses[128] = "";
  tombolo_server_config config = TOMBOLO_SERVER_CONFIG_INIT;
  config.memory_bytes = 1 << 12;
  for (int i = 0; i < 2; i++) {
    OK(tombolo_server_start(&config, &servers[i]));
    char own[64];
    OK(tombolo_server_address(servers[i], own, sizeof own, NULL));
    strcat(strcat(addresses, i == 0 ? "" : ","), own);
  }
  tombolo_volume_config to = TOMBOLO_VOLUME_CONFIG_INIT;
  to.address = addresses;
  to.flags = flags;
  tombolo_holders holders;
  OK(tombolo_holders_open(&to, &holders));
  int sharing;
  OK(tombolo_holders_sharing(holders, &sharing));
  REQUIRE(sharing == (flags == 0 ? 2 : 0), "%d share memory", sharing);
  tombolo_snapshot snapshot;
  OK(tombolo_put_commit(half(servers[0], 0, 7, 1), NULL));
  FAILS(TOMBOLO_DEADLINE, "do not all show", tombolo_holders_await(holders, "policy", 6, 50, &snapshot));
  OK(tombolo_put_abort(half(servers[1], 1, 7, 3)));
  OK(tombolo_put_commit(half(servers[1], 1, 7, 2), NULL));
  OK(tombolo_holders_await(holders, "policy", 6, 60000, &snapshot));
  OK(tombolo_put_commit(half(servers[0], 0, 8, 4), NULL));
  OK(tombolo_snapshot_check(snapshot));
  float whole[4][3], middle[2][2];
  const int64_t from[] = {1, 1}, until[] = {3, 3};
  OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, whole));
  OK(tombolo_snapshot_read(snapshot, 0, from, until, middle));
  OK(tombolo_snapshot_verify(snapshot, 0));
  for (int row = 0; row < 4; row++) {
    REQUIRE(whole[row][0] == 1 + row / 2 && whole[row][2] == 1 + row / 2, "row %d", row);
  }
  REQUIRE(middle[0][0] == 1 && middle[1][1] == 2, "the middle");
  int64_t version;
  OK(tombolo_snapshot_version(snapshot, &version));
  REQUIRE(version == 7, "version %d", (int)version);
  OK(tombolo_server_withdraw(servers[0], "policy"));
  FAILS(TOMBOLO_ABORTED, "has withdrawn version 7", tombolo_snapshot_check(snapshot));
  FAILS(TOMBOLO_ABORTED, "has withdrawn version 7", tombolo_snapshot_read(snapshot, 0, NULL, NULL, whole));
  OK(tombolo_snapshot_close(snapshot));
  FAILS(TOMBOLO_DEADLINE, "do not all show", tombolo_holders_await(holders, "policy", 0, 50, &snapshot));
  FAILS(TOMBOLO_USAGE, "holder 2 of 2", half_of(servers[0]));
  OK(tombolo_server_stop(servers[1]));
  FAILS(TOMBOLO_PEER_FAILED, "is lost", tombolo_holders_await(holders, "other", 0, 60000, &snapshot));
  OK(tombolo_holders_close(holders));
  OK(tombolo_server_stop(servers[0]));
}

int main(int count, char** arguments) {
  REQUIRE(count == 3, "usage: volume HOST:PORT shared|connection");
  address = arguments[1];
  flags = strcmp(arguments[2], "shared") == 0 ? 0 : TOMBOLO_OVER_CONNECTION;
  tombolo_volume volume = opened();
  whole(volume);
  in_place(volume);
  made(volume);
  closed_again();
  summed(volume);
  casts(volume);
  versions(volume);
  together(volume);
  misuse(volume);
  serving();
  one_hop();
  where_they_lie();
  replicas();
  OK(tombolo_volume_close(volume));
  FAILS(TOMBOLO_USAGE, "no volume", tombolo_volume_close(volume));
  (void)opened(); /* forgotten: left by the next call */
  OK(tombolo_finalize());
  return 0;
}
