// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * Compares whole tables with the vendors' headers: what the emulations answer, too, not only what
 * rows name.
 */
public final class WitnessHeaderTest {
  private static final String FOLDER = System.getenv("TOMBOLO_WITNESS_DIR");

  /** Tables, and whose headers they are from. */
  @DataProvider
  public static Object[][] tables() {
    return new Object[][] {{"cuda", "cuda"}, {"hip", "hip"}, {"nvrtc", "cuda"}, {"hiprtc", "hip"}};
  }

  @Test(dataProvider = "tables", timeOut = 120_000)
  public void shouldSayWhatTheHeaderSays(String table, String vendor) {
    HeaderCheck.Result result = check(vendor, table, 0);
    assertTrue(result.isAccepted(), result.messages());
  }

  @Test(dataProvider = "tables", timeOut = 120_000)
  public void shouldBeRefusedWhenNumbersAreWrong(String table, String vendor) {
    HeaderCheck.Result result = check(vendor, table, 1);
    assertFalse(result.isAccepted());
    assertTrue(result.messages().contains("static assertion failed"), result.messages());
  }

  /** Of run-time compilers also the calls, as {@code compiler.c} makes them. */
  private static String program(String table) {
    return switch (table) {
      case "nvrtc" -> "#include <nvrtc.h>\n" + calls("nvrtc", "PTX");
      case "hiprtc" -> "#include <hip/hiprtc.h>\n" + calls("hiprtc", "Code");
      case "hip" -> "#include <hip/hip_runtime_api.h>\n";
      default -> "#include <" + table + ".h>\n";
    };
  }

  private static HeaderCheck.Result check(String vendor, String table, long error) {
    if (FOLDER == null) {
      throw new SkipException(
          "TOMBOLO_WITNESS_DIR is not set: .ci/witnesses FOLDER fetches the vendors' headers");
    }
    StringBuilder text = new StringBuilder("#define __HIP_PLATFORM_AMD__\n").append(program(table));
    WitnessTable.of(table)
        .entrySet()
        .forEach(
            fact ->
                text.append("_Static_assert(")
                    .append(own(fact.getKey()))
                    .append(" == ")
                    .append(fact.getValue() + error)
                    .append(", \"")
                    .append(fact.getKey())
                    .append("\");\n"));
    return HeaderCheck.compile(List.of(Path.of(FOLDER, vendor)), text.toString());
  }

  /** HIP has no name for the size of its handle; that one is ours. */
  private static String own(String name) {
    return name.equals("HIP_IPC_HANDLE_SIZE") ? "(int)sizeof(hipIpcMemHandle_t)" : name;
  }

  private static String calls(String prefix, String code) {
    return """
    extern int* n;
    extern size_t* l;
    extern char* c;
    extern const char** t;
    extern PROGRAMProgram* p;
    enum {
      a = sizeof(PROGRAMVersion(n, n)),
      b = sizeof(PROGRAMCreateProgram(p, c, c, 0, t, t)),
      d = sizeof(PROGRAMCompileProgram(*p, 1, t)),
      e = sizeof(PROGRAMGetCODESize(*p, l)),
      f = sizeof(PROGRAMGetCODE(*p, c)),
      g = sizeof(PROGRAMGetProgramLogSize(*p, l)),
      h = sizeof(PROGRAMGetProgramLog(*p, c)),
      i = sizeof(PROGRAMDestroyProgram(p)),
      j = sizeof(PROGRAMGetErrorString(0)),
      k = 1 / (sizeof *p == sizeof(void*)),
    };
    """
        .replace("PROGRAM", prefix)
        .replace("CODE", code);
  }
}
