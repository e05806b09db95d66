// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

/**
 * Writers, readers, and writers of a half that are killed while they write and read, over shared
 * memory and over a connection, and what others see of it over both.
 */
public class KillTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int KILLS = Boolean.getBoolean("tombolo.deep") ? 200 : 6;

  /** Most kills hit a process in the middle of a put or get, which takes some milliseconds. */
  private static final int MAX_MS = 60;

  private static final int ELEMENTS = 1 << 20;
  private static final int HALF = ELEMENTS / 2;

  /** Of the other writer, which otherwise waits for one that was killed between two rounds. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private enum Role {
    WRITES,
    READS,
    WRITES_A_HALF
  }

  @Test(timeOut = 3_600_000)
  public void shouldShowNothingTornAndLeaveNothingBehindWhenClientsAreKilled() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    JobToken token = JobToken.random();
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Volume volume = Volume.serve(anyPort, token, new VolumeOptions(64 << 20, 2, LONG));
        TensorStore near = TensorStore.connect(volume.address(), token, options(true));
        TensorStore far = TensorStore.connect(volume.address(), token, options(false))) {
      Dict policy = new Dict(ELEMENTS);
      policy.put(near);
      List<TensorStore> readers = List.of(near, far);
      long last = 0;
      int reads = 0;
      int underWay = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        String where = "-Dtombolo.seed=" + seed + ", kill " + kill;
        Role role = Role.values()[kill / 2 % 3];
        boolean sharesMemory = kill % 2 == 0;
        String rounds = "kill " + kill + ", round ";
        Process client =
            ClientProcess.start(
                Client.class,
                token,
                String.valueOf(volume.address().getPort()),
                role.name(),
                String.valueOf(sharesMemory),
                rounds);
        CompletableFuture<String> otherHalf =
            role == Role.WRITES_A_HALF
                ? CompletableFuture.supplyAsync(
                    () ->
                        writeTheOtherHalf(volume.address(), token, options(!sharesMemory), rounds))
                : CompletableFuture.completedFuture("");
        try {
          ClientProcess.awaitFirst(client, Client.BEGUN);
          Deadline until = Deadline.after(Duration.ofMillis(random.nextInt(MAX_MS)));
          do {
            last = readWhole(readers.get(random.nextInt(2)), last, where);
            reads++;
            if (role == Role.READS) {
              policy.put(readers.get(random.nextInt(2)));
            }
          } while (!until.isExpired());
          assertTrue(client.isAlive(), where + ": it has seen something wrong");
          VolumeFigures atLast = near.figures();
          underWay += atLast.puts() + atLast.leases() > 0 ? 1 : 0;
        } finally {
          assertTrue(client.destroyForcibly().waitFor(60, TimeUnit.SECONDS), where);
        }
        String failed = otherHalf.get(60, TimeUnit.SECONDS);
        assertEquals(failed.contains(rounds), role == Role.WRITES_A_HALF, where + ": " + failed);
        awaitNothingLeft(near, where);
        last = readWhole(near, last, where);
        last = readWhole(far, last, where);
        reads += 2;
      }
      System.out.printf(
          "%d kills, a put or get under way just before %d; %d versions; of %d reads 0 were torn, 0"
              + " bytes, puts and leases of the dead were left%n",
          KILLS, underWay, last, reads);
      assertTrue(last >= KILLS, "only " + last + " versions, -Dtombolo.seed=" + seed);
    }
  }

  private static StoreOptions options(boolean sharesMemory) {
    return new StoreOptions(LONG, sharesMemory);
  }

  /** Writes its half of version after version, until that fails; why. */
  private static String writeTheOtherHalf(
      InetSocketAddress address, JobToken token, StoreOptions options, String rounds) {
    try (TensorStore store = TensorStore.connect(address, token, options)) {
      Dict policy = new Dict(HALF);
      while (true) {
        policy.putHalf(store, rounds, 1);
      }
    } catch (TomboloException e) {
      return e.getMessage();
    }
  }

  private static long readWhole(TensorStore reader, long before, String where) {
    try (Snapshot snapshot = reader.openStateDict("policy")) {
      assertTrue(snapshot.version() >= before, where);
      float first = Tensors.requireConstant(snapshot.get("first"), where);
      assertEquals(Tensors.requireConstant(snapshot.get("second"), where), first, where);
      snapshot.verify("first");
      snapshot.verify("second");
      return snapshot.version();
    }
  }

  private static void awaitNothingLeft(TensorStore reader, String where) {
    Deadline deadline = Deadline.after(LONG);
    VolumeFigures now = reader.figures();
    while (now.clients() > 2) {
      assertTrue(!deadline.isExpired(), where + ": " + now);
      now = reader.figures();
    }
    assertEquals(now.puts(), 0, where);
    assertEquals(now.leases(), 0, where);
    assertEquals(reader.unfinished(), List.of(), where);
    long used = now.versions() * 2L * ELEMENTS * Float.BYTES;
    assertEquals(now.freeBytes(), now.capacityBytes() - used, where);
  }

  /** A state dict whose elements are all the same in each version. */
  private static final class Dict {
    private final HostTensor first;
    private final HostTensor second;
    private int round;

    Dict(int elements) {
      first = Tensors.constant(0, elements);
      second = Tensors.constant(0, elements);
    }

    void put(TensorStore store) {
      next();
      store.putStateDict("policy", Map.of("first", first, "second", second));
    }

    /** As one of two writers. */
    void putHalf(TensorStore store, String rounds, int writer) {
      next();
      TensorSpec whole = TensorSpec.of(DataType.F32, ELEMENTS);
      long from = (long) writer * HALF;
      Box half = Box.between(new long[] {from}, new long[] {from + HALF});
      store.putStateDictPart(
          "policy",
          new JointWriter(rounds + round, 2, writer, PATIENCE),
          Map.of(
              "first",
              new TensorPart(whole, half, first),
              "second",
              new TensorPart(whole, half, second)));
    }

    private void next() {
      round++;
      Tensors.fill(first, round);
      Tensors.fill(second, round);
    }
  }

  /** A process that writes or reads version after version until it is killed. */
  public static final class Client {
    static final String BEGUN = "begun";

    private Client() {}

    /** The volume's port, its role, whether it shares memory, and what rounds are called. */
    public static void main(String[] arguments) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
      JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
      Role role = Role.valueOf(arguments[1]);
      StoreOptions options = options(Boolean.parseBoolean(arguments[2]));
      try (TensorStore store = TensorStore.connect(address, token, options)) {
        Dict policy = new Dict(role == Role.WRITES_A_HALF ? HALF : ELEMENTS);
        long last = 0;
        for (int round = 1; ; round++) {
          switch (role) {
            case WRITES -> policy.put(store);
            case WRITES_A_HALF -> policy.putHalf(store, arguments[3], 0);
            case READS -> last = readWhole(store, last, "a reader");
          }
          if (round == 1) {
            System.out.println(BEGUN);
          }
        }
      }
    }
  }
}
