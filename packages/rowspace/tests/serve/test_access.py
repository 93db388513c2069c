"""Secrets; hosts are tested with the middlewares that use them."""

import pytest

from rowspace.errors import UsageError
from rowspace.serve.access import Address, validate_secret


def test_short_or_unsafe_secret_is_refused() -> None:
    for secret in ("", "fifteen-letters", "sixteen letters;", "sechzehn-größen-"):
        with pytest.raises(UsageError, match="the key must have at least 16 characters: letters, digits and"):
            validate_secret(secret, "the key")
    assert validate_secret("sixteen-letters.", "the key") == "sixteen-letters."


def test_base_url_of_an_ipv6_address_has_brackets() -> None:
    assert Address("::1", 80).base_url == "http://[::1]:80"
