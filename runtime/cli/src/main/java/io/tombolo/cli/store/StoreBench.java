// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.store;

import com.google.common.math.Quantiles;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.Snapshot;
import io.tombolo.store.StoreOptions;
import io.tombolo.store.TensorStore;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.WantedPart;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/**
 * A state dict that is copied, put and got in turn, by one and by several ranks, from one device to
 * another, each in every round.
 */
final class StoreBench implements AutoCloseable {
  static final String MEMCPY = "memcpy";
  private static final String NAME = "tombolo-bench-" + ProcessHandle.current().pid();

  private final CloseStack opened = new CloseStack();
  private final Map<String, HostTensor> sources = new LinkedHashMap<>();
  private final Map<String, HostTensor> targets = new LinkedHashMap<>();
  private final Map<String, List<Long>> times = new LinkedHashMap<>();
  private final Optional<DeviceBench> writer;
  private final Optional<DeviceBench> reader;

  /**
   * Of tensors of so many bytes.
   *
   * @param vendors whose device has what is put, and whose gets it; or none
   */
  StoreBench(long tensorBytes, int tensors, List<String> vendors) {
    for (int index = 0; index < tensors; index++) {
      sources.put("t" + index, tensor(tensorBytes));
      targets.put("t" + index, tensor(tensorBytes));
    }
    writer = vendors.stream().findFirst().map(vendor -> device(vendor, sources));
    reader = vendors.stream().skip(1).findFirst().map(vendor -> device(vendor, targets));
  }

  /** The median of each, in nanoseconds. */
  Map<String, Double> run(InetSocketAddress address, JobToken token, int rounds, int ranks) {
    StoreOptions options = StoreOptions.defaults();
    StoreOptions remote = options.withoutSharedMemory();
    try (TensorStore near = TensorStore.connect(address, token, options);
        TensorStore far = TensorStore.connect(address, token, remote);
        RankBench nearRanks = new RankBench(address, token, options, ranks);
        RankBench farRanks = new RankBench(address, token, remote, ranks)) {
      for (int round = 0; round <= rounds; round++) {
        fill(sources, (byte) (round + 1));
        fill(targets, (byte) 0);
        time(MEMCPY, this::copy);
        if (near.sharesMemory()) {
          roundTrip("shared memory", near, (byte) (round + 1));
          roundTrip("shared memory", nearRanks, near, (byte) (round + 1));
          deviceTrip("shared memory", near, (byte) (round + 1));
        }
        roundTrip("connection", far, (byte) (round + 1));
        roundTrip("connection", farRanks, far, (byte) (round + 1));
        deviceTrip("connection", far, (byte) (round + 1));
      }
    }
    Map<String, Double> medians = new LinkedHashMap<>();
    times.forEach(
        (what, each) ->
            medians.put(what, Quantiles.median().compute(each.subList(1, each.size()))));
    return medians;
  }

  @Override
  public void close() {
    opened.close();
  }

  private HostTensor tensor(long sizeBytes) {
    HostTensor tensor = HostTensor.allocate(DataType.U8, sizeBytes);
    opened.opened(tensor.memory());
    return tensor;
  }

  private DeviceBench device(String vendor, Map<String, HostTensor> tensors) {
    try {
      return opened.opened(new DeviceBench(vendor, tensors));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static void fill(Map<String, HostTensor> tensors, byte value) {
    for (HostTensor tensor : tensors.values()) {
      NativeMemory.fill(tensor.memory().address(), value, tensor.spec().sizeBytes());
    }
  }

  private void copy() {
    sources.forEach(
        (name, source) ->
            NativeMemory.copy(
                targets.get(name).memory().address(),
                source.memory().address(),
                source.spec().sizeBytes()));
  }

  private void roundTrip(String path, TensorStore store, byte expected) {
    time("put, " + path, () -> store.putStateDict(NAME, sources));
    try {
      time("get, " + path, () -> get(store));
      check(expected, all -> all);
    } finally {
      store.dropStateDict(NAME);
    }
  }

  private void roundTrip(String path, RankBench ranks, TensorStore store, byte expected) {
    fill(targets, (byte) 0);
    time("put by ranks, " + path, () -> ranks.put(NAME, sources));
    try {
      time("get by ranks, " + path, () -> ranks.get(NAME, targets));
      check(expected, RankBench::movedBytes);
    } finally {
      store.dropStateDict(NAME);
    }
  }

  private void deviceTrip(String path, TensorStore store, byte expected) {
    if (writer.isEmpty() || reader.isEmpty()) {
      return;
    }
    writer.get().upload();
    fill(sources, (byte) 0); // what arrives is from the device, and of this trip
    fill(targets, (byte) 0);
    reader.get().upload();
    time("put from device, " + path, () -> putFrom(writer.get(), store));
    try {
      time("get to device, " + path, () -> getTo(reader.get(), store));
      fill(targets, (byte) 0);
      reader.get().download();
      check(expected, all -> all);
    } finally {
      store.dropStateDict(NAME);
    }
  }

  private void putFrom(DeviceBench device, TensorStore store) {
    device.download();
    store.putStateDict(NAME, sources);
  }

  private void getTo(DeviceBench device, TensorStore store) {
    get(store);
    device.upload();
  }

  private void get(TensorStore store) {
    try (Snapshot snapshot = store.openStateDict(NAME)) {
      List<WantedPart> wanted = new ArrayList<>();
      targets.forEach(
          (name, target) -> wanted.add(new WantedPart(name, snapshot.spec(name).whole(), target)));
      snapshot.getAllInto(wanted);
    }
  }

  private void check(byte expected, LongUnaryOperator moved) {
    for (HostTensor target : targets.values()) {
      long last = moved.applyAsLong(target.spec().sizeBytes()) - 1;
      byte first = target.memory().view(0, 1).get(0);
      if (first != expected || target.memory().view(last, 1).get(0) != expected) {
        throw new CorruptException("what came back from the volume is not what was put");
      }
    }
  }

  private void time(String what, Runnable work) {
    long start = System.nanoTime();
    work.run();
    times.computeIfAbsent(what, each -> new ArrayList<>()).add(System.nanoTime() - start);
  }
}
