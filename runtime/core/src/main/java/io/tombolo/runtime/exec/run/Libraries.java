// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.adaptors.CclCommunicator;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.Capabilities;
import io.tombolo.base.Capabilities.Flag;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.DoAll;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.exec.agent.Duty;
import io.tombolo.runtime.exec.engine.VendorAbort;
import io.tombolo.runtime.exec.engine.VendorClose;
import io.tombolo.runtime.exec.engine.VendorEngine;
import io.tombolo.runtime.exec.submit.Deputy;
import io.tombolo.runtime.exec.submit.EarlyVote;
import io.tombolo.runtime.exec.submit.PassThrough;
import io.tombolo.runtime.exec.submit.StreamPass;
import io.tombolo.runtime.exec.submit.SubmissionQueue;
import io.tombolo.runtime.plan.Action;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The collective libraries that one rank calls: that of its cluster's vendor, and the host library
 * that joins all ranks where their memory allows; with what follows from what they can do.
 */
final class Libraries implements AutoCloseable {
  private final DeviceAdaptor device;
  private final Optional<CclCommunicator> vendor;
  private final Optional<CclCommunicator> flat;
  private final Optional<Stream> vendorStream;
  private final Optional<Stream> flatStream;
  private final Consumer<Stream> giveBack;
  private final Optional<VendorEngine> vendorEngine;
  private final Optional<VendorEngine> flatEngine;
  private final Capabilities declared;
  private final boolean keepsCallers;
  private final boolean isVendorForAll;
  private final CloseStack opened = new CloseStack();
  private final List<VendorAbort> aborts = new ArrayList<>();
  private final List<VendorClose> closings = new ArrayList<>();

