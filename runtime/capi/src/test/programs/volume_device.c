/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor store with tensors of devices: rank 0 puts one of its device, rank 1 gets it to that of another vendor. Where
 * memory is shared, each of them copies straight between its device and the volume's memory. The device that has the tensor
 * computes its checksum, asked through the communicator, and without one.
 *
 *   volume_device HOST:PORT TOKEN shared|connection
 */
#include <stdint.h>
#include <tombolo_volume.h>

#include "program.h"

enum { COUNT = (1 << 21) + 3 }; /* two pieces and a bit of a blocking copy */

static const int64_t shape[] = {COUNT};
static const uint64_t bytes = (uint64_t)COUNT * sizeof(float);
static float host[COUNT];

static float value(int index) {
  return (float)(index % 8191) - 7;
}

static void put(tombolo_volume volume, tombolo_comm comm, void* device, int shared) {
  for (int i = 0; i < COUNT; i++) {
    host[i] = value(i);
  }
  OK(tombolo_copy_to_device(comm, device, host, bytes));
  memset(host, 0, sizeof host);
  tombolo_tensor tensor = {"w", shared ? NULL : host, shape, TOMBOLO_F32, 1};
  const tombolo_device_memory there = {sizeof there, 0, "emu-nvidia", device, bytes, NULL, 0, 0, 0}; /* the default stream */
  uint32_t alone;
  OK(tombolo_device_checksum(&there, &alone));
  if (shared) {
    tombolo_put room;
    OK(tombolo_volume_begin(volume, "policy", &tensor, 1, &room));
    OK(tombolo_copy_to_host(comm, tensor.data, device, bytes));
    uint32_t checksum;
    OK(tombolo_checksum(comm, device, bytes, &checksum));
    REQUIRE(checksum == alone, "%08x, and %08x without a communicator", checksum, alone);
    OK(tombolo_put_checksum(room, "w", alone));
    OK(tombolo_put_commit(room, NULL));
  } else {
    OK(tombolo_copy_to_host(comm, host, device, bytes));
    const uint32_t* const known[] = {&alone};
    host[COUNT / 2] += 1;
    FAILS(TOMBOLO_CORRUPT, "'w'", tombolo_volume_put_summed(volume, "policy", &tensor, known, 1, NULL));
    host[COUNT / 2] -= 1;
    OK(tombolo_volume_put_summed(volume, "policy", &tensor, known, 1, NULL));
  }
}

static void get(tombolo_volume volume, tombolo_comm comm, void* device, int shared) {
  tombolo_snapshot snapshot;
  OK(tombolo_volume_open_version(volume, "policy", 0, 60000, &snapshot));
  tombolo_type type;
  int32_t dimensions;
  int64_t found[TOMBOLO_MAX_DIMENSIONS];
  const void* data;
  OK(tombolo_snapshot_tensor(snapshot, 0, &type, &dimensions, found, &data));
  REQUIRE((data != NULL) == shared && found[0] == COUNT, "where it is");
  if (data == NULL) {
    OK(tombolo_snapshot_read(snapshot, 0, NULL, NULL, host));
    data = host;
  }
  OK(tombolo_copy_to_device(comm, device, data, bytes));
  OK(tombolo_snapshot_check(snapshot)); /* so what was copied is good */
  OK(tombolo_snapshot_verify(snapshot, 0));
  OK(tombolo_snapshot_close(snapshot));
  memset(host, 0, sizeof host);
  OK(tombolo_copy_to_host(comm, host, device, bytes));
  for (int i = 0; i < COUNT; i++) {
    REQUIRE(host[i] == value(i), "element %d is %g", i, host[i]);
  }
}

int main(int count, char** arguments) {
  REQUIRE(count == 4, "usage: volume_device HOST:PORT TOKEN shared|connection");
  int shared = strcmp(arguments[3], "shared") == 0;
  tombolo_volume_config config = TOMBOLO_VOLUME_CONFIG_INIT;
  config.address = arguments[1];
  config.token = arguments[2];
  config.flags = shared ? 0 : TOMBOLO_OVER_CONNECTION;
  tombolo_volume volume;
  tombolo_comm comm;
  int32_t rank;
  void* device;
  OK(tombolo_comm_init(NULL, &comm));
  OK(tombolo_comm_rank(comm, &rank));
  OK(tombolo_allocate(comm, bytes, &device));
  OK(tombolo_volume_open(&config, &volume));
  (rank == 0 ? put : get)(volume, comm, device, shared);
  OK(tombolo_volume_close(volume));
  OK(tombolo_free(comm, device));
  OK(tombolo_comm_destroy(comm));
  OK(tombolo_finalize());
  return 0;
}
