// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Finds the project's own native libraries inside its jars.
 *
 * <p>A library called {@code x} travels as {@code META-INF/native/linux-<arch>/libx.so} beside the
 * class that needs it.
 */
public final class NativeLibrary {
  static {
    OptionalLong unused = OpenFiles.limit(); // while there are files left to read it with
  }

  private NativeLibrary() {}

  /**
   * Loads {@code name} for JNI from the artefact that holds {@code owner}; the file on disk is gone
   * afterwards.
   *
   * @throws UnavailableException if the artefact carries no library for this platform, or the
   *     loader refuses it
   */
  public static void load(Class<?> owner, String name) {
    Path file = extract(owner, name);
    try {
      System.load(file.toString());
    } catch (UnsatisfiedLinkError e) {
      if (OpenFiles.ranOut(e)) {
        throw OpenFiles.noneLeft("cannot load the native library " + name, e);
      }
      throw new UnavailableException(
          "cannot load the native library "
              + name
              + ": "
              + e.getMessage()
              + "; this build is for linux-"
              + arch(),
          e);
    } finally {
      delete(file);
    }
  }

  /**
   * Copies {@code name} from the artefact that holds {@code owner} to a new temporary file, for
   * libraries that are opened with dlopen rather than loaded for JNI. The caller deletes the file;
   * it may do so as soon as it is open.
   */
  public static Path extract(Class<?> owner, String name) {
    String resource = "/META-INF/native/linux-" + arch() + "/lib" + name + ".so";
    try (InputStream in = owner.getResourceAsStream(resource)) {
      if (in == null) {
        throw new UnavailableException(
            "no native library "
                + resource
                + " beside "
                + owner.getName()
                + "; build it on this machine with './tombolo --help' or 'mvn -B verify' (gcc is needed)");
      }
      Path file = Files.createTempFile("tombolo-" + name + "-", ".so");
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      return file;
    } catch (IOException e) {
      if (OpenFiles.ranOut(e)) {
        throw OpenFiles.noneLeft("cannot load the native library " + name, e);
      }
      throw new UnavailableException(
          "cannot write the native library "
              + name
              + " to "
              + System.getProperty("java.io.tmpdir")
              + " (full, or not writable?): "
              + e,
          e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      file.toFile().deleteOnExit();
    }
  }

  private static String arch() {
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return switch (arch) {
      case "amd64", "x86_64" -> "x86_64";
      default -> arch;
    };
  }
}
