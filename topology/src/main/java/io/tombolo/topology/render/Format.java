// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Survey;
import io.tombolo.topology.io.TopologyJsonWriter;

/** The forms in which a topology can be shown. */
public enum Format {
  /** Matrices, clusters and a legend, for a terminal. */
  TEXT,
  /** Our own form, which can be read back. */
  JSON,
  /** NCCL's form, which can be read back too. */
  XML,
  /** Graphviz. */
  DOT,
  /** A picture. */
  SVG,
  /** A diagram that Markdown viewers draw. */
  MERMAID,
  /** A page with the picture and the text. */
  HTML;

  /** {@code survey} in this form, ending with a line break; {@code paint} is for text alone. */
  public String render(Survey survey, Paint paint) {
    return switch (this) {
      case TEXT -> TextRenderer.render(survey, paint);
      case JSON -> TopologyJsonWriter.write(survey.topology());
      case XML -> NcclXmlRenderer.render(survey);
      case DOT -> DotRenderer.render(survey);
      case SVG -> SvgRenderer.render(survey);
      case MERMAID -> MermaidRenderer.render(survey);
      case HTML -> HtmlRenderer.render(survey);
    };
  }
}
