#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A real SMTP server (aiosmtpd) for tests: listens on 127.0.0.1, prints its port on a line, serves until it is killed.

Every accepted message becomes a file TIME.eml in --maildir, with an X-RcptTo line for each recipient before its
own headers, and a line of JSON in envelopes.jsonl there: mail_from, rcpt_tos, tls, auth, helo, data. Both are written before
the client gets its 250.
"""

import argparse
import asyncio
import json
import logging
import os
import ssl
import subprocess
import sys
import time
import warnings

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    def __init__(self, maildir, replies, hang, require_domain):
        self.maildir = maildir
        self.replies = replies
        self.hang = hang
        self.require_domain = require_domain

    async def hang_at(self, command):
        if command == self.hang:
            await asyncio.sleep(3600)

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.require_domain and "." not in session.host_name:
            return f"504 5.5.2 <{session.host_name}>: Helo command rejected: need fully-qualified hostname"
        reply = self.replies.get(address.partition("@")[0])
        if reply:
            return f"{reply} <{address}>: as the test asked"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        await self.hang_at("DATA")
        # Readers that count the files see only complete ones.
        name = os.path.join(self.maildir, str(time.time_ns()))
        with open(name + ".tmp", "wb") as file:
            for recipient in envelope.rcpt_tos:
                file.write(f"X-RcptTo: {recipient}\r\n".encode())
            file.write(envelope.original_content)
        os.rename(name + ".tmp", name + ".eml")
        record = {
            "mail_from": envelope.mail_from,
            "rcpt_tos": envelope.rcpt_tos,
            "tls": server.transport.get_extra_info("ssl_object") is not None,
            "auth": session.auth_data,
            "helo": session.host_name,
            "data": envelope.original_content.decode("utf-8", "replace"),
        }
        with open(os.path.join(self.maildir, "envelopes.jsonl"), "a") as file:
            file.write(json.dumps(record) + "\n")
        return "250 OK"

    async def handle_QUIT(self, server, session, envelope):
        await self.hang_at("QUIT")
        return "221 Bye"


def make_certificate(directory, names):
    """The certificate is its own authority: tests give cert.pem to the client."""
    os.makedirs(directory, exist_ok=True)
    certificate, key = (os.path.join(directory, name) for name in ("cert.pem", "key.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=test", "-addext", f"subjectAltName={names}"]
        + ["-keyout", key, "-out", certificate],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def make_authenticator(expected):
    def authenticate(server, session, envelope, mechanism, data):
        login = data.login.decode()
        # handled=False: otherwise aiosmtpd sends no reply to a wrong password.
        return AuthResult(success=f"{login}:{data.password.decode()}" == expected, handled=False, auth_data=login)

    return authenticate


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maildir", required=True, metavar="DIR", help="made where it is missing")
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--tls", metavar="DIR", help="offer STARTTLS with a new certificate, DIR/cert.pem")
    parser.add_argument("--names", default="DNS:localhost,IP:127.0.0.1", help="whom the certificate is for")
    parser.add_argument("--smtps", action="store_true", help="with --tls: TLS from the first byte")
    parser.add_argument("--require-tls", action="store_true", help="with --tls: refuse everything before STARTTLS")
    parser.add_argument("--auth", metavar="USER:PASSWORD", help="refuse whoever has not logged in; also without TLS")
    parser.add_argument(
        "--reply", action="append", default=[], metavar="LOCALPART=CODE", help="answer these recipients so; may repeat"
    )
    parser.add_argument("--require-domain", action="store_true", help="as Postfix: refuse recipients if EHLO had no dot")
    parser.add_argument("--hang", choices=["DATA", "QUIT"], help="never answer this; after DATA nothing is stored")
    return parser.parse_args()


async def main():
    options = parse_arguments()
    # The tests' clients break the protocol on purpose: log nothing.
    logging.disable()
    warnings.simplefilter("ignore")
    os.makedirs(options.maildir, exist_ok=True)
    replies = dict(rule.split("=", 1) for rule in options.reply)
    handler = Handler(options.maildir, replies, options.hang, options.require_domain)
    context = make_certificate(options.tls, options.names) if options.tls else None
    starttls = None if options.smtps else context

    def make_session():
        return SMTP(
            handler,
            hostname="localhost",
            tls_context=starttls,
            require_starttls=options.require_tls,
            authenticator=make_authenticator(options.auth) if options.auth else None,
            auth_required=bool(options.auth),
            auth_require_tls=starttls is not None,
            auth_exclude_mechanism=[] if options.auth else ["LOGIN", "PLAIN"],
        )

    server = await asyncio.get_running_loop().create_server(
        make_session, "127.0.0.1", options.port, ssl=context if options.smtps else None
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
