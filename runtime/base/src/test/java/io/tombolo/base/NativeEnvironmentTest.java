// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNull;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UnavailableException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.testng.annotations.Test;

public class NativeEnvironmentTest {

  @Test
  public void shouldSetForNativeCodeAndLeaveJavasCopyAlone() {
    assertNull(System.getenv("TOMBOLO_TEST_EXPORT"));
    NativeEnvironment.export(Map.of("TOMBOLO_TEST_EXPORT", "a=b c"));
    assertEquals(NativeEnvironment.get("TOMBOLO_TEST_EXPORT"), Optional.of("a=b c"));
    assertNull(System.getenv("TOMBOLO_TEST_EXPORT"));
    NativeEnvironment.export(Map.of("TOMBOLO_TEST_EXPORT", ""));
    assertEquals(NativeEnvironment.get("TOMBOLO_TEST_EXPORT"), Optional.of(""));
    assertEquals(NativeEnvironment.get("TOMBOLO_TEST_NOT_SET"), Optional.empty());
    assertEquals(NativeEnvironment.get("PATH"), Optional.ofNullable(System.getenv("PATH")));
  }

  @Test
  public void shouldRefuseWhatIsNoVariable() {
    assertThrows(
        IllegalArgumentException.class, () -> NativeEnvironment.export(Map.of("a=b", "c")));
    assertThrows(IllegalArgumentException.class, () -> NativeEnvironment.export(Map.of("", "c")));
    assertThrows(
        IllegalArgumentException.class, () -> NativeEnvironment.export(Map.of("a", "b\0c")));
  }

  @Test
  public void shouldStayTheSameProcessWhenAProgramIsNotThere() {
    UnavailableException error =
        expectThrows(
            UnavailableException.class,
            () -> NativeEnvironment.exec(List.of("/nowhere/program", "argument")));
    assertTrue(error.getMessage().contains("/nowhere/program"), error.getMessage());
    assertTrue(error.getMessage().contains("No such file"), error.getMessage());
  }
}
