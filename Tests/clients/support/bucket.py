"""A store of objects that speaks as much of S3 as the server uses, checks each signature, and can be told to fail."""

import datetime
import hashlib
import hmac
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

REGION, KEY_ID, KEY = "eu-test-1", "AKIDEXAMPLE", "a+secret/key"
PAGE = 1


def signature(key, region, method, path, query, headers, signed, stamp, content):
    """The signature of a request, as the fourth version of Amazon's signatures defines it."""
    members = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
    canonical = "\n".join([
        method, urllib.parse.quote(urllib.parse.unquote(path), safe="/-_.~"),
        "&".join(f"{urllib.parse.quote(name, safe='-_.~')}={urllib.parse.quote(value, safe='-_.~')}" for name, value in members),
        *(f"{name}:{' '.join(headers[name].split())}" for name in signed), "", ";".join(signed), content])
    scope = f"{stamp[:8]}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    secret = b"AWS4" + key.encode()
    for part in scope.split("/"):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code):
        self.answer(status, f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode(), Content_Type="application/xml")

    def handle_one(self):
        store = self.server.store
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        store.asked.append((self.command, self.path))
        store.answers.wait()
        # Requests with a query are lists. The server sends them at any time, so they take no failure.
        if store.failures and store.failures[0][0] == self.command and not query:
            return self.refuse(*store.failures.pop(0)[1:])
        if (fault := self.signature_fault(path, query, body)) is not None:
            store.faults.append(fault)
            return self.refuse(403, "SignatureDoesNotMatch")
        bucket, _, name = path[1:].partition("/")
        if bucket != store.bucket:
            return self.refuse(404, "NoSuchBucket")
        {"GET": self.get, "PUT": self.put, "DELETE": self.delete}[self.command](store, name, query, body)

    do_GET = do_PUT = do_DELETE = handle_one

    def signature_fault(self, path, query, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        scheme, _, rest = headers.get("authorization", "").partition(" ")
        fields = dict(part.strip().split("=", 1) for part in rest.split(",") if "=" in part)
        if scheme != "AWS4-HMAC-SHA256":
            return "no signature"
        stamp, content = headers.get("x-amz-date", ""), headers.get("x-amz-content-sha256", "")
        signed = fields["SignedHeaders"].split(";")
        now = datetime.datetime.now(datetime.timezone.utc)
        made = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        if abs((now - made).total_seconds()) > 900:
            return "too old"
        if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(signed):
            return f"signs too little: {signed}"
        if content != hashlib.sha256(body).hexdigest():
            return "another body"
        if fields["Credential"] != f"{KEY_ID}/{stamp[:8]}/{REGION}/s3/aws4_request":
            return f"another key: {fields['Credential']}"
        right = signature(KEY, REGION, self.command, path, query, headers, signed, stamp, content)
        return None if hmac.compare_digest(right, fields["Signature"]) else "another signature"

    def get(self, store, name, query, _):
        if not name:
            return self.list(store, dict(urllib.parse.parse_qsl(query)))
        with store.lock:
            found = store.objects.get(name)
        if found is None:
            return self.refuse(404, "NoSuchKey")
        self.answer(200, found[0], Content_Type=found[2])

    def put(self, store, name, _, body):
        with store.lock:
            is_allowed = store.allowed is None or store.allowed > 0
            if is_allowed:
                store.objects[name] = (body, time.time(), self.headers["Content-Type"])
                store.allowed = store.allowed and store.allowed - 1
        self.answer(200) if is_allowed else self.refuse(403, "AccessDenied")

    def delete(self, store, name, _, __):
        with store.lock:
            store.objects.pop(name, None)
        self.answer(204)

    def list(self, store, query):
        prefix, after = query["prefix"], query.get("continuation-token", "")
        with store.lock:
            names = sorted(name for name in store.objects if name.startswith(prefix) and f"after {name}" > after)
            page, rest = names[:PAGE], names[PAGE:]
            entries = "".join(
                f"<Contents><Key>{escape(name)}</Key><LastModified>{stamped(store.objects[name][1])}</LastModified>"
                f"<ETag>&quot;x&quot;</ETag><Size>{len(store.objects[name][0])}</Size></Contents>" for name in page)
        end = f"<NextContinuationToken>after {page[-1]}</NextContinuationToken>" if rest else ""
        self.answer(200, (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<IsTruncated>{'true' if rest else 'false'}</IsTruncated>{end}{entries}</ListBucketResult>").encode())

    def log_message(self, *_):
        pass


def stamped(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Bucket:
    """`failures` are the methods of the next requests that fail, each with the status and the code of the answer; `faults` says what was wrong with signatures."""

    def __init__(self):
        self.bucket, self.objects, self.lock = "my-files", {}, threading.Lock()
        self.asked, self.failures, self.faults = [], [], []
        # How many more objects may be written; any number when it is None.
        self.allowed = None
        # Cleared, it answers nothing.
        self.answers = threading.Event()
        self.answers.set()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.store = self
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{self.bucket}"

    def flags(self, key_file, **changes):
        key_file.write_text(KEY + "\n")
        key_file.chmod(0o400)
        return {
            "media_bucket": self.url + "/rooms", "media_bucket_region": REGION, "media_bucket_key_id": KEY_ID,
            "media_bucket_key_file": str(key_file), **changes}

    def names(self):
        with self.lock:
            return sorted(self.objects)

    def end(self):
        self.answers.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
