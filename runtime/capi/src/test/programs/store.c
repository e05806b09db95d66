/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks meet in a store of the program's own: files in the folder that the argument names. Two ranks. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <unistd.h>

#include "program.h"

enum { NAME_BYTES = 1024, VALUE_BYTES = 1 << 16 };

static const char* folder;
static atomic_int released;
static atomic_int lost;
static atomic_int waiting;

static int lock(void) {
  char name[NAME_BYTES];
  (void)snprintf(name, sizeof name, "%s/lock", folder);
  int file = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  REQUIRE(file >= 0 && flock(file, LOCK_EX) == 0, "the lock");
  return file;
}

static void name_of(char* name, const char* key) {
  int length = snprintf(name, NAME_BYTES, "%s/key-", folder);
  for (; *key != 0; key++) {
    length += snprintf(name + length, (size_t)(NAME_BYTES - length), "%02x", (unsigned char)*key);
  }
}

static long read_value(const char* key, char* value) {
  char name[NAME_BYTES];
  name_of(name, key);
  int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return -1;
  }
  long length = read(file, value, VALUE_BYTES);
  (void)close(file);
  return length;
}

static void write_value(const char* key, const void* value, uint64_t length) {
  char name[NAME_BYTES];
  name_of(name, key);
  int file = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  REQUIRE(file >= 0 && write(file, value, length) == (long)length, "writing %s", key);
  (void)close(file);
}

static int set(void* context, const char* key, const void* value, uint64_t length) {
  REQUIRE(context == &released, "the context");
  int held = lock();
  write_value(key, value, length);
  (void)close(held);
  return TOMBOLO_STORE_OK;
}

static int get(void* context, const char* key, tombolo_bytes* value) {
  (void)context;
  if (atomic_load(&lost)) {
    return tombolo_store_error("the store was l\xC3\xB6st");
  }
  static _Thread_local char bytes[VALUE_BYTES];
  int held = lock();
  long length = read_value(key, bytes);
  (void)close(held);
  if (length < 0) {
    return TOMBOLO_STORE_MISSING;
  }
  tombolo_bytes_set(value, bytes, (uint64_t)length);
  return TOMBOLO_STORE_OK;
}

static int add(void* context, const char* key, int64_t delta, int64_t* sum) {
  (void)context;
  char bytes[VALUE_BYTES + 1];
  int held = lock();
  long length = read_value(key, bytes);
  bytes[length < 0 ? 0 : length] = 0;
  *sum = atoll(bytes) + delta;
  int written = snprintf(bytes, sizeof bytes, "%lld", (long long)*sum);
  write_value(key, bytes, (uint64_t)written);
  (void)close(held);
  return TOMBOLO_STORE_OK;
}

static int compare_set(void* context, const char* key, const void* expected, uint64_t expected_length,
                       const void* desired, uint64_t desired_length, tombolo_bytes* value) {
  (void)context;
  char bytes[VALUE_BYTES];
  int held = lock();
  long length = read_value(key, bytes);
  if (length < 0 && expected_length > 0) {
    tombolo_bytes_set(value, expected, expected_length);
  } else if (length < 0 || (length == (long)expected_length && memcmp(bytes, expected, expected_length) == 0)) {
    write_value(key, desired, desired_length);
    tombolo_bytes_set(value, desired, desired_length);
  } else {
    tombolo_bytes_set(value, bytes, (uint64_t)length);
  }
  (void)close(held);
  return TOMBOLO_STORE_OK;
}

static int forget(void* context, const char* key, int* existed) {
  (void)context;
  char name[NAME_BYTES];
  name_of(name, key);
  int held = lock();
  *existed = unlink(name) == 0;
  (void)close(held);
  return TOMBOLO_STORE_OK;
}

static int wait_for(void* context, const char* const* keys, uint64_t count, int64_t timeout_ms) {
  (void)context;
  (void)keys;
  (void)count;
  atomic_fetch_add(&waiting, 1);
  (void)poll(NULL, 0, (int)timeout_ms);
  atomic_fetch_sub(&waiting, 1);
  return TOMBOLO_STORE_TIMEOUT;
}

/* A thread of the second communicator waits nearly always. */
static void note_release(void* context) {
  (void)context;
  REQUIRE(atomic_load(&released) != 1 || atomic_load(&waiting) == 0, "%d callbacks in use", atomic_load(&waiting));
  atomic_fetch_add(&released, 1);
}

static void sum(tombolo_comm comm) {
  tombolo_work work;
  int64_t number = 21;
  OK(tombolo_all_reduce(comm, &number, &number, 1, TOMBOLO_I64, TOMBOLO_SUM, NULL, &work));
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_release(work));
  REQUIRE(number == 42, "the sum is %lld", (long long)number);
}

int main(int count, char** arguments) {
  REQUIRE(count == 2, "a folder");
  folder = arguments[1];
  const char* rank = getenv("RANK");
  tombolo_store store = {
      .size = sizeof store,
      .context = &released,
      .where = "the folder",
      .set = set,
      .get = get,
      .add = add,
      .compare_set = compare_set,
      .remove = forget,
      .released = note_release,
  };
  tombolo_config config = TOMBOLO_CONFIG_INIT;
  const char* const settings[] = {"fabrics=tcp"};
  tombolo_comm first;
  tombolo_comm second;
  config.store = &store;
  config.rank = atoi(rank);
  config.ranks = 2;
  config.local_ranks = 2;
  config.timeout_ms = 30000;
  config.name = "first";
  config.ranks = 0;
  FAILS(TOMBOLO_USAGE, "of 0 ranks", tombolo_comm_init(&config, &first));
  REQUIRE(atomic_load(&released) == 1, "%d released", atomic_load(&released));
  atomic_store(&released, 0);
  config.ranks = 2;
  OK(tombolo_comm_init(&config, &first));
  config.name = "second";
  store.wait = wait_for;
  config.settings = settings;
  config.setting_count = 1;
  config.rank = 1 - config.rank; /* a communicator has ranks of its own */
  OK(tombolo_comm_init(&config, &second));
  sum(first);
  sum(second);
  OK(tombolo_comm_destroy(first));
  REQUIRE(atomic_load(&released) == 1, "%d released", atomic_load(&released));
  sum(second);
  OK(tombolo_comm_destroy(second));
  REQUIRE(atomic_load(&released) == 2, "%d released", atomic_load(&released));

  store.wait = NULL;
  config.name = "third";
  atomic_store(&lost, 1);
  FAILS(TOMBOLO_PEER_FAILED, "the folder", tombolo_comm_init(&config, &first));
  REQUIRE(strstr(tombolo_last_error(), "the store was l??st") != NULL, "no cause");
  REQUIRE(atomic_load(&released) == 3, "%d released", atomic_load(&released));
  (void)printf("they met\n");
  return 0;
}
