// SPDX-License-Identifier: Apache-2.0
/** What is there and who belongs together; start at {@link io.tombolo.topology.Survey}. */
module io.tombolo.topology {
  requires transitive io.tombolo.base;
  requires com.google.gson;
  requires java.xml;

  exports io.tombolo.topology;
  exports io.tombolo.topology.calibration;
  exports io.tombolo.topology.detect;
  exports io.tombolo.topology.io;
  exports io.tombolo.topology.launch;
  exports io.tombolo.topology.machine;
  exports io.tombolo.topology.render;

  uses io.tombolo.topology.detect.DeviceProbe;
}
