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
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Topology</title>
      <style>
      body { font: 15px/1.5 system-ui, sans-serif; color: #22262b; background: #fff;
             max-width: 1240px; margin: 2rem auto; padding: 0 1rem; }
      svg { width: 100%; height: auto; }
      pre { font: 12.5px/1.45 ui-monospace, monospace; background: #f6f7f9; border-radius: 10px;
            padding: 1rem; overflow-x: auto; }
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
