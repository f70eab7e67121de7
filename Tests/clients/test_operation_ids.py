"""The names of operations in the descriptions (OpenAPI), from which programs for clients are made."""

import re

import pytest

from support.accounts import accounts_server
from support.matrix import operations

DOCUMENTS = ["", "/subspace", "/interspace", "/soul", "/muejam"]
# What programs call them already: a name never changes.
KNOWN = {
    "": {"getRoomsByIdElements": ("get", "/api/rooms/{id}/elements"), "postAuthSignIn": ("post", "/api/auth/sign-in"),
         "deleteRoomsByIdParticipantsByUserId": ("delete", "/api/rooms/{id}/participants/{userId}"),
         "getMediaByKey": ("get", "/media/{key}")},
    "/subspace": {"postAuthLogin": ("post", "/subspace/api/v1/auth/login"), "getHealth": ("get", "/subspace/health")},
    "/interspace": {"postAuthPasskeyRegisterChallenge": ("post", "/interspace/api/v1/auth/passkey/register/challenge")},
    "/soul": {"postAuthVerifyOtp": ("post", "/soul/api/auth/verify-otp")},
    "/muejam": {"postUploadsChunkedComplete": ("post", "/muejam/v1/uploads/chunked/complete")},
}


@pytest.fixture
def server(servers, directory):
    return accounts_server(servers.get, directory)


@pytest.mark.parametrize("prefix", DOCUMENTS)
def test_each_operation_has_a_name_of_its_own_that_stays(server, prefix):
    found = operations(f"{server.url}{prefix}/openapi.json")
    assert len(found) > 10 and all(re.fullmatch(r"(get|post|put|patch|delete)([A-Z0-9][a-z0-9]*)+", name) for name in found), found
    for name, operation in KNOWN[prefix].items():
        assert found[name] == operation
