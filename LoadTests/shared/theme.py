"""What the benchmarks of every theme have: programs, a certificate, a report."""

import pathlib
import subprocess


class Theme:
    """A theme has parts, each a method that fills tables of its report."""

    parts = ()

    def __init__(self, arguments, directory, report):
        self.quick = arguments.quick
        self.directory = directory
        self.report = report
        self.certificate, self.key = f"{directory}/cert.pem", f"{directory}/key.pem"
        self.bin = pathlib.Path(arguments.bin)
        self.servers = pathlib.Path(arguments.servers)
        if not pathlib.Path(self.key).exists():
            self.make_certificate()

    def make_certificate(self):
        """As most servers have, with a key on P-256."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", self.key, "-out", self.certificate, "-days", "2", "-subj", "/CN=localhost"],
            check=True, stderr=subprocess.DEVNULL)

    def tls_options(self, tls):
        return ["--tls-cert", self.certificate, "--tls-key", self.key] if tls else []


def megabytes(bytes):
    return f"{bytes / 1e6:.1f} MB"
