#!/usr/bin/python3
"""Makes the captures of Fixtures/captures anew: real nodes in hosts of namespaces, real tools.

    Tests/System/make_captures.py [--golden]

Needs root, tcpdump and dumpcap; the programs are those of .build/debug. With --golden only what
airlink-packetdump shows of them is written anew, beside each: read the difference before you
commit it. Bluetooth in pcap is synthesised from a real node's packets (what btmon writes is made by
bluetooth_exchange.py, in a machine with adapters), loopback (which Linux does not write)
and VLAN tags are put around what tcpdump captured; Fixtures/captures/README.md says which is which.
"""

import json
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time

import airlink_wire
import node
from lab import Lab

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "Fixtures" / "captures"
LIMIT = 60


def chat(folder, first, second, address, port, *arguments):
    """Two nodes find each other over `address`, a message goes and its receipt comes."""
    listen = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    ada = node.Node(folder / "Ada", "--name", "Ada", "--discovery", "off", "--listen",
                    f"[::]:{port}" if ":" in address else listen, *arguments, host=first).start()
    ada.ready()
    peer = listen.replace("]", "%eth0]") if address.startswith("fe80") else listen
    ben = node.Node(folder / "Ben", "--name", "Ben", "--discovery", "off", "--peer", peer,
                    host=second).start()
    ben.ready()
    ben.expect(event="peer", number=ada.number)
    ben.send(cmd="send", to=ada.number, text="a text of some length, to be read in a capture",
             ref="1")
    ben.expect(event="state", ref="1", state="delivered")
    for one in (ben, ada):
        one.quit()


class Tool:
    """tcpdump or dumpcap at work on a host."""

    def __init__(self, host, command, ready):
        self.process = host.start(command, stderr=subprocess.PIPE)
        while ready not in (line := self.process.stderr.readline()):
            assert line, f"{command} ended"

    def stop(self, host, name):
        time.sleep(1.5)  # what the kernel still holds
        host.run(["pkill", "-INT", "-x", name])
        self.process.wait(LIMIT)


def tcpdump(host, file, *arguments):
    return Tool(host, ["tcpdump", "--immediate-mode", "-U", "-n", "-w", str(file), *arguments], b"listening on")


def captured(folder, name, *arguments, link="10.0", prepare=lambda lab, a, b: None, port=47474,
             family="inet", tool="tcpdump"):
    with Lab() as lab:
        first, second = lab.host("a"), lab.host("b")
        lab.segment(first, second)
        address = prepare(lab, first, second)
        if family == "inet6":
            first.wait_for_link_local()
            second.wait_for_link_local()
        address = address or first.addresses(family)[0]
        made = folder / name
        if tool == "dumpcap":
            running = Tool(first, ["dumpcap", "-q", "-w", str(made), *arguments], b"File: ")
        else:
            running = tcpdump(first, made, *arguments)
        home = folder / (name + ".homes")
        home.mkdir()
        chat(home, first, second, address, port)
        running.stop(first, tool)
    (CAPTURES / name).write_bytes(made.read_bytes())
    print(name, made.stat().st_size, "bytes")


TUNNEL = """
import fcntl, os, select, socket, struct, sys
here, there = sys.argv[1], sys.argv[2]
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", b"tunnel", 0x1001))  # TUNSETIFF, no header
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((here, 6000))
print("up", flush=True)
while True:
    for ready in select.select([tun, s], [], [])[0]:
        if ready is s:
            os.write(tun, s.recv(2000))
        else:
            s.sendto(os.read(tun, 2000), (there, 6000))
"""


def tunnel(lab, first, second):
    """IP through an interface without a link layer."""
    addresses = [host.addresses()[0] for host in (first, second)]
    for place, host in enumerate((first, second)):
        relay = host.start(["/usr/bin/python3", "-c", TUNNEL, addresses[place],
                            addresses[1 - place]], stdout=subprocess.PIPE)
        relay.stdout.readline()
        host.run(["ip", "address", "add", f"10.99.0.{place + 1}/24", "dev", "tunnel"])
        host.run(["ip", "link", "set", "tunnel", "up"])
    return "10.99.0.1"


