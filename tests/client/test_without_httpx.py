"""What is told where the extra of the client is not installed."""

import sys

import pytest


def test_the_client_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [
        name for name in sys.modules if name.partition(".")[0] == "httpx2" or name.startswith("tenure.client")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(ModuleNotFoundError) as refused:
        __import__("tenure.client")
    assert refused.value.name == "httpx2"
    assert "tenure.client needs httpx2, which is not installed" in str(refused.value)
    assert "pip install 'tenure[client]'" in str(refused.value)
