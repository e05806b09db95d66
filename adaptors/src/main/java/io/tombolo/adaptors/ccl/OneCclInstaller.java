// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.ccl;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.tombolo.base.UserFolders;
import io.tombolo.base.errors.ResourceException;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Installs the files of Intel's oneCCL that its CPU library needs, by way of pip and under Intel's
 * licence. Nothing is redistributed: the files come from the Python package index to this machine.
 */
public final class OneCclInstaller {
  private static final String VERSION = OneCclWheel.ALL.get(0).version();

  private OneCclInstaller() {}

  /** Where the vendor {@code intel} looks, unless {@link OneCclFolder#VARIABLE} says otherwise. */
  public static Path defaultCache() {
    return UserFolders.cache(System.getenv());
  }

  /** The folder of the library's files below {@code cache}. */
  static Path folderIn(Path cache) {
    return cache.resolve("oneccl").resolve(VERSION).resolve("lib");
  }

  /**
   * Installs below {@code cache}, unless that is done already, and returns the folder of the
   * library.
   *
   * <p>About 430 MB are downloaded and 270 MB kept; it takes the network's time. Runs may overlap:
   * each works in a folder of its own, and the first to finish wins.
   *
   * @param progress told what happens, a line at a time
   * @throws io.tombolo.base.errors.UnavailableException without Python, pip or network, with the
   *     next step
   * @throws ResourceException if the files cannot be written
   */
  public static Path install(Path cache, Consumer<String> progress) {
    Path folder = folderIn(cache.toAbsolutePath());
    if (isComplete(folder)) {
      progress.accept("oneCCL " + VERSION + " is already there: " + folder);
      return folder;
    }
    try {
      Files.createDirectories(folder.getParent());
      Path work = Files.createTempDirectory(folder.getParent(), "part-");
      try {
        fill(work, progress);
        settle(work.resolve("lib"), folder);
      } finally {
        MoreFiles.deleteRecursively(work, RecursiveDeleteOption.ALLOW_INSECURE);
      }
    } catch (IOException e) {
      throw new ResourceException(
          "cannot write oneCCL to "
              + folder
              + " (270 MB, 700 MB while installing): "
              + e.getMessage()
              + "; make room, or name another folder",
          e);
    }
    progress.accept("installed in " + folder);
    return folder;
  }

  private static boolean isComplete(Path folder) {
    return OneCclWheel.ALL.stream()
        .flatMap(wheel -> wheel.libraries().stream())
        .allMatch(library -> Files.isRegularFile(folder.resolve(library)));
  }

  private static void fill(Path work, Consumer<String> progress) throws IOException {
    Path requirements = work.resolve("requirements.txt");
    Files.write(requirements, OneCclWheel.ALL.stream().map(OneCclWheel::requirement).toList());
    Path wheels = Files.createDirectory(work.resolve("wheels"));
    Pip.find().download(requirements, wheels, progress);
    Path lib = Files.createDirectory(work.resolve("lib"));
    for (OneCclWheel wheel : OneCclWheel.ALL) {
      progress.accept("unpacking " + wheel.project() + " " + wheel.version());
      wheel.unpack(fileOf(wheel, wheels), lib);
    }
  }

  private static Path fileOf(OneCclWheel wheel, Path wheels) throws IOException {
    try (Stream<Path> files = Files.list(wheels)) {
      List<Path> matching =
          files
              .filter(file -> file.getFileName().toString().startsWith(wheel.filePrefix()))
              .toList();
      if (matching.size() != 1) {
        throw new IOException("pip left " + matching.size() + " files for " + wheel.requirement());
      }
      return matching.get(0);
    }
  }

  /** Moves the finished folder to its place; one that another run has put there is as good. */
  private static void settle(Path lib, Path folder) throws IOException {
    try {
      Files.move(lib, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw e;
    } catch (FileSystemException e) {
      if (!isComplete(folder)) {
        throw e;
      }
    }
  }
}
