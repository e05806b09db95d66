// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.memory.MemoryFile;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.PartSender;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.RequestCodec;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * One client's requests, and what it has borrowed: puts and leases, which end with its connection.
 * Used by the connection's thread.
 *
 * <p>A {@link CorruptException} out of {@link #serve} says that the client does not keep to the
 * protocol.
 */
final class VolumeSession {
  private static final int MAX_PUTS = 64;
  private static final int MAX_LEASES = 1 << 12;

  /** A client asks again after so long: then the volume notices soon that it has gone. */
  private static final int MAX_WAIT_MS = 2_000;

  /** What waits for other clients. */
  private interface Wait<T> {
    T run() throws InterruptedException;
  }

  private final Catalog catalog;
  private final Holdings holdings;
  private final MemoryFile file;
  private final Link link;
  private final Duration roomPatience;
  private final IntSupplier clients;
  private final JointPuts jointPuts;
  private final JointSession joint;
  private final ReadSession reads;
  private final PullSession pulls;
  private final PartSender sender;
  private final Map<Long, IncomingPut> puts = new HashMap<>();
  private final Map<Long, Lease> leases = new HashMap<>();
  private long lastNumber;

  /**
   * The conversation on {@code link} with who is called {@code name}.
   *
   * @param roomPatience how long a put may wait for room that a device has not let go of
   */
  VolumeSession(
      Catalog catalog,
      Holdings holdings,
      JointPuts jointPuts,
      Exposures exposures,
      MemoryFile file,
      Link link,
      String name,
      Duration roomPatience,
      IntSupplier clients) {
    this.jointPuts = jointPuts;
    this.joint = new JointSession(jointPuts, file.memory(), link, name);
    this.reads = new ReadSession(catalog, exposures, name);
    this.pulls = new PullSession(exposures, file.memory(), name);
    this.catalog = catalog;
    this.holdings = holdings;
    this.file = file;
    this.link = link;
    this.sender = new PartSender(link);
    this.roomPatience = roomPatience;
    this.clients = clients;
  }

  /** Answers requests until the connection ends, which is an {@link IOException}. */
  void serve() throws IOException {
    while (true) {
      link.awaitInput();
      VolumeRequest request = RequestCodec.decode(link.receiveFrame(WireBounds.REQUEST_BYTES));
      answer(request);
    }
  }

  /** Takes everything back. The client must not use the volume's memory any more. */
  void end() {
    reads.end();
    pulls.end(); // before the room that it reads to is anybody else's
    puts.values().forEach(this::abort);
    puts.clear();
    leases.values().forEach(catalog::release);
    leases.clear();
    joint.end();
    sender.close();
  }

  private void answer(VolumeRequest request) throws IOException {
    if (request instanceof VolumeRequest.Send send) {
      receive(send);
    } else if (request instanceof VolumeRequest.Abort abort) {
      abort(known(puts.remove(abort.put()), "put", abort.put()));
    } else if (request instanceof VolumeRequest.Release release) {
      catalog.release(known(leases.remove(release.lease()), "lease", release.lease()));
    } else if (request instanceof VolumeRequest.Read read) {
      send(read);
    } else if (request instanceof VolumeRequest.SendBoxes boxes) {
      joint.receive(boxes);
    } else if (request instanceof VolumeRequest.Finish finish) {
      joint.finish(finish);
    } else {
      link.send(reply(request));
    }
  }

  private ByteBuffer reply(VolumeRequest request) throws IOException {
    try {
      return decide(request).frame();
    } catch (UsageException e) {
      return new Reply.Refused(Reply.Reason.USAGE, e.getMessage()).frame();
    } catch (ResourceException e) {
      return new Reply.Refused(Reply.Reason.ROOM, e.getMessage()).frame();
    }
  }

  private Reply decide(VolumeRequest request) throws IOException {
    if (request instanceof VolumeRequest.Begin begin) {
      return begin(begin);
    } else if (request instanceof VolumeRequest.Commit commit) {
      return commit(commit);
    } else if (request instanceof VolumeRequest.OpenTensors open) {
      checkRoom(leases, MAX_LEASES, "leases");
      return lend(catalog.open(open.names()));
    } else if (request instanceof VolumeRequest.OpenVersion open) {
      checkRoom(leases, MAX_LEASES, "leases");
      return await(open).map(this::lend).orElseGet(Reply.NotYet::new);
    } else if (request instanceof VolumeRequest.OpenKept open) {
      checkRoom(leases, MAX_LEASES, "leases");
      return lend(catalog.open(open.stateDict(), open.version()));
    } else if (request instanceof VolumeRequest.OpenHeld open) {
      checkRoom(leases, MAX_LEASES, "leases");
      return await(open).map(this::lend).orElseGet(Reply.NotYet::new);
    } else if (request instanceof VolumeRequest.Check check) {
      return check(check);
    } else if (request instanceof VolumeRequest.Confirm confirm) {
      return catalog.holds(lease(confirm.lease())) ? new Reply.Intact() : Reply.Refused.withdrawn();
    } else if (request instanceof VolumeRequest.Reach reach) {
      return reads.reach(reach);
    } else if (request instanceof VolumeRequest.Expose expose) {
      return reads.expose(lease(expose.lease()), leased(expose.lease(), expose.index()));
    } else if (request instanceof VolumeRequest.Dial) {
      return pulls.dial();
    } else if (request instanceof VolumeRequest.Connect connect) {
      return pulls.connect(connect);
    } else if (request instanceof VolumeRequest.Pull pull) {
      return pulls.pull(known(puts.get(pull.put()), "put", pull.put()), pull);
    } else if (request instanceof VolumeRequest.Delete delete) {
      return new Reply.Count(catalog.delete(delete.names()));
    } else if (request instanceof VolumeRequest.Drop drop) {
      return new Reply.Count(catalog.drop(drop.stateDict()));
    } else if (request instanceof VolumeRequest.ListTensors list) {
      return catalog.tensors(list.prefix(), list.after(), rows(list.most()));
    } else if (request instanceof VolumeRequest.ListStateDicts list) {
      return catalog.stateDicts(list.prefix(), list.after(), rows(list.most()));
    } else if (request instanceof VolumeRequest.ListJoint) {
      return jointPuts.unfinished();
    } else if (request instanceof VolumeRequest.ListHeld) {
      return holdings.shown();
    } else if (request instanceof VolumeRequest.Join join) {
      lastNumber++;
      return joint.join(join, lastNumber);
    } else if (request instanceof VolumeRequest.AwaitJoint await) {
      return interruptible(() -> joint.await(await, wait(await.waitMs())));
    } else if (request instanceof VolumeRequest.Leave leave) {
      return joint.leave(leave);
    }
    return new Reply.Volume(catalog.figures(clients.getAsInt()));
  }

  private Reply begin(VolumeRequest.Begin begin) throws IOException {
    checkRoom(puts, MAX_PUTS, "puts");
    Deadline deadline = Deadline.after(roomPatience);
    PendingPut put =
        interruptible(() -> catalog.begin(begin.stateDict(), begin.tensors(), deadline));
    lastNumber++;
    puts.put(lastNumber, new IncomingPut(put));
    return new Reply.Granted(
        lastNumber,
        put.tensors().stream().map(StoredTensor::offset).collect(ImmutableList.toImmutableList()));
  }

  /** What has not been read from the client's memory. */
  private void receive(VolumeRequest.Send send) throws IOException {
    IncomingPut put = known(puts.get(send.put()), "put", send.put());
    ImmutableList<StoredTensor> tensors = put.pending().tensors();
    int first = send.first();
    if (first < 0 || send.count() < 1 || send.count() > tensors.size() - first) {
      throw new CorruptException(
          "it sends %s tensors from %s on, of %s".formatted(send.count(), first, tensors.size()));
    }
    for (int index = first; index < first + send.count(); index++) {
      if (!put.isWhole(index)) {
        StoredTensor tensor = tensors.get(index);
        link.receive(address(tensor), tensor.sizeBytes(), put.coming(index));
      }
    }
  }

  /** The put ends here, whatever comes of it. */
  private Reply commit(VolumeRequest.Commit commit) {
    IncomingPut put = known(puts.remove(commit.put()), "put", commit.put());
    List<Integer> there = commit.checksums();
    int tensors = put.pending().tensors().size();
    if (there.size() != tensors || !put.isComplete()) {
      abort(put);
      throw new CorruptException(
          put.isComplete()
              ? "%s checksums for %s tensors".formatted(there.size(), tensors)
              : "it commits a put of which it has not sent all");
    }
    if (!put.matches(there)) {
      abort(put);
      return new Reply.Refused(Reply.Reason.CORRUPT, "bytes changed on their way to the volume");
    }
    return new Reply.Committed(catalog.commit(put.pending(), there));
  }

  /** What a device may still write to, after a defect, stays taken. */
  private void abort(IncomingPut put) {
    if (put.hasRoomToGive()) {
      catalog.abort(put.pending());
    } else {
      catalog.keep(put.pending());
    }
  }

  private Optional<Lease> await(VolumeRequest.OpenVersion open) throws IOException {
    Deadline deadline = Deadline.after(wait(open.waitMs()));
    return interruptible(() -> catalog.open(open.stateDict(), open.newerThan(), deadline));
  }

  private Optional<Holdings.Opened> await(VolumeRequest.OpenHeld open) throws IOException {
    Deadline deadline = Deadline.after(wait(open.waitMs()));
    return interruptible(() -> holdings.open(open.stateDict(), open.atLeast(), deadline));
  }

  private static Duration wait(int milliseconds) {
    return Duration.ofMillis(Math.max(0, Math.min(milliseconds, MAX_WAIT_MS)));
  }

  private static <T> T interruptible(Wait<T> wait) throws IOException {
    try {
      return wait.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("the volume ends").initCause(e);
    }
  }

  private Reply lend(Lease lease) {
    lastNumber++;
    leases.put(lastNumber, lease);
    return new Reply.Leased(
        lastNumber,
        lease.version(),
        lease.tensors().stream()
            .map(StoredTensor::leased)
            .collect(ImmutableList.toImmutableList()));
  }

  private Reply lend(Holdings.Opened opened) {
    lastNumber++;
    leases.put(lastNumber, opened.lease());
    return opened.held().reply(lastNumber, opened.fence());
  }

  private Reply check(VolumeRequest.Check check) {
    StoredTensor tensor = leased(check.lease(), check.index());
    int found =
        tensor
            .registered()
            .map(RegisteredTensor::checksum)
            .orElseGet(() -> Checksum.of(address(tensor), tensor.sizeBytes()));
    // others may have written there meanwhile if it was void
    return catalog.holds(lease(check.lease()))
        ? new Reply.Checksum(found)
        : Reply.Refused.withdrawn();
  }

  private void send(VolumeRequest.Read read) throws IOException {
    StoredTensor tensor = leased(read.lease(), read.index());
    TensorSpec spec = tensor.tensor().spec();
    if (!spec.hasPart(read.part())) {
      throw new CorruptException("it asks for %s of %s".formatted(read.part(), spec));
    }
    if (!catalog.pin(lease(read.lease()), tensor)) {
      link.send(Reply.Refused.withdrawn().frame());
      return;
    }
    try {
      link.send(new Reply.BytesFollow(spec.part(read.part()).sizeBytes()).frame());
      if (tensor.registered().isPresent()) {
        sender.send(spec, tensor.registered().get()::copy, read.part());
      } else {
        sender.send(spec, address(tensor), read.part());
      }
      sender.flush();
    } finally {
      catalog.unpin(tensor);
    }
  }

  private Lease lease(long number) {
    return known(leases.get(number), "lease", number);
  }

  private StoredTensor leased(long number, int index) {
    ImmutableList<StoredTensor> tensors = lease(number).tensors();
    if (index < 0 || index >= tensors.size()) {
      throw new CorruptException("lease %s has no tensor %s".formatted(number, index));
    }
    return tensors.get(index);
  }

  private long address(StoredTensor tensor) {
    return file.memory().address(tensor.offset(), tensor.sizeBytes());
  }

  private static int rows(int most) {
    return Math.max(0, Math.min(most, WireBounds.ROWS));
  }

  private static <T> T known(T found, String what, long number) {
    if (found == null) {
      throw new CorruptException("it has no %s %s".formatted(what, number));
    }
    return found;
  }

  private static void checkRoom(Map<Long, ?> held, int most, String what) {
    if (held.size() >= most) {
      throw new ResourceException("this client has %s %s; close some first".formatted(most, what));
    }
  }
}