def call(folder):
    """Two nodes call each other: over the mesh, by the direct road, and after it was cut by the mesh again."""
    with Lab() as lab:
        first, second = lab.host("a"), lab.host("b")
        lab.segment(first, second)
        made = folder / "frames.pcap"
        # What finds the nodes for each other is not what this is about.
        running = tcpdump(first, made, "-i", "eth0", "ip", "and", "not", "port", "5353")
        words = ["--discovery", "embedded"]
        ada = node.Node(folder / "call-Ada", "--name", "Ada", *words, host=first).start()
        ben = node.Node(folder / "call-Ben", "--name", "Ben", *words, host=second).start()
        for one in (ada, ben):
            one.ready()
        for one, other in ((ada, ben), (ben, ada)):
            one.expect(event="peer", number=other.number)
        ada.send(cmd="call", to=ben.number)
        ben.expect(event="call", state="ringing")
        ben.send(cmd="answer")
        for one in (ada, ben):
            one.expect(event="call", state="connected", road="direct")
        time.sleep(3)
        first.run(["nft", "add table inet cut; add chain inet cut in { type filter hook input "
                   "priority 0; }; add rule inet cut in ip protocol udp drop"])
        ada.expect(event="call", state="connected", road="mesh")
        time.sleep(1)
        ben.send(cmd="hangup")
        for one in (ada, ben):
            one.expect(event="call", state="ended")
            one.quit()
        running.stop(first, "tcpdump")
    (CAPTURES / "frames.pcap").write_bytes(made.read_bytes())
    print("frames.pcap", made.stat().st_size, "bytes")


def own(folder):
    """A node's own capture, and what crossed its link as a bare stream."""
    ada = node.Node(folder / "own-Ada", "--name", "Ada", "--discovery", "off", "--listen",
                    "127.0.0.1:0", "--capture", str(CAPTURES / "node.pcapng")).start()
    port = ada.ready()["port"]
    ben = node.Node(folder / "own-Ben", "--name", "Ben", "--discovery", "off", "--peer",
                    f"127.0.0.1:{port}").start()
    ben.ready()
    ben.expect(event="peer", number=ada.number)
    ben.send(cmd="send", to=ada.number, text="x" * 2_000, ref="1")
    ben.expect(event="state", ref="1", state="delivered")
    for one in (ben, ada):
        one.quit()
    (CAPTURES / "node.pcapng").chmod(0o644)
    done = subprocess.run([node.program("airlink-packetdump"), "--json", "-x",
                           str(CAPTURES / "node.pcapng")], capture_output=True, check=True)
    packets = [json.loads(line) for line in done.stdout.splitlines()]
    stream = b"".join(bytes.fromhex(packet["bytes"]) for packet in packets)
    (CAPTURES / "stream.bin").write_bytes(stream)
    return packets


# Synthesised: Bluetooth and loopback

BTSNOOP_EPOCH = 0x00DCDDB30F2F8000


def little(value, size=2):
    return value.to_bytes(size, "little")


def acl(packet, begin, size=27, handle=64):
    for start in range(0, len(packet), size):
        piece = packet[start:start + size]
        mark = begin if start == 0 else 1
        yield little(handle | mark << 12) + little(len(piece)) + piece


def bluetooth(packets):
    """(type, is sent, monitor's code, bytes) of a connection that carries these packets."""
    peer = bytes([6, 5, 4, 3, 2, 1])
    yield 4, False, 3, bytes([0x3E, 19, 1, 0]) + little(64) + bytes([0, 0]) + peer + bytes(7)
    for packet in packets:
        data, isSent = bytes.fromhex(packet["bytes"]), packet["direction"] == "out"
        for start in range(0, len(data), 180):
            code, attribute = (0x52, 0x12) if isSent else (0x1B, 0x15)
            value = bytes([code]) + little(attribute) + data[start:start + 180]
            for piece in acl(little(len(value)) + little(4) + value, 0 if isSent else 2):
                yield 2, isSent, 4 if isSent else 5, piece
    yield 4, False, 3, bytes([5, 4, 0]) + little(64) + b"\x13"


