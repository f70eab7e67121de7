"""Uploads in chunks over links that break, and what the server has to keep of them."""

import base64
import subprocess

CHUNK = 5_242_880
# Places at which each phone's video is its own: whole groups of base64, in pictures that nobody decodes, one in each chunk.
MARKS, MARK_BYTES = (3_000_000, CHUNK + 60_000), 30


class Video:
    """A video of two chunks, of which each phone has a form of its own."""

    def __init__(self, folder):
        path = folder / "video.mov"
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "nullsrc=size=640x480:rate=25:duration=1.2,geq=random(1)*255:128:128",
             "-c:v", "mjpeg", "-q:v", "1", path], check=True, capture_output=True)
        self.content = path.read_bytes()
        assert CHUNK + 100_000 < len(self.content) < 2 * CHUNK, len(self.content)
        self.chunks = [self.content[start:start + CHUNK] for start in range(0, len(self.content), CHUNK)]
        self.texts = [base64.b64encode(chunk) for chunk in self.chunks]
        # What the server keeps of the video as it is.
        self.kept = None

    def text(self, number, phone):
        """A chunk in base64, counted from 1."""
        text, mark = bytearray(self.texts[number - 1]), base64.b64encode(self.mark(phone))
        start = (MARKS[number - 1] - (number - 1) * CHUNK) // 3 * 4
        text[start:start + len(mark)] = mark
        return bytes(text)

    @staticmethod
    def mark(phone):
        return f"phone {phone}".ljust(MARK_BYTES, ".").encode()

    def kept_of(self, phone):
        """What the server has to keep of a phone's form."""
        kept = bytearray(self.kept)
        for place, chunk in zip(MARKS, range(2)):
            place = chunk * CHUNK + (place - chunk * CHUNK) // 3 * 3
            start = self.kept.index(self.content[place:place + MARK_BYTES])
            kept[start:start + MARK_BYTES] = self.mark(phone)
        return bytes(kept)


class Upload:
    """One phone's upload. It goes on where it was cut off, and after the end of the server."""

    def __init__(self, video):
        self.video, self.session, self.sent, self.answer = video, None, set(), None

    @property
    def is_done(self):
        return self.answer is not None

    async def go_on(self, phone):
        counts = phone.ledger.counts
        if self.session is None:
            begun = await phone.ask("POST", "/v1/uploads/chunked/init", {
                "filename": "a.mov", "total_size": len(self.video.content), "content_type": "video/quicktime"})
            self.session = begun["session_id"]
        numbers = [number for number in range(1, len(self.video.chunks) + 1) if number not in self.sent]
        phone.chance.shuffle(numbers)
        if phone.chance.random() < 0.2:
            numbers += numbers[:1]
        for number in numbers:
            await phone.ask("POST", "/v1/uploads/chunked/chunk", self.body(number, phone.number))
            self.sent.add(number)
            counts["chunks"] += 1
            # The user puts the phone away.
            if phone.chance.random() < 0.1:
                return
        answers = []
        for _ in range(2 if phone.chance.random() < 0.2 else 1):
            status, answer = await phone.ask(
                "POST", "/v1/uploads/chunked/complete", {"session_id": self.session}, refusals=(409,))
            if status == 409:
                return phone.ledger.fails(f"chunks that were received are missing: {answer}")
            answers.append(answer)
        if answers[1:] and answers[0] != answers[1]:
            phone.ledger.fails("an upload that is completed again is another one")
        self.answer = answers[0]
        counts["uploads"] += 1

    def body(self, number, phone):
        head = f'{{"session_id":"{self.session}","chunk_number":{number},"chunk_data":"'.encode()
        return head + self.video.text(number, phone) + b'"}'
