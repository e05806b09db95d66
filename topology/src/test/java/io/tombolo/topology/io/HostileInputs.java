// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import io.tombolo.topology.Recorded;
import io.tombolo.topology.io.HostileInput.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Inputs that are broken in ways that have a name: each sound document is cut, and each of its
 * values replaced by what must not stand there; then those that want memory or time.
 */
final class HostileInputs {
  private static final int CUTS = 10;
  private static final String NCCL = Recorded.text("io/nccl-two-hosts.xml");
  private static final String HWLOC = Recorded.text("io/hwloc2.xml");
  private static final String JSON =
      TopologyJsonWriter.write(Simulation.parse("2x(2xNVIDIA,1x400G)")).strip();
  private static final String CALIBRATION =
      """
      {"format":"tombolo-calibration","version":1,"key":"k","host":"h","subject":"s",
      "measuredAt":"2026-01-31T12:00:00Z","paths":[{"kind":"fabric","name":"shm","from":0,"to":1,
      "network":false,"latencyPs":5,"megabytesPerSecond":7}]}""";

  private final List<HostileInput> inputs = new ArrayList<>();

  private HostileInputs() {}

  static List<HostileInput> all() {
    HostileInputs all = new HostileInputs();
    all.cuts("our JSON", Reader.FILE, JSON);
    all.cuts("NCCL", Reader.FILE, NCCL.strip());
    all.cuts("hwloc", Reader.FILE, HWLOC.strip());
    all.cuts("calibration", Reader.CALIBRATION, CALIBRATION);
    all.wrongTypes("our JSON", Reader.FILE, JSON);
    all.wrongTypes("calibration", Reader.CALIBRATION, CALIBRATION);
    for (String attribute :
        List.of("rank", "count", "speed", "port", "numaid", "busid", "affinity")) {
      all.wrongAttribute("NCCL", NCCL, " " + attribute);
    }
    all.wrongAttribute("NCCL's GPU", NCCL, "class=\"0x0302\\d\\d\" vendor");
    for (String attribute : List.of(" pci_busid", " pci_link_speed")) {
      all.wrongAttribute("hwloc", HWLOC, attribute);
    }
    all.wrongAttribute("hwloc's NUMA node", HWLOC, "type=\"NUMANode\" os_index");
    all.wrongAttribute("hwloc's NUMA node", HWLOC, "type=\"NUMANode\" os_index=\"0\" cpuset");
    all.wrongAttribute("hwloc's device", HWLOC, "pci_busid=\"0000:06:00.0\" pci_type");
    all.bombs();
    all.crowds();
    all.specs();
    all.launchers();
    return all.inputs;
  }

  private void add(String name, Reader reader, String text) {
    inputs.add(new HostileInput(name, reader, text));
  }

  /** A document that ends early, at places spread over it. */
  private void cuts(String what, Reader reader, String text) {
    for (int cut = 0; cut < CUTS; cut++) {
      int end = text.length() * cut / CUTS;
      add(what + " cut after " + end + " letters", reader, text.substring(0, end));
    }
  }

  /** Each member once as a value of every type that it does not have. */
  private void wrongTypes(String what, Reader reader, String json) {
    List<String> seen = new ArrayList<>();
    Matcher members =
        Pattern.compile("\"(\\w+)\": ?(\"[^\"]*\"|true|false|\\d+|\\[|\\{)").matcher(json);
    while (members.find()) {
      String value = members.group(2);
      if (seen.contains(members.group(1))) {
        continue;
      }
      seen.add(members.group(1));
      for (String other : othersThan(value)) {
        int end = value.matches("[\\[{]") ? json.length() : members.end(2);
        String rest = value.matches("[\\[{]") ? "}" : json.substring(end);
        String name = "%s with %s: %s".formatted(what, members.group(1), other);
        add(name, reader, json.substring(0, members.start(2)) + other + rest);
      }
    }
  }

  private static List<String> othersThan(String value) {
    return switch (value.charAt(0)) {
      case '"' -> List.of("7", "[]");
      case 't', 'f' -> List.of("\"true\"", "0");
      case '[', '{' -> List.of("7", "\"list\"");
      default -> List.of("\"1\"", "-2", "0.5", "1" + "0".repeat(30));
    };
  }

  /** The first value that follows {@code before}, as things that it cannot be. */
  private void wrongAttribute(String what, String xml, String before) {
    Matcher attribute = Pattern.compile(before + "=\"([^\"]*)\"").matcher(xml);
    if (!attribute.find()) {
      throw new IllegalStateException(what + " has no" + before);
    }
    for (String other : List.of("%%", "-77", "0x1g")) {
      String name = "%s with%s='%s'".formatted(what, before, other);
      String head = xml.substring(0, attribute.start(1));
      add(name, Reader.FILE, head + other + xml.substring(attribute.end(1)));
    }
  }

