// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

import com.google.common.base.Splitter;
import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import io.tombolo.base.errors.UsageException;
import io.tombolo.tensors.layout.MeshAxis.Chunks;
import io.tombolo.tensors.layout.MeshAxis.Lengths;
import io.tombolo.tensors.layout.MeshAxis.Parts;
import io.tombolo.tensors.layout.MeshAxis.Replicated;
import io.tombolo.tensors.layout.MeshAxis.Sharded;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A layout as people write it: {@code 4096x1024/R:2,S0:4@8xnvidia+16}.
 *
 * <pre>
 * SHAPE/AXIS,AXIS,…@PLACES
 * SHAPE   4096x1024       the tensor; may be left out if it is known
 * AXIS    S0:4            dimension 0 in 4 parts, as torch's Shard(0) cuts it
 *         S0:3+5          dimension 0 in parts of 3 and 5
 *         SS0:2           as S0:2, but cut after the axes that follow: torch's _StridedShard
 *         R:2             2 replicas
 * PLACES  8xnvidia+16     8 ranks on each host, all of vendor nvidia, in its processes from number 16 on
 *                         (default: all on one host, from 0 on)
 * </pre>
 *
 * @param shape of the tensor, if it was given
 * @param axes of the mesh
 * @param vendor of all ranks
 * @param ranksPerHost how many processes of the vendor share a host; empty for all
 * @param firstProcess the number of rank 0's process among those of the vendor
 */
public record LayoutSpec(
    Optional<ImmutableLongArray> shape,
    ImmutableList<MeshAxis> axes,
    String vendor,
    Optional<Integer> ranksPerHost,
    int firstProcess) {
  private static final Pattern SPEC =
      Pattern.compile(
          "(?<shape>[0-9]{1,18}(x[0-9]{1,18})*)?"
              + "(/(?<axes>[^@/]+))?"
              + "(@((?<perHost>[1-9][0-9]{0,5})x)?(?<vendor>[a-z][a-z0-9_-]*)(\\+(?<first>[0-9]{1,7}))?)?");
  private static final Pattern AXIS =
      Pattern.compile(
          "R:(?<replicas>[1-9][0-9]{0,6})"
              + "|(?<strided>S)?S(?<dim>[0-9]):"
              + "((?<parts>[1-9][0-9]{0,6})|(?<lengths>[0-9]{1,18}(\\+[0-9]{1,18})+))");

  /** The layout that {@code text} describes; a {@link UsageException} tells the form. */
  public static LayoutSpec parse(String text) {
    Matcher spec = SPEC.matcher(text);
    if (text.isEmpty() || !spec.matches()) {
      throw wrong(text, text);
    }
    ImmutableList.Builder<MeshAxis> axes = ImmutableList.builder();
    for (String axis : Splitter.on(',').splitToList(Strings.nullToEmpty(spec.group("axes")))) {
      if (spec.group("axes") != null) {
        axes.add(axis(axis, text));
      }
    }
    return new LayoutSpec(
        Optional.ofNullable(spec.group("shape")).map(shape -> numbers(shape, 'x')),
        axes.build(),
        Optional.ofNullable(spec.group("vendor")).orElse("any"),
        Optional.ofNullable(spec.group("perHost")).map(Integer::valueOf),
        Optional.ofNullable(spec.group("first")).map(Integer::valueOf).orElse(0));
  }

  private static MeshAxis axis(String text, String spec) {
    Matcher axis = AXIS.matcher(text);
    if (!axis.matches()) {
      throw wrong(text, spec);
    }
    if (axis.group("replicas") != null) {
      return new Replicated(Integer.parseInt(axis.group("replicas")));
    }
    Parts parts =
        axis.group("parts") == null
            ? new Lengths(numbers(axis.group("lengths"), '+'))
            : new Chunks(Integer.parseInt(axis.group("parts")));
    return new Sharded(Integer.parseInt(axis.group("dim")), parts, axis.group("strided") != null);
  }

  private static ImmutableLongArray numbers(String text, char separator) {
    return ImmutableLongArray.copyOf(
        Splitter.on(separator).splitToStream(text).mapToLong(Long::parseLong));
  }

  private static UsageException wrong(String part, String spec) {
    return new UsageException(
        "a layout is SHAPE/AXES@PLACES, for example 4096x1024/R:2,S0:4@8xnvidia; got '"
            + part
            + (part.equals(spec) ? "'" : "' in '" + spec + "'"));
  }

  /**
   * The layout of a tensor of this shape.
   *
   * @param tensor the shape, unless this specification has its own
   * @param oneHost whether all vendors share one host; otherwise each has its own
   */
  public TensorLayout layout(long[] tensor, boolean oneHost) {
    int size = axes.stream().mapToInt(MeshAxis::size).reduce(1, LayoutSpec::product);
    List<Place> places =
        IntStream.range(0, size).mapToObj(rank -> place(firstProcess + rank, oneHost)).toList();
    try {
      return TensorLayout.ofMesh(
          Box.whole(shape.map(ImmutableLongArray::toArray).orElse(tensor)), axes, places);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new UsageException("no such layout is possible: " + e.getMessage(), e);
    }
  }

  private Place place(int process, boolean oneHost) {
    String host =
        oneHost
            ? "this host"
            : vendor + " host " + (ranksPerHost.isEmpty() ? 0 : process / ranksPerHost.get());
    return new Place(vendor + " process " + process, host, vendor);
  }

  private static int product(int left, int right) {
    try {
      return Math.multiplyExact(left, right);
    } catch (ArithmeticException e) {
      throw new UsageException("a mesh of more than 2³¹ ranks", e);
    }
  }
}
