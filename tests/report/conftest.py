"""Pages without Vega: most tests need its place in the page, not its megabyte."""

from __future__ import annotations

import pytest

from groundtrace.report import html


@pytest.fixture
def light_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "vega_bundle", lambda: "window.drawChart = async () => {};")