  private void bombs() {
    String doctype = "<!DOCTYPE s [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]>";
    add("entities in the text", Reader.FILE, doctype + "<system>&b;</system>");
    add("entities in an attribute", Reader.FILE, doctype + "<system><cpu numaid='&b;'/></system>");
    add(
        "an external entity",
        Reader.FILE,
        "<!DOCTYPE s [<!ENTITY a SYSTEM 'file:///dev/zero'>]><s/>");
    add("a parameter entity", Reader.FILE, "<!DOCTYPE s [<!ENTITY % a SYSTEM 'x'>%a;]><system/>");
    add("an unknown entity", Reader.FILE, "<system><cpu numaid='&lol;'/></system>");
    add("an abyss of XML", Reader.FILE, "<system>" + "<pci>".repeat(1_000_000));
    add("a desert of XML", Reader.FILE, "<system>" + "<pci/>".repeat(2_000_000) + "</system>");
    add(
        "an attribute of 4 MiB",
        Reader.FILE,
        "<system><cpu numaid='" + "1".repeat(4 << 20) + "'/>");
    add(
        "a million attributes",
        Reader.FILE,
        "<system " + many(1_000_000, i -> "a" + i + "='' ") + "/>");
    add("an abyss of JSON", Reader.FILE, "{\"a\":" + "[".repeat(4 << 20));
    add(
        "an endless number",
        Reader.FILE,
        topology("'hosts':[{'id':'h','machine':" + "9".repeat(1 << 20) + "}]"));
    add("a million exponents", Reader.FILE, machine("'numaNodes':[{'id':1e999999999}]"));
    add("an endless text", Reader.FILE, "{\"format\":\"" + "x".repeat(16 << 20));
    add("NUL bytes", Reader.FILE, "\u0000".repeat(1 << 20));
    add("only blanks", Reader.FILE, " ".repeat(1 << 20));
    add("a path of a million folders", Reader.FILE, "/a".repeat(1_000_000) + ": x");
    add("a path without content", Reader.FILE, "/sys/x");
    add(
        "a CPU list of a billion",
        Reader.FILE,
        machine("'numaNodes':[{'id':0,'cpus':'0-999999999'}]"));
    add(
        "a CPU mask of 4 MiB",
        Reader.FILE,
        NCCL.replaceFirst("affinity=\"", "$0" + "f".repeat(4 << 20)));
  }

  private void crowds() {
    add(
        "8 million ranks",
        Reader.FILE,
        topology("'ranks':[" + "[0,0],".repeat(8_000_000) + "[0,0]]"));
    add("a million hosts", Reader.FILE, topology("'hosts':[" + "{},".repeat(1_000_000) + "{}]"));
    add("a rank of 10⁹", Reader.FILE, NCCL.replace("rank=\"3\"", "rank=\"1000000000\""));
    add("a missing rank", Reader.FILE, NCCL.replace("rank=\"3\"", "rank=\"7\""));
    add("a rank twice", Reader.FILE, NCCL.replace("rank=\"3\"", "rank=\"0\""));
    add("an address twice", Reader.FILE, NCCL.replace("0000:26:00.0", "0000:05:00.0"));
    add("a GUID twice", Reader.FILE, machine("'nics':[" + nic("a") + "," + nic("b") + "]"));
    add("a device twice", Reader.FILE, machine("'bridges':[{'id':'a'}],'nics':[{'id':'a'}]"));
    add("a NUMA node twice", Reader.FILE, machine("'numaNodes':[{'id':1},{'id':1}]"));
    add(
        "a host twice",
        Reader.FILE,
        topology(
            "'machines':[{}],'hosts':[" + "{'id':'h','machine':0}," + "{'id':'h','machine':0}]"));
    add("a bridge above itself", Reader.FILE, machine("'bridges':[{'id':'a','parent':'a'}]"));
    add(
        "a cycle of 4000 bridges",
        Reader.FILE,
        machine(
            "'bridges':["
                + list(4_000, i -> "{'id':'" + i + "','parent':'" + (i + 1) % 4_000 + "'}")
                + "]"));
    add("an orphan", Reader.FILE, machine("'nics':[{'id':'n','parent':'a'}]"));
    add("a link to nowhere", Reader.FILE, machine("'vendorLinks':[{'a':'x','b':'y','kind':'NV'}]"));
    add(
        "a device without vendor",
        Reader.FILE,
        machine("'accelerators':[{'id':'a','vendor':' '}]"));
    add(
        "5000 devices",
        Reader.FILE,
        machine("'nics':[" + list(5_000, i -> "{'id':'" + i + "'}") + "]"));
    add(
        "4000 GPUs at one NVSwitch",
        Reader.FILE,
        "<system><cpu>" + many(4_000, HostileInputs::gpu) + "</cpu></system>");
    add(
        "30 000 boards of one host",
        Reader.FILE,
        "<topology><object type='Machine'>"
            + many(30_000, HostileInputs::board)
            + "</object></topology>");
    add(
        "a seat of nobody",
        Reader.FILE,
        topology("'machines':[{}],'hosts':[{'id':'h','machine':0}],'ranks':[[0,0]]"));
    add("a seat with three numbers", Reader.FILE, topology("'ranks':[[0,0,0]]"));
    add("a machine that is not there", Reader.FILE, topology("'hosts':[{'id':'h','machine':0}]"));
    add(
        "a calibration of 2 million paths",
        Reader.CALIBRATION,
        CALIBRATION.replace("[{", "[" + "{},".repeat(2_000_000) + "{"));
  }

