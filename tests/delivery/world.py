"""The other side, for real: an SMTP server, a chat service, an HTTPS receiver, and the authority that vouches for it."""

import datetime
import email
import email.policy
import json
import socket
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PUBLIC = "93.184.216.34"
HOST = "hooks.example.com"
URL = f"https://{HOST}/in?tenant=acme"


def certificate(folder, names=(HOST,)):
    """(file of the authority, file of a certificate for ``names`` with its key)."""
    now = datetime.datetime.now(datetime.UTC)

    def build(subject, issuer, key, signer, extensions):
        made = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=30))
        )
        for extension, critical in extensions:
            made = made.add_extension(extension, critical)
        return made.sign(signer, hashes.SHA256())

    root, leaf = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    identity = x509.SubjectKeyIdentifier.from_public_key(root.public_key())
    authority = build(
        "Test CA",
        "Test CA",
        root,
        root,
        [(x509.BasicConstraints(ca=True, path_length=0), True), (usage, True), (identity, False)],
    )
    own = build(
        names[0],
        "Test CA",
        leaf,
        root,
        [
            (x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(root.public_key()), False),
        ],
    )
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "ca.pem").write_bytes(authority.public_bytes(pem))
    (folder / "leaf.pem").write_bytes(own.public_bytes(pem) + leaf.private_bytes(pem, *plain))
    return folder / "ca.pem", folder / "leaf.pem"


class Receiver:
    """An HTTP(S) server that answers as it is told and remembers what came: (path, headers, body)."""

    def __init__(self, certificate=None):
        self.requests = []
        self.answers = []  # (status, headers, body), used up one by one; afterwards 200 ok
        self.drip = None  # seconds between single bytes of an endless answer
        self._guard = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with receiver._guard:
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    receiver.requests.append((self.path, headers, body))
                    status, headers, answer = receiver.answers.pop(0) if receiver.answers else (200, {}, b"ok")
                if receiver.drip is not None:
                    return self._drip()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(answer)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(answer)
                except OSError:
                    self.close_connection = True

            def _drip(self):
                self.close_connection = True
                try:
                    for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"y" * 1_000_000:
                        self.wfile.write(bytes([byte]))
                        time.sleep(receiver.drip)
                except OSError:
                    pass

            def log_message(self, *args):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                pass  # a client that does not trust us goes away

        self._server = Server(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def bodies(self):
        return [json.loads(body) for _, _, body in self.requests]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Mailbox:
    """A real SMTP server. ``refuse`` maps recipients to the answer that they get; ``data`` answers the message."""

    def __init__(self, tls=None, *, secure="", users=None):
        self.mails = []
        self.refuse = {}
        self.data = "250 taken"
        self.quit_answer = None
        box = self

        class Handler:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address in box.refuse:
                    return box.refuse[address]
                envelope.rcpt_tos.append(address)
                return "250 OK"

            async def handle_DATA(self, server, session, envelope):
                if box.data.startswith("250"):
                    parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
                    box.mails.append((envelope.mail_from, list(envelope.rcpt_tos), parsed))
                return box.data

            async def handle_QUIT(self, server, session, envelope):
                return box.quit_answer or "221 Bye"

        def check(server, session, envelope, mechanism, data):
            known = (users or {}).get(data.login.decode()) == data.password.decode()
            return AuthResult(success=known, handled=known)

        context = None
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
        options = {"hostname": "mail.test", "enable_SMTPUTF8": True}
        if users:
            options |= {"authenticator": check, "auth_required": True, "auth_require_tls": bool(tls)}

        class Server(Controller):
            def factory(self):
                extra = {"tls_context": context, "require_starttls": True} if secure == "starttls" else {}
                return SMTP(self.handler, **{**options, **extra})

        self._controller = Server(
            Handler(), hostname="127.0.0.1", port=free_port(), ssl_context=context if secure == "smtps" else None
        )
        self._controller.start()
        self.port = self._controller.port

    def close(self):
        self._controller.stop()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
