// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;

import io.tombolo.base.JobToken;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.TensorLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/** Writers of one layout and readers of another, compared with what was there, byte by byte. */
public class ReshardThroughVolumeTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ROUNDS = Boolean.getBoolean("tombolo.deep") ? 2_000 : 60;
  private static final int RANKS = 4;

  private final JobToken token = JobToken.random();
  private final List<TensorStore> mapped = new ArrayList<>();
  private final List<TensorStore> connected = new ArrayList<>();
  private Volume volume;
  private ExecutorService threads;

  @BeforeClass
  public void start() {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    volume = Volume.serve(anyPort, token, new VolumeOptions(16 << 20, 2, LONG));
    StoreOptions options = StoreOptions.defaults().withTimeout(LONG);
    for (int rank = 0; rank < RANKS; rank++) {
      mapped.add(TensorStore.connect(volume.address(), token, options));
      connected.add(TensorStore.connect(volume.address(), token, options.withoutSharedMemory()));
    }
    threads = Executors.newFixedThreadPool(RANKS);
  }

  @AfterClass(alwaysRun = true)
  public void stop() {
    threads.shutdownNow();
    mapped.forEach(TensorStore::close);
    connected.forEach(TensorStore::close);
    volume.close();
  }

  @Test(timeOut = 600_000)
  public void shouldBringEveryByteFromAnyLayoutToAnyOther() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      Map<String, TensorSpec> specs = new LinkedHashMap<>();
      Map<String, byte[]> wholes = new LinkedHashMap<>();
      for (int tensor = 0; tensor <= random.nextInt(3); tensor++) {
        TensorSpec spec = RandomSpecs.draw(random);
        byte[] bytes = new byte[(int) spec.sizeBytes()];
        random.nextBytes(bytes);
        specs.put("t" + tensor, spec);
        wholes.put("t" + tensor, bytes);
      }
      write("round " + round, specs, wholes, random, where);
      read(specs, wholes, random, where);
    }
  }

  private void write(
      String name,
      Map<String, TensorSpec> specs,
      Map<String, byte[]> wholes,
      Random random,
      String where)
      throws Exception {
    int writers = 1 + random.nextInt(RANKS);
    List<Map<String, TensorPart>> parts = new ArrayList<>();
    for (int writer = 0; writer < writers; writer++) {
      parts.add(new LinkedHashMap<>());
    }
    for (Map.Entry<String, TensorSpec> each : specs.entrySet()) {
      TensorSpec spec = each.getValue();
      TensorLayout layout = Layouts.random(spec.whole(), writers, random);
      for (int writer = 0; writer < writers; writer++) {
        Box box = layout.shards().get(writer).box();
        byte[] bytes = Layouts.part(wholes.get(each.getKey()), spec, box);
        HostTensor held = Layouts.tensor(spec.part(box), bytes);
        parts.get(writer).put(each.getKey(), TensorPart.of(layout, writer, held));
      }
    }
    List<Future<Long>> puts = new ArrayList<>();
    for (int writer = 0; writer < writers; writer++) {
      TensorStore store = (random.nextBoolean() ? mapped : connected).get(writer);
      JointWriter who = new JointWriter(name, writers, writer, LONG);
      Map<String, TensorPart> own = parts.get(writer);
      puts.add(threads.submit(() -> store.putStateDictPart("policy", who, own)));
    }
    long version = puts.get(0).get(60, TimeUnit.SECONDS);
    for (Future<Long> each : puts) {
      assertEquals(each.get(60, TimeUnit.SECONDS).longValue(), version, where);
    }
    parts.forEach(each -> each.values().forEach(part -> part.held().memory().close()));
  }

  private void read(
      Map<String, TensorSpec> specs, Map<String, byte[]> wholes, Random random, String where) {
    int readers = 1 + random.nextInt(RANKS);
    for (Map.Entry<String, TensorSpec> each : specs.entrySet()) {
      String name = each.getKey();
      TensorSpec spec = each.getValue();
      TensorLayout layout = Layouts.random(spec.whole(), readers, random);
      for (int reader = 0; reader < readers; reader++) {
        TensorStore store = (random.nextBoolean() ? mapped : connected).get(reader);
        Box box = layout.shards().get(reader).box();
        HostTensor target = HostTensor.allocate(spec.part(box));
        try (Snapshot policy = store.openStateDict("policy")) {
          policy.getInto(name, box, target);
          policy.verify(name);
        }
        assertEquals(
            Layouts.bytes(target),
            Layouts.part(wholes.get(name), spec, box),
            where + ": " + name + " " + box);
        target.memory().close();
      }
    }
  }
}
