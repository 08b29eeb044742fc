"""The guard of the browser tests: a page that requests anything from another machine gets nothing, and its test fails."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from browser.conftest import fresh_page

ASK = "address => fetch(address, { mode: 'no-cors' }).then(() => 'came', () => 'nothing')"


@pytest.mark.parametrize("address", ["https://example.org/icon.svg", "http://192.0.2.1/", "http://localhost:1/"])
def test_what_a_page_asks_another_machine_for_is_refused_and_fails_its_test(browser: Browser, address: str) -> None:
    with pytest.raises(AssertionError, match=address), fresh_page(browser) as page:
        assert page.evaluate(ASK, address) == "nothing"
