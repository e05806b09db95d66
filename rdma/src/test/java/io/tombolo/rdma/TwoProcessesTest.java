// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.rdma.shm.ShmProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Channels between this process and another one, which may be killed. */
public final class TwoProcessesTest {
  @DataProvider
  public Object[][] kinds() {
    return Kind.rows(Kind.inProcesses());
  }

  @Test(timeOut = 300_000, dataProvider = "kinds")
  public void shouldEchoEveryMessageWhenThePeerIsAnotherProcess(Kind kind) throws Exception {
    int size = (3 << 20) + 1;
    try (Peer peer = new Peer(kind, 5, size);
        TestMemory source = new TestMemory(size, 0, 0).plain();
        TestMemory target = new TestMemory(size, 0, 0).plain()) {
      for (int i = 0; i < 5; i++) {
        source.fill(i);
        peer.channel.send(i, source, 0, size);
        peer.channel.receive(i, target, 0, size);
        Log log = new Log();
        peer.drive(() -> isBack(peer.channel, log));
        assertEquals(target.get(0, size), source.get(0, size));
      }
      assertEquals(peer.channel.sentBytes(), 5L * size);
      assertEquals(peer.channel.receivedBytes(), 5L * size);
      if (kind == Kind.SHM && new ShmProvider().bytesReadInPlace(size) > 0) {
        checkReadInPlace(peer.channel, size);
      }
    }
  }

  /** Once both ends are open; until then what the ring holds is copied by both sides. */
  private static void checkReadInPlace(Channel channel, int size) {
    long inRing = (long) SlotGeometry.DEFAULT.slots() * SlotGeometry.DEFAULT.payloadBytes();
    assertTrue(
        channel.directBytes() >= 5L * (size - 1) - inRing,
        channel.directBytes() + " bytes were read here");
    assertTrue(
        channel.copiedBytes() <= 5L * (size + 1) + inRing,
        channel.copiedBytes() + " bytes were copied here");
  }

  private static boolean isBack(Channel channel, Log log) {
    channel.poll(log);
    return !log.received.isEmpty();
  }

  @Test(timeOut = 300_000, dataProvider = "kinds")
  public void shouldNameThePeerWhenItIsKilledInTheMiddle(Kind kind) throws Exception {
    try (Peer peer = new Peer(kind, 1, 1000);
        TestMemory memory = new TestMemory(1000, 0, 0)) {
      Log log = new Log();
      peer.channel.send(0, memory, 0, 1000);
      peer.channel.receive(0, memory, 0, 1000);
      // both ends of it: a send may be done after its echo, and that would end the last drive, too
      peer.drive(() -> isBack(peer.channel, log) && !log.sent.isEmpty());
      peer.channel.receive(1, memory, 0, 1000);
      peer.kill();
      PeerFailedException error =
          expectThrows(
              PeerFailedException.class, () -> peer.drive(() -> peer.channel.poll(new Log()) > 0));
      String fabric = peer.fabric.name();
      assertTrue(
          error.getMessage().contains("rank 0 to rank 1 over " + fabric)
              && error.getMessage().contains("1 receives outstanding, 1000 bytes sent"),
          error.getMessage());
    }
  }

  @DataProvider
  public Object[][] inPlace() {
    return Kind.rows(ImmutableList.of(Kind.SHM));
  }

  /** Its message is in its memory until it is read there, and goes with it. */
  @Test(timeOut = 300_000, dataProvider = "inPlace")
  public void shouldNotDeliverAMessageWhoseSenderIsKilledBeforeItIsRead(Kind kind)
      throws Exception {
    int size = 1 << 20; // the ring would hold it
    if (new ShmProvider().bytesReadInPlace(size) == 0) {
      throw new SkipException("this system lets no process read another's memory");
    }
    try (Peer peer = new Peer(kind, 1, size);
        TestMemory memory = new TestMemory(size, 0, 0).fill(1).plain()) {
      Log log = new Log();
      peer.channel.send(0, memory, 0, size);
      peer.drive(
          () -> {
            peer.channel.poll(log);
            return !log.sent.isEmpty() && !peer.channel.isDrained();
          });
      peer.kill();
      peer.channel.receive(0, memory, 0, size);
      PeerFailedException error =
          expectThrows(
              PeerFailedException.class, () -> peer.drive(() -> peer.channel.poll(log) > 0));
      assertTrue(error.getMessage().contains("1 receives outstanding"), error.getMessage());
      assertTrue(log.received.isEmpty(), "a message of a dead process came");
    }
  }

  /** A child JVM that runs {@link PeerProgram}, and the channel to it. */
  private static final class Peer implements AutoCloseable {
    private final Fabric fabric;
    private final Channel channel;
    private final Process process;

    Peer(Kind kind, int count, int size) throws IOException {
      JobToken token = JobToken.random();
      fabric = kind.open(0, token, SlotGeometry.DEFAULT);
      ProcessBuilder builder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx128m",
                  "-Dtombolo.rdma.vm=" + FabricPair.IN_GUEST,
                  "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                  "-cp",
                  System.getProperty("java.class.path"),
                  PeerProgram.class.getName(),
                  kind.name(),
                  HexFormat.of().formatHex(fabric.address()),
                  Integer.toString(count),
                  Integer.toString(size))
              .redirectError(ProcessBuilder.Redirect.INHERIT);
      builder.environment().put(PeerProgram.TOKEN, token.hex());
      process = builder.start();
      channel = fabric.connect(1, firstLine(process), 1, Deadline.after(FabricPair.BUDGET));
    }

    private static byte[] firstLine(Process process) throws IOException {
      BufferedReader lines = process.inputReader();
      String line = lines.readLine();
      assertTrue(line != null, "the child ended without a word");
      return HexFormat.of().parseHex(line);
    }

    void drive(BooleanSupplier condition) {
      FabricPair.drive(condition, fabric);
    }

    void kill() throws InterruptedException {
      process.destroyForcibly();
      assertTrue(process.waitFor(10, TimeUnit.SECONDS), "the child outlives a kill");
    }

    @Override
    public void close() throws InterruptedException {
      kill();
      fabric.close();
    }
  }
}
