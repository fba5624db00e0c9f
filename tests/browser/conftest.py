"""Pages for the browser tests, in the size of a small desktop screen.

In place of pytest-playwright's own ``context`` and ``page``, which ask for a base address that nobody needs.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.server import Server


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all: every test plays games of its own on it."""
    one = Server(tmp_path_factory.mktemp("server"))
    one.start()
    yield one
    one.kill()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    one = browser.new_context(viewport={"width": 1366, "height": 768})
    yield one
    one.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()
