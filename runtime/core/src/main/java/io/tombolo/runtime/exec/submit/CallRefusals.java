// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.submit;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceProperties;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.base.errors.VendorException;
import java.util.Optional;

/**
 * What keeps a call from being made: a stream that does not take it, or no memory to work in. Found
 * before anything is queued for it: then a call that is refused was not made. Thread-safe.
 */
public final class CallRefusals {
  private final int rank;
  private final DeviceAdaptor device;

  /** Of calls of {@code rank} on {@code device}. */
  CallRefusals(int rank, DeviceAdaptor device) {
    this.rank = rank;
    this.device = device;
  }

  /**
   * Checks that {@code what}, which moves {@code sizeBytes}, can be called on {@code stream}.
   *
   * @throws UsageException if it is closed, of another device, or being captured into a graph,
   *     which would replay the doorbell of this one call whenever it runs; a capture goes on. And
   *     if the runtime refuses to say, as of a stream that was destroyed elsewhere
   * @throws VendorException if it says no more of any stream: the device has failed for good
   */
  public void require(Object what, long sizeBytes, Stream stream) {
    Optional<String> objection;
    boolean isCapturing;
    try { // no lambdas: every call comes by here, the first ones before anything is compiled
      objection = device.objection(stream);
      isCapturing = objection.isEmpty() && stream.isCapturing();
    } catch (VendorException e) {
      throw unanswered(what, sizeBytes, stream, e);
    }
    if (objection.isPresent()) {
      throw refusal(
          head(what, sizeBytes),
          "its stream " + objection.get(),
          "give it an open one of the communicator's device");
    }
    if (isCapturing) {
      throw refusal(
          head(what, sizeBytes),
          "its stream 0x%x is being captured into a graph, in which the call would not run again"
              .formatted(stream.nativeHandle()),
          "the capture goes on: call before or after it, or on a stream that is not in it");
    }
  }

  /**
   * {@code failure}, for which {@code what} cannot have the memory that it is to work in, as its
   * caller is to see it.
   */
  public TomboloException withoutMemory(Object what, long sizeBytes, TomboloException failure) {
    return failure.during(
        head(what, sizeBytes)
            + " has no memory to work in beside "
            + place()
            + " and was not made; free some of the device's and page-locked memory, then make it"
            + " again: the other ranks wait for it");
  }

  private String place() {
    DeviceProperties device = this.device.properties();
    long mebibytes = device.totalMemoryBytes() >> 20;
    return device.name() + (mebibytes == 0 ? "" : " (" + mebibytes + " MiB)");
  }

  /**
   * The runtime says nothing of {@code stream} but {@code answer}: the call has not begun, and that
   * is no failure of the communicator.
   */
  private TomboloException unanswered(
      Object what, long sizeBytes, Stream stream, VendorException answer) {
    String asked =
        "%s: its stream 0x%x cannot be asked about"
            .formatted(head(what, sizeBytes), stream.nativeHandle());
    if (refusesAll(answer.rawCode())) {
      return answer.during(
          asked
              + ", nor can a new one of "
              + device.properties().name()
              + ": the device has failed, and nothing was queued; vendors let no process use a device"
              + " again after most such errors, so end the job, and start its processes anew");
    }
    return new UsageException(
        "%s: %s; nothing was queued, and the communicator stays usable; check that the stream is not destroyed and, if it is the default stream, that no capture is under way, then make the call on an open one"
            .formatted(asked, answer.getMessage()),
        answer);
  }

  /**
   * Whether a stream that nobody has used meets the same error: then it is the device's. CUDA calls
   * such errors sticky ({@code cuda.h}: "the process must be terminated and relaunched"); what
   * other runtimes do, their codes do not tell.
   */
  private boolean refusesAll(long code) {
    try (Stream unused = device.newStream()) {
      device.objection(unused);
      unused.isCapturing();
      return false;
    } catch (VendorException e) {
      return e.rawCode() == code;
    }
  }

  private static UsageException refusal(String head, String why, String fix) {
    return new UsageException(head + ": " + why + "; nothing was queued; " + fix);
  }

  private String head(Object what, long sizeBytes) {
    String size = sizeBytes == 0 ? "" : " of " + sizeBytes + " bytes";
    return "rank " + rank + ": " + what + size;
  }
}
