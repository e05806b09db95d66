// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.Capabilities;
import io.tombolo.base.NativeMemory;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.engine.Reducers;
import io.tombolo.runtime.exec.engine.Reductions;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.message.Messenger;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.recorder.FlightRing;
import io.tombolo.topology.Clustering;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * One rank of a {@link LocalJob}: an executor and a messenger that share an agent, and a stream
 * with buffers for calls.
 */
record LocalRank(
    Executor executor,
    Messenger messenger,
    OwnStreams own,
    Reducers reducers,
    Agent agent,
    Stream stream,
    NativeMemory input,
    NativeMemory output,
    Optional<MemoryVendor> vendor,
    FailureState failureState) {

  /** Bytes of each buffer. */
  static final long BUFFER_BYTES = (1L << 15) * Float.BYTES;

  /**
   * What the ranks of a job have in common.
   *
   * @param libraries what each cluster's library does
   * @param board of votes, if they have one
   * @param keepsCallers whether libraries may keep callers that want to be back soon
   */
  record Common(
      HostDevice device,
      Doorbells doorbells,
      Clustering clustering,
      LocalLinks links,
      Capabilities libraries,
      Optional<ByteBuffer> board,
      boolean keepsCallers,
      Duration timeout) {}

  /** Rank {@code rank} of the job; {@code recorder} has its collectives. */
  static LocalRank of(Common job, int rank, Optional<MemoryVendor> vendor, FlightRing recorder) {
    HostDevice device = job.device();
    OwnStreams own = new OwnStreams(device, Optional.empty(), false);
    WindowCopies windowCopies = new WindowCopies(device, own.windows());
    Reducers reducers = new Reducers(2, 0); // two, and for the smallest steps, too
    Agent agent = new Agent(reducers::isInUsersFunction);
    FailureState failureState = new FailureState();
    Map<Integer, Channel> messages = job.links().messages(rank);
    Executor executor =
        new Executor(
            new Executor.Parts(
                rank,
                job.clustering().size(),
                device,
                vendor.map(CclCommunicator.class::cast),
                Optional.empty(),
                Reductions.onHost("a test"),
                reducers,
                job.libraries(),
                job.clustering().clusterOf(rank).size(),
                job.links().data(rank)::get,
                job.links().control(rank),
                job.board().map(ByteBuffer::duplicate),
                own,
                windowCopies,
                job.doorbells(),
                job.timeout(),
                agent,
                recorder,
                false,
                job.keepsCallers()),
            failureState);
    Messenger messenger =
        new Messenger(
            new Messenger.Parts(
                rank,
                device,
                (peer, tag, deadline) -> messages.get(peer),
                own,
                windowCopies,
                job.doorbells(),
                job.timeout(),
                agent,
                FlightRing.OFF),
            failureState);
    agent.add(executor);
    agent.add(messenger);
    return new LocalRank(
        executor,
        messenger,
        own,
        reducers,
        agent,
        device.newStream(),
        NativeMemory.allocate(BUFFER_BYTES),
        NativeMemory.allocate(BUFFER_BYTES),
        vendor,
        failureState);
  }

  /** Once the agent has ended. */
  void closeMessenger() {
    messenger.stop();
    messenger.close();
  }

  /** Once the agent has ended. */
  void closeExecutor() {
    executor.stop();
    executor.close();
  }

  /** Once no stream copies from or to them any more. */
  void closeBuffers() {
    input.close();
    output.close();
  }
}
