// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.ras;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** What is answered to requests, as they stand on the wire. */
public class MetricsServerTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String RIGHT = "Authorization: Bearer " + SECRET + "\r\n";
  private static final String TEXT = "tombolo_job_well 1\n";
  private static final int LIMIT_MS = 30_000;

  private MetricsServer server;

  @BeforeMethod
  public void start() throws IOException {
    Path file = Files.createTempFile("metrics", ".token");
    Files.writeString(file, SECRET);
    server =
        MetricsServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            MetricsToken.read(file),
            () -> TEXT);
    Files.delete(file);
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    server.close();
  }

  @Test(timeOut = 60_000)
  public void shouldAnswerWhoKnowsTheToken() throws IOException {
    String answer = ask("GET /metrics HTTP/1.1", RIGHT);
    assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    assertTrue(
        answer.contains("Content-type: text/plain; version=0.0.4; charset=utf-8\r\n"), answer);
    assertTrue(answer.endsWith("\r\n\r\n" + TEXT), answer);
  }

  @Test(timeOut = 60_000)
  public void shouldTellStrangersNothing() throws IOException {
    for (String wrong :
        new String[] {
          "",
          "Authorization: Bearer \r\n",
          "Authorization: Basic " + SECRET + "\r\n",
          "Authorization: Bearer f" + SECRET.substring(1) + "\r\n",
          "Authorization: Bearer " + SECRET + "0\r\n",
        }) {
      for (String line : new String[] {"GET /metrics HTTP/1.1", "POST /other HTTP/1.1"}) {
        String answer = ask(line, wrong);
        assertTrue(answer.startsWith("HTTP/1.1 401 "), answer);
        assertFalse(answer.contains("tombolo"), answer);
      }
    }
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseWhatItDoesNotHave() throws IOException {
    assertStatus(404, ask("GET / HTTP/1.1", RIGHT));
    assertStatus(404, ask("GET /metrics/other HTTP/1.1", RIGHT));
    assertStatus(405, ask("DELETE /metrics HTTP/1.1", RIGHT));
    assertStatus(413, ask("POST /metrics HTTP/1.1", RIGHT + "Content-Length: 1000000000000\r\n"));
    assertStatus(413, ask("POST /metrics HTTP/1.1", RIGHT + "Transfer-Encoding: chunked\r\n"));
  }

  @Test(timeOut = 60_000)
  public void shouldRefuseRequestsThatAreTooLarge() throws IOException {
    String filling = "x".repeat(9 << 10);
    assertStatus(431, ask("GET /metrics HTTP/1.1", RIGHT + "Other: " + filling + "\r\n"));
    assertStatus(431, ask("GET /" + filling + " HTTP/1.1", RIGHT));
    ask("GET /metrics HTTP/1.1", RIGHT + "Other: " + "x".repeat(1 << 20) + "\r\n", false);
    ask("GET /metrics HTTP/1.1", RIGHT + "A: b\r\n".repeat(10_000), false);
    shouldAnswerWhoKnowsTheToken();
  }

  /** Each has a thread of the server's until its time is up. */
  @Test(timeOut = 60_000)
  public void shouldOutlastThoseWhoAskForNothing() throws IOException {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 16; i++) {
        Socket socket = connect();
        silent.add(socket);
        socket.getOutputStream().write("GET /met".getBytes(ISO_8859_1));
      }
      shouldAnswerWhoKnowsTheToken();
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  private static void assertStatus(int status, String answer) {
    assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), answer);
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.connect(server.address(), LIMIT_MS);
    socket.setSoTimeout(LIMIT_MS);
    return socket;
  }

  private String ask(String line, String headers) throws IOException {
    String answer = ask(line, headers, true);
    assertTrue(answer.startsWith("HTTP/1.1 "), answer);
    return answer;
  }

  /** All that comes back until the server ends the connection, which need not be an answer. */
  private String ask(String line, String headers, boolean isAnswered) throws IOException {
    try (Socket socket = connect()) {
      String request = line + "\r\nHost: here\r\nConnection: close\r\n" + headers + "\r\n";
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    } catch (IOException e) {
      if (isAnswered) {
        throw e;
      }
      return ""; // the server had enough of it
    }
  }
}
