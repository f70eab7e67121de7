"""Handshakes of WebSockets with headers of the test's choice, as browsers and Starscream send them."""

import socket

TARGET = "/socket.io/?EIO=4&transport=websocket"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="


def starscream(*, host, origin, compression=False):
    """The head that Starscream 4, the WebSocket of socket.io-client-swift 16, sends.

    It always names the port in `Host`. `Origin` is the beginning of the URL that it connects to, with the port only if
    that URL has one.
    """
    extensions = (
        "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits; server_max_window_bits=15\r\n"
        if compression else "")
    return (f"GET {TARGET} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Origin: {origin}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n{extensions}\r\n")


def status(port, head, tls=None):
    """The status of the answer to a head, sent to a port of this machine."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        if tls:
            with tls.client_context().wrap_socket(connection, server_hostname="localhost") as wrapped:
                return exchange(wrapped, head)
        return exchange(connection, head)


def exchange(connection, head):
    connection.sendall(head.encode())
    answer = b""
    while b"\r\n" not in answer:
        block = connection.recv(4096)
        assert block, f"the connection ended after {answer!r}"
        answer += block
    return int(answer.split()[1])
