// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import com.google.common.io.BaseEncoding;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;

/** A client of the unprotected port that shows the bytes it gets. */
final class Peer implements AutoCloseable {
  private static final int MARK = 0x7E57C0DE;
  private static final String MARK_HEX = "dec0577e";
  private static final int TIMEOUT_MS = 60_000;

  private final Socket socket;

  Peer(TcpStoreServer server) throws IOException {
    socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.setSoTimeout(TIMEOUT_MS);
    byte[] validate = {StoreProtocol.VALIDATE, (byte) 0xCE, (byte) 0xF7, (byte) 0x85, 0x3C};
    socket.getOutputStream().write(validate);
  }

  void send(Request request) throws IOException {
    socket.getOutputStream().write(request.toBytes());
  }

  /**
   * The whole reply as hexadecimal digits: all that comes before the echo of a PING sent after it.
   */
  String ask(Request request) throws IOException {
    send(request);
    send(new Request.Ping(MARK));
    ByteArrayOutputStream reply = new ByteArrayOutputStream();
    while (!hex(reply).endsWith(MARK_HEX)) {
      reply.write(read());
    }
    return hex(reply).substring(0, hex(reply).length() - MARK_HEX.length());
  }

  /** One byte that the server sends by itself. */
  String receive() throws IOException {
    ByteArrayOutputStream reply = new ByteArrayOutputStream();
    reply.write(read());
    return hex(reply);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private int read() throws IOException {
    int octet = socket.getInputStream().read();
    if (octet < 0) {
      throw new IOException("the server closed the connection");
    }
    return octet;
  }

  private static String hex(ByteArrayOutputStream bytes) {
    return BaseEncoding.base16().lowerCase().encode(bytes.toByteArray());
  }
}
