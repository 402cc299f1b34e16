"""The wire format once more, written from docs/PROTOCOL.md alone and sharing no code with AirLink.

Small and slow: what it is good for is to talk to a real node over TCP, well-behaved or not.
Keys, signatures and sealing need Debian's python3-cryptography; packets alone do not.
"""

import hashlib
import hmac
import os
import socket
import struct
import time

try:
    from cryptography.exceptions import InvalidSignature, InvalidTag
    from cryptography.hazmat.primitives.asymmetric import ed25519, x25519
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError:
    ed25519 = None

MAGIC = b"\xa1\x1c"
VERSION = 1
HELLO, SEALED, VOICE = 1, 2, 3
TEXT, RECEIPT, SIGNAL = 1, 2, 3
EVERYONE = b"\xff" * 8
HEADER = struct.Struct(">2sBBBBHIQ16s8s")
HEADER_LENGTH = HEADER.size  # 44
LONGEST_PAYLOAD = 8240
BUCKETS = (256, 512, 1024, 2048, 4096, 8192)
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def missing():
    """Why keys and seals cannot be made here; None where they can."""
    return None if ed25519 is not None else "no python3-cryptography here"


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc_table()


def crc32c(data):
    """CRC-32C (Castagnoli), as in RFC 3720, appendix B.4."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def now():
    """Milliseconds since 1970-01-01 UTC."""
    return time.time_ns() // 1_000_000


class Packet:
    """One packet, any field of which may be wrong."""

    def __init__(self, kind, payload, *, hops=7, destination=EVERYONE, id=None, time=None,
                 version=VERSION, flags=0, length=None, crc=None):
        self.kind, self.payload, self.hops, self.destination = kind, payload, hops, destination
        self.id = os.urandom(16) if id is None else id
        self.time = now() if time is None else time
        self.version, self.flags, self.length, self.crc = version, flags, length, crc

    def _header(self, hops, crc):
        length = len(self.payload) if self.length is None else self.length
        return HEADER.pack(MAGIC, self.version, self.kind, hops, self.flags, length, crc, self.time,
                           self.id, self.destination)

    def encode(self):
        crc = crc32c(self._header(0, 0) + self.payload) if self.crc is None else self.crc
        return self._header(self.hops, crc) + self.payload

    @classmethod
    def decode(cls, data):
        _, version, kind, hops, flags, length, crc, when, id, destination = HEADER.unpack_from(data)
        packet = cls(kind, data[HEADER_LENGTH:HEADER_LENGTH + length], hops=hops, id=id, time=when,
                     destination=destination, version=version, flags=flags)
        if crc32c(packet._header(0, 0) + packet.payload) != crc:
            raise ValueError("CRC")
        return packet


class Chunker:
    """Finds the packets in a stream of bytes."""

    def __init__(self):
        self.held = b""

    def feed(self, data):
        self.held += data
        packets = []
        while True:
            start = self.held.find(MAGIC)
            if start < 0:
                self.held = self.held[-1:]
                return packets
            self.held = self.held[start:]
            if len(self.held) < HEADER_LENGTH:
                return packets
            length = HEADER_LENGTH + struct.unpack_from(">H", self.held, 6)[0]
            if length > HEADER_LENGTH + LONGEST_PAYLOAD or not 1 <= self.held[4] <= 15:
                self.held = self.held[1:]
                continue
            if len(self.held) < length:
                return packets
            try:
                packets.append(Packet.decode(self.held[:length]))
                self.held = self.held[length:]
            except ValueError:
                self.held = self.held[1:]


def number_of(fingerprint):
    value = int.from_bytes(fingerprint[:5], "big")
    digits = "".join(ALPHABET[value >> shift & 31] for shift in range(35, -5, -5))
    return f"{digits[:4]}-{digits[4:]}"


class Keys:
    """Somebody's two public keys."""

    def __init__(self, signing, agreement):
        self.signing, self.agreement = signing, agreement
        self.fingerprint = hashlib.sha256(signing + agreement).digest()[:8]
        self.number = number_of(self.fingerprint)

    def __eq__(self, other):
        return (self.signing, self.agreement) == (other.signing, other.agreement)


