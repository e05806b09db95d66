// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.Recorded;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Broken and hostile documents end with one clear error, soon and in bounded memory. */
public class MalformedTest {
  private static final int MUTANTS = 180;
  private static final String NCCL = Recorded.text("io/nccl-two-hosts.xml");
  private static final String HWLOC = Recorded.text("io/hwloc2.xml");

  @DataProvider
  public Object[][] documents() {
    return new Object[][] {
      {"nothing", "", "is no topology"},
      {"prose", "hello", "is no topology"},
      {"binary", "\u0000\u0001", "is no topology"},
      {"cut XML", "<system><cpu", "is not XML"},
      {"two roots", "<system/><system/>", "is not XML"},
      {"other XML", "<svg/>", "is the root of neither"},
      {"empty system", "<system/>", "has no <cpu>"},
      {"empty hwloc", "<topology/>", "has no <object>"},
      {"bomb", bomb(), "declares XML entities"},
      {
        "external entity",
        "<!DOCTYPE s [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><system>&x;</system>",
        "declares XML entities"
      },
      {"spelt out of sight", "<!DOCTYPE s SYSTEM 'file:///etc/passwd'><system>&x;</system>", "XML"},
      {"abyss", "<system>" + "<pci>".repeat(5_000), "levels"},
      {"desert", "<system>" + "<pci/>".repeat(110_000) + "</system>", "elements"},
      {"missing rank", NCCL.replace("rank=\"3\"", "rank=\"7\""), "has no rank 3"},
      {"rank twice", NCCL.replace("rank=\"3\"", "rank=\"0\""), "rank 0 to two accelerators"},
      {"rank of 10⁹", NCCL.replace("rank=\"3\"", "rank=\"1000000000\""), "not a whole number"},
      {"rank of 10³⁰", NCCL.replace("rank=\"3\"", "rank=\"1" + "0".repeat(30) + "\""), "whole"},
      {"same address", NCCL.replace("0000:26:00.0", "0000:05:00.0"), "appears twice"},
      {"no address", NCCL.replace("busid=\"0000:18:00.0\"", ""), "has no attribute 'busid'"},
      {"bad address", NCCL.replace("\"0000:18:00.0\"", "\"zz\""), "is not a PCI address"},
      {"bad mask", NCCL.replace("00ffffff,", "%%,"), "no hexadecimal digit"},
      {"negative links", NCCL.replace("count=\"5\"", "count=\"-5\""), "count='-5'"},
      {"many links", NCCL.replace("count=\"5\"", "count=\"2000000000\""), "count='2000000000'"},
      {"fast NIC", NCCL.replace("\"400000\"", "\"99999999999\""), "speed='99999999999'"},
      {
        "duplicate GUID",
        "{'format':'tombolo-topology','version':1,'machines':[{'nics':["
            + "{'id':'a','ports':[{'guid':'1'}]},{'id':'b','ports':[{'guid':'1'}]}]}]}",
        "have the same GUID 1"
      },
      {"negative hwloc speed", HWLOC.replace("\"31.507692\"", "\"-1\""), "pci_link_speed"},
      {"hwloc without type", HWLOC.replace("pci_type=\"0302", "pci_type=\"gpu"), "pci_type"},
      {"cut JSON", "{\"format\":", "is not JSON"},
      {"JSON of others", "{}", "is not a topology"},
      {"future", "{'format':'tombolo-topology','version':99}", "has version 99"},
      {"nested JSON", "{'a':" + "[".repeat(100_000), "is not JSON"},
      {
        "bridge above itself",
        machine("'bridges':[{'id':'a','parent':'b'},{'id':'b','parent':'a'}]"),
        "is above itself"
      },
      {"orphan", machine("'nics':[{'id':'n','parent':'a'}]"), "which is no bridge"},
      {"no NUMA", machine("'nics':[{'id':'n','numaNode':3}]"), "which does not exist"},
      {"link to nowhere", machine("'vendorLinks':[{'a':'x','b':'y','kind':'NV'}]"), "no acc"},
      {"many CPUs", machine("'numaNodes':[{'id':0,'cpus':'0-999999999'}]"), "not a number from"},
      {"wrong kind", machine("'nics':7"), "machines[0].nics is not a list"},
      {"fraction", machine("'numaNodes':[{'id':0.5}]"), "not a whole number"},
      {"huge number", machine("'numaNodes':[{'id':1e999999999}]"), "whole"},
      {"not a recording", "/sys/x", "line 1"},
    };
  }

