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
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A state dict that is copied, put and got in turn, each in every round. */
final class StoreBench implements AutoCloseable {
  static final String MEMCPY = "memcpy";
  private static final String NAME = "tombolo-bench-" + ProcessHandle.current().pid();

  private final CloseStack opened = new CloseStack();
  private final Map<String, HostTensor> sources = new LinkedHashMap<>();
  private final Map<String, HostTensor> targets = new LinkedHashMap<>();
  private final Map<String, List<Long>> times = new LinkedHashMap<>();

  StoreBench(long tensorBytes, int tensors) {
    for (int index = 0; index < tensors; index++) {
      sources.put("t" + index, tensor(tensorBytes));
      targets.put("t" + index, tensor(tensorBytes));
    }
  }

  /** The median of each, in nanoseconds. */
  Map<String, Double> run(InetSocketAddress address, JobToken token, int rounds) {
    StoreOptions options = StoreOptions.defaults();
    try (TensorStore near = TensorStore.connect(address, token, options);
        TensorStore far = TensorStore.connect(address, token, options.withoutSharedMemory())) {
      for (int round = 0; round <= rounds; round++) {
        fill((byte) (round + 1));
        time(MEMCPY, this::copy);
        if (near.sharesMemory()) {
          roundTrip("shared memory", near, (byte) (round + 1));
        }
        roundTrip("connection", far, (byte) (round + 1));
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

  private void fill(byte value) {
    for (HostTensor source : sources.values()) {
      NativeMemory.fill(source.memory().address(), value, source.spec().sizeBytes());
    }
    for (HostTensor target : targets.values()) {
      NativeMemory.fill(target.memory().address(), (byte) 0, target.spec().sizeBytes());
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
      check(expected);
    } finally {
      store.dropStateDict(NAME);
    }
  }

  private void get(TensorStore store) {
    try (Snapshot snapshot = store.openStateDict(NAME)) {
      targets.forEach(snapshot::getInto);
    }
  }

  private void check(byte expected) {
    for (HostTensor target : targets.values()) {
      long last = target.spec().sizeBytes() - 1;
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
