// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.UnavailableException;
import java.nio.file.Path;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * libibverbs, opened at run time, or a library that stands in for it. It stays loaded for the life
 * of the process. Methods may be called from any thread.
 *
 * @param name what was opened
 * @param handle names it to JNI
 */
record VerbsLibrary(String name, long handle) {
  private static final Logger log = LoggerFactory.getLogger(VerbsLibrary.class);

  private static final Path LISTING = Path.of("/sys/class/infiniband");
  private static final int PROBLEM_BYTES = 1024;
  private static final int NAMES_BYTES = 1 << 16;

  /**
   * Opens {@code name}: a file, or a name for the loader.
   *
   * @throws UnavailableException if it is missing or lacks what we need, saying which
   */
  static VerbsLibrary open(String name) {
    byte[] problem = new byte[PROBLEM_BYTES];
    long handle = VerbsNative.openLibrary0(name.getBytes(UTF_8), problem);
    if (handle < 0) {
      String why = new String(problem, UTF_8).trim().replace("\0", "");
      if (OpenFiles.says(why)) {
        throw OpenFiles.noneLeft("no verbs: " + why);
      }
      throw new UnavailableException(
          "no verbs: "
              + why
              + "; install libibverbs and the NIC's provider (Debian: apt-get install"
              + " ibverbs-providers)");
    }
    protectFromForks(name, handle);
    return new VerbsLibrary(name, handle);
  }

  /** PyTorch's data loaders fork: what the NIC writes must go on reaching the parent. */
  private static void protectFromForks(String name, long handle) {
    long result = VerbsNative.protectFromForks0(handle);
    if (result < 0) {
      log.warn(
          "{} cannot protect memory from forks: {}; a child that this process forks may get its"
              + " pages, unless the kernel is 5.12 or later",
          name,
          VerbsNative.errorText0((int) -result));
    }
  }

  /** The devices it lists, in its order. */
  ImmutableList<String> deviceNames() {
    byte[] names = new byte[NAMES_BYTES];
    long used = VerbsErrors.check("list the RDMA devices", VerbsNative.deviceNames0(handle, names));
    return ImmutableList.copyOf(
        Splitter.on('\n')
            .omitEmptyStrings()
            .split(new String(Arrays.copyOf(names, (int) used), UTF_8)));
  }

  /** Opens the device called {@code device}; the caller closes it. */
  VerbsDevice device(String device) {
    long opened =
        VerbsErrors.check(
            "open the RDMA device " + device,
            VerbsNative.openDevice0(handle, device.getBytes(UTF_8)));
    DeviceEvents events = new DeviceEvents(device, opened, LISTING);
    return new VerbsDevice(device, new Handle("RDMA device", opened, events), events);
  }
}