  private static String machine(String members) {
    return "{'format':'tombolo-topology','version':1,'machines':[{" + members + "}]}";
  }

  private static String bomb() {
    StringBuilder bomb = new StringBuilder("<!DOCTYPE s [<!ENTITY a0 'ha'>");
    for (int i = 1; i < 40; i++) {
      bomb.append("<!ENTITY a").append(i).append(" '&a").append(i - 1).append(";&a");
      bomb.append(i - 1).append(";'>");
    }
    return bomb.append("]><system>&a39;</system>").toString();
  }

  @Test(dataProvider = "documents", timeOut = 60_000)
  public void shouldSayWhatIsWrong(String name, String text, String complaint) {
    String document = text.startsWith("{'") ? text.replace('\'', '"') : text;
    UsageException error =
        expectThrows(UsageException.class, () -> TopologyFile.parse(document, name));
    assertTrue(error.getMessage().contains(complaint), error.getMessage());
    assertTrue(error.getMessage().length() < 1_000, "a complaint, not the document");
  }

  @DataProvider
  public Object[][] specs() {
    return new Object[][] {
      {""},
      {"8xNVIDIA"},
      {"1000000000x(8xNVIDIA,8x400G)"},
      {"999999999999999999x(1xA)"},
      {"2x(1000000000xNVIDIA)"},
      {"2x()"},
      {"2x(8xNVIDIA,)"},
      {"0x(8xNVIDIA)"},
      {"2x(0xNVIDIA)"},
      {"2x(8xNVIDIA"},
      {"2x(8xNVIDIA);"},
      {"2x((8xNVIDIA))"},
      {"2x(8x400)"},
      {"2x(8x9999999G)"},
      {"-1x(8xNVIDIA)"},
      {"(1xa)" + ";(1xa)".repeat(100_000)},
    };
  }

  @Test(dataProvider = "specs", timeOut = 60_000)
  public void shouldShowAnExampleWhenASpecIsWrong(String spec) {
    UsageException error = expectThrows(UsageException.class, () -> Simulation.parse(spec));
    assertTrue(error.getMessage().startsWith("simulated topology"), error.getMessage());
  }

  @DataProvider
  public Object[][] originals() {
    return new Object[][] {
      {NCCL},
      {HWLOC},
      {Recorded.text("machines/plain.txt")},
      {TopologyJsonWriter.write(Simulation.parse("2x(2xNVIDIA,1x400G)"))},
    };
  }

  /** A mutant is read, or refused with a complaint; nothing else. */
  @Test(dataProvider = "originals", timeOut = 60_000)
  public void shouldReadOrRefuseWhateverHappenedToADocument(String original) {
    List<String> surprises = new ArrayList<>();
    for (int seed = 0; seed < MUTANTS; seed++) {
      String mutant = mutate(original, new Random(seed));
      try {
        TopologyFile.parse(mutant, "mutant");
      } catch (UsageException e) {
        assertTrue(e.getMessage().length() < 1_000, "seed " + seed);
      } catch (RuntimeException e) {
        surprises.add("seed " + seed + ": " + e);
      }
    }
    assertEquals(surprises, List.of());
  }

  private static String mutate(String text, Random random) {
    StringBuilder mutant = new StringBuilder(text);
    for (int i = 0; i <= random.nextInt(4); i++) {
      int at = random.nextInt(mutant.length());
      int end = Math.min(mutant.length(), at + random.nextInt(40));
      switch (random.nextInt(5)) {
        case 0 -> mutant.delete(at, end);
        case 1 -> mutant.insert(at, mutant.substring(at, end));
        case 2 -> mutant.setCharAt(at, (char) ('!' + random.nextInt(90)));
        case 3 -> mutant.insert(at, random.nextLong());
        default -> mutant.setLength(at + 1);
      }
    }
    return mutant.toString();
  }
}
