"""A document that the service could not open ends the attempt: it is never taken for one that is not there."""

import msgspec
import pytest

from tenure.client.ledger import _Begun, _Checkpoints
from tenure.core.outcomes import Terminal

EFFECT = '{"key":"k","request_id":"r","error_code":null,"result":null,"sealed_with":"a"}'


def test_a_stored_result_that_does_not_open_is_no_result() -> None:
    begun = msgspec.json.decode(f'{{"what":"stored","effect":{EFFECT},"wait":0}}', type=_Begun)
    assert begun.effect is not None
    with pytest.raises(Terminal, match="the result of an effect is sealed with key 'a'") as ended:
        begun.effect.recorded()
    assert ended.value.code == "sealed_key_missing"


def test_a_checkpoint_that_does_not_open_is_no_checkpoint() -> None:
    saved = msgspec.json.decode('{"checkpoints":[{"name":"page","sealed_with":"a"}]}', type=_Checkpoints)
    with pytest.raises(Terminal, match="the checkpoint 'page' is sealed with key 'a'"):
        assert saved.checkpoints[0].text is None