  private static String nic(String id) {
    return "{'id':'" + id + "','ports':[{'guid':'1'}]}";
  }

  private static String gpu(int number) {
    return "<pci busid='%04x:00:00.0' class='0x030200' vendor='0x10de'><gpu dev='0'><nvlink target='ffff:ff:00.0' count='18' tclass='0x068000'/></gpu></pci>"
        .formatted(number);
  }

  private static String board(int number) {
    String id = "type='PCIDev' pci_busid='%04x:00:00.0'".formatted(number);
    String type = number == 0 ? "0680 [10de:22a3]" : "0302 [10de:2330]";
    return "<object " + id + " pci_type='" + type + "'/>";
  }

  private static String machine(String members) {
    return topology("'machines':[{" + members + "}]");
  }

  private static String topology(String members) {
    return ("{'format':'tombolo-topology','version':1," + members + "}").replace('\'', '"');
  }

  private static String many(int count, IntFunction<String> each) {
    return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining());
  }

  private static String list(int count, IntFunction<String> each) {
    return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining(","));
  }

  private void specs() {
    for (String spec :
        List.of(
            "",
            " ",
            ";",
            "()",
            "x",
            "8xNVIDIA",
            "2x()",
            "2x(",
            "2x)",
            "2x(8xNVIDIA",
            "(8xNVIDIA))",
            "2x((8xNVIDIA))",
            "2x(8xNVIDIA,)",
            "2x(,8xNVIDIA)",
            "2x(8xNVIDIA);",
            ";2x(8xNVIDIA)",
            "0x(8xNVIDIA)",
            "2x(0xNVIDIA)",
            "2x(1x0G)",
            "-1x(8xNVIDIA)",
            "2x(-8xNVIDIA)",
            "2x(8x400)",
            "2x(8x9999999G)",
            "1000000000x(8xNVIDIA)",
            "999999999x(1xA)",
            "9999999999999x(1xA)",
            "2x(1000000000xNVIDIA)",
            "2x(65xNVIDIA)",
            "2x(40xA,40x100G)",
            "1.5x(8xNVIDIA)",
            "2x(8xNVIDIA)(8xAMD)",
            "2y(8xNVIDIA)",
            "2x(8xÄ)",
            "2x(8x" + "A".repeat(40) + ")",
            "(1xa)" + ";(1xa)".repeat(1_000_000),
            "1000000x(8xA);1000000x(8xA)")) {
      add("simulated job " + (spec.length() > 40 ? "that is long" : spec), Reader.SPEC, spec);
    }
  }

  private void launchers() {
    String[][] voices = {
      {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
      {
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_SIZE"
      },
      {"PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE"},
      {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
      {
        "MV2_COMM_WORLD_RANK",
        "MV2_COMM_WORLD_SIZE",
        "MV2_COMM_WORLD_LOCAL_RANK",
        "MV2_COMM_WORLD_LOCAL_SIZE"
      },
    };
    for (String[] names : voices) {
      launch(names, "1", "x", "0", "1");
      launch(names, "one", "4", "0", "1");
      launch(names, "-1", "4", "0", "1");
      launch(names, "4", "4", "0", "1");
      launch(names, "1", "0", "0", "1");
      launch(names, "1", "99999999999999999999", "0", "1");
      launch(names, "1", "4", "2", "2");
      launch(names, "1", "4", "0x1", "2");
      launch(names, "1", "4", "0", "5");
      add("rank without size: " + names[0], Reader.LAUNCH, names[0] + "=1");
    }
    String sound = "RANK=1\nWORLD_SIZE=4\nLOCAL_RANK=1\nMASTER_ADDR=h\n";
    add("port 0", Reader.LAUNCH, sound + "MASTER_PORT=0");
    add("port 65536", Reader.LAUNCH, sound + "MASTER_PORT=65536");
    add("a port with letters", Reader.LAUNCH, sound + "MASTER_PORT=http");
    add(
        "two launchers, two sizes",
        Reader.LAUNCH,
        sound + "OMPI_COMM_WORLD_RANK=1\nOMPI_COMM_WORLD_SIZE=8");
    add("two launchers, two ranks", Reader.LAUNCH, sound + "PMI_RANK=2\nPMI_SIZE=4");
    add(
        "a module that is hidden",
        Reader.LAUNCH,
        sound + "HLS_MODULE_ID=3\nHABANA_VISIBLE_MODULES=0,1");
  }

  private void launch(String[] names, String... values) {
    add(
        "%s=%s of %s, local %s of %s"
            .formatted(names[0], values[0], values[1], values[2], values[3]),
        Reader.LAUNCH,
        IntStream.range(0, names.length)
            .mapToObj(i -> names[i] + "=" + values[i])
            .collect(Collectors.joining("\n")));
  }
}