def pcap(name, link, records, order=">", began=0):
    data = struct.pack(order + "IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link)
    for place, record in enumerate(records):
        data += struct.pack(order + "IIII", began, place * 1_000, len(record), len(record))
        data += record
    (CAPTURES / name).write_bytes(data)


def btsnoop(name, kind, records, began):
    data = b"btsnoop\0" + struct.pack(">II", 1, kind)
    for place, (flags, record) in enumerate(records):
        data += struct.pack(">IIIIq", len(record), len(record), flags, 0,
                            BTSNOOP_EPOCH + (began * 1_000 + place) * 1_000) + record
    (CAPTURES / name).write_bytes(data)


def records(name):
    """The records of a pcap file that tcpdump made here."""
    data = (CAPTURES / name).read_bytes()
    found, place = [], 24
    while place < len(data):
        length = struct.unpack_from("<I", data, place + 8)[0]
        found.append(data[place + 16:place + 16 + length])
        place += 16 + length
    return found


def synthesise(packets):
    air = list(bluetooth(packets))
    began = packets[0]["timeNanoseconds"] // 1_000_000_000 + 1
    pcap("bluetooth-h4.pcap", 187, [bytes([kind]) + data for kind, _, _, data in air],
         began=began)
    pcap("bluetooth-h4-direction.pcap", 201,
         [struct.pack(">I", not sent) + bytes([kind]) + data for kind, sent, _, data in air],
         began=began)
    pcap("bluetooth-monitor.pcap", 254,
         [struct.pack(">HH", 0, code) + data for _, _, code, data in air], "<", began)
    btsnoop("h4.btsnoop", 1002, [(not sent, bytes([kind]) + data) for kind, sent, _, data in air],
            began)
    tagged = records("ethernet.pcap")
    for name, tags in (("vlan.pcap", "81000007"), ("qinq.pcap", "88a8000781000009")):
        pcap(name, 1, [record[:12] + bytes.fromhex(tags) + record[12:] for record in tagged],
             began=began)
    bare = records("raw.pcap")
    pcap("loopback-big.pcap", 0, [struct.pack(">I", 2) + record for record in bare],
         began=began)
    pcap("loopback-little.pcap", 0, [struct.pack("<I", 2) + record for record in bare], "<",
         began)


def damage():
    """Files that end too early, or make no sense from somewhere on."""
    for name in ("node.pcapng", "ethernet.pcap", "h4.btsnoop"):
        data = (CAPTURES / name).read_bytes()
        stem, _, suffix = name.partition(".")
        (CAPTURES / f"{stem}-cut.{suffix}").write_bytes(data[:len(data) * 2 // 3])
    data = bytearray((CAPTURES / "node.pcapng").read_bytes())
    # The second half's first block of a packet, for its length.
    place = data.index(b"\x00\x00\x00\x06\x00\x00", len(data) // 2)
    data[place + 4:place + 8] = b"\xff" * 4
    (CAPTURES / "node-damaged.pcapng").write_bytes(data)


def golden():
    for file in sorted(CAPTURES.iterdir()):
        if file.suffix in (".golden", ".md"):
            continue
        words = []
        for options in ([], ["--json", "-x"], ["-v"], ["--stats"]):
            done = subprocess.run(
                [node.program("airlink-packetdump"), *options, file.name], cwd=CAPTURES,
                capture_output=True, timeout=LIMIT)
            words.append(f"$ airlink-packetdump {' '.join([*options, file.name])}\n"
                         f"{done.stdout.decode()}{done.stderr.decode()}= {done.returncode}\n")
        (CAPTURES / (file.name + ".golden")).write_text("".join(words))


def main():
    CAPTURES.mkdir(parents=True, exist_ok=True)
    if "--golden" not in sys.argv:
        with tempfile.TemporaryDirectory(prefix="airlink-captures-") as name:
            folder = pathlib.Path(name)
            tcp = ("tcp", "port", "47474")
            captured(folder, "ethernet.pcap", "-i", "eth0", *tcp)
            captured(folder, "nanoseconds.pcap", "-i", "eth0", "--time-stamp-precision=nano", *tcp)
            captured(folder, "ipv6.pcapng", "-i", "eth0", "-f", "tcp port 47474", tool="dumpcap",
                     family="inet6")
            captured(folder, "two-interfaces.pcapng", "-i", "lo", "-i", "eth0", tool="dumpcap")
            captured(folder, "cooked.pcap", "-i", "any", "-y", "LINUX_SLL", *tcp)
            captured(folder, "cooked2.pcap", "-i", "any", "-y", "LINUX_SLL2", *tcp)
            captured(folder, "raw.pcap", "-i", "tunnel", "tcp", prepare=tunnel)
            captured(folder, "snapped.pcap", "-i", "eth0", "-s", "400", *tcp)
            call(folder)
            synthesise(own(folder))
            damage()
    golden()


if __name__ == "__main__":
    main()
