// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.ucx;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import io.tombolo.base.Availability;
import io.tombolo.base.NativeEnvironment;
import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.TomboloException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openucx.jucx.NativeLibs;

/**
 * The machine's UCX library and jucx, its door from Java.
 *
 * <p>The jar of jucx holds a binding for x86-64 and no UCX. The two need not be of one version:
 * jucx {@value #JUCX_VERSION} works with UCX 1.13 and later, as long as each call names its memory
 * type (the number for "unknown" has changed).
 */
public final class UcxLibrary {
  /** The version of jucx in this build. */
  public static final String JUCX_VERSION = "1.15.0";

  private static final String SONAME = "libucp.so.0";
  private static final int LEAST_MINOR = 13;
  private static final Pattern VERSION = Pattern.compile("1\\.(\\d{1,4})\\..*");
  private static final String INSTALL =
      "install UCX 1.13 or later (apt-get install libucx0), or leave the fabric ucx out";

  /**
   * Defaults for what the user has not set. UCX must not take the JVM's signals, which it does for
   * backtraces; and it logs to the standard output, where only errors may come. Nor must it rewrite
   * {@code munmap} and its like while it starts, to learn of memory that goes: a thread of the JVM
   * that is inside them at that moment crashes (1 of 300 starts did; the mode "reloc" hangs). What
   * it is for, keeping registrations of memory, UCX then does without.
   */
  private static final ImmutableMap<String, String> DEFAULTS =
      ImmutableMap.of(
          "UCX_HANDLE_ERRORS", "none",
          "UCX_ERROR_SIGNALS", "",
          "UCX_LOG_LEVEL", "error",
          "UCX_MEM_MMAP_HOOK_MODE", "none");

  private UcxLibrary() {}

  /**
   * Sets in this process's environment what UCX should find there, where the user has not. To be
   * called before other threads run native code; UCX reads it when it is opened.
   */
  public static void exportDefaults() {
    NativeEnvironment.export(
        Maps.filterKeys(DEFAULTS, name -> NativeEnvironment.get(name).isEmpty()));
  }

  /**
   * Whether UCX can be used in this process, and else why not. Opens the library, for good; quick
   * when asked again.
   */
  public static Availability availability() {
    return Probe.ANSWER;
  }

  /** Asked once: what failed to load in a JVM will not load later. */
  private static final class Probe {
    static final Availability ANSWER = probe(System.getProperty("os.arch"), SONAME);
  }

  /** Looks for {@code soname} on a machine of kind {@code arch}. */
  static Availability probe(String arch, String soname) {
    if (!arch.equals("amd64")) {
      return new Availability.Missing(
          "jucx " + JUCX_VERSION + " has no library for " + arch, "use the fabric tcp");
    }
    try {
      exportDefaults();
      String[] answer = new String[1];
      return UcxSystem.open0(soname, answer) ? match(answer[0]) : missing(answer[0]);
    } catch (TomboloException | LinkageError e) {
      return missing(String.valueOf(e.getMessage()));
    }
  }

  private static Availability missing(String cause) {
    return new Availability.Missing(cause, OpenFiles.says(cause) ? OpenFiles.help() : INSTALL);
  }

  private static Availability match(String version) {
    if (!isUsable(version)) {
      return new Availability.Missing(
          "UCX " + version + " is not one that jucx " + JUCX_VERSION + " can use", INSTALL);
    }
    NativeLibs.load();
    JucxFile.forget();
    return new Availability.Available("UCX " + version + " (jucx " + JUCX_VERSION + ")");
  }

  /** Whether this jucx works with a UCX that calls itself {@code version}. */
  static boolean isUsable(String version) {
    Matcher parts = VERSION.matcher(version);
    return parts.matches() && Integer.parseInt(parts.group(1)) >= LEAST_MINOR;
  }
}
