// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.FabricException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UnsupportedException;

/** What a negated errno of libibverbs means, and what to do about it. Numbers are Linux's. */
final class VerbsErrors {
  /** Nothing there now. */
  static final int EAGAIN = -11;

  /** A driver whose device did not answer; any command to a device that is being taken away. */
  static final int EIO = -5;

  private static final int EPERM = -1;
  private static final int EBADF = -9;
  private static final int ENOMEM = -12;
  private static final int EACCES = -13;
  private static final int EFAULT = -14;
  private static final int ENODEV = -19;

  /** Values that the device refuses. */
  static final int EINVAL = -22;

  private static final int ENOSPC = -28;
  private static final int ENOSYS = -38;
  private static final int EOPNOTSUPP = -95;

  /** A peer's address was not found, or a device has not done what it was told. */
  static final int ETIMEDOUT = -110;

  /** Longer than the kernel looks for an address, which is about a second. */
  private static final long LONGEST_LOOK_NS = 5_000_000_000L;

  private VerbsErrors() {}

  /**
   * Whether {@code result}, of a call along {@code route} that took {@code tookNs}, says that the
   * kernel has not {@linkplain Resolution resolved} the peer's address. A driver whose device does
   * not carry out a command says the same, as mlx5 does after a minute.
   */
  static boolean isUnresolved(long result, AddressAttributes route, long tookNs) {
    return result == ETIMEDOUT && route.ethernet() && tookNs < LONGEST_LOOK_NS;
  }

  /** {@code result} unless it is an error; then what {@code doing} failed with. */
  static long check(String doing, long result) {
    if (result < 0) {
      throw error(doing, result);
    }
    return result;
  }

  private static TomboloException error(String doing, long result) {
    String what = "cannot " + doing + ": " + VerbsNative.errorText0((int) -result);
    String code = " (errno " + -result + "); ";
    return switch ((int) result) {
      case EPERM, EACCES ->
          new UnavailableException(
              what + code + "may this user open /dev/infiniband/uverbs* and lock memory?");
      case ENODEV -> new UnavailableException(what + code + "see which devices ibv_devices lists");
      case ENOSYS ->
          new UnavailableException(
              what + code + "this kernel has no RDMA, or not loaded it (modprobe ib_uverbs)");
      case ENOMEM ->
          new ResourceException(
              what + code + "raise the limit of locked memory (ulimit -l), or ask for less");
      case -OpenFiles.EMFILE -> OpenFiles.noneLeft(what);
      case ENOSPC -> new ResourceException(what + code + "close what is not used any more");
      case EOPNOTSUPP ->
          new UnsupportedException(
              what + code + "this device, its driver or this libibverbs cannot do it");
      case EFAULT ->
          new FabricException(what + "; the NIC's driver cannot pin that address", -result);
      case EIO ->
          new FabricException(
              what + code + "the NIC does not answer, or is going: see dmesg", -result);
      case ETIMEDOUT ->
          new FabricException(what + code + "the NIC has not done it in time: see dmesg", -result);
      case EBADF -> new FabricException(what + "; it is closed", -result);
      case EINVAL -> new FabricException(what + "; the device refuses these values", -result);
      default -> new FabricException(what, -result);
    };
  }
}
