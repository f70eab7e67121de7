"""A wallet that signs what it is given, with numbers of its own: secp256k1 and Keccak-256 as they are written down."""

import secrets
from datetime import datetime, timedelta, timezone

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
FIELD = 2**256 - 2**32 - 977
BASE = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
        0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def add(a, b):
    """The sum of two points of the curve; None is the point at infinity."""
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % FIELD == 0:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, FIELD) % FIELD
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, FIELD) % FIELD
    x = (slope * slope - a[0] - b[0]) % FIELD
    return x, (slope * (a[0] - x) - a[1]) % FIELD


def times(number, point=BASE):
    product = None
    while number:
        if number & 1:
            product = add(product, point)
        point, number = add(point, point), number >> 1
    return product


def keccak(data):
    """Keccak-256, without the bits that SHA-3 adds."""
    rate = 136
    padded = bytearray(data) + b"\x01" + bytes(-(len(data) + 1) % rate)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), rate):
        for index in range(rate // 8):
            lanes[index % 5][index // 5] ^= int.from_bytes(padded[start + 8 * index:start + 8 * index + 8], "little")
        permute(lanes)
    return b"".join(lanes[index % 5][index // 5].to_bytes(8, "little") for index in range(4))


def rotated(lane, count):
    return (lane << count % 64 | lane >> 64 - count % 64) & (2**64 - 1)


def permute(lanes):
    register = 1
    for _ in range(24):
        columns = [lanes[x][0] ^ lanes[x][1] ^ lanes[x][2] ^ lanes[x][3] ^ lanes[x][4] for x in range(5)]
        for x in range(5):
            parity = columns[(x + 4) % 5] ^ rotated(columns[(x + 1) % 5], 1)
            for y in range(5):
                lanes[x][y] ^= parity
        (x, y), moved = (1, 0), lanes[1][0]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            moved, lanes[x][y] = lanes[x][y], rotated(moved, (step + 1) * (step + 2) // 2)
        for y in range(5):
            row = [lanes[x][y] for x in range(5)]
            for x in range(5):
                lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5])
        for power in range(7):
            if register & 1:
                lanes[0][0] ^= 1 << ((1 << power) - 1)
            register = (register << 1 ^ (register >> 7) * 0x171) & 0xFF


def checksummed(digits):
    """An address with the capitals of EIP-55."""
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(digit.upper() if int(mark, 16) >= 8 else digit for digit, mark in zip(digits, marks))


class Wallet:
    def __init__(self):
        self.address = ""
        # One in two thousand has letters of one case alone: without its checksum it would be the same.
        while self.address[2:] in (self.address[2:].lower(), self.address[2:].upper()):
            self.key = secrets.randbelow(ORDER - 1) + 1
            x, y = times(self.key)
            self.address = checksummed(keccak(x.to_bytes(32, "big") + y.to_bytes(32, "big"))[-20:].hex())

    def sign(self, message, *, high=False):
        """`personal_sign`; with the higher of the two values of `s` if that is asked for."""
        content = message.encode()
        hashed = int.from_bytes(keccak(b"\x19Ethereum Signed Message:\n%d" % len(content) + content), "big")
        once = secrets.randbelow(ORDER - 1) + 1
        x, y = times(once)
        r, parity = x % ORDER, y & 1
        s = pow(once, -1, ORDER) * (hashed + r * self.key) % ORDER
        if (s > ORDER // 2) != high:
            s, parity = ORDER - s, parity ^ 1
        return "0x" + (r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([27 + parity])).hex()

    def message(self, nonce, **changed):
        """A message of EIP-4361 as a page writes it."""
        parts = {
            "domain": "localhost:3000", "address": self.address, "uri": "http://localhost:3000/sign-in", "version": 1,
            "chain": 1, "issued": moment(0), "rest": ""} | changed
        return (
            "{domain} wants you to sign in with your Ethereum account:\n{address}\n\n\nURI: {uri}\nVersion: {version}\n"
            "Chain ID: {chain}\nNonce: {nonce}\nIssued At: {issued}{rest}").format(nonce=nonce, **parts)


def moment(seconds):
    """A time so many seconds from now, with a fraction as JavaScript writes it."""
    return (datetime.now(timezone.utc) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
