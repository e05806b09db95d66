// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Survey;

/** One page without anything from outside: the picture, then the text. */
final class HtmlRenderer {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="color-scheme" content="light dark">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Topology</title>
      <style>
      body { font: 15px/1.5 system-ui, sans-serif; color: #22262b; background: #ffffff;
             max-width: 1640px; margin: 2rem auto; padding: 0 1rem; }
      svg { display: block; width: 100%; max-width: 1266px; height: auto; margin: 0 auto 1.5rem;
            border-radius: 10px; }
      pre { font: 12px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; background: #f6f7f9;
            border-radius: 10px; padding: 1rem; overflow-x: auto; }
      @media (prefers-color-scheme: dark) {
        body { color: #d9dee4; background: #0f1216; }
        pre { background: #14181d; }
      }
      </style>
      </head>
      <body>
      """;

  private HtmlRenderer() {}

  static String render(Survey survey) {
    String text = Escape.html(TextRenderer.render(survey, Paint.NONE));
    return HEAD + SvgRenderer.render(survey) + "<pre>" + text + "</pre>\n</body>\n</html>\n";
  }
}