  /**
   * The libraries of {@code parts}; the vendor's is called on {@code vendorStream}, the other on
   * {@code flatStream}, where there is one. These are lent: once {@linkplain #leave left}, each is
   * given back when its library has ended.
   */
  Libraries(Executor.Parts parts, Optional<Stream> vendorStream, Optional<Stream> flatStream) {
    this.device = parts.device();
    this.vendor = parts.vendor();
    this.flat = parts.flat();
    this.vendorStream = vendorStream;
    this.flatStream = flatStream;
    this.giveBack = parts.streams()::giveBack;
    this.declared = parts.declared();
    this.keepsCallers = parts.keepsCallers();
    this.isVendorForAll = parts.clusterSize() == parts.size();
    try {
      this.vendorEngine =
          vendor.map(
              ccl ->
                  opened.opened(
                      new VendorEngine(
                          parts.device(), ccl, parts.clusterSize(), vendorStream.orElseThrow())));
      this.flatEngine =
          flat.map(
              ccl ->
                  opened.opened(
                      new VendorEngine(
                          parts.device(), ccl, parts.size(), flatStream.orElseThrow())));
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  /** Where the vendor's calls are made. */
  VendorEngine vendorEngine() {
    return vendorEngine.orElseThrow();
  }

  /** Where the host library's calls are made. */
  VendorEngine flatEngine() {
    return flatEngine.orElseThrow();
  }

  /** The library that joins all ranks, if one does, or else the cluster's. */
  Optional<CclCommunicator> widest() {
    return flat.or(() -> vendor);
  }

  /**
   * Whether the vendor's library must not see calls that differ: in a cluster of one it sees none.
   */
  boolean isMismatchFatal() {
    return vendor.isPresent() && declared.has(Flag.MISMATCH_IS_FATAL);
  }

  /** The short way for callers where a library joins all ranks whose calls block. */
  Optional<PassThrough> passThrough(
      SubmissionQueue submissions, EarlyVote vote, Optional<Duty> voting) {
    if (flat.isPresent()) {
      return Optional.of(
          new PassThrough(
              flatEngine(),
              flat.get(),
              Action.Members.EVERYONE,
              submissions,
              vote,
              voting,
              Optional.empty()));
    }
    return isVendorForAll && declared.has(Flag.BLOCKING_CALLS)
        ? vendor.map(
            ccl ->
                new PassThrough(
                    vendorEngine(),
                    ccl,
                    Action.Members.CLUSTER,
                    submissions,
                    mayVoteEarly() ? vote : EarlyVote.NONE,
                    voting,
                    deputy()))
        : Optional.empty();
  }

  /**
   * Who has voted is to make its rounds: others that go into the library on the vote of a rank that
   * is stuck would be kept there if nothing can bring them back.
   */
  private boolean mayVoteEarly() {
    return declared.has(Flag.ABORT);
  }

  private Optional<Deputy> deputy() {
    return keepsCallers || declared.has(Flag.ABORT)
        ? Optional.empty()
        : vendorStream.map(Deputy::new);
  }

  /**
   * The short way for callers where a library joins all ranks whose calls queue. Only where an
   * abort brings back calls, and their kernels: with nothing agreed, and where a member never
   * comes, they may last for ever. Who schedules all calls ahead has an order of the whole process
   * to keep.
   */
  Optional<StreamPass> streamPass(
      SubmissionQueue submissions, EarlyVote vote, boolean votesAreShown, Runnable tellAgent) {
    boolean may =
        isVendorForAll
            && submissions.marksEnds()
            && declared.has(Flag.ABORT)
            && !declared.has(Flag.BLOCKING_CALLS)
            && !declared.has(Flag.SAME_ORDER_ONLY);
    return may
        ? vendorEngine.map(
            engine -> new StreamPass(engine, submissions, vote, votesAreShown, tellAgent))
        : Optional.empty();
  }

  /** Throws what a library has met since it was last asked. */
  void check() {
    vendor.flatMap(CclCommunicator::asyncError).ifPresent(Libraries::raise);
    flat.flatMap(CclCommunicator::asyncError).ifPresent(Libraries::raise);
  }

  private static void raise(TomboloException failed) {
    throw failed;
  }

  /** The call that a thread is in of a library whose calls queue, and should be back from. */
  Optional<String> callThatShouldQueue() {
    return vendor
        .filter(ccl -> !declared.has(Flag.BLOCKING_CALLS))
        .flatMap(CclCommunicator::callUnderWay);
  }

  /** What a caller is in, for error messages. */
  String callOfVendor() {
    return vendor.flatMap(CclCommunicator::callUnderWay).orElse("the vendor's library");
  }

  /** A library that queues may still block in a call, to connect for example, and for ever. */
  boolean mayBlockTheAgent() {
    return vendor.isPresent() && !declared.has(Flag.BLOCKING_CALLS);
  }

  /** Bytes handed to the libraries so far. */
  long handedBytes() {
    return vendorEngine.map(VendorEngine::handedBytes).orElse(0L)
        + flatEngine.map(VendorEngine::handedBytes).orElse(0L);
  }

  /**
   * Has them give up, as far as they can, and does not wait for that. The device is tainted until
   * they have, as a library touches nothing any more once its abort has returned.
   */
  void abort() {
    flat.ifPresent(ccl -> device.taint());
    vendor.ifPresent(ccl -> device.taint());
    flat.ifPresent(ccl -> aborts.add(VendorAbort.begin(ccl, device::endTaint)));
    if (declared.has(Flag.ABORT)) {
      vendor.ifPresent(ccl -> aborts.add(VendorAbort.begin(ccl, device::endTaint)));
    }
  }

  /** Waits until those that can have given up, two seconds each at most. */
  void awaitAborts() {
    aborts.forEach(VendorAbort::await);
  }

  /** Lets go of what the calls worked with; the libraries' communicators stay. */
  @Override
  public void close() {
    opened.close();
  }

  /** Begins to close the libraries' communicators, which may wait for other ranks. */
  void leave() {
    flat.ifPresent(ccl -> closings.add(leave(ccl, flatStream)));
    vendor.ifPresent(ccl -> closings.add(leave(ccl, vendorStream)));
  }

  /** A library may be at work on its stream till its end, for which another's would wait there. */
  private VendorClose leave(CclCommunicator ccl, Optional<Stream> lent) {
    return VendorClose.begin(ccl, () -> lent.ifPresent(giveBack));
  }

  /** Waits for the ends of all of them, until {@code patience} is over at most. */
  void awaitEnds(Deadline patience) {
    DoAll.each(
        closings,
        closing -> {
          boolean unused = closing.await(patience);
        });
  }

  /** Whether those that are left have ended, or have refused to. */
  boolean haveEnded() {
    return closings.stream().allMatch(VendorClose::hasEnded);
  }
}
