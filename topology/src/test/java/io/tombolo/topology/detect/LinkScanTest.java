// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableTable;
import io.tombolo.topology.Recorded;
import io.tombolo.topology.machine.VendorLink;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/** Each vendor's links, from whoever tells of them; and that it is said where nobody does. */
public class LinkScanTest {
  private static final Pattern NVLINK = Pattern.compile("NV(\\d{1,3})");

  /** As of a DGX-1 with NICs between: links differ from pair to pair, and some pairs have none. */
  private static final String DGX1 =
      """
      \tGPU0\tGPU1\tGPU2\tmlx5_0\tCPU Affinity
      GPU0\t X \tNV1\tSYS\tPIX\t0-19,40-59
      GPU1\tNV1\t X \tNV2\tPIX\t0-19,40-59
      GPU2\tSYS\tNV2\t X \tPHB\t20-39
      mlx5_0\tPIX\tPIX\tPHB\t X

      Legend:
        NV#  = Connection traversing a bonded set of # NVLinks
      """;

  private static String text(String machine) {
    return Recorded.text("machines/" + machine + ".txt");
  }

  private static Detection.Found look(String text) {
    return Detection.look(RecordedFiles.parse(text, "it"));
  }

  private static String without(String text, String words) {
    return text.lines().filter(line -> !line.contains(words)).collect(Collectors.joining("\n"));
  }

  @Test
  public void shouldReadXeLinkFromItsTool() {
    Detection.Found found = look(text("max1550"));
    assertEquals(
        found.host().machine().vendorLinks(),
        List.of(
            new VendorLink(
                "0000:2a:00.0", "0000:9b:00.0", "XE", 32, 360_000, "xpu-smi topology -m")));
    assertEquals(
        found.linkSources(), List.of(new LinkSource("Xe Link", "xpu-smi topology -m", "")));
  }

  @Test
  public void shouldSayThatXeLinkHasPortsWhoseNeighboursNobodyNames() {
    Detection.Found found = look(without(text("max1550"), "xpu-smi topology"));
    assertEquals(found.host().machine().vendorLinks(), List.of());
    LinkSource source = found.linkSources().get(0);
    assertFalse(source.isKnown());
    assertTrue(source.fix().contains("xpu-smi"), source.fix());
  }

  @Test
  public void shouldNotSpeakOfXeLinkWhereCardsHaveNone() {
    assertEquals(look(without(text("max1550"), "iaf")).linkSources().size(), 0);
  }

  @Test
  public void shouldBelieveNvidiaSmiRatherThanTheBoards() {
    StringBuilder matrix = new StringBuilder();
    for (int gpu = 0; gpu < 8; gpu++) {
      matrix.append(gpu == 0 ? "\\u001b[4mGPU0" : "\\tGPU" + gpu);
    }
    for (int gpu = 0; gpu < 8; gpu++) {
      matrix.append("\\nGPU").append(gpu).append(gpu == 0 ? "\\tX\\tNV4" : "\\tNV4\\tX");
    }
    String tool = "$ nvidia-smi topo -m: " + matrix.toString().replace("\\t", "\t");
    Detection.Found found = look(text("dgx-h100") + tool.replace("\\u001b", "\u001b") + "\n");
    VendorLink first = found.host().machine().vendorLinks().get(0);
    assertEquals(first.symbol(), "NV4");
    assertEquals(first.megabytesPerSecond(), 100_000);
    assertEquals(first.source(), "nvidia-smi topo -m");
  }

  @Test
  public void shouldConcludeNvlinkFromBoardsWhereTheToolIsSilentOrCountsOthers() {
    assertEquals(
        look(text("dgx-h100")).linkSources(), List.of(new LinkSource("NVLink", "known board", "")));
    String other = "$ nvidia-smi topo -m: " + DGX1.replace("\n", "\\n") + "\n";
    assertEquals(look(text("dgx-h100") + other).linkSources().get(0).from(), "known board");
  }

  @Test
  public void shouldReadXgmiFromTheKernel() {
    assertEquals(look(text("mi300x")).linkSources(), List.of(new LinkSource("XGMI", "kfd", "")));
  }

  @Test
  public void shouldReadAMatrixInWhichPairsDiffer() {
    LinkMatrix matrix = LinkMatrix.parse(DGX1, NVLINK);
    assertEquals(matrix.size(), 3);
    assertEquals(matrix.links(), ImmutableTable.builder().put(0, 1, 1).put(1, 2, 2).build());
  }

  @Test
  public void shouldReadNothingFromOtherText() {
    for (String text :
        List.of("", "GPU0", "No devices were found", "GPU0 GPU1\nGPU99999999999 NV1")) {
      assertEquals(LinkMatrix.parse(text, NVLINK).links().size(), 0, text);
    }
  }
}
