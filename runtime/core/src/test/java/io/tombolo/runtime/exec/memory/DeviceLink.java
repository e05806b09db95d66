// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.Vendors;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.Channel;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricSettings;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import io.tombolo.runtime.PinnedStage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Two devices in this process, each with memory and a NIC, and a channel between. */
final class DeviceLink implements AutoCloseable {
  private static final Duration BUDGET = Duration.ofSeconds(60);

  /** How long nothing happens once nothing is under way, on a busy machine too. */
  private static final Duration SILENCE = Duration.ofMillis(200);

  /** A thread that did not run for as long has not heard a silence: it looks so often, too. */
  private static final int QUIET_LOOKS = 100;

  private static final long REST_NS = 200_000;

  private final Side from;
  private final Side to;
  private final Channel sender;
  private final Channel receiver;

  /** What carries the channel: {@link VerbsFabrics#rc} or its like. */
  interface Carrier {
    Fabric open(FabricSettings settings, VerbsSettings device, InetSocketAddress bind);
  }

  /** Over a reliable connection. */
  DeviceLink(String fromVendor, String toVendor, int sizeBytes) {
    this(VerbsFabrics::rc, fromVendor, toVendor, sizeBytes);
  }

  DeviceLink(Carrier carrier, String fromVendor, String toVendor, int sizeBytes) {
    JobToken token = JobToken.random();
    from = new Side(carrier, 0, fromVendor, token, sizeBytes);
    to = new Side(carrier, 1, toVendor, token, sizeBytes);
    sender = from.fabric.connect(1, to.fabric.address(), 7, Deadline.after(BUDGET));
    receiver = to.fabric.connect(0, from.fabric.address(), 7, Deadline.after(BUDGET));
    until(() -> sender.isOpen() && receiver.isOpen());
  }

  /** A device, its memory, and the NIC beside it. */
  static final class Side {
    private final DeviceAdaptor device;
    private final DeviceMemory memory;
    private final Stream stream;
    private final PinnedStage stage;
    private final Stream copying;
    private final WindowCopies copies;
    private final Fabric fabric;

    Side(Carrier carrier, int rank, String vendor, JobToken token, int sizeBytes) {
      device = Vendors.named(vendor).openDevice(rank);
      memory = device.allocate(sizeBytes);
      stream = device.newStream();
      stage = new PinnedStage(device, stream, sizeBytes, BUDGET);
      copying = device.newUrgentStream();
      copies = new WindowCopies(device, copying);
      copies.prepare();
      fabric =
          carrier.open(
              new FabricSettings(
                  rank,
                  token,
                  HostPinner.none(), // as for a channel that opens while streams are held
                  SlotGeometry.DEFAULT,
                  Ticker.systemTicker()),
              VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library()))
                  .withDevice(EmulatedHca.device(rank)),
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    DeviceAdaptor device() {
      return device;
    }

    /** Fills all of the memory with what {@code seed} gives. */
    byte[] fill(long seed) {
      byte[] bytes = new byte[(int) memory.sizeBytes()];
      new Random(seed).nextBytes(bytes);
      stage.bytes().put(bytes);
      stage.write(memory.address(), bytes.length);
      return bytes;
    }

    /** What the device reads. */
    byte[] read() {
      byte[] bytes = new byte[(int) memory.sizeBytes()];
      stage.read(memory.address(), bytes.length);
      stage.bytes().get(bytes);
      return bytes;
    }

    void free() {
      memory.close();
    }

    private DeviceWindow window() {
      return new DeviceWindow(
          copies, memory.address(), memory.sizeBytes(), Optional.of(memory.block()), 0);
    }

    private void close() {
      fabric.close();
      copies.close();
      copying.close();
      stage.close();
      stream.close();
      memory.close();
      device.close();
    }
  }

  Side from() {
    return from;
  }

  Side to() {
    return to;
  }

  Channel sender() {
    return sender;
  }

  Channel receiver() {
    return receiver;
  }

  /** Posts the receive, and lets the other side know where it goes. */
  void expect(int offset, int sizeBytes) {
    receiver.receive(1, to.window(), offset, sizeBytes);
    Deadline silence = Deadline.after(SILENCE);
    int quiet = 0;
    while (!silence.isExpired() || quiet < QUIET_LOOKS) {
      quiet++;
      if (progress() > 0) {
        silence = Deadline.after(SILENCE);
        quiet = 0;
      }
      LockSupport.parkNanos(REST_NS);
    }
  }

  /** Carries part of one memory to the same part of the other. */
  void carry(int offset, int sizeBytes) {
    expect(offset, sizeBytes);
    sender.send(1, from.window(), offset, sizeBytes);
    until(() -> received() > 0);
    until(() -> sender.poll(new Ended()) > 0);
  }

  int received() {
    return receiver.poll(new Ended());
  }

  void until(BooleanSupplier condition) {
    Deadline deadline = Deadline.after(BUDGET);
    while (!condition.getAsBoolean()) {
      progress();
      assertTrue(!deadline.isExpired(), "nothing came of it: " + deadline);
    }
  }

  private int progress() {
    return from.fabric.progress() + to.fabric.progress();
  }

  private static final class Ended implements Channel.Completions {
    @Override
    public void onSent(long tag, long sizeBytes) {}

    @Override
    public void onReceived(long tag, long sizeBytes) {}
  }

  @Override
  public void close() {
    from.close();
    to.close();
  }
}
