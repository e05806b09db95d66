// SPDX-License-Identifier: Apache-2.0
package io.tombolo.emulated;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.tombolo.adaptors.device.DeviceDialect;
import io.tombolo.adaptors.device.Fact;
import io.tombolo.adaptors.device.Role;
import io.tombolo.adaptors.device.RuntimeCallShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Asks a C compiler whether a vendor's real header agrees with a row: each number, and how each
 * function is called.
 */
final class HeaderCheck {
  private static final int TIMEOUT_SECONDS = 60;

  private static final String VARIABLES =
      """
      extern int i;
      extern uint64_t l;
      extern void* p;
      extern address a;
      extern unsigned char c;
      extern void f(void*);
      extern ipc_handle h;
      _Static_assert(sizeof(ipc_handle) == 64 && sizeof(address) == 8, "passed as the shim does");
      """;

  private static final Map<String, String> PREAMBLE =
      Map.of(
          "cuda",
          """
          #include <cuda.h>
          typedef CUipcMemHandle ipc_handle;
          typedef CUdeviceptr address;
          """,
          "hip",
          """
          #define __HIP_PLATFORM_AMD__
          #include <hip/hip_runtime_api.h>
          typedef hipIpcMemHandle_t ipc_handle;
          typedef hipDeviceptr_t address;
          """);

  /**
   * How the shim calls each role, one letter an argument: i 32-bit integer, l 64-bit integer, p
   * pointer, c byte, a device address (a 64-bit integer or a pointer), h IPC handle by value, f
   * function.
   */
  private static final ImmutableMap<Role, String> SHAPES =
      ImmutableMap.<Role, String>builder()
          .put(Role.INIT, "i")
          .put(Role.DRIVER_VERSION, "p")
          .put(Role.ERROR_NAME, "ip")
          .put(Role.ERROR_TEXT, "ip")
          .put(Role.DEVICE_COUNT, "p")
          .put(Role.DEVICE_GET, "pi")
          .put(Role.DEVICE_NAME, "pii")
          .put(Role.PCI_BUS_ID, "pii")
          .put(Role.TOTAL_MEMORY, "pi")
          .put(Role.CONTEXT_RETAIN, "pi")
          .put(Role.CONTEXT_RELEASE, "i")
          .put(Role.SET_CURRENT, "p")
          .put(Role.ALLOCATE, "pl")
          .put(Role.FREE, "a")
          .put(Role.HOST_ALLOCATE, "pli")
          .put(Role.HOST_FREE, "p")
          .put(Role.HOST_REGISTER, "pli")
          .put(Role.HOST_UNREGISTER, "p")
          .put(Role.HOST_POINTER, "ppi")
          .put(Role.STREAM_CREATE, "pi")
          .put(Role.STREAM_DESTROY, "p")
          .put(Role.STREAM_QUERY, "p")
          .put(Role.STREAM_WAIT_EVENT, "ppi")
          .put(Role.EVENT_CREATE, "pi")
          .put(Role.EVENT_RECORD, "pp")
          .put(Role.EVENT_QUERY, "p")
          .put(Role.EVENT_DESTROY, "p")
          .put(Role.COPY_TO_DEVICE, "aplp")
          .put(Role.COPY_TO_HOST, "palp")
          .put(Role.COPY_ON_DEVICE, "aalp")
          .put(Role.FILL, "aclp")
          .put(Role.WAIT_VALUE, "pali")
          .put(Role.WRITE_VALUE, "pali")
          .put(Role.IPC_EXPORT, "pa")
          .put(Role.IPC_OPEN, "phi")
          .put(Role.IPC_CLOSE, "a")
          .put(Role.FLUSH, "ii")
          .put(Role.MODULE_LOAD, "pp")
          .put(Role.MODULE_UNLOAD, "p")
          .put(Role.MODULE_FUNCTION, "ppp")
          .put(Role.LAUNCH, "piiiiiiippp")
          .put(Role.DMA_BUF, "palil")
          .put(Role.PEER_CAN_ACCESS, "pii")
          .put(Role.PEER_ENABLE, "pi")
          .put(Role.MANAGED_ALLOCATE, "pli")
          .put(Role.HOST_FUNCTION, "pfp")
          .put(Role.DEVICE_ATTRIBUTE, "pii")
          .put(Role.STREAM_PRIORITIES, "pp")
          .put(Role.STREAM_CREATE_RANKED, "pii")
          .put(Role.STREAM_CAPTURING, "pp")
          .put(Role.CAPTURE_MODE, "p")
          .put(Role.SIGNAL_ALLOCATE, "pli")
          .put(Role.POINTER_ATTRIBUTE, "pia")
          .put(Role.STREAM_CONTEXT, "pp")
          .put(Role.GET_CURRENT, "p")
          .put(Role.CONTEXT_STATE, "ipp")
          .buildOrThrow();

