// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.CloseStack;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Fabrics and channels of a process that may have only so many more files open. */
public final class FewFilesFabricTest {
  private static final int MAX_FILES = 256;

  @DataProvider
  public static Object[][] kinds() {
    return Kind.rows(
        ImmutableList.of(
            Kind.SHM, Kind.TCP, Kind.UDP, Kind.UCX, Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD));
  }

  /** With none, with one, and so on until there are enough. */
  @Test(timeOut = 600_000, dataProvider = "kinds")
  public void shouldSayWhatRanOutWhereverItDoes(Kind kind) throws Exception {
    Process process =
        new ProcessBuilder(
                ImmutableList.of(
                    "bash",
                    "-c",
                    "ulimit -n " + MAX_FILES + " && exec \"$@\"",
                    "few-files",
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    FewFiles.class.getName(),
                    kind.name()))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(process.waitFor(), 0, said);
    List<String> errors = said.lines().filter(line -> line.startsWith("error: ")).toList();
    assertFalse(errors.isEmpty(), said);
    assertFalse(said.contains("UCX  ERROR"), said); // where it begins, it may end the process
    for (String error : errors) {
      assertTrue(error.contains("may have " + MAX_FILES + " files and sockets open"), error);
      assertTrue(error.contains("ulimit -n"), error);
    }
  }

  /** The process. */
  public static final class FewFiles {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private FewFiles() {}

    /** Opens two fabrics of kind {@code arguments[0]}, and a channel between them. */
    public static void main(String[] arguments) throws IOException {
      Kind kind = Kind.valueOf(arguments[0]);
      loadAsFromJars();
      connect(kind);
      boolean enough = false;
      for (int spare = 0; !enough; spare++) {
        ArrayDeque<FileInputStream> all = takeAll();
        for (int i = 0; i < spare; i++) {
          all.removeLast().close();
        }
        String problem = tryToConnect(kind);
        for (FileInputStream one : all) {
          one.close();
        }
        enough = problem.isEmpty();
        System.out.println(enough ? "enough: " + spare : "error: " + problem);
      }
      System.exit(0);
    }

    private static String tryToConnect(Kind kind) {
      try {
        connect(kind);
        return "";
      } catch (ResourceException | DeadlineExceededException e) {
        return e.getMessage();
      }
    }

    private static void connect(Kind kind) {
      JobToken token = JobToken.random();
      try (CloseStack stack = new CloseStack()) {
        Fabric low = stack.opened(kind.open(0, token, SlotGeometry.DEFAULT));
        Fabric high = stack.opened(kind.open(1, token, SlotGeometry.DEFAULT));
        Deadline deadline = Deadline.after(LIMIT);
        Channel one = low.connect(1, high.address(), 7, deadline);
        Channel other = high.connect(0, low.address(), 7, deadline);
        boolean open = false;
        while (!open) {
          int unused = low.progress() + high.progress();
          boolean oneIsOpen = isOpen(one); // both are asked, whose errors count
          open = isOpen(other) && oneIsOpen;
        }
      }
    }

    /** The other side's end is not what is wanted, if this is the one that is short. */
    private static boolean isOpen(Channel channel) {
      try {
        return channel.isOpen();
      } catch (ResourceException | DeadlineExceededException e) {
        throw e;
      } catch (TomboloException e) {
        return false;
      }
    }

    private static ArrayDeque<FileInputStream> takeAll() {
      ArrayDeque<FileInputStream> all = new ArrayDeque<>();
      try {
        while (true) {
          all.add(new FileInputStream("/dev/null"));
        }
      } catch (IOException e) {
        return all;
      }
    }

    /** Classes in folders are files of their own, which could not be opened. */
    private static void loadAsFromJars() throws IOException {
      for (String folder : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        Path root = Path.of(folder);
        if (Files.isDirectory(root)) {
          try (Stream<Path> files = Files.walk(root)) {
            files
                .map(file -> root.relativize(file).toString())
                .filter(name -> name.endsWith(".class") && name.startsWith("io/tombolo/"))
                .forEach(FewFiles::load);
          }
        }
      }
    }

    private static void load(String file) {
      String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
      try {
        Class<?> unused = Class.forName(name, false, FewFiles.class.getClassLoader());
      } catch (ReflectiveOperationException | LinkageError e) {
        throw new AssertionError(name, e);
      }
    }
  }
}
