#!/usr/bin/env python3
"""Works out identity.json: AirLink's identities, cards and files, by other means than AirLink's.

Needs the `cryptography` package, 44 or later (Argon2id). Deterministic: running it again changes
nothing. HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2) is written out here, since that package
has none.
"""

import base64
import hashlib
import json
import pathlib
import struct

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def rotate(x, n):
    return ((x << n) | (x >> (32 - n))) & 0xFFFFFFFF


def hchacha20(key, nonce):
    s = list(struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<12I", key + nonce))

    def quarter(a, b, c, d):
        for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[x] = (s[x] + s[y]) & 0xFFFFFFFF
            s[z] = rotate(s[z] ^ s[x], n)

    for _ in range(10):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                           (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter(a, b, c, d)
    return struct.pack("<8I", *s[:4], *s[12:])


def xchacha20_poly1305(key, nonce, plaintext, associated):
    inner = ChaCha20Poly1305(hchacha20(key, nonce[:16]))
    return inner.encrypt(bytes(4) + nonce[16:], plaintext, associated)


def check_hchacha20():
    # draft-irtf-cfrg-xchacha-03, section 2.2.1
    out = hchacha20(bytes(range(32)), bytes.fromhex("000000090000004a0000000031415927"))
    assert out.hex() == "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"


class Person:
    def __init__(self, seed, name):
        self.seed, self.name = seed, name.encode()
        self.signing = Ed25519PrivateKey.from_private_bytes(seed[:32])
        self.keys = (self.signing.public_key().public_bytes_raw()
                     + X25519PrivateKey.from_private_bytes(seed[32:]).public_key().public_bytes_raw())
        self.fingerprint = hashlib.sha256(self.keys).digest()[:8]

    def number(self):
        value = int.from_bytes(self.fingerprint[:5], "big")
        digits = "".join(ALPHABET[value >> (35 - 5 * i) & 31] for i in range(8))
        return digits[:4] + "-" + digits[4:]

    def signed(self, label):
        unsigned = self.keys + bytes([len(self.name)]) + self.name
        return unsigned + self.signing.sign(label + unsigned)

    def hello(self, packet_id, time):
        return self.signed(b"airlink-hello-v1" + packet_id + struct.pack(">Q", time))

    def card(self, time):
        stamp = struct.pack(">Q", time)
        data = self.signed(b"airlink-card-v1" + stamp) + stamp
        return "airlink-card-v1:" + base64.urlsafe_b64encode(data).decode().rstrip("=")

    def storage_key(self, label):
        return hashlib.blake2b(label, digest_size=32, key=self.seed,
                               person=b"airlink-storage1").digest()

    def file(self, kind, operations, memory, salt, key, nonce):
        header = (b"airlink-identity" + bytes([1, kind, 0, 0])
                  + struct.pack(">IQ", operations, memory) + salt)
        contents = self.seed + bytes([len(self.name)]) + self.name
        contents += bytes(129 - len(contents))
        body = header + nonce + xchacha20_poly1305(key, nonce, contents, header)
        return body + hashlib.blake2b(body, digest_size=16).digest()


def colliding(signer, counter):
    """One of two people whose numbers are the same (their fingerprints are not).

    The counters were found by trying all from 0 on, even ones for signer A and odd ones for B,
    until the first 40 bits met: 2.3 million key pairs, a minute and a half.
    """
    def derive(label):
        return hashlib.sha256(b"airlink collision " + label).digest()
    return Person(derive(signer) + derive(struct.pack(">Q", counter)), "Twin " + signer.decode())


def describe(p, packet_id, time):
    return {
        "seed": p.seed.hex(),
        "name": p.name.decode(),
        "signing": p.keys[:32].hex(),
        "agreement": p.keys[32:].hex(),
        "fingerprint": p.fingerprint.hex(),
        "number": p.number(),
        "hello": p.hello(packet_id, time).hex(),
        "card": p.card(time),
        "storageKeys": {label: p.storage_key(label.encode()).hex()
                        for label in ("contacts", "received", "")},
    }


def safety_number(a, b):
    low, high = sorted((a.keys, b.keys))
    digest = hashlib.sha512(b"airlink-safety-v1" + low + high).digest()
    groups = (digest[i:i + 5] for i in range(0, 60, 5))
    return " ".join(f"{int.from_bytes(group, 'big') % 100000:05}" for group in groups)


def main():
    check_hchacha20()
    time = 1_700_000_000_000
    packet_id = bytes(range(0x10, 0x20))
    people = [Person(bytes(range(64)), "Ada"),
              Person(hashlib.sha512(b"airlink fixture").digest(), "Zoë 🦊")]
    ada = people[0]
    twins = [colliding(b"A", 2_267_692), colliding(b"B", 370_049)]
    assert twins[0].number() == twins[1].number() and twins[0].keys != twins[1].keys
    passphrase, salt, nonce = b"correct horse", bytes(range(0x40, 0x50)), bytes(range(0x60, 0x78))
    operations, memory = 1, 8192
    derived = Argon2id(salt=salt, length=32, iterations=operations, lanes=1,
                       memory_cost=memory // 1024).derive(passphrase)
    key_file = bytes(range(0x80, 0xA0))
    out = {
        "time": time,
        "packetID": packet_id.hex(),
        "people": [describe(p, packet_id, time) for p in people],
        "twins": [describe(p, packet_id, time) for p in twins],
        "safetyNumber": safety_number(*people),
        "passphrase": passphrase.decode(),
        "passphraseFile": ada.file(1, operations, memory, salt, derived, nonce).hex(),
        "keyFile": key_file.hex(),
        "keyFileFile": ada.file(2, 0, 0, bytes(16), key_file, nonce).hex(),
    }
    path = pathlib.Path(__file__).with_name("identity.json")
    path.write_text(json.dumps(out, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
