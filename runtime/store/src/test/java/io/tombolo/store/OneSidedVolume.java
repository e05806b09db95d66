// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import io.tombolo.base.JobToken;
import io.tombolo.base.OneSidedReads;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** A volume, and clients that have a device for one-sided reads or do without. */
final class OneSidedVolume implements AutoCloseable {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final StoreOptions PLAIN = new StoreOptions(LONG, false);

  private final JobToken token = JobToken.random();
  private final OneSidedReads device;
  private final Volume volume;

  /**
   * {@code options} have the volume's own device, if it has one; {@code device} is the clients'.
   */
  OneSidedVolume(VolumeOptions options, OneSidedReads device) {
    this.device = device;
    this.volume = Volume.serve(address(0), token, options);
  }

  private static InetSocketAddress address(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  Volume volume() {
    return volume;
  }

  /** A client with the device. */
  TensorStore store() {
    return TensorStore.connect(volume.address(), token, PLAIN.withReads(device));
  }

  /** A client without: all that it gets and puts goes over its connection. */
  TensorStore plain() {
    return TensorStore.connect(volume.address(), token, PLAIN);
  }

  /** A reader, with the device, of what the volume holds. */
  TensorHolders holders() {
    return TensorHolders.connect(List.of(volume.address()), token, PLAIN.withReads(device));
  }

  /** A client that says what the test wants. */
  RawClient raw() throws IOException {
    return new RawClient(volume.address(), token);
  }

  /** A process of the test's with the main method of {@code program}, which {@link #store}s. */
  Process start(Class<?> program) throws IOException {
    return ClientProcess.start(program, token, String.valueOf(volume.address().getPort()));
  }

  /** For the main method of such a process: its client, with its {@code device}. */
  static TensorStore store(String[] arguments, OneSidedReads device) {
    JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
    InetSocketAddress address = address(Integer.parseInt(arguments[0]));
    return TensorStore.connect(address, token, PLAIN.withReads(device));
  }

  @Override
  public void close() {
    volume.close();
  }
}
