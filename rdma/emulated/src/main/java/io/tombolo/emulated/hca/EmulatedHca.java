// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated.hca;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.NativeLibrary;
import io.tombolo.base.errors.UsageException;

/**
 * The emulated HCA in this artefact, in place of libibverbs. Thread-safe.
 *
 * <p>It is loaded once per process and its file is gone at once; from then on the dynamic linker
 * knows it by its soname, which is what {@link #library} returns. The machine that it emulates is
 * described by the environment, see {@code settings.c}.
 */
public final class EmulatedHca {
  private static final String NAME = "tombolo_emu_hca";

  static {
    NativeLibrary.load(EmulatedHca.class, NAME);
  }

  private EmulatedHca() {}

  /** What to open instead of {@code libibverbs.so.1}. */
  public static String library() {
    return "lib" + NAME + ".so";
  }

  /** The name of NIC {@code index} of this host. */
  public static String device(int index) {
    return "emu-mlx5_" + index;
  }

  /**
   * What goes wrong from now on with what this process sends, as if the environment had said {@code
   * TOMBOLO_HCA_<name>=<value>}.
   *
   * @param name such as {@code LOSS_PERCENT}; or {@code FABRIC}, the network of what is opened from
   *     now on
   * @throws UsageException if there is no such fault, or no such value
   */
  public static void set(String name, String value) {
    if (set0(name.getBytes(UTF_8), value.getBytes(UTF_8)) != 0) {
      throw new UsageException(
          "the emulated HCA has no TOMBOLO_HCA_"
              + name
              + "="
              + value
              + "; see the list in Working on it");
    }
  }

  /** How many objects of its (open devices, queue pairs, regions and so on) are not closed yet. */
  public static long living() {
    return living0();
  }

  /**
   * How often requests were posted, to any queue pair: a real NIC is told of each batch of them by
   * a write to its doorbell.
   */
  public static long doorbells() {
    return doorbells0();
  }

  /** Whether memory was protected from forks (ibv_fork_init) before any was registered. */
  public static boolean isForkSafe() {
    return isForkSafe0();
  }

  private static native int set0(byte[] name, byte[] value);

  private static native long living0();

  private static native long doorbells0();

  private static native boolean isForkSafe0();
}
