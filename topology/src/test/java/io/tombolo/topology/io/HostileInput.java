// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import io.tombolo.topology.launch.LaunchEnvironment;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One input that must be refused.
 *
 * @param name what is wrong with it
 * @param reader who has to refuse it
 * @param text all of it
 */
record HostileInput(String name, Reader reader, String text) {

  /**
   * One of those that read what strangers wrote.
   *
   * @param name what it reads
   * @param read throws what is wrong
   */
  record Reader(String name, Consumer<String> read) {
    /** Topology files: our JSON, NCCL's and hwloc's XML, recorded systems. */
    static final Reader FILE = new Reader("file", text -> TopologyFile.parse(text, "input"));

    /** Simulated jobs. */
    static final Reader SPEC = new Reader("spec", Simulation::parse);

    /** Calibration files. */
    static final Reader CALIBRATION =
        new Reader("calibration", text -> CalibrationJson.read(text, "input"));

    /** What launchers leave in the environment: lines of NAME=value. */
    static final Reader LAUNCH =
        new Reader("launch", text -> LaunchEnvironment.of(variables(text)));

    private static Map<String, String> variables(String text) {
      Map<String, String> variables = new TreeMap<>();
      for (String line : text.lines().toList()) {
        variables.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
      }
      return variables;
    }
  }

  void read() {
    reader.read.accept(text);
  }
}