class Person(Keys):
    """Somebody with the secret keys: says hello, seals and opens."""

    def __init__(self, name="Independent", signing=None, agreement=None):
        """Fresh keys, unless the 32 secret bytes of each are given."""
        self._signing = ed25519.Ed25519PrivateKey.from_private_bytes(signing or os.urandom(32))
        self._agreement = x25519.X25519PrivateKey.from_private_bytes(agreement or os.urandom(32))
        super().__init__(raw(self._signing.public_key()), raw(self._agreement.public_key()))
        self.name = name.encode() if isinstance(name, str) else name

    def _card(self):
        return self.signing + self.agreement + bytes([len(self.name)]) + self.name

    def hello(self, *, id=None, time=None, hops=2):
        id = os.urandom(16) if id is None else id
        when = now() if time is None else time
        signed = b"airlink-hello-v1" + id + struct.pack(">Q", when) + self._card()
        return Packet(HELLO, self._card() + self._signing.sign(signed), hops=hops, id=id, time=when)

    def card(self):
        """The contact card as text."""
        import base64
        when = struct.pack(">Q", now())
        signature = self._signing.sign(b"airlink-card-v1" + when + self._card())
        data = base64.urlsafe_b64encode(self._card() + signature + when).rstrip(b"=").decode()
        return f"airlink-card-v1:{data}"

    def seal(self, to, content, body, *, message=None, id=None, time=None, hops=7,
             ephemeral=None):
        """A sealed packet; its message id is the packet's own unless given."""
        id = os.urandom(16) if id is None else id
        message = id if message is None else message
        when = now() if time is None else time
        signed = (b"airlink-msg-v1" + message + struct.pack(">Q", when) + self.agreement
                  + to.signing + to.agreement + bytes([content]) + body)
        plain = (self.signing + self.agreement + self._signing.sign(signed) + message
                 + bytes([content]) + struct.pack(">H", len(body)) + body)
        plain += bytes(next(size for size in BUCKETS if size >= len(plain)) - len(plain))
        ephemeral = x25519.X25519PrivateKey.from_private_bytes(ephemeral or os.urandom(32))
        shared = ephemeral.exchange(x25519.X25519PublicKey.from_public_bytes(to.agreement))
        encapsulated = raw(ephemeral.public_key())
        key, nonce = hpke_key(shared, encapsulated, to.agreement)
        sealed = ChaCha20Poly1305(key).encrypt(nonce, plain, id + struct.pack(">Q", when))
        return Packet(SEALED, encapsulated + sealed, hops=hops, id=id, time=when,
                      destination=to.fingerprint)

    def open(self, packet):
        """What is in a sealed packet for us: (sender's Keys, content type, message id, body)."""
        encapsulated = packet.payload[:32]
        shared = self._agreement.exchange(x25519.X25519PublicKey.from_public_bytes(encapsulated))
        key, nonce = hpke_key(shared, encapsulated, self.agreement)
        bound = packet.id + struct.pack(">Q", packet.time)
        try:
            plain = ChaCha20Poly1305(key).decrypt(nonce, packet.payload[32:], bound)
        except InvalidTag:
            raise ValueError("seal")
        sender, signature, message = Keys(plain[:32], plain[32:64]), plain[64:128], plain[128:144]
        content, (length,) = plain[144], struct.unpack_from(">H", plain, 145)
        body, padding = plain[147:147 + length], plain[147 + length:]
        if len(body) != length or any(padding) or len(plain) not in BUCKETS:
            raise ValueError("lengths")
        signed = (b"airlink-msg-v1" + message + struct.pack(">Q", packet.time) + sender.agreement
                  + self.signing + self.agreement + bytes([content]) + body)
        try:
            ed25519.Ed25519PublicKey.from_public_bytes(sender.signing).verify(signature, signed)
        except InvalidSignature:
            raise ValueError("signature")
        return sender, content, message, body


def read_hello(packet):
    """The keys and name in a hello whose signature holds."""
    payload = packet.payload
    keys, length = Keys(payload[:32], payload[32:64]), payload[64]
    signed = b"airlink-hello-v1" + packet.id + struct.pack(">Q", packet.time) + payload[:-64]
    if len(payload) != 129 + length:
        raise ValueError("lengths")
    ed25519.Ed25519PublicKey.from_public_bytes(keys.signing).verify(payload[-64:], signed)
    return keys, payload[65:65 + length].decode()


def raw(public_key):
    return public_key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def hkdf_extract(salt, material):
    return hmac.digest(salt or bytes(32), material, "sha256")


def hkdf_expand(key, info, length):
    out, block = b"", b""
    while len(out) < length:
        block = hmac.digest(key, block + info + bytes([len(out) // 32 + 1]), "sha256")
        out += block
    return out[:length]


def hpke_key(shared, encapsulated, recipient):
    """Key and first nonce of HPKE's base mode (RFC 9180, sections 4.1 and 5.1)."""
    kem = b"KEM\x00\x20"
    suite = b"HPKE\x00\x20\x00\x01\x00\x03"

    def extract(where, salt, label, material):
        return hkdf_extract(salt, b"HPKE-v1" + where + label + material)

    def expand(where, key, label, info, length):
        return hkdf_expand(key, struct.pack(">H", length) + b"HPKE-v1" + where + label + info, length)

    secret = extract(kem, b"", b"eae_prk", shared)
    secret = expand(kem, secret, b"shared_secret", encapsulated + recipient, 32)
    context = (b"\x00" + extract(suite, b"", b"psk_id_hash", b"")
               + extract(suite, b"", b"info_hash", b"airlink-seal-v1"))
    secret = extract(suite, secret, b"secret", b"")
    return expand(suite, secret, b"key", context, 32), expand(suite, secret, b"base_nonce", context, 12)


class Line:
    """A TCP connection that speaks packets, to a node that listens."""

    def __init__(self, address, limit=30):
        self.socket = socket.create_connection(address, limit)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.chunker = Chunker()
        self.packets = []

    def send(self, packet):
        self.socket.sendall(packet if isinstance(packet, bytes) else packet.encode())

    def wait(self, wanted, limit=60):
        """The first packet for which `wanted` gives a value, and that value; None when it closed."""
        end = time.monotonic() + limit
        while True:
            while self.packets:
                value = wanted(self.packets.pop(0))
                if value:
                    return value
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"no such packet within {limit} s")
            self.socket.settimeout(left)
            try:
                data = self.socket.recv(65536)
            except TimeoutError:
                continue
            if not data:
                return None
            self.packets += self.chunker.feed(data)

    def hello(self, limit=60):
        """The keys and name of the node at the other end."""
        return self.wait(lambda p: read_hello(p) if p.kind == HELLO and p.hops == 2 else None, limit)

    def closed(self, limit=60):
        """Whether the other end closes the connection in time."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                if not self.socket.recv(65536):
                    return True
            except TimeoutError:
                return False
            except OSError:
                return True
        return False

    def close(self):
        self.socket.close()
