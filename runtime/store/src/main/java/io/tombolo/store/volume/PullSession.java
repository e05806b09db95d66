// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Bytes;
import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's way by which the volume reads what that client puts, straight to where it belongs.
 * Used by its connection's thread.
 *
 * <p>The device has a piece of the volume's memory only while it is read to: between two requests
 * nothing is registered for this client. A read that fails ends the way, as the client will make
 * another one.
 */
final class PullSession {
  private static final Logger LOG = LoggerFactory.getLogger(PullSession.class);

  /** What a client cannot have a thread of the volume wait beyond. */
  private static final int MAX_WAIT_MS = 30_000;

  private final Exposures exposures;
  private final NativeMemory memory;
  private final String client;
  private Optional<OneSidedReads.Reader> way = Optional.empty();
  private boolean connected;

  PullSession(Exposures exposures, NativeMemory memory, String client) {
    this.exposures = exposures;
    this.memory = memory;
    this.client = client;
  }

  /** Makes a way, in place of the one before. */
  Reply dial() {
    end();
    try {
      OneSidedReads.Reader made = exposures.reader(client);
      way = Optional.of(made);
      return new Reply.Reached(ImmutableList.copyOf(Bytes.asList(made.card())));
    } catch (TomboloException e) {
      return failed(e);
    }
  }

  /** Connects it to the client's end, once. */
  Reply connect(VolumeRequest.Connect connect) {
    if (way.isEmpty() || connected) {
      throw new CorruptException("it connects a way that it has not dialled");
    }
    try {
      way.get().connect(Bytes.toArray(connect.card()));
      connected = true;
      return new Reply.Done();
    } catch (TomboloException e) {
      return failed(e);
    }
  }

  /** Reads what a client has of a put to where it belongs, and adds it to the tensor's checksum. */
  Reply pull(IncomingPut put, VolumeRequest.Pull pull) {
    StoredTensor tensor = put.next(pull);
    long address = memory.address(tensor.offset() + pull.offset(), pull.sizeBytes());
    try {
      read(put, tensor, pull, address);
      put.add(pull, address);
      return new Reply.Done();
    } catch (TomboloException e) {
      put.forget(pull.index());
      Reply failed = failed(e);
      if (!put.hasRoomToGive()) {
        throw new ResourceException(
            "the volume's RDMA device does not let go of the room of '%s'; put it again"
                .formatted(tensor.name()));
      }
      return failed;
    }
  }

  private void read(IncomingPut put, StoredTensor tensor, VolumeRequest.Pull pull, long address) {
    if (!connected) {
      throw new UnavailableException("there is no way to read by any more");
    }
    MemoryBlock room = new MemoryBlock(pull.sizeBytes(), () -> new MemoryExport.Host(address));
    OneSidedReads.Landing landing = exposures.landing(way.orElseThrow(), room);
    boolean broken = true;
    try {
      Duration wait = Duration.ofMillis(Math.max(0, Math.min(pull.waitMs(), MAX_WAIT_MS)));
      landing.read(
          "'" + tensor.name() + "'",
          Bytes.toArray(pull.key()),
          pull.from(),
          pull.sizeBytes(),
          Deadline.after(wait));
      broken = false;
    } finally {
      letGo(landing, broken, put);
    }
    if (!put.hasRoomToGive()) {
      throw new UnavailableException("the device keeps the room");
    }
  }

  /** Whatever comes of it: as long as the device may have the room, that is nobody else's. */
  private void letGo(OneSidedReads.Landing landing, boolean broken, IncomingPut put) {
    boolean gone = false;
    try {
      if (broken && !ends()) { // first: until then the device may write to the room
        exposures.keep(landing);
      } else {
        gone = exposures.letGo(landing);
      }
    } finally {
      if (!gone) {
        put.keepRoom();
      }
    }
  }

  private Reply failed(TomboloException cause) {
    LOG.debug("{} puts over its connection: {}", client, cause.getMessage());
    end();
    return new Reply.Refused(Reply.Reason.ONE_SIDED, cause.getMessage());
  }

  /** Ends the way, if there is one. */
  void end() {
    boolean unused = ends(); // if it does not, that is tried again when the volume ends
  }

  private boolean ends() {
    Optional<OneSidedReads.Reader> before = way;
    way = Optional.empty();
    connected = false;
    return before.map(exposures::ends).orElse(true);
  }
}
