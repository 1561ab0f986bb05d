"""The official Python client finds its way in by itself, from the bare address of an endpoint."""

import asyncio
import http.cookiejar
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients/python"))

import httpx2  # noqa: E402
from mcp import ClientSession  # noqa: E402
from mcp.client.auth import OAuthClientProvider  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.shared.auth import OAuthClientMetadata  # noqa: E402

import chancery  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
REDIRECT = "http://127.0.0.1:4711/callback"


class Kept:
    """What an application keeps for its client."""

    tokens = information = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.information

    async def set_client_info(self, information):
        self.information = information


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def browse(address):
    """Does what a browser would: follows redirects with cookies, until one leads to the client."""
    cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    browser = urllib.request.build_opener(cookies, NoRedirect())
    for _ in range(12):
        try:
            answer = browser.open(address)
        except urllib.error.HTTPError as redirect:
            answer = redirect
        address = urllib.parse.urljoin(address, answer.headers["location"])
        if urllib.parse.urlsplit(address).path == "/callback":
            return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
    raise AssertionError(f"the way to the client is endless, it was last at {address}")


async def flow(endpoint):
    asked = []

    async def redirect(address):
        asked.append(address)

    async def callback():
        back = await asyncio.to_thread(browse, asked[-1])
        return callback_result(back)

    metadata = OAuthClientMetadata(
        client_name="test",
        redirect_uris=[REDIRECT],
        application_type="native",
        token_endpoint_auth_method="none",
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
    )
    provider = OAuthClientProvider(
        server_url=endpoint, client_metadata=metadata, storage=Kept(), redirect_handler=redirect, callback_handler=callback
    )
    async with httpx2.AsyncClient(auth=provider, follow_redirects=True) as client:
        async with streamable_http_client(endpoint, http_client=client) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                tools = (await session.list_tools()).tools
                assert len(tools) > 5, tools
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(asked[0]).query))
    assert query["resource"] == endpoint, query
    # The client adds offline_access on its own where the issuer offers it.
    assert query["scope"].removesuffix(" offline_access") == "mcp:tools mcp:resources", query


def callback_result(back):
    try:
        from mcp.client.auth import AuthorizationCodeResult
    except ImportError:
        return back["code"], back.get("state")
    return AuthorizationCodeResult(code=back["code"], state=back.get("state"), iss=back.get("iss"))


def main():
    node = sys.argv[1]
    with tempfile.TemporaryDirectory() as data:
        issuer = subprocess.Popen(
            [node, str(HERE.parent / "issuer.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            ready = issuer.stdout.readline().split()
            assert ready and ready[0] == "ready", ready
            server = chancery.Server(data, f"auth.issuers={ready[1]}")
            try:
                asyncio.run(flow(f"{server.origin}/transformation/mcp"))
            finally:
                server.stop()
        finally:
            issuer.stdin.close()
            issuer.wait(30)
    print("1 passed, 0 failed")


main()
