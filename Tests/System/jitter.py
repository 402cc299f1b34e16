"""A road over TCP on which every piece takes its own time."""

import queue
import random
import socket
import threading
import time


class JitterRoad:
    """Passes connections on to a port of this machine, each piece up to `most` seconds late.

    The order stays, as it does on any TCP connection.
    """

    def __init__(self, port, most, seed=1):
        self.target, self.most, self.random = port, most, random.Random(seed)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets = [self.listener]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.sockets += [near, far]
            for one, other in ((near, far), (far, near)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                pieces = queue.SimpleQueue()
                threading.Thread(target=self.take, args=(one, pieces), daemon=True).start()
                threading.Thread(target=self.give, args=(other, pieces), daemon=True).start()

    def take(self, source, pieces):
        while True:
            try:
                piece = source.recv(65_536)
            except OSError:
                piece = b""
            pieces.put((time.monotonic() + self.random.uniform(0, self.most), piece))
            if not piece:
                return

    def give(self, target, pieces):
        while True:
            due, piece = pieces.get()
            time.sleep(max(0, due - time.monotonic()))
            try:
                if not piece:
                    return target.shutdown(socket.SHUT_WR)
                target.sendall(piece)
            except OSError:
                return

    def close(self):
        for one in self.sockets:
            one.close()
