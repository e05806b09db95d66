// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.UserFolders;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.io.CalibrationJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calibrations of a user: one file each, named by its key. Processes may use the folder at the
 * same time; a file is there whole or not at all.
 */
public final class CalibrationFiles {
  private static final Logger LOG = LoggerFactory.getLogger(CalibrationFiles.class);
  private static final String SUFFIX = ".json";
  private static final int MAX_BYTES = 1 << 20;

  private final Path folder;

  /** The files in {@code folder}, which need not exist. */
  public CalibrationFiles(Path folder) {
    this.folder = folder;
  }

  /** The files of the user whose process has {@code environment}. */
  public static CalibrationFiles of(Map<String, String> environment) {
    return new CalibrationFiles(UserFolders.cache(environment).resolve("calibration"));
  }

  /**
   * Keeps {@code calibration}, in place of what was measured of the same ranks before.
   *
   * @return the file
   * @throws ResourceException if it cannot be written
   */
  public Path save(Calibration calibration) {
    Path file = folder.resolve(calibration.key() + SUFFIX);
    try {
      Files.createDirectories(folder);
      Path draft = Files.createTempFile(folder, calibration.key(), ".draft");
      Files.writeString(draft, CalibrationJson.write(calibration), UTF_8);
      return Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new ResourceException(
          "cannot keep the calibration in " + file + " (" + e + "); set TOMBOLO_CACHE", e);
    }
  }

  /** What was measured under {@code key}; a file that is damaged counts as none, with a warning. */
  public Optional<Calibration> find(String key) {
    return readable(folder.resolve(key + SUFFIX));
  }

  /** Everything that was measured and not forgotten, in order of keys. */
  public List<Calibration> all() {
    return files().stream().flatMap(file -> readable(file).stream()).toList();
  }

  /** Deletes all files; returns how many there were. */
  public int forget() {
    List<Path> files = files();
    for (Path file : files) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new ResourceException("cannot delete " + file + ": " + e, e);
      }
    }
    return files.size();
  }

  /**
   * The calibration in {@code file}.
   *
   * @throws UsageException if it cannot be read or holds something else
   */
  public static Calibration read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new UsageException(file + " is longer than " + MAX_BYTES + " bytes");
      }
      return CalibrationJson.read(new String(bytes, UTF_8), file.toString());
    } catch (NoSuchFileException e) {
      throw new UsageException("there is no file " + file, e);
    } catch (IOException e) {
      throw new UsageException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static Optional<Calibration> readable(Path file) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(read(file));
    } catch (UsageException e) {
      LOG.warn("a calibration is not used: {}; measure again", e.getMessage());
      return Optional.empty();
    }
  }

  private List<Path> files() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
    } catch (IOException e) {
      throw new ResourceException("cannot read " + folder + ": " + e, e);
    }
  }
}
