// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

public class MetricsTokenTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  private Path file;

  @BeforeMethod
  public void make() throws IOException {
    file = Files.createTempFile("metrics", ".token");
  }

  @AfterMethod(alwaysRun = true)
  public void remove() throws IOException {
    Files.deleteIfExists(file);
  }

  @Test
  public void shouldBeShownByItsHeaderAlone() throws IOException {
    Files.writeString(file, SECRET + "\n");
    MetricsToken token = MetricsToken.read(file);
    assertTrue(token.isShownBy("Bearer " + SECRET));
    for (String other :
        new String[] {"", SECRET, "Bearer ", "bearer " + SECRET, "Bearer " + SECRET + "0"}) {
      assertFalse(token.isShownBy(other), other);
    }
    assertFalse(token.toString().contains(SECRET));
  }

  @Test
  public void shouldRefuseWhatIsNoSecret() throws IOException {
    shouldRefuse("", "holds no token");
    shouldRefuse(SECRET.substring(1), "holds no token");
    shouldRefuse(SECRET + " " + SECRET, "holds no token");
    shouldRefuse(SECRET.repeat(1000), "holds no token");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    shouldRefuse(SECRET, "everyone on this machine can read it");
    Files.delete(file);
    assertTrue(
        expectThrows(UsageException.class, () -> MetricsToken.read(file))
            .getMessage()
            .contains("cannot be read"));
  }

  private void shouldRefuse(String content, String complaint) throws IOException {
    Files.writeString(file, content);
    String message = expectThrows(UsageException.class, () -> MetricsToken.read(file)).getMessage();
    assertTrue(message.contains(complaint), message);
  }
}
