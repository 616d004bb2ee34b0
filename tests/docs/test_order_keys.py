"""The blocks of the page on order keys do what it says."""

from tenure import Tenure
from tenure.testing import drain
from tests.docs import pages
from tests.docs.conftest import Play


def test_the_jobs_of_the_page_run_in_their_order(folder: object, play: Play) -> None:
    names = play(pages.blocks(pages.how_to("order-keys"), "python"))
    app: Tenure = names["app"]
    assert [app.get(ran.job_id).result() for ran in drain(app)] == ["91: change 1", "91: change 2"]  # type: ignore[union-attr]
    app.close()
