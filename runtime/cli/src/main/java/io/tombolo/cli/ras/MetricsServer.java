// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.net.HttpHeaders;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tombolo.base.errors.UnavailableException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Gives a text to those who know a token, by HTTP at {@code /metrics}. What others ask for is
 * refused before it is looked at. Thread-safe.
 */
final class MetricsServer implements AutoCloseable {
  private static final String PATH = "/metrics";

  /**
   * One for each that may be connected: one that says nothing has a thread until its time is up.
   */
  private static final int MAX_CONNECTIONS = 64;

  private static final int MAX_REQUEST_BYTES = 8 << 10;
  private static final int TOO_LARGE = 431;
  private static final int NOTHING = -1;

  /** Of the JDK's server: seconds for a request and for its answer, and how much it keeps. */
  private static final Map<String, String> BOUNDS =
      Map.of(
          "sun.net.httpserver.maxReqTime", "5",
          "sun.net.httpserver.maxRspTime", "10",
          "sun.net.httpserver.maxReqHeaders", "64",
          "sun.net.httpserver.maxReqHeaderSize", "16384",
          "jdk.httpserver.maxConnections", Integer.toString(MAX_CONNECTIONS));

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          MAX_CONNECTIONS,
          task -> {
            Thread thread = new Thread(task, "tombolo-metrics");
            thread.setDaemon(true);
            return thread;
          });
  private final MetricsToken token;
  private final Supplier<String> text;

  private MetricsServer(HttpServer server, MetricsToken token, Supplier<String> text) {
    this.server = server;
    this.token = token;
    this.text = text;
  }

  /**
   * Listens at {@code address}, until it is closed.
   *
   * @throws UnavailableException if it cannot
   */
  static MetricsServer start(InetSocketAddress address, MetricsToken token, Supplier<String> text) {
    BOUNDS.forEach((name, value) -> System.setProperty(name, System.getProperty(name, value)));
    try {
      MetricsServer metrics = new MetricsServer(HttpServer.create(address, 0), token, text);
      metrics.server.createContext("/", metrics::answer);
      metrics.server.setExecutor(metrics.threads);
      metrics.server.start();
      return metrics;
    } catch (IOException e) {
      throw new UnavailableException(
          "cannot listen at %s: %s; choose another port".formatted(address, e.getMessage()), e);
    }
  }

  /** Where it listens. */
  InetSocketAddress address() {
    return server.getAddress();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      int status = status(exchange);
      byte[] body = status == HttpURLConnection.HTTP_OK ? text.get().getBytes(UTF_8) : new byte[0];
      Headers headers = exchange.getResponseHeaders();
      headers.set(HttpHeaders.CACHE_CONTROL, "no-store");
      if (status == HttpURLConnection.HTTP_UNAUTHORIZED) {
        headers.set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
      }
      if (body.length == 0) {
        headers.set(HttpHeaders.CONNECTION, "close"); // nothing more of it is read
        exchange.sendResponseHeaders(status, NOTHING);
      } else {
        headers.set(HttpHeaders.CONTENT_TYPE, MetricsText.CONTENT_TYPE);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
      }
    }
  }

  private int status(HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    if (sizeBytes(exchange) > MAX_REQUEST_BYTES) {
      return TOO_LARGE;
    }
    String shown = headers.getFirst(HttpHeaders.AUTHORIZATION);
    if (!token.isShownBy(shown == null ? "" : shown)) {
      return HttpURLConnection.HTTP_UNAUTHORIZED;
    }
    if (hasBody(headers)) {
      return HttpURLConnection.HTTP_ENTITY_TOO_LARGE;
    }
    if (!exchange.getRequestMethod().equals("GET")) {
      return HttpURLConnection.HTTP_BAD_METHOD;
    }
    return exchange.getRequestURI().getPath().equals(PATH)
        ? HttpURLConnection.HTTP_OK
        : HttpURLConnection.HTTP_NOT_FOUND;
  }

  private static long sizeBytes(HttpExchange exchange) {
    long headers =
        exchange.getRequestHeaders().entrySet().stream()
            .mapToLong(
                header ->
                    header.getValue().stream()
                        .mapToLong(value -> header.getKey().length() + (long) value.length())
                        .sum())
            .sum();
    return headers + exchange.getRequestURI().toString().length();
  }

  private static boolean hasBody(Headers headers) {
    String length = headers.getFirst(HttpHeaders.CONTENT_LENGTH);
    return headers.containsKey(HttpHeaders.TRANSFER_ENCODING)
        || (length != null && !length.equals("0"));
  }

  /** Ends it; what is being answered ends with it. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