  private final String vendor;
  private final Path headers;

  HeaderCheck(String vendor, Path headers) {
    this.vendor = vendor;
    this.headers = headers;
  }

  /** What the compiler said. */
  record Result(boolean isAccepted, String messages) {}

  Result check(DeviceDialect row) {
    return compile(List.of(headers), program(row));
  }

  /** Whether a compiler that finds headers in {@code folders} accepts {@code program}. */
  static Result compile(List<Path> folders, String program) {
    try {
      Path source = Files.createTempFile("witness", ".c");
      Path messages = Files.createTempFile("witness", ".log");
      try {
        Files.writeString(source, program, UTF_8);
        return new Result(compile(folders, source, messages), Files.readString(messages, UTF_8));
      } finally {
        Files.delete(source);
        Files.delete(messages);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("cannot ask the compiler", e);
    }
  }

  private static boolean compile(List<Path> folders, Path source, Path messages)
      throws IOException, InterruptedException {
    String compiler = System.getenv().getOrDefault("CC", "gcc");
    List<String> command = new ArrayList<>();
    command.addAll(List.of(compiler, "-std=c11", "-fsyntax-only"));
    command.addAll(List.of("-Wall", "-Wconversion", "-Wno-sign-conversion", "-Werror"));
    folders.forEach(folder -> command.addAll(List.of("-isystem", folder.toString())));
    command.add(source.toString());
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(messages.toFile())
            .start();
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " hangs");
    }
    return process.exitValue() == 0;
  }

  /** The calls of a row that nothing would be known of. */
  static ImmutableSet<Role> unknownCalls(DeviceDialect row) {
    return Sets.difference(row.symbols().keySet(), SHAPES.keySet()).immutableCopy();
  }

  private String program(DeviceDialect row) {
    StringBuilder program = new StringBuilder("#include <stddef.h>\n#include <stdint.h>\n");
    program.append(PREAMBLE.get(vendor));
    program.append(VARIABLES);
    row.constants().values().stream()
        .filter(fact -> !fact.name().isEmpty())
        .forEach(fact -> program.append(assertion(fact)));
    row.symbols().forEach((role, symbol) -> program.append(call(row, role, symbol)));
    return program.toString();
  }

  private static String assertion(Fact fact) {
    return "_Static_assert("
        + fact.name()
        + " == "
        + fact.value()
        + ", \""
        + fact.name()
        + "\");\n";
  }

  /** A call that is type-checked and never made. */
  private static String call(DeviceDialect row, Role role, String symbol) {
    String arguments = String.join(", ", shape(row, role).split(""));
    return "enum { check_" + symbol + " = sizeof(" + symbol + "(" + arguments + ")) };\n";
  }

  private static String shape(DeviceDialect row, Role role) {
    boolean ordinal = row.shapes().contains(RuntimeCallShape.ORDINAL_IS_CONTEXT);
    boolean returned = row.shapes().contains(RuntimeCallShape.TEXT_IS_RETURNED);
    boolean masked = row.shapes().contains(RuntimeCallShape.WAIT_HAS_MASK);
    String plain = SHAPES.get(role);
    ImmutableMap<Role, String> special =
        ImmutableMap.of(
            Role.SET_CURRENT, ordinal ? "i" : plain,
            Role.PEER_ENABLE, ordinal ? "ii" : plain,
            Role.ERROR_NAME, returned ? "i" : plain,
            Role.ERROR_TEXT, returned ? "i" : plain,
            Role.STREAM_CONTEXT, ordinal ? "p" : plain,
            Role.WAIT_VALUE, masked ? plain + "l" : plain);
    return special.getOrDefault(role, plain);
  }
}
