#!/usr/bin/env python3
"""Writes sealed-messages.json: PROTOCOL section 5 from its text, over Python's `cryptography`.

Shares no code with AirLink, so that both can only agree by both doing what the page says.
"""
import hashlib
import hmac
import json
import pathlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

KEM = b"KEM" + (0x0020).to_bytes(2, "big")
SUITE = b"HPKE" + b"".join(n.to_bytes(2, "big") for n in (0x0020, 0x0001, 0x0003))


def extract(suite, salt, label, ikm):
    return hmac.new(salt or bytes(32), b"HPKE-v1" + suite + label + ikm, hashlib.sha256).digest()


def expand(suite, key, label, info, length):
    info = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.new(key, info + b"\x01", hashlib.sha256).digest()[:length]


class Person:
    def __init__(self, seed):
        self.seed = seed
        self.sign = Ed25519PrivateKey.from_private_bytes(seed[:32])
        self.agree = X25519PrivateKey.from_private_bytes(seed[32:])
        self.signing = self.sign.public_key().public_bytes_raw()
        self.agreement = self.agree.public_key().public_bytes_raw()


def seal(sender, recipient, packet_id, message_id, time, kind, body, bucket, randomness):
    time = time.to_bytes(8, "big")
    signature = sender.sign.sign(
        b"airlink-msg-v1" + message_id + time + sender.agreement + recipient.signing
        + recipient.agreement + bytes([kind]) + body)
    plaintext = (sender.signing + sender.agreement + signature + message_id + bytes([kind])
                 + len(body).to_bytes(2, "big") + body).ljust(bucket, b"\0")
    assert len(plaintext) == bucket
    ephemeral = X25519PrivateKey.from_private_bytes(randomness)
    enc = ephemeral.public_key().public_bytes_raw()
    exchanged = ephemeral.exchange(X25519PublicKey.from_public_bytes(recipient.agreement))
    shared = expand(KEM, extract(KEM, b"", b"eae_prk", exchanged), b"shared_secret",
                    enc + recipient.agreement, 32)
    context = (b"\0" + extract(SUITE, b"", b"psk_id_hash", b"")
               + extract(SUITE, b"", b"info_hash", b"airlink-seal-v1"))
    secret = extract(SUITE, shared, b"secret", b"")
    key = expand(SUITE, secret, b"key", context, 32)
    nonce = expand(SUITE, secret, b"base_nonce", context, 12)
    return enc + ChaCha20Poly1305(key).encrypt(nonce, plaintext, packet_id + time)


def case(name, number, kind, body, bucket, resent=False):
    sender = Person(bytes([number]) * 32 + bytes([number + 1]) * 32)
    recipient = Person(bytes([number + 2]) * 32 + bytes([number + 3]) * 32)
    packet_id, time = bytes([number + 4]) * 16, 1_764_489_600_000 + number
    message_id = bytes([number + 5]) * 16 if resent else packet_id
    randomness = bytes(range(number, number + 32))
    payload = seal(sender, recipient, packet_id, message_id, time, kind, body, bucket, randomness)
    return {
        "name": name, "sender": sender.seed.hex(), "recipient": recipient.seed.hex(),
        "packetID": packet_id.hex(), "messageID": message_id.hex(), "time": time,
        "contentType": kind, "body": body.hex(), "randomness": randomness.hex(),
        "payload": payload.hex(),
    }


nonce, key = b"7M2KQ9XD", bytes(range(100, 132))
cases = [
    case("a text", 1, 1, "Grüße aus dem Funkloch".encode(), 256),
    case("a text that fills its bucket", 11, 1, b"x" * 109, 256),
    case("a text one byte over it", 21, 1, b"x" * 110, 512),
    case("a text sent again", 31, 1, b"once more", 256, resent=True),
    case("a receipt", 41, 2, bytes(range(16)), 256),
    case("an invite", 51, 3, b"\x01" + nonce + key, 256),
    case("an answer", 61, 3, b"\x02" + nonce + key, 256),
    case("a decline", 71, 3, b"\x03" + nonce, 256),
    case("an end", 81, 3, b"\x04" + nonce, 256),
    case("a deaf signal", 91, 3, b"\x05" + nonce, 256),
]
file = pathlib.Path(__file__).with_name("sealed-messages.json")
file.write_text(json.dumps(cases, indent=1) + "\n")
